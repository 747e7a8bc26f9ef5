#!/usr/bin/env python3
"""Compiles every header alone, so that none leans on what its includers happened to include first.

check_headers.py ROOT COMPILER   exit 0, or 3 with the compiler's words for each header that fails.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

TOP = ["engine", "kernels", "experiments", "gates", "recorder"]
# Headers that hold intrinsics compile with the instruction set that their name gives.
FLAGS = {"avx2": ["-mavx2", "-mf16c"],
         "avx512": ["-mavx2", "-mf16c", "-mavx512f", "-mavx512bw", "-mavx512vl",
                    "-mavx512vnni"]}


def compile_alone(root, compiler, header):
    flags = [flag for name, more in FLAGS.items() if name in header.stem for flag in more]
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-DFMT_HEADER_ONLY",
               f"-I{root}", *flags, "-x", "c++", "-"]
    source = f'#include "{header.relative_to(root)}"\n'
    done = subprocess.run(command, input=source, text=True, capture_output=True, check=False)
    return header, done.returncode, done.stderr


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    compiler = sys.argv[2]
    headers = sorted(h for top in TOP for h in (root / top).rglob("*.h"))
    if not headers:
        print(f"{root}: no headers found; is this the project's root?")
        return 3
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(compile_alone, root, compiler, h) for h in headers]
        for job in jobs:
            header, code, words = job.result()
            if code != 0:
                print(f"{header.relative_to(root)}: does not compile alone\n{words}")
                failed += 1
    print(f"headers: {len(headers)} compiled alone, {failed} failed")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
