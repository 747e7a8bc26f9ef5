#!/usr/bin/env python3
"""The whole GPU suite in one command, from a packed build (scripts/pack_gpu.sh): correctness, not speed.

    scripts/gpu/suite.py [BOX] [--out DIR] [--part NAME,...] [--model FILE] [--limit SECONDS]

BOX: build/gpu-box. Parts, each with its time; the sanitizers run beside the others, since nothing here is timed:
  conformance     every variant on every case against fp64
  sweep           attention, matvec and matmul at real shapes
  without-blas    conformance and sweep of matmul, and replay, with the vendor's GEMM hidden
  rows            digests and draws on the device against the CPU's
  replay          graph = eager, load beside it, chunking, CPU against CUDA (and FILE's model)
  memcheck, racecheck, synccheck, initcheck   conformance of what is in service under compute-sanitizer
  planted         every planted fault ends as what it is

What a part prints is in DIR/PART.log as it comes (DIR: the current folder). suite.log (the logs of what ended)
and suite.json are brought up to date whenever a part ends, so that whoever kills the suite loses nothing:
suite.json names what is unfinished. The suite ends within SECONDS (480): a part is stopped in time, and one that
no longer fits is not run. Exit 0; 1 when a part failed, was not run or is unfinished; 2 for bad options or a BOX without the programs; 77 without a GPU.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("assay_cuda_conformance_test", "assay-cuda-sweep", "assay-row-on-device-test", "assay-cuda-replay")
SANITIZERS = ("memcheck", "racecheck", "synccheck", "initcheck")
SANITIZER_FOUND = 99  # its exit code when it has something to report
# Seconds: a part is begun when the first are left (what an H200 took, and some), stopped after the second.
SECONDS = {
    "conformance": (30, 120), "sweep": (60, 150), "without-blas": (30, 150), "rows": (5, 60),
    "replay": (45, 240), "planted": (90, 170), "memcheck": (30, 220), "racecheck": (90, 220),
    "synccheck": (30, 220), "initcheck": (30, 220),
}
STOP_S = 4  # of a part that was told to end, before it is killed; also what the suite keeps for itself


class Part:
    """One part: its commands one after the other, what they print in a file."""

    def __init__(self, name, commands, environment, folder):
        self.name, self.environment = name, environment
        self.commands = [[str(word) for word in command] for command in commands]
        self.log = folder / f"{name}.log"
        self.code, self.seconds, self.process = None, 0.0, None

    def start(self, left):
        """Begins; `left`: seconds after which it must have ended."""
        self.started = time.monotonic()
        self.limit = min(SECONDS[self.name][1], left)
        self.file = open(self.log, "wb")
        self.failed, self.told = 0, False
        self._next()

    def _next(self):
        command = self.commands.pop(0)
        try:  # a group of its own, so that what it started ends with it
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.file,
                                            stderr=subprocess.STDOUT, env=self.environment, start_new_session=True)
        except OSError as fault:
            self.say(f"suite: {command[0]}: {fault.strerror}")
            self.process, self.failed = None, self.failed or 127

    def say(self, text):
        self.file.write((text + "\n").encode())
        self.file.flush()

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except (AttributeError, ProcessLookupError):
            pass  # it never ran, or nothing is left of it

    def ended(self):
        """Looks after it: the next command, the limit. True when there is nothing more to do."""
        over = time.monotonic() - self.started - self.limit
        code = self.process.poll() if self.process else self.failed
        if code is None:
            if over > 0 and not self.told:
                self.told, self.failed = True, self.failed or 124
                self.say(f"\nsuite: stopped after {self.limit:.0f} s")
                self.signal(signal.SIGINT)
            if over > STOP_S:
                self.signal(signal.SIGKILL)
            return False
        self.failed = self.failed or code
        if self.commands and not self.told:
            self._next()
            return False
        self.signal(signal.SIGKILL)  # what it left behind
        self.close()
        self.code = self.failed
        return True

    def kill(self):
        self.signal(signal.SIGKILL)
        try:
            self.process.wait(STOP_S)
        except (AttributeError, subprocess.TimeoutExpired):
            pass  # it never ran, or the driver does not let go of it

    def close(self):
        self.seconds = round(time.monotonic() - self.started, 1)
        self.file.close()

    def output(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def figures(self):
        launches = sum(int(n) for n in re.findall(r": (\d+) launches, worst", self.output()))
        return {"part": self.name, "code": self.code, "seconds": self.seconds, "launches": launches,
                "log": self.log.name}


class Suite:
    """The parts, in which order they run, and what is written of them."""

    def __init__(self, parts, variants, folder, limit):
        self.waiting, self.running, self.done, self.not_run = list(parts), [], [], []
        self.variants, self.folder, self.limit, self.started = variants, folder, limit, time.monotonic()
        self.stopped_by = None
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self.note_signal)
        (folder / "suite.log").write_text("")
        for part in parts:  # of an earlier suite
            part.log.unlink(missing_ok=True)
        self.write()

    def left(self):
        return self.limit - 2 * STOP_S - (time.monotonic() - self.started)

    def may_start(self, part):
        if part.name in SANITIZERS:
            return True
        if part.name == "planted":  # it counts processes and fills the memory: alone
            return not self.running and self.waiting == [part]
        return all(other.name in SANITIZERS for other in self.running)

    def note_signal(self, number, _frame):
        self.stopped_by = signal.Signals(number).name

    def run(self):
        while self.waiting or self.running:
            if self.stopped_by:
                self.stop(f"stopped by {self.stopped_by}")
                return
            for part in [part for part in self.running if part.ended()]:
                self.running.remove(part)
                self.finish(part)
            for part in list(self.waiting):
                if self.left() < SECONDS[part.name][0]:
                    self.skip(part)
                elif self.may_start(part):
                    self.waiting.remove(part)
                    self.running.append(part)
                    part.start(self.left())
            time.sleep(0.1)

    def finish(self, part):
        self.done.append(part)
        self.add_to_log(part, f"exit {part.code}, {part.seconds} s")
        self.write()
        verdict = "ok" if part.code == 0 else f"FAILED (exit {part.code})"
        launches = part.figures()["launches"]
        more = f", {self.variants} variants in service" if part.name in SANITIZERS else ""
        more += f", {launches} launches" if launches else ""
        print(f"{part.name:<13} {verdict}, {part.seconds:.1f} s{more}", flush=True)

    def skip(self, part):
        self.waiting.remove(part)
        self.not_run.append(part.name)
        self.write()
        print(f"{part.name:<13} not run: it takes {SECONDS[part.name][0]} s, and {max(self.left(), 0):.0f} s of "
              f"{self.limit:.0f} are left (--limit)", flush=True)

    def stop(self, why):
        """What runs ends; what it printed so far is kept."""
        for part in self.running:
            part.kill()
            part.say(f"\nsuite: {why}")
            part.close()
            self.add_to_log(part, f"unfinished, {part.seconds} s")
        self.write()
        print(f"suite: {why}", flush=True)

    def unfinished(self):
        return [part.name for part in self.running + self.waiting]

    def add_to_log(self, part, how):
        with open(self.folder / "suite.log", "a") as log:
            log.write(f"==== {part.name} ({how})\n{part.output()}\n")

    def write(self):
        summary = {"seconds": round(time.monotonic() - self.started, 1), "limit_s": self.limit,
                   "variants_in_service": self.variants, "parts": [part.figures() for part in self.done],
                   "unfinished": self.unfinished(), "not_run": self.not_run}
        written = self.folder / "suite.json.new"
        written.write_text(json.dumps(summary, indent=1) + "\n")
        written.replace(self.folder / "suite.json")

    def summary(self):
        """Prints the last line; the exit code."""
        failed = [part.name for part in self.done if part.code != 0]
        text = f"suite: {len(self.done)} parts, {len(failed)} failed{': ' + ', '.join(failed) if failed else ''}"
        text += f", {len(self.not_run)} not run: {', '.join(self.not_run)}" if self.not_run else ""
        text += f", unfinished: {', '.join(self.unfinished())}" if self.unfinished() else ""
        print(f"{text}, {time.monotonic() - self.started:.1f} s")
        return 1 if failed or self.not_run or self.unfinished() else 0


def in_service():
    """Ids of the CUDA variants that the map serves."""
    text = (ROOT / "experiments/in_service.yaml").read_text()
    return sorted(set(re.findall(r"[a-z0-9_]+\.cuda\.[a-z0-9_]+(?:\[[^\]]*\])?", text)))


def letters(text):
    return re.sub(r"[^a-z0-9]", "", text.lower())


def test_filter(program):
    """gtest's filter for what is in service; also how many variants that is."""
    listed = subprocess.run([program, "--gtest_list_tests"], stdout=subprocess.PIPE, text=True).stdout
    served = {letters(variant) for variant in in_service()}
    names = [name for name in re.findall(r"^  OnEveryCase/(\S+)", listed, re.M) if letters(name) in served]
    return ":".join(f"*/{name}" for name in names), len(names)


