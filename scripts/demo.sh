#!/usr/bin/env bash
# The first command: packages, build, and the main job on the embedded model.
#
# Works in a workspace of its own below the build folder, made anew each time; the checkout's files are
# not touched. Three experiments: one lands, one forks at identity in both of its attempts and is refused
# a third, one changes nothing that can be measured. The last output is the history as JSON. The experiments
# are the CPU's; where nvcc is, the CUDA side is built too (ASSAY_PRESET=cpu leaves it out), and where a
# GPU is, it writes a text.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/nvcc.sh
preset=${ASSAY_PRESET:-$(default_preset)}

started=$SECONDS
scripts/setup.sh
echo "demo: packages $((SECONDS - started)) s"
started=$SECONDS
scripts/build.sh "$preset" assay assay-worker
echo "demo: build    $((SECONDS - started)) s, preset $preset, programs in build/$preset/bin"
started=$SECONDS

bin=$PWD/build/$preset/bin
workspace=$PWD/build/$preset/demo
rm -rf "$workspace"
mkdir -p "$workspace/experiments/definitions" "$workspace/experiments/notes" "$workspace/results"
assay() { "$bin/assay" "$@" --workspace "$workspace"; }

# The levers of the demo set back to what was in service before anything landed on them.
sed -E -e 's/matmul_q4k\.cpu\.(portable|avx2|avx512vnni)[a-z_]*\[tokens=[0-9]+\]", by: [a-z0-9-]+/matmul_q4k.cpu.\1[tokens=1]", by: incumbent/' \
  -e '/^  cpu-avx512vnni:/,/^  cuda:/ { /^    (attention_prefill|rms_norm):/d }' \
  experiments/in_service.yaml >"$workspace/experiments/in_service.yaml"

# Which mechanisms this machine's rows use.
device=$(assay doctor --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["device_key"])')
gpu=$(assay levers --backend cuda --json |
  python3 -c 'import json,sys; lever = json.load(sys.stdin)[0]; print(lever["device"] if lever["device_here"] else "")')
echo "demo: the experiments are the CPU's ($device); GPU: ${gpu:-none that can be used}"
tokens=128
norm_lever=rms_norm.unroll norm='rms_norm.cpu.avx2[unroll=2]'
case $device in
  cpu-avx512vnni) tile=avx512vnni tile_device=cpu-avx512vnni simd=avx2 base=cpu-avx2 ;;
  cpu-avx2) tile=avx2 tile_device=cpu-avx2 simd=avx2 base=cpu-avx2 ;;
  *)
    tile=portable tile_device=cpu simd=portable base=cpu tokens=32
    norm_lever=rms_norm.mechanism norm=rms_norm.cpu.step_pairs
    ;;
esac
for template in scripts/demo/*.yaml.in; do
  sed -e "s/@TILE@/$tile/; s/@DEVICE@/$tile_device/; s/@SIMD@/$simd/; s/@BASE@/$base/; s/@TOKENS@/$tokens/" \
    -e "s/@NORM_LEVER@/$norm_lever/; s/@NORM@/$norm/" \
    "$template" >"$workspace/experiments/definitions/$(basename "$template" .in)"
done

# Runs a command that must end with the given exit code. A machine that is too busy to measure (13) is
# given time, and the same attempt goes on where it stopped: its pairs are kept, its looks do not restart.
expect() {
  local want=$1 got=0 pause
  shift
  echo
  echo "\$ assay $*"
  assay "$@" || got=$?
  for pause in 15 45; do
    [ "$got" -eq 13 ] || break
    echo "demo: the machine is too busy; the attempt goes on in $pause s"
    sleep "$pause"
    got=0
    assay "$@" || got=$?
  done
  if [ "$got" -ne "$want" ]; then
    echo "demo: exit code $got, expected $want" >&2
    exit 1
  fi
}

if [ -n "$gpu" ]; then
  expect 0 generate -m embedded --backend cuda -p "The ship" -n 24
fi
definitions=$workspace/experiments/definitions
expect 0 propose "$definitions/token-tile.yaml"
expect 0 propose "$definitions/kv-tile.yaml"
expect 0 propose "$definitions/norm-unroll.yaml"
expect 0 run token-tile
expect 10 run kv-tile
expect 10 run kv-tile --candidate "attention_prefill.cpu.${simd}[tkv=128]"
expect 11 run kv-tile
expect 10 run norm-unroll
expect 0 index
expect 0 check
echo
echo "demo: verdicts $((SECONDS - started)) s; records in ${workspace#"$PWD"/}/results"
expect 0 query --format json
