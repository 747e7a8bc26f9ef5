#!/usr/bin/env bash
# Packs what a GPU machine needs to run programs that were built here: the programs of build/cuda and
# the shared libraries beside them that a bare machine may lack. The C library, the driver and the CUDA
# libraries are the other machine's own; its C library must not be older.
#   scripts/pack_gpu.sh [FROM [TO [PROGRAM...]]]     default: build/cuda/bin build/gpu-box, all programs
# Run there as TO/bin/PROGRAM: each program looks for its libraries in TO/lib.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
from=${1:-build/cuda/bin}
to=${2:-build/gpu-box}
only=" ${*:3} "

rm -rf "$to"
mkdir -p "$to/bin" "$to/lib"
for program in "$from"/*; do
  name=$(basename "$program" .manifest.json)
  case $only in "  " | *" $name "*) ;; *) continue ;; esac
  case $program in
    *.json) cp "$program" "$to/bin/" ;;
    *) [ -x "$program" ] && cp "$program" "$to/bin/" ;;
  esac
done
for program in "$to"/bin/*; do
  case $program in *.json) continue ;; esac
  ldd "$program" | awk '$3 ~ "^/" {print $3}' | grep -vE '/(libc|libm|libdl|libpthread|librt)\.so' || true
done | sort -u | xargs -r -I{} cp -L {} "$to/lib/"
# The driver that is too old, for scripts/gpu/planted_faults.py.
if [ -d "$from/../old_driver" ]; then cp -r "$from/../old_driver" "$to/"; fi
du -sh "$to" | awk '{print "pack: " $1 " in " $2}'