def commands_of(box, model):
    """Part: its commands; and how many variants the sanitizers watch."""
    bin = box / "bin"
    conformance = bin / "assay_cuda_conformance_test"
    replay = [bin / "assay-cuda-replay"]
    parts = {
        "conformance": [[conformance]],
        "sweep": [[bin / "assay-cuda-sweep"]],
        "without-blas": [[conformance, "--gtest_filter=*matmul*mma*"], [bin / "assay-cuda-sweep", "--part", "d"],
                         [*replay, "--part", "abc"]],
        "rows": [[bin / "assay-row-on-device-test"]],
        "replay": [replay] + ([[*replay, "--part", "ef", "--model", model]] if model else []),
        "planted": [[sys.executable, "-u", ROOT / "scripts/gpu/planted_faults.py", box]],
    }
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    chosen, count = test_filter(conformance)
    for tool in SANITIZERS:
        parts[tool] = [[sanitizer, "--tool", tool, "--error-exitcode", SANITIZER_FOUND, conformance,
                        f"--gtest_filter={chosen}"]]
    return parts, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("box", nargs="?", type=pathlib.Path, default=ROOT / "build/gpu-box")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--part", default="")
    parser.add_argument("--model")
    parser.add_argument("--limit", type=float, default=480)
    options = parser.parse_args()
    box = options.box.resolve()
    libraries = ["/usr/local/cuda/lib64", os.environ.get("LD_LIBRARY_PATH", "")]  # the vendor's
    os.environ["LD_LIBRARY_PATH"] = ":".join(filter(None, libraries))
    wanted = options.part.split(",") if options.part else list(SECONDS)
    for name in wanted:
        if name not in SECONDS:
            parser.error(f"--part {name}: parts are {', '.join(SECONDS)}")
    if options.model and not options.model.startswith("synth:") and not pathlib.Path(options.model).is_file():
        parser.error(f"--model {options.model}: no such file")
    for program in PROGRAMS:
        if not (box / "bin" / program).is_file():
            parser.error(f"{box}/bin has no {program}: pack a build of preset cuda with scripts/pack_gpu.sh")
    probe = subprocess.run([box / "bin/assay-cuda-sweep", "--part", "a", "--only", "none"], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    if probe.returncode == 77:
        print(probe.stdout, end="")
        return 77
    commands, variants = commands_of(box, options.model)
    options.out.mkdir(parents=True, exist_ok=True)
    parts = []
    for name in wanted:
        environment = {**os.environ, **({"ASSAY_CUBLASLT": "off"} if name == "without-blas" else {})}
        parts.append(Part(name, commands[name], environment, options.out))
    suite = Suite(parts, variants, options.out, options.limit)
    suite.run()
    return suite.summary()


if __name__ == "__main__":
    sys.exit(main())
