#!/usr/bin/env bash
# compare.sh BRIGADE NAME: runs scenarios/NAME.yaml (a study: NAME is studies/X) from the root of the repository and
# compares what it prints, byte by byte, with scenarios/NAME.expected.txt. tools/bless rewrites that file.
set -euo pipefail
brigade=$1 name=$2
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

expected=scenarios/$name.expected.txt
[[ -e $expected ]] || { echo "there is no $expected; tools/bless $name writes it, then read it" >&2; exit 1; }
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
how=(run --no-trace)
[[ $name != studies/* ]] || how=(sweep --no-results)
"$brigade" "${how[@]}" "scenarios/$name.yaml" >"$printed"
diff -u --label "$expected" --label "printed now" "$expected" "$printed" ||
  { echo "if the new output is right: tools/bless $name" >&2; exit 1; }
