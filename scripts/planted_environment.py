#!/usr/bin/env python3
"""Plants unfit surroundings while `assay` judges a lever that is worth less than its bar.

    scripts/planted_environment.py PROGRAMS [--backend cpu|cuda] [--case NAME] [--keep]

PROGRAMS is the folder with `assay` and `assay-worker`. Everything happens in scratch workspaces with the
embedded model. First six A/A runs are measured, once (on a CPU two to three minutes); then each case starts
from a copy of that workspace, and takes under 40 s:

    quiet           nothing is planted: the control
    second load     something else runs for two seconds among the pairs
    loaded gate     something else runs while the baseline gate measures: its time may be the anchor
    slowed baseline the anchor is taken quietly; then something else runs through the whole next run
    loaded pairs    something else runs from the first pair to the end
    idle clock      twenty seconds of nothing, then the run

The load is a busy process per core on a CPU, and on a GPU `assay bench` in a loop. One line per case says how
its run ended. Exit 0, or 1 when any of them landed; 2 where it cannot start. Python 3 without packages.
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
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ["quiet", "second load", "loaded gate", "slowed baseline", "loaded pairs", "idle clock"]
LIMIT_S = 36
DEFINITION = """slug: planted
title: A lever that is worth less than its bar
lever: {lever}
class: bitwise
hypothesis: none, it is here to be measured beside other work
service: in_service.yaml
scope: {{device: {device}}}
candidate: {{{op}: "{candidate}"}}
workloads: [{workload}]
guards: []
expect: {{wall: 1%}}
bar: 5%
override: what is asked is what the surroundings do
"""


def refuse(message):
    print(f"planted_environment: {message}", file=sys.stderr)
    sys.exit(2)


def section(text, key):
    """The rows of one device in a service map."""
    found = re.search(rf"^  {re.escape(key)}:\n((?:    .*\n)+)", text, re.MULTILINE)
    return found.group(1) if found else ""


def first_row(text, keys, op):
    """The device key that has a plain row of this op, and its variant."""
    for key in keys:
        found = re.search(rf'^    {op}: \[\{{variant: "([^"]+)"', section(text, key), re.MULTILINE)
        if found:
            return key, found.group(1)
    return None, None


def cpu_lever(text, device):
    keys = {"cpu-avx512vnni": ["cpu-avx512vnni", "cpu-avx2", "cpu"], "cpu-avx2": ["cpu-avx2", "cpu"]}
    key, serves = first_row(text, keys.get(device, ["cpu"]), "rms_norm")
    if serves is None:
        refuse("the service map has no plain row of rms_norm for this CPU")
    workload = "{model: embedded, phase: prefill, tokens: 128, threads: 1}"
    if "portable" in serves:
        return "rms_norm.mechanism", key, "rms_norm", "rms_norm.cpu.step_pairs", workload
    other = serves.replace("unroll=1", "unroll=X").replace("unroll=2", "unroll=1").replace("unroll=X", "unroll=2")
    return "rms_norm.unroll", key, "rms_norm", other, workload


def cuda_lever(text):
    key, serves = first_row(text, ["cuda-sm90", "cuda"], "matvec_q4k")
    if serves is None:
        refuse("the service map has no plain row of matvec_q4k for CUDA")
    rows = "rows=1" if "rows=2" in serves else "rows=2"
    other = re.sub(r"rows=\d+", rows, serves)
    return "matvec_q4k.rows", key, "matvec_q4k", other, "{model: embedded, phase: decode, depth: 128, steps: 64}"


class Load:
    """Work of other processes, from start() to stop()."""

    def __init__(self, programs, backend):
        bench = [str(programs / "assay"), "bench", "--backend", "cuda", "--model", "embedded", "--prefill", "512",
                 "--decode", "128", "--depth", "128", "--repeat", "1000", "--workspace"]
        self.commands = [["bench", *bench]] if backend == "cuda" else [["busy"]] * (os.cpu_count() or 1)
        self.children = []
        self.workspace = None

    def start(self):
        for kind, *command in self.commands:
            argv = [sys.executable, "-c", "while True: pass"] if kind == "busy" else [*command, str(self.workspace)]
            self.children.append(subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                                  start_new_session=True))

    def stop(self):
        for child in self.children:
            os.killpg(child.pid, signal.SIGKILL)  # with its worker
            child.wait()
        self.children = []


class Bench:
    def __init__(self, options):
        self.programs = pathlib.Path(options.programs).resolve()
        self.backend = options.backend
        self.assay = self.programs / "assay"
        for program in (self.assay, self.programs / "assay-worker"):
            if not os.access(program, os.X_OK):
                refuse(f"there is no program {program}: name the folder of a build")
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="assay-planted-"))
        self.load = Load(self.programs, self.backend)

    def command(self, workspace, *arguments):
        return [str(self.assay), *arguments, "--workspace", str(workspace)]

    def must(self, workspace, *arguments):
        done = subprocess.run(self.command(workspace, *arguments), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            refuse(f"`assay {' '.join(arguments)}` ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def prepare(self):
        workspace = self.scratch / "prepared"
        for folder in ("experiments/definitions", "experiments/notes", "results"):
            (workspace / folder).mkdir(parents=True)
        text = (ROOT / "experiments/in_service.yaml").read_text(encoding="utf-8")
        (workspace / "experiments/in_service.yaml").write_text(text, encoding="utf-8")
        if self.backend == "cuda":
            lever, device, op, candidate, workload = cuda_lever(text)
        else:
            here = json.loads(self.must(workspace, "doctor", "--json"))["device_key"]
            lever, device, op, candidate, workload = cpu_lever(text, here)
        definition = workspace / "experiments/definitions/planted.yaml"
        definition.write_text(DEFINITION.format(lever=lever, device=device, op=op, candidate=candidate,
                                                workload=workload), encoding="utf-8")
        self.must(workspace, "propose", str(definition))
        started = time.monotonic()
        self.must(workspace, "calibrate", "--for", "planted", "--runs", "6", "--pairs", "4")
        print(f"{candidate} on {device}: six A/A runs took {time.monotonic() - started:.0f} s", flush=True)
        return workspace

    def run(self, workspace, *arguments, on_line=None):
        """(exit code, JSON, seconds); `on_line` sees what the run says as it goes."""
        started = time.monotonic()
        child = subprocess.Popen(self.command(workspace, "run", "planted", "--json", "--pairs", "8", "--time-limit",
                                              str(LIMIT_S), *arguments),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = []

        def listen():
            for line in child.stderr:
                said.append(line.rstrip())
                if on_line:
                    on_line(line)

        listener = threading.Thread(target=listen)
        listener.start()
        output = child.stdout.read()
        child.wait()
        listener.join()
        try:
            answer = json.loads(output)
        except json.JSONDecodeError:
            answer = {"outcome": "?", "message": " ".join(said[-2:])}
        return child.returncode, answer, time.monotonic() - started

    def case(self, name, prepared):
        workspace = self.scratch / name.replace(" ", "-")
        shutil.copytree(prepared, workspace)
        self.load.workspace = self.scratch / "load"
        if not self.load.workspace.exists():
            shutil.copytree(prepared, self.load.workspace)
        timers = []

        def for_two_seconds():
            self.load.start()
            timers.append(threading.Timer(2, self.load.stop))
            timers[-1].start()

        def at(gate, action):
            """`action`, once, when this gate has said its line."""
            state = {"done": False}

            def on_line(line):
                if line.startswith(gate) and not state["done"]:
                    state["done"] = True
                    action()
            return on_line

        on_line = None
        try:
            if name == "second load":
                on_line = at("margin", lambda: timers.append(threading.Timer(4, for_two_seconds)) or timers[-1].start())
            elif name == "loaded gate":
                self.load.start()
                on_line = at("baseline", self.load.stop)
            elif name == "slowed baseline":
                self.run(workspace, "--until", "baseline")
                self.load.start()
            elif name == "loaded pairs":
                on_line = at("margin", self.load.start)
            elif name == "idle clock":
                time.sleep(20)
            code, answer, seconds = self.run(workspace, on_line=on_line)
        finally:
            for timer in list(timers):
                timer.join()
            self.load.stop()
        verdict = answer.get("verdict") or "no verdict"
        reason = f"({answer['reason']})" if answer.get("reason") else ""
        counted = "SELECT count(*), count(nullif(dropped, '')) FROM pairs WHERE slug = 'planted'"
        rows = self.must(workspace, "query", "--json", "--sql", counted)
        pairs, dropped = json.loads(rows)[0].values()
        message = " ".join((answer.get("message") or "").split())
        print(f"{name:<16} exit {code:>2}  {answer.get('outcome', '?'):<13} {verdict}{reason}, {dropped} of {pairs} pairs dropped, "
              f"{seconds:.0f} s: {message}", flush=True)
        return code != 0 and verdict != "LAND"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", help="folder with assay and assay-worker")
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--case", choices=CASES, help="only this one")
    parser.add_argument("--keep", action="store_true", help="leave the scratch workspaces")
    options = parser.parse_args()
    bench = Bench(options)
    try:
        prepared = bench.prepare()
        held = [bench.case(name, prepared) for name in CASES if options.case in (None, name)]
    finally:
        bench.load.stop()
        if options.keep:
            print(f"workspaces: {bench.scratch}")
        else:
            shutil.rmtree(bench.scratch, ignore_errors=True)
    print(f"{sum(held)} of {len(held)} did not land")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
