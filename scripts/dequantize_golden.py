#!/usr/bin/env python3
"""Hashes of dequantised blocks by the PyPI package gguf, for kernels/dequantize_golden_test.cpp.

  python3 scripts/dequantize_golden.py > kernels/dequantize_golden.json

512 blocks of every type: in the first 256 each byte takes every value, in the others bytes come from a
counter-based hash; f16 fields are then made finite. The test builds the same blocks.
"""

import hashlib
import importlib.metadata
import json

import gguf
import numpy

# Type, bytes of a block, where its f16 fields begin.
TYPES = [("Q4_0", 18, [0]), ("Q4_1", 20, [0, 2]), ("Q5_0", 22, [0]), ("Q5_1", 24, [0, 2]),
         ("Q8_0", 34, [0]), ("Q4_K", 144, [0, 2]), ("Q5_K", 176, [0, 2]), ("Q6_K", 210, [208]),
         ("F16", 64, range(0, 64, 2)), ("BF16", 64, range(0, 64, 2))]


def mixed(value):
    value = (value * 0x9E3779B1) & 0xFFFFFFFF
    value ^= value >> 15
    value = (value * 0x85EBCA77) & 0xFFFFFFFF
    return (value ^ value >> 13) & 0xFFFFFFFF


def blocks_of(size, halves):
    blocks = numpy.zeros((512, size), dtype=numpy.uint8)
    for b in range(512):
        for j in range(size):
            blocks[b, j] = (b + 37 * j) & 255 if b < 256 else mixed(b * 1024 + j) & 255
        for at in halves:
            # A sign and an exponent below 16: at most one, and subnormals among them.
            blocks[b, at + 1] &= 0xBF
    return blocks


def main():
    golden = {}
    for name, size, halves in TYPES:
        kind = getattr(gguf.GGMLQuantizationType, name)
        values = gguf.quants.dequantize(blocks_of(size, halves), kind).astype("<f4")
        golden[name.lower()] = hashlib.sha256(values.tobytes()).hexdigest()
    print(json.dumps({"gguf": importlib.metadata.version("gguf"), "sha256": golden}, indent=1))


main()
