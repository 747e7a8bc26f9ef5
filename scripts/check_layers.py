#!/usr/bin/env python3
"""Checks who includes whom: the law of the folders.

Every quoted include of a source file is held against ALLOWED, which names for each folder the path
prefixes it may include (its own folder always). The most specific folder counts. CUDA headers may
stand in .cu and .cuh files only; a kernel file never includes another op's private files.

Exit 0, or 3 with one line per offence: file:line: what.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
TOP = ["engine", "kernels", "experiments", "gates", "recorder"]
INFOS = ["kernels/variant.h", "kernels/selection.h"]

# folder -> prefixes it may include besides itself
ALLOWED = {
    "engine/core": [],
    "kernels": ["engine/core"],
    "engine/gguf": ["engine/core"],
    "engine/tokenizer": ["engine/core", "engine/gguf"],
    "engine/model": ["engine/core", "engine/gguf", "engine/tokenizer"],
    "engine/graph": ["engine/core", "engine/model", *INFOS],
    "engine/backend": ["engine/core", "engine/graph", "engine/model", "kernels"],
    "engine/quantize": ["engine/core", "engine/gguf", "kernels/blocks.h"],
    "engine/model_tool": ["engine/core", "engine/embedded", "engine/gguf", "engine/model",
                          "engine/quantize", "engine/synth", "engine/tokenizer"],
    "engine/generate": ["engine/core", "engine/model", "engine/graph", "engine/backend",
                        "engine/protocol", "engine/tokenizer", "kernels/selection.h"],
    "engine/protocol": ["engine/core", *INFOS],
    "engine/embedded": ["engine/core"],
    "engine/synth": ["engine/core", "engine/gguf"],
    "engine/manifest": ["engine/core", "engine/protocol", "kernels/variant.h"],
    "engine/worker": ["engine", "kernels"],
    "engine/replay": ["engine", "kernels"],
    "experiments": ["engine/core", *INFOS],
    "recorder": ["engine/core", "experiments"],
    "gates": ["engine/core", "engine/protocol", "experiments"],
    "gates/statistics": ["engine/core"],
    "gates/process": ["engine/core", "engine/protocol"],
    "gates/adversaries": ["engine/core", "engine/protocol", "experiments", "recorder", "gates"],
    "gates/cli": ["engine/core", "engine/protocol", "experiments", "recorder", "gates", *INFOS],
}
# Libraries that only some folders may see: header prefix -> folders
LIBRARIES = {
    "sqlite3.h": ["recorder"],
    "yaml-cpp": ["experiments"],
    "CLI/": ["gates/cli", "gates/adversaries", "gates/statistics/simulation", "engine/worker", "engine/manifest",
             "engine/model_tool"],
    "pcre2.h": ["engine/tokenizer"],
    "gelf.h": ["engine/manifest"],
    "libelf.h": ["engine/manifest"],
}
# Headers that only tests include.
FIXTURES = ["engine/generate/tiny_engine.h"]
CUDA = re.compile(r"^(cuda|cublas|cupti|nvml|nvtx|mma\.h|cooperative_groups)")
QUOTED = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
ANGLED = re.compile(r"^\s*#\s*include\s+<([^>]+)>")


def folder_of(path):
    """The most specific key of ALLOWED that holds the file."""
    text = path.as_posix()
    keys = [key for key in ALLOWED if text.startswith(key + "/")]
    return max(keys, key=len) if keys else None


def under(path, prefixes):
    return any(path == p or path.startswith(p.rstrip("/") + "/") for p in prefixes)


def offences(path):
    relative = path.relative_to(ROOT)
    folder = folder_of(relative)
    if folder is None:
        yield 1, "stands in no folder that the layer table knows"
        return
    # Tests and the fixtures named here may use whatever their program links.
    is_test = relative.stem.endswith(("_test", "_bench")) or relative.as_posix() in FIXTURES
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        quoted, angled = QUOTED.match(line), ANGLED.match(line)
        if quoted:
            target = quoted.group(1)
            if not target.split("/")[0] in TOP and not (ROOT / target).exists():
                yield number, f'"{target}" is not written from the root'
            elif folder_of(pathlib.Path(target)) == folder or target.startswith(folder + "/"):
                continue
            elif not under(target, ALLOWED[folder]) and not is_test:
                yield number, f'{folder} may not include "{target}"'
        elif angled:
            target = angled.group(1)
            if CUDA.match(target) and path.suffix not in (".cu", ".cuh"):
                yield number, f"CUDA header <{target}> outside .cu and .cuh"
            for library, folders in LIBRARIES.items():
                if target.startswith(library) and not under(relative.as_posix(), folders):
                    yield number, f"<{target}> may be included in {', '.join(folders)} only"


def main():
    found = 0
    files = 0
    for top in TOP:
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".cu", ".cuh", ".inc"):
                continue
            files += 1
            for line, what in offences(path):
                print(f"{path.relative_to(ROOT)}:{line}: {what}")
                found += 1
    if files == 0:
        print(f"{ROOT}: no source files found; is this the project's root?")
        return 3
    print(f"layers: {files} files, {found} offences")
    return 3 if found else 0


if __name__ == "__main__":
    sys.exit(main())
