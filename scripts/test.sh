#!/usr/bin/env bash
# The second command: packages, build, every test. Ends with the test runner's own closing lines.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=${1:-cpu}

started=$SECONDS
scripts/setup.sh
echo "test: packages $((SECONDS - started)) s"
started=$SECONDS
scripts/build.sh "$preset"
echo "test: build    $((SECONDS - started)) s"
ctest --preset "$preset" --no-tests=error -j 2
