#!/usr/bin/env python3
"""Every planted CUDA fault ends as the outcome that it is, and the next run is clean. On a GPU.

    scripts/gpu/planted_faults.py [BOX] [--only NAME,...] [--keep]     BOX: build/gpu-box

BOX is what scripts/pack_gpu.sh packed. Each case has a workspace of its own with one experiment on the
embedded model, whose candidate is a variant of kernels/planted, and runs `assay run`; then: exit code,
verdict, message, `assay check`, no worker left, and a text from the engine in service as before.
One line per case. Exit 0; 1 when a case failed; 2 for bad options or a BOX without the programs; 77 without a GPU.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["assay", "assay-planted", "assay-worker", "assay-worker-planted", "assay-hold-gpu-memory"]
STALL_S = 8  # of the case that hangs: a start of the driver must fit
LEAVE_MIB = 2500  # for a process's own part; the model of the case needs more
# Rows of the map that serve several ops in one kernel: without them, `add` is at work by itself.
COMPOUND = re.compile(r"^    (add_rms_norm_halve|add_rms_norm_quantize|rope_store|swiglu_halve|swiglu_quantize):")
OLD_DRIVER = (r"the NVIDIA driver is too old: it offers CUDA 12\.2, and this build needs \d+\.\d+: "
              "install a newer driver")
NO_MEMORY = (r"out of GPU memory: weights \d+ MiB, KV cache \d+ MiB, activations \d+ MiB, workspace \d+ MiB "
             r"on the GPU, but \d+ MiB of \d+ MiB are free; ask for less context or end what else uses the GPU")

# name: candidate, exit code, (verdict, reason), the whole message
FAULTS = {
    "tail": ("add.cuda.planted[fault=tail]", 10, ("REVERT", "identity"),
             r"identity is red: .*(token \d+ of \d+ is \d+ instead of \d+|logits of row \d+ of \d+ differ).*"),
    "fallback": ("add.cuda.planted[fault=fallback]", 10, ("REVERT", "not-live"),
                 r"identity is red \(not-live\): add\.cuda\.planted\[fault=fallback\]'s code calls another "
                 r"variant's launch function; .*"),
    "opt-in": ("add.cuda.planted_shared[fault=opt_in]", 10, ("REVERT", "crash"),
               r"identity is red \(crash\): the candidate worker: add\.cuda\.planted_shared\[fault=opt_in\]: the "
               r"kernel asks for 524288 bytes of dynamic shared memory per block, and this GPU gives it \d+: .*"),
    "address": ("add.cuda.planted[fault=address]", 10, ("REVERT", "crash"),
                r"identity is red \(crash\): the candidate worker: .*\(cudaErrorIllegalAddress\); last launch: "
                r"[a-z0-9_]+\.cuda\.[^;]+; this process can use the GPU no more: start another; .*"),
    "endless": ("add.cuda.planted[fault=endless]", 10, ("REVERT", "hang"),
                rf"identity is red \(hang\): the candidate worker: no progress for {STALL_S} s in `work`; .*"),
}
CONTROLS = {
    "control": "add.cuda.planted[fault=none]",
    "control-shared": "add.cuda.planted_shared[fault=none]",
}


class Failed(Exception):
    """A case did not end as it must; the text says what was seen."""


class Box:
    """The packed programs, with manifests that say where this tree's sources lie."""

    def __init__(self, packed, folder):
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.old_driver = packed / "old_driver"
        self.environment = dict(os.environ)
        self.libraries = [str(packed / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
        for program in PROGRAMS:
            shutil.copy2(packed / "bin" / program, self.bin / program)
            manifest = packed / "bin" / (program + ".manifest.json")
            if not manifest.exists():
                continue
            text = json.loads(manifest.read_text())
            text["source_root"] = str(ROOT)
            (self.bin / manifest.name).write_text(json.dumps(text, indent=1) + "\n")

    def environment_with(self, folders):
        path = ":".join(part for part in [*folders, *self.libraries] if part)
        return {**self.environment, "LD_LIBRARY_PATH": path}

    def run(self, program, *arguments, folders=(), text=None, limit=120):
        """Exit code, standard output, standard error."""
        try:
            done = subprocess.run([str(self.bin / program), *arguments], input=text, text=True,
                                  capture_output=True, timeout=limit, errors="replace",
                                  env=self.environment_with(folders), check=False)
        except subprocess.TimeoutExpired as slow:
            raise Failed(f"{program} {' '.join(arguments)} took longer than {limit} s") from slow
        return done.returncode, done.stdout, done.stderr

    def hello(self):
        """What the worker says of this machine."""
        code, out, err = self.run("assay-worker", text='{"request":"hello"}\n')
        try:
            return json.loads(out)
        except json.JSONDecodeError as damaged:
            raise Failed(f"assay-worker answered no hello: exit {code}: {(out + err).strip()[:200]}") from damaged

    def workers_left(self):
        left = []
        for process in pathlib.Path("/proc").iterdir():
            if not process.name.isdigit():
                continue
            try:
                program = os.readlink(process / "exe")
            except OSError:
                continue
            if program.startswith(str(self.bin) + "/assay-worker"):
                left.append(f"{process.name} {program}")
        return left

    def free_mib(self):
        """The GPU's free memory, as a new process finds it."""
        code, out, err = self.run("assay-hold-gpu-memory", "100000000", "5", text="")
        found = re.search(r"holding 0 MiB, (\d+) MiB are free", out)
        if code != 0 or not found:
            raise Failed(f"free memory: exit {code}: {out}{err}")
        return int(found.group(1))

    def text(self):
        """What the engine in service writes: the same whenever it is whole."""
        code, out, err = self.run("assay", "generate", "--worker", str(self.bin / "assay-worker"), "-m",
                                  "embedded", "--backend", "cuda", "-p", "The ship", "-n", "16")
        if code != 0:
            raise Failed(f"generate: exit {code}: {(out + err).strip()}")
        return out


class Workspace:
    """A workspace with one experiment: should `candidate` serve the sums?"""

    def __init__(self, box, folder, name, candidate, model):
        self.box = box
        self.path = folder / name
        self.slug = "planted-" + name
        for part in ["experiments/definitions", "experiments/notes", "results"]:
            (self.path / part).mkdir(parents=True)
        served = (ROOT / "experiments/in_service.yaml").read_text().splitlines(keepends=True)
        (self.path / "experiments/in_service.yaml").write_text(
            "".join(line for line in served if not COMPOUND.match(line)))
        definition = self.path / "experiments/definitions" / (self.slug + ".yaml")
        definition.write_text(f"""slug: {self.slug}
title: A planted fault
lever: add.mechanism
class: bitwise
hypothesis: A fault of this kind ends with the outcome that names it.
mechanism: work
scope: {{device: cuda}}
candidate: {{add: "{candidate}"}}
workloads: [{{model: "{model}", phase: decode, depth: 16, steps: 16}}]
expect: {{wall: 15%}}
bar: 5%
""")
        self.expect(0, "propose", str(definition))

    def assay(self, command, *arguments, folders=()):
        return self.box.run("assay-planted", command, *arguments, "--workspace", str(self.path), "--worker",
                            str(self.box.bin / "assay-worker-planted"), folders=folders)

    def expect(self, want, command, *arguments, folders=()):
        code, out, err = self.assay(command, *arguments, folders=folders)
        if code != want:
            raise Failed(f"{command}: exit {code} instead of {want}: {(out + err).strip()}")
        return out, err

    def run(self, want, *options):
        """What `assay run --json` says."""
        out, _ = self.expect(want, "run", self.slug, "--json", *options)
        at = out.find("{")
        if at < 0:
            raise Failed(f"run: no JSON in {out!r}")
        return json.loads(out[at:])


def must_match(pattern, text):
    if not re.fullmatch(pattern, text, re.DOTALL):
        raise Failed(f"the message is: {text!r}")


def fault_case(box, workspace, name):
    _, code, verdict, pattern = FAULTS[name]
    leaves_kernels = name in ("address", "endless")  # its process dies with work on the GPU
    free = box.free_mib() if leaves_kernels else 0
    options = ["--stall-limit", str(STALL_S)] if name == "endless" else []
    said = workspace.run(code, *options)
    if (said["verdict"], said["reason"]) != verdict:
        raise Failed(f"the verdict is {said['verdict']}({said['reason']}): {said['message']}")
    must_match(pattern, said["message"])
    if said["effect"] is not None:
        raise Failed(f"something was timed: {said['effect']}")
    if leaves_kernels and (now := box.free_mib()) < free - 256:
        raise Failed(f"{now} MiB of the GPU are free, {free} before")
    workspace.expect(0, "check")
    return f"exit {code} {verdict[0]}({verdict[1]}): {said['message']}"


def control_case(_box, workspace, _name):
    said = workspace.run(0, "--until", "margin")
    must_match("green, as far as it went; no attempt was used", said["message"])
    workspace.expect(0, "check")
    return f"exit 0: {said['message']}"


def memory_case(box, workspace, _name):
    with subprocess.Popen([str(box.bin / "assay-hold-gpu-memory"), str(LEAVE_MIB), "60"], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=box.environment_with([])) as holder:
        held = holder.stdout.readline().strip()
        try:
            _, err = workspace.expect(13, "run", workspace.slug)
        finally:
            holder.stdin.close()
            holder.wait(timeout=20)
    lines = [line for line in err.splitlines() if line.startswith("assay: ")]
    must_match("assay: " + NO_MEMORY, lines[-1] if lines else err)
    said = workspace.run(0, "--until", "preflight")
    if said["state"] != "proposed":
        raise Failed(f"the experiment is {said['state']}")
    workspace.expect(0, "check")
    return f"exit 13 while another was {held}: {lines[-1]}"


def driver_case(box, workspace, _name):
    old = [str(box.old_driver)]
    _, err = workspace.expect(13, "run", workspace.slug, folders=old)
    must_match("assay: backend cuda: " + OLD_DRIVER, err.strip())
    said = workspace.run(0, "--until", "preflight")
    if said["state"] != "proposed":
        raise Failed(f"the experiment is {said['state']}")
    workspace.expect(0, "check")
    return f"exit 13: {err.strip()}"


def cases():
    """Name: what is run, candidate, model."""
    control = CONTROLS["control"]
    return {
        **{name: (fault_case, fault[0], "embedded") for name, fault in FAULTS.items()},
        "memory": (memory_case, control, "synth:qwen2.5-7b-q4_k_m"),
        "driver": (driver_case, control, "embedded"),
        **{name: (control_case, candidate, "embedded") for name, candidate in CONTROLS.items()},
    }


def run_case(box, proposed, name, healthy):
    started = time.monotonic()
    outcome = "ok"
    try:
        seen = cases()[name][0](box, proposed.result(), name)
    except Failed as failed:
        outcome, seen = "FAILED", str(failed)
    try:
        if left := box.workers_left():
            outcome, seen = "FAILED", f"{seen}; left over: {', '.join(left)}"
        if (text := box.text()) != healthy:
            outcome, seen = "FAILED", f"{seen}; afterwards the engine writes {text!r}"
    except Failed as failed:
        outcome, seen = "FAILED", f"{seen}; afterwards: {failed}"
    print(f"{outcome:<6} {name:<14} {time.monotonic() - started:5.1f} s  {seen}", flush=True)
    return outcome == "ok"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("box", nargs="?", default=str(ROOT / "build/gpu-box"))
    parser.add_argument("--only", default="", help="names of cases, with commas between them")
    parser.add_argument("--keep", action="store_true", help="keep the workspaces, and say where")
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    if unknown := set(only) - set(cases()):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    packed = pathlib.Path(arguments.box).resolve()
    for program in PROGRAMS:
        if not (packed / "bin" / program).is_file():
            parser.error(f"{packed}/bin has no {program}: pack a build of preset cuda with scripts/pack_gpu.sh")
    started = time.monotonic()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="assay_planted_"))
    try:
        box = Box(packed, folder)
        gpu = box.hello()
        if not gpu["gpu_key"]:
            print(f"skipped: {gpu['gpu_absent']}")
            return 77
        healthy = box.text()
        chosen = [name for name in cases() if not only or name in only]
        # Proposing measures nothing, so all are proposed side by side.
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            proposed = {name: pool.submit(Workspace, box, folder, name, *cases()[name][1:]) for name in chosen}
        passed = [run_case(box, proposed[name], name, healthy) for name in chosen]
        print(f"{'ok' if all(passed) else 'FAILED':<6} {sum(passed)} of {len(passed)} on {gpu['gpu_name']} in "
              f"{time.monotonic() - started:.0f} s")
        return 0 if all(passed) else 1
    except Failed as failed:
        print(f"FAILED before the first case: {failed}")
        return 1
    finally:
        if arguments.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
