#!/usr/bin/env python3
"""What the A/B says of effects whose size is known: a spin of so many clock cycles in each decode step. On a GPU.

    scripts/gpu/planted_effects.py measure BOX --model embedded|1.5b|7b --out FILE [--level P,...] [--runs N] [--pairs N] [--arms N]
    scripts/gpu/planted_effects.py collect DATABASE... > FILE
    scripts/gpu/planted_effects.py report FILE...

BOX is what scripts/pack_gpu.sh packed. `measure` runs `assay-planted calibrate --planted`, one level after the other,
and appends a line of JSON per run to FILE: all samples. `collect` makes the same lines of the GPU runs in databases,
those with equal arms as well. `report` reads lines and prints two Markdown tables: per level what is true (the spin's
cycles by the baseline's cycles a step), what came out, how many of the 95 % intervals hold the truth, and how many
runs have the wrong sign; then what equal arms came out at.
Exit 0; 1 when a level could not be measured; 2 for wrong usage; 77 without a GPU.
"""
import argparse
import json
import math
import pathlib
import re
import shlex
import sqlite3
import statistics
import subprocess
import sys

VARIANT = "add.cuda.planted_spin[cycles={}]"
# Levels in per cent of a step, by the cycles that kernels/planted/cuda_planted_spin.cu has for a model. The embedded model is
# here as a warning: its steps wait for the host, and a spin of microseconds disappears in that.
MODELS = {
    "embedded": ("embedded", 128, {"0.25": 925, "0.5": 1850, "1": 3700, "2": 7400, "5": 18500}),
    "1.5b": ("synth:qwen2.5-1.5b-q4_k_m", 128, {"0.15": 3700, "0.25": 5800, "0.5": 11600, "1": 23200, "2": 46400, "5": 116000}),
    "7b": ("synth:qwen2.5-7b-q4_k_m", 1641, {"0.25": 11600, "0.5": 23200, "1": 46400, "2": 92800, "5": 232000}),
}
STEPS = 64
NO_GPU = 13
# Two-sided 95 % points of Student's t by degrees of freedom.
T95 = [math.nan, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]


def measure(args):
    model, depth, levels = MODELS[args.model]
    wanted = args.level.split(",") if args.level else list(levels)
    unknown = [level for level in wanted if level not in levels]
    if unknown:
        sys.exit(usage(f"--level {unknown[0]}: write some of {','.join(levels)}"))
    program = pathlib.Path(args.box) / "bin" / "assay-planted"
    if not program.exists():
        sys.exit(usage(f"{program}: not there: name a folder that scripts/pack_gpu.sh made"))
    failed = 0
    for level in wanted:
        command = [program, "calibrate", "--backend", "cuda", "--model", model, "--phase", "decode", "--depth", depth,
                   "--steps", STEPS, "--runs", args.runs, "--pairs", args.pairs, "--arms", args.arms, "--json",
                   "--planted", VARIANT.format(levels[level]), "--control", VARIANT.format(0), "--workspace",
                   args.workspace, "--worker", program.with_name("assay-worker-planted")]
        with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True) as running:
            for text in running.stdout:
                with open(args.out, "a") as out:
                    out.write(text)
        if running.returncode == NO_GPU:
            sys.exit(77)
        print(f"{'FAILED' if running.returncode else 'ok'} {args.model} {level} %: exit {running.returncode}", flush=True)
        failed |= running.returncode != 0
    return int(failed)


def collect(args):
    """Runs of databases that `measure` or `assay calibrate` left, as lines."""
    for name in args.databases:
        base = sqlite3.connect(f"file:{name}?mode=ro", uri=True)
        opened = base.execute("SELECT run, body FROM event WHERE kind = 'run-opened' ORDER BY at").fetchall()
        for run, body in opened:
            facts = json.loads(body)
            chosen = "SELECT body FROM event WHERE run = ? AND kind = 'sample' ORDER BY idx"
            samples = [json.loads(text) for (text,) in base.execute(chosen, (run,))]
            if facts["command"] != "calibrate" or not samples or facts["provenance"].get("device_key", "")[:4] != "cuda":
                continue
            words = shlex.split(facts["argv"])
            given = {flag: words[words.index(flag) + 1] for flag in ("--planted", "--control") if flag in words}
            pairs = [{"labels": one["labels"], "ns": one["worker_ns"], **{key: one["telemetry"].get("segments", {}).get(key)
                      for key in ("cycles", "device_ns")}, "requests": one["telemetry"].get("requests")} for one in samples]
            print(json.dumps({"workload": facts["provenance"]["workload"], "planted": given.get("--planted", ""),
                              "control": given.get("--control", ""), "arms": len(set(samples[0]["labels"])), "id": run,
                              "in_turn": "core" in samples[0]["telemetry"], "samples": pairs}))
    return 0


def usage(message):
    print(f"planted_effects: {message}", file=sys.stderr)
    return 2


