#!/usr/bin/env bash
# Packs what a GPU machine needs to run programs that were built here: the programs of build/cuda and
# the shared libraries beside them that a bare machine may lack. The C library, the driver and the CUDA
# libraries are the other machine's own; its C library must not be older.
#   scripts/pack_gpu.sh [FROM [TO [PROGRAM...]]]     default: build/cuda/bin build/gpu-box, all programs
# Leaves the folder TO and the archive TO.tar.xz (docs/cuda.md says how to unpack it). Run there as
# TO/bin/PROGRAM: each program looks for its libraries in TO/lib. TO is new, or an earlier pack, which is
# replaced: the file TO/.packed-by-assay marks one. Exit 1 when the archive is too large, 2 for a FROM, a
# TO or a PROGRAM that cannot be meant; nothing is changed then.
set -euo pipefail
script=${BASH_SOURCE[0]}
case "${1:-} " in
  "--help "* | "-h "*) sed -n '2,/^set /s/^# \{0,1\}//p' "$script"; exit 0 ;;
  -*) echo "pack: $1: no such option: scripts/pack_gpu.sh --help" >&2; exit 2 ;;
esac
cd "$(dirname "$script")/.."
from=${1-build/cuda/bin}
to=${2-build/gpu-box}
mark=.packed-by-assay
most=$((48 << 20))

refuse() {
  echo "pack: $1; nothing was changed" >&2
  exit 2
}
is_program() { [ -f "$1" ] && [ -x "$1" ]; }

if [ -z "$from" ] || [ -z "$to" ]; then refuse "give FROM and TO as paths: scripts/pack_gpu.sh --help"; fi
[ -d "$from" ] || refuse "$from: no such folder: build preset cuda first, or name the folder of its programs"
programs=("${@:3}")
if [ ${#programs[@]} -eq 0 ]; then
  for program in "$from"/*; do
    if is_program "$program"; then programs+=("$(basename "$program")"); fi
  done
fi
[ ${#programs[@]} -gt 0 ] || refuse "$from: holds no program"
for name in "${programs[@]}"; do
  case $name in */*) refuse "$name: give a program's name alone" ;; esac
  is_program "$from/$name" || refuse "$from/$name: no such program: build it, or name another"
done
to=$(realpath -m "$to")
case "$(realpath "$from")/" in "${to%/}/"*) refuse "$to: holds the programs to pack: name another folder" ;; esac
if [ -e "$to" ] || [ -e "$to.tar.xz" ]; then
  [ -f "$to/$mark" ] || refuse "$to or $to.tar.xz is there, and is no pack of this script (it has no $mark): name another folder, or remove them yourself"
fi

rm -rf "$to" "$to.tar.xz"
mkdir -p "$to/bin" "$to/lib"
touch "$to/$mark"
for name in "${programs[@]}"; do
  cp "$from/$name" "$to/bin/"
  if [ -f "$from/$name.manifest.json" ]; then cp "$from/$name.manifest.json" "$to/bin/"; fi
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
