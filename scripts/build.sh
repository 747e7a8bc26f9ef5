#!/usr/bin/env bash
# Configures and builds a preset (default: cpu), all targets unless some are named.
#   scripts/build.sh [PRESET [TARGET ...]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/nvcc.sh
preset=${1:-cpu}
shift || true

nvcc=$(find_nvcc)
if [ -n "$nvcc" ]; then export CUDACXX=${CUDACXX:-$nvcc}; fi  # CMake looks in PATH alone
export CCACHE_BASEDIR=$PWD CCACHE_SLOPPINESS=pch_defines,time_macros
log=build/$preset/build.log
mkdir -p "build/$preset"
if ! cmake --preset "$preset" >"$log" 2>&1 ||
   ! cmake --build "build/$preset" ${1:+--target "$@"} >>"$log" 2>&1; then
  echo "build: preset $preset failed; the end of $log:" >&2
  tail -n 40 "$log" >&2
  exit 1
fi
