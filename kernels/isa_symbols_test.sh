#!/bin/sh
# Fails when an object compiled with wider instruction sets defines a weak symbol: the linker could
# keep that copy for the whole program, which must run on processors without them. DW.ref. is data, a
# pointer that sanitizers need.
# Usage: isa_symbols_test.sh libassay_kernels_cpu.a
set -eu
weak=$(nm -A --defined-only "$1" | grep -E ':cpu_avx[^:]*:' | grep -E ' [WVu] ' | grep -v ' DW\.ref\.' || true)
count=$(nm -A --defined-only "$1" | grep -cE ':cpu_avx[^:]*:.* T assay_launch_' || true)
if [ -n "$weak" ]; then
  echo "weak symbols in files with their own instruction set; make them static:"
  echo "$weak"
  exit 1
fi
if [ "$count" -eq 0 ]; then
  echo "no launch function found in any cpu_avx* object of $1"
  exit 1
fi
echo "$count launch functions with their own instruction set, no weak symbols"
