#!/usr/bin/env python3
"""Overwrites the quantised matrices of a GGUF file with random blocks whose scales are finite.

    scripts/gpu/random_blocks.py FILE [--seed N]

For speed runs: every bit of a code is drawn, as in a file that compresses nothing. Types q4_K, q5_K, q6_K
and q8_0; other tensors stay. The scales (f16) become 2^-14 to 2^-13: a deep model's activations stay finite. Needs numpy.
Source of the layouts: the GGUF specification and engine/core/dtype.h.
"""
import argparse
import concurrent.futures
import mmap
import os
import struct
import sys

try:
    import numpy
except ModuleNotFoundError:
    numpy = None  # said in main, where --help and a bad FILE come first

# type number: (bytes of a block, values of a block, offsets of f16 scales in it)
BLOCKS = {8: (34, 32, (0,)), 12: (144, 256, (0, 2)), 13: (176, 256, (0, 2)), 14: (210, 256, (208,))}
SCALAR = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes by metadata type
SLICE = 1 << 16  # blocks drawn at a time


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values[0]

    def text(self):
        size = self.take("Q")
        self.at += size
        return self.data[self.at - size:self.at]

    def skip(self, kind):
        if kind == 8:
            self.text()
        elif kind == 9:
            inner, count = self.take("I"), self.take("Q")
            for _ in range(count if inner in (8, 9) else 0):
                self.skip(inner)
            if inner not in (8, 9):
                self.at += SCALAR[inner] * count
        else:
            self.at += SCALAR[kind]


def tensors_of(data):
    """(type, values, offset in the file) of each tensor."""
    reader = Reader(data)
    if data[:4] != b"GGUF":
        raise ValueError("no GGUF file")
    reader.at = 8
    count, pairs, alignment = reader.take("Q"), reader.take("Q"), 32
    for _ in range(pairs):
        name, kind, start = reader.text(), reader.take("I"), None
        start = reader.at
        reader.skip(kind)
        if name == b"general.alignment":
            alignment = struct.unpack_from("<I", data, start)[0]
    found = []
    for _ in range(count):
        reader.text()
        values = 1
        for _ in range(reader.take("I")):
            values *= reader.take("Q")
        found.append((reader.take("I"), values, reader.take("Q")))
    base = -(-reader.at // alignment) * alignment
    return [(kind, values, base + offset) for kind, values, offset in found]


def fill(path, kind, first, blocks, seed):
    size, _, scales = BLOCKS[kind]
    draw = numpy.random.Generator(numpy.random.SFC64(seed))
    rows = numpy.frombuffer(draw.bytes(blocks * size), dtype=numpy.uint8).reshape(blocks, size).copy()
    for at in scales:
        rows[:, at + 1] = 0x04 | (rows[:, at + 1] & 0x03)  # sign 0, exponent field 1: 2^-14 to 2^-13
    with open(path, "r+b") as file:
        file.seek(first)
        file.write(rows.tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        with open(options.file, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            tensors = tensors_of(data)
    except OSError as fault:
        parser.error(f"{options.file}: {fault.strerror}")
    except (ValueError, IndexError, KeyError, struct.error):
        parser.error(f"{options.file}: this is no whole GGUF file")
    if numpy is None:
        sys.exit("random_blocks: needs numpy (the package python3-numpy)")
    jobs = []
    for index, (kind, values, offset) in enumerate(tensors):
        if kind not in BLOCKS:
            continue
        size, per_block, _ = BLOCKS[kind]
        for first in range(0, values // per_block, SLICE):
            blocks = min(SLICE, values // per_block - first)
            jobs.append((options.file, kind, offset + first * size, blocks, (options.seed, index, first)))
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(fill, *zip(*jobs), chunksize=8))
    print(f"{options.file}: {len(jobs)} pieces of {len(tensors)} tensors are random now")


if __name__ == "__main__":
    main()
