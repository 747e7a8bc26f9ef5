#!/usr/bin/env python3
"""The whole GPU suite in one command, from a packed build (scripts/pack_gpu.sh): correctness, not speed.

    scripts/gpu/suite.py [BOX] [--out DIR] [--part NAME,...] [--model FILE]     BOX: build/gpu-box

Parts, each with its time; the sanitizers run beside the others, since nothing here is timed:
  conformance     every variant on every case against fp64
  sweep           attention, matvec and matmul at real shapes
  without-blas    conformance and sweep of matmul, and replay, with the vendor's GEMM hidden
  rows            digests and draws on the device against the CPU's
  replay          graph = eager, load beside it, chunking, CPU against CUDA (and FILE's model)
  memcheck, racecheck, synccheck, initcheck   conformance of what is in service under compute-sanitizer
  planted         every planted fault ends as what it is

Leaves suite.log and suite.json in DIR (default: the current folder). Exit 0; 1 when a part failed; 77
without a GPU.
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
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SANITIZERS = ("memcheck", "racecheck", "synccheck", "initcheck")
SANITIZER_FOUND = 99  # its exit code when it has something to report
LIMIT_S = {"planted": 150, "replay": 150, **dict.fromkeys(SANITIZERS, 220)}


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


def parts_of(box, model):
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
        "planted": [[sys.executable, ROOT / "scripts/gpu/planted_faults.py", box]],
    }
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    chosen, count = test_filter(conformance)
    for tool in SANITIZERS:
        parts[tool] = [[sanitizer, "--tool", tool, "--error-exitcode", SANITIZER_FOUND, conformance,
                        f"--gtest_filter={chosen}"]]
    return parts, count


def run_part(name, commands, environment):
    started, output, code = time.monotonic(), "", 0
    if name == "without-blas":
        environment = {**environment, "ASSAY_CUBLASLT": "off"}
    for command in commands:
        try:
            done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", env=environment, timeout=LIMIT_S.get(name, 120))
            output += done.stdout
            code = code or done.returncode
        except subprocess.TimeoutExpired as late:
            output += (late.stdout or b"").decode(errors="replace") + f"\nsuite: stopped after {late.timeout:.0f} s\n"
            code = code or 124
        except OSError as fault:
            output += f"suite: {command[0]}: {fault.strerror}\n"
            code = code or 127
    return {"part": name, "code": code, "seconds": round(time.monotonic() - started, 1), "output": output,
            "launches": sum(int(n) for n in re.findall(r": (\d+) launches, worst", output))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("box", nargs="?", type=pathlib.Path, default=ROOT / "build/gpu-box")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--part", default="")
    parser.add_argument("--model")
    options = parser.parse_args()
    box = options.box.resolve()
    libraries = [str(box / "lib"), "/usr/local/cuda/lib64", os.environ.get("LD_LIBRARY_PATH", "")]
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(filter(None, libraries))}
    os.environ.update(environment)
    if not (box / "bin/assay-cuda-sweep").exists():
        sys.exit(f"suite: {box}/bin has no assay-cuda-sweep: pack a build of preset cuda with scripts/pack_gpu.sh")
    probe = subprocess.run([box / "bin/assay-cuda-sweep", "--part", "a", "--only", "none"], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
    if probe.returncode == 77:
        print(probe.stdout, end="")
        return 77
    parts, variants = parts_of(box, options.model)
    wanted = options.part.split(",") if options.part else list(parts)
    for name in wanted:
        if name not in parts:
            parser.error(f"--part {name}: parts are {', '.join(parts)}")
    results, started = [], time.monotonic()

    def finished(result):
        results.append(result)
        verdict = "ok" if result["code"] == 0 else f"FAILED (exit {result['code']})"
        launches = f", {result['launches']} launches" if result["launches"] else ""
        under = f", {variants} variants in service" if result["part"] in SANITIZERS else ""
        print(f"{result['part']:<13} {verdict}, {result['seconds']:.1f} s{under}{launches}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(len(SANITIZERS)) as pool:
        beside = [pool.submit(run_part, name, parts[name], environment) for name in SANITIZERS if name in wanted]
        for name in wanted:
            if name not in SANITIZERS and name != "planted":
                finished(run_part(name, parts[name], environment))
        for job in beside:
            finished(job.result())
    if "planted" in wanted:  # it counts processes and fills the memory: alone
        finished(run_part("planted", parts["planted"], environment))

    options.out.mkdir(parents=True, exist_ok=True)
    log = "".join(f"==== {r['part']} (exit {r['code']}, {r['seconds']} s)\n{r['output']}\n" for r in results)
    (options.out / "suite.log").write_text(log)
    total = round(time.monotonic() - started, 1)
    summary = {"seconds": total, "variants_in_service": variants,
               "parts": [{k: v for k, v in r.items() if k != "output"} for r in results]}
    (options.out / "suite.json").write_text(json.dumps(summary, indent=1) + "\n")
    failed = [r["part"] for r in results if r["code"] != 0]
    print(f"suite: {len(results)} parts, {len(failed)} failed{': ' + ', '.join(failed) if failed else ''}, {total:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
