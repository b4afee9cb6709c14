# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Settings and functions that packaging/assemble and packaging/image/assemble share; both source this file.
# Scripts set $output to their only argument before.
set -euo pipefail
umask 022
export LC_ALL=C TZ=UTC

fail() {
  echo "assemble: $1" >&2
  exit 1
}

top=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
dist=$top/proxy-server/target/dist/stoa
generated=$top/packaging/target/generated

[[ -d $dist/lib && -r $generated/stoa.cdx.json && -d $generated/man ]] || fail "nothing is built yet. Run ./dev package or ./dev image."
jar=$(basename -- "$dist"/lib/proxy-server-*.jar .jar)
version=${jar#proxy-server-}
# The time of all files, that of project.build.outputTimestamp.
timestamp=$(sed -n 's/.*<project.build.outputTimestamp>\(.*\)<.*/\1/p' "$top/pom.xml")

mkdir -p -- "$output"
out=$(cd -- "$output" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
