#!/usr/bin/env bash
# compare.sh BRIGADE NAME: runs scenarios/NAME.yaml from the root of the repository and compares what it prints, byte by
# byte, with scenarios/NAME.expected.txt. tools/bless rewrites that file.
set -euo pipefail
brigade=$1 name=$2
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

expected=scenarios/$name.expected.txt
[[ -e $expected ]] || { echo "there is no $expected; tools/bless $name writes it, then read it" >&2; exit 1; }
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
"$brigade" run "scenarios/$name.yaml" --no-trace >"$printed"
diff -u --label "$expected" --label "printed now" "$expected" "$printed" ||
  { echo "if the new output is right: tools/bless $name" >&2; exit 1; }
