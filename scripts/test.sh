#!/usr/bin/env bash
# The second command: packages, build, every test. Ends with the test runner's own closing lines.
#   scripts/test.sh [PRESET]     default: $ASSAY_PRESET, else cuda where nvcc is, else cpu
# Tests that want a GPU use it where there is one and are skipped elsewhere.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/nvcc.sh
preset=${1:-${ASSAY_PRESET:-$(default_preset)}}

started=$SECONDS
scripts/setup.sh
echo "test: packages $((SECONDS - started)) s"
started=$SECONDS
scripts/build.sh "$preset"
echo "test: build    $((SECONDS - started)) s, preset $preset, programs in build/$preset/bin"
ctest --preset "$preset" --no-tests=error -j 2
