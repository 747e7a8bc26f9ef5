#!/usr/bin/env python3
"""Speed of what is in service beside llama.cpp: the same file, the same card, one window.

    scripts/gpu/speed.py --model FILE [--box build/gpu-box] [--llama-bench PROGRAM] [--json OUT]

Prefill of 512 and 3,314 rows, decode of 128 steps at depth 0 (ours: 1), 1,641 and 3,254: medians of five
(llama.cpp: means of five, with -ngl 99 -fa 1 -b 4096 -ub 4096). Energy of the decode at 1,641 is taken over
more repetitions. Prints a Markdown table. Exit 0; 1 when a program failed; 2 for a FILE, box or PROGRAM
that is not there; 77 without a GPU.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPTHS = {1: 0, 1641: 1641, 3254: 3254}  # ours: llama.cpp's
ENERGY_REPEATS = 24  # 5 s and more of a 7 B model


def run(command):
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as fault:
        sys.exit(f"speed: {command[0]}: {fault.strerror}")
    if done.returncode == 13:
        print(done.stderr, end="", file=sys.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"speed: {command[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"speed: {command[0]} printed no JSON: {done.stdout[:200]!r}")


def ours(box, model):
    rows, facts = {}, {}
    for prefill, depth, repeat in ((512, 1, 5), (3314, 1641, ENERGY_REPEATS), (0, 3254, 5)):
        found = run([box / "bin/assay", "bench", "-m", model, "--backend", "cuda", "--prefill", prefill, "--decode", 128,
                     "--depth", depth, "--repeat", repeat, "--json", "--workspace", ROOT])
        rows.update({row["work"]: row for row in found["rows"]})
        facts.setdefault("load_s", found["load_ns"] / 1e9)
        facts.update({name: found[name] for name in ("model", "device_name", "service", "gpu_used_bytes")})
    return rows, facts


def theirs(program, model):
    common = [program, "-m", model, "-ngl", 99, "-fa", 1, "-b", 4096, "-ub", 4096, "-r", 5, "-o", "json"]
    rows = {}
    for row in run([*common, "-p", "512,3314", "-n", 0]):
        rows[f"prefill {row['n_prompt']}"] = row["avg_ts"]
    for row in run([*common, "-p", 0, "-n", 128, "-d", ",".join(str(d) for d in DEPTHS.values())]):
        depth = next(o for o, t in DEPTHS.items() if t == row["n_depth"])
        rows[f"decode 128 at {depth}"] = row["avg_ts"]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--box", type=pathlib.Path, default=ROOT / "build/gpu-box")
    parser.add_argument("--llama-bench", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    if not pathlib.Path(options.model).is_file():
        parser.error(f"--model {options.model}: no such file")
    if not (options.box / "bin/assay").is_file():
        parser.error(f"{options.box}/bin has no assay: pack a build of preset cuda with scripts/pack_gpu.sh")
    if options.llama_bench and not options.llama_bench.is_file():
        parser.error(f"--llama-bench {options.llama_bench}: no such program")
    rows, facts = ours(options.box.resolve(), options.model)
    other = theirs(options.llama_bench, options.model) if options.llama_bench else {}
    print(f"{options.model} on {facts['device_name']}: load {facts['load_s']:.2f} s, "
          f"GPU memory in use {facts['gpu_used_bytes'] / 2**20:.0f} MiB\n")
    print("| work | tok/s | ms | J/token | llama.cpp, tok/s | ratio |\n|---|---|---|---|---|---|")
    for name, row in rows.items():
        energy = "" if row["j_per_token"] is None else f"{row['j_per_token']:.3f}"
        peer = other.get(name)
        beside = "| |" if peer is None else f"{peer:.1f} | {row['median'] / peer:.2f} |"
        print(f"| {name} | {row['median']:.1f} | {row['median_ms']:.3f} | {energy} | {beside}", flush=True)
    if options.json:
        options.json.write_text(json.dumps({"facts": facts, "rows": rows, "llama_cpp": other}, indent=1) + "\n")


if __name__ == "__main__":
    main()