def log_means(pair, key):
    """Mean ln of each arm's segments."""
    arms = {}
    for label, value in zip(pair["labels"], pair[key]):
        arms.setdefault(label, []).append(math.log(value))
    return {label: statistics.fmean(values) for label, values in arms.items()}


def pair_value(pair, key="ns"):
    means = log_means(pair, key)
    return (means["A"] + means.get("C", means["A"])) / 2 - means["B"]


def twin_value(pair, key="ns"):
    means = log_means(pair, key)
    return means["A"] - means["C"]


def interval(values):
    mean = statistics.fmean(values)
    half = T95[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def cycles_a_step(run):
    """Of the baseline, on the multiprocessors' clock."""
    return statistics.fmean([cycles / pair["requests"] / STEPS for pair in run["samples"]
                             for label, cycles in zip(pair["labels"], pair["cycles"]) if label != "B"])


def spin_of(run):
    return int(re.search(r"cycles=(\d+)", run["planted"]).group(1))


def true_value(runs):
    """D that the spin makes: ln of the baseline's cycles a step less ln of those with the spin."""
    return -math.log1p(spin_of(runs[0]) / statistics.fmean([cycles_a_step(run) for run in runs]))


def per_cent(d):
    return 100 * math.expm1(d)


def planted_row(runs):
    """Of all runs of one workload and one spin."""
    true_d = true_value(runs)
    values = [[pair_value(pair) for pair in run["samples"]] for run in runs]
    found = [interval(one) for one in values]
    means = [mean for mean, _, _ in found]
    holds = sum(low <= true_d <= high for _, low, high in found)
    wrong = sum(mean > 0 for mean in means)
    pairs = sorted({len(one) for one in values})
    spread = f"{100 * statistics.stdev(means):.2f} %" if len(means) > 1 else "one run"
    return (f"| {runs[0]['workload'].split(' threads')[0]} | {runs[0]['arms']} | {per_cent(true_d):+.2f} % "
            f"| {len(runs)} x {', '.join(map(str, pairs))} | {per_cent(statistics.fmean(means)):+.3f} % "
            f"| {per_cent(min(means)):+.2f} to {per_cent(max(means)):+.2f} % | {spread} "
            f"| {100 * (statistics.fmean(means) - true_d):+.3f} % | {holds} of {len(runs)} | {wrong} |")


def equal_row(name, values):
    """Of runs with equal arms: values of their pairs."""
    found = [interval(one) for one in values]
    excluding = sum(low > 0 or high < 0 for _, low, high in found)
    rms = math.sqrt(statistics.fmean([mean * mean for mean, _, _ in found]))
    pair_sd = math.sqrt(statistics.fmean([statistics.variance(one) for one in values]))
    return f"| {name} | {len(values)} | {100 * pair_sd:.2f} % | {100 * rms:.2f} % | {excluding} of {len(values)} |"


def grouped(runs, key):
    groups = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return [groups[name] for name in sorted(groups)]


def report(args):
    runs = [json.loads(text) for name in args.files for text in pathlib.Path(name).read_text().splitlines()]
    runs = [run for run in runs if len(run["samples"]) > 1]
    planted = [run for run in runs if run["planted"]]
    print("| workload | processes | true effect | runs x pairs | mean estimate | from, to | sd of runs | error of the mean "
          "| intervals that hold the truth | wrong signs |\n|---|---|---|---|---|---|---|---|---|---|")
    for group in grouped(planted, lambda run: (run["workload"], run["arms"], spin_of(run))):
        print(planted_row(group))
    print("\n| equal arms | runs | pair sd | rms effect | 95 % intervals that exclude zero |\n|---|---|---|---|---|")
    for group in grouped(runs, lambda run: (run["workload"], bool(run["planted"]), run["arms"], run.get("in_turn", True))):
        name = group[0]["workload"].split(" threads")[0]
        if group[0]["planted"] and group[0]["arms"] == 3:
            print(equal_row(name + ", two baselines of three arms", [[twin_value(pair)
                  for pair in run["samples"]] for run in group]))
        elif not group[0]["planted"]:
            print(equal_row(name + ("" if group[0].get("in_turn", True) else ", as measured before"),
                            [[pair_value(pair) for pair in run["samples"]] for run in group]))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("measure")
    one.add_argument("box", metavar="BOX")
    one.add_argument("--model", choices=sorted(MODELS), required=True)
    one.add_argument("--out", required=True)
    one.add_argument("--level")
    one.add_argument("--workspace", default=".")
    for name, default in (("runs", 10), ("pairs", 4), ("arms", 3)):
        one.add_argument(f"--{name}", type=int, default=default)
    commands.add_parser("collect").add_argument("databases", nargs="+", metavar="DATABASE")
    commands.add_parser("report").add_argument("files", nargs="+", metavar="FILE")
    args = parser.parse_args()
    return {"measure": measure, "collect": collect, "report": report}[args.command](args)


if __name__ == "__main__":
    sys.exit(main())
