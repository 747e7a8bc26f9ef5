#!/usr/bin/env bash
# Packs what a GPU machine needs to run programs that were built here: the programs of build/cuda and
# the shared libraries beside them that a bare machine may lack. The C library, the driver and the CUDA
# libraries are the other machine's own; its C library must not be older.
#   scripts/pack_gpu.sh [FROM [TO [PROGRAM...]]]     default: build/cuda/bin build/gpu-box, all programs
# Leaves the folder TO and the archive TO.tar.xz (docs/cuda.md says how to unpack it). Run there as
# TO/bin/PROGRAM: each program looks for its libraries in TO/lib. Exit 1 when the archive is too large.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
from=${1:-build/cuda/bin}
to=${2:-build/gpu-box}
to=${to%/}
only=" ${*:3} "
most=$((48 << 20))

rm -rf "$to" "$to.tar.xz"
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

# The programs share most of their code, so a dictionary that holds all of it matters, and effort does not.
XZ_OPT="--lzma2=preset=3,dict=192MiB" tar -C "$(dirname "$to")" -cJf "$to.tar.xz" "$(basename "$to")"
size=$(stat -c %s "$to.tar.xz")
if [ "$size" -gt "$most" ]; then
  rm "$to.tar.xz"
  echo "pack: the archive would have $size bytes, more than $most (48 MiB): name the programs to pack" >&2
  exit 1
fi
du -sh "$to" | awk '{print "pack: " $1 " in " $2}'
echo "pack: $size bytes in $to.tar.xz"
