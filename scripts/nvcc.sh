# Sourced by build.sh, test.sh and demo.sh: where the CUDA compiler is, and what that means for the preset.
# shellcheck shell=bash

# The path of nvcc, or nothing.
find_nvcc() {
  command -v nvcc && return
  local usual=/usr/local/cuda/bin/nvcc
  if [ -x "$usual" ]; then echo "$usual"; fi
}

# What to build where nobody said: the CUDA side too where its compiler is new enough, else the CPU's alone.
default_preset() {
  local nvcc release
  nvcc=$(find_nvcc)
  if [ -z "$nvcc" ]; then
    echo cpu
    return
  fi
  release=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
  if [ "${release:-0}" -ge 13 ]; then
    echo cuda
  else
    echo "build: $nvcc is of CUDA ${release:-unknown}, and the CUDA side needs 13: the CPU's alone" >&2
    echo cpu
  fi
}
