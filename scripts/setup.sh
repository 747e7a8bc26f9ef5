#!/usr/bin/env bash
# Installs what a build needs, on Debian and its relatives. Changes nothing when all of it is there.
# Exit 2 with the package line where it cannot install (another distribution, neither root nor sudo).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t packages < <(grep -v '^#' scripts/packages.txt)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: this is not Debian or a relative of it. Install the equivalents of these packages, then" >&2
  echo "setup: run the command again with ASSAY_SKIP_SETUP=1:" >&2
  echo "  ${packages[*]}" >&2
  [ "${ASSAY_SKIP_SETUP:-}" = 1 ] && exit 0
  exit 2
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root=(sudo -n)
else
  echo "setup: ${#missing[@]} packages are missing, and this user is neither root nor may use sudo" >&2
  echo "setup: without a password. Have an administrator run:" >&2
  echo "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
  exit 2
fi

echo "setup: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get -qq update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
