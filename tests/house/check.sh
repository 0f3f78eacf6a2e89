#!/usr/bin/env bash
# The rules of the house that a compiler does not see: floors, libraries, door plates, sizes, words.
# check.sh [ROOT]: prints each violation as file:line: what, ends with 1 if there is any.
set -euo pipefail
cd "${1:-$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../..}"

violations=0
report() {
  printf '%s\n' "$*"
  violations=$((violations + 1))
}

# report_each WHAT: the standard input is lines of `file:line:text` as grep prints them.
report_each() {
  local file line rest
  while IFS=: read -r file line rest; do report "$file:$line: $1: ${rest#"${rest%%[![:space:]]*}"}"; done
}

# Prints code files below the given folders, one a line.
code() { find "$@" -name node_modules -prune -o \( -name '*.h' -o -name '*.cc' \) -print 2>/dev/null | sort; }

# grep_code PATTERN FOLDER...: file:line:text; nothing found is fine.
grep_code() {
  local files
  mapfile -t files < <(code "${@:2}")
  ((${#files[@]} == 0)) || grep -nHE -e "$1" "${files[@]}" || true
}

# Each floor and those that it may include, besides itself (design: base < event, trace < topology < network |
# collective < engine < workload < scenario < report < study; collective knows no topology).
declare -A below=(
  [base]=""
  [event]="base"
  [trace]="base"
  [topology]="base event trace"
  [network]="base event trace topology"
  [collective]="base event trace"
  [engine]="base event trace topology network collective"
  [replay]="base event trace collective"
  [workload]="base event trace topology network collective engine replay"
  [scenario]="base event trace topology network collective engine replay workload"
  [report]="base event trace topology network collective engine replay workload scenario"
  [study]="base event trace topology network collective engine replay workload scenario report"
)

check_floors() {
  local folder floor included file line rest found
  for folder in sim/*/; do
    floor=$(basename "$folder")
    [[ -v below[$floor] ]] || { report "$folder: not a floor of the design"; continue; }
    while IFS=: read -r file line rest; do
      included=$(sed -E 's|.*"sim/([^/"]+)/.*|\1|' <<<"$rest")
      [[ " ${below[$floor]} $floor " == *" $included "* ]] ||
        report "$file:$line: $floor may not include $included: $rest"
    done < <(grep_code '^[[:space:]]*#[[:space:]]*include[[:space:]]*"sim/' "$folder")
  done
  found=$(grep_code '^[[:space:]]*#[[:space:]]*include[[:space:]]*"(tests|tools|\.\.?)/' sim)
  [[ -z $found ]] || report_each "sim includes only sim, by its full path" <<<"$found"
}

# Libraries that only one floor knows.
check_libraries() {
  local found
  found=$(grep_code '#[[:space:]]*include[[:space:]]*[<"]yaml-cpp' sim tools | grep -v '^sim/scenario/' || true)
  [[ -z $found ]] || report_each "only sim/scenario knows YAML" <<<"$found"
  found=$(grep_code '#[[:space:]]*include[[:space:]]*[<"]boost/' sim tools | grep -v '^sim/topology/[^:]*\.cc:' || true)
  [[ -z $found ]] || report_each "only .cc files of sim/topology know Boost" <<<"$found"
  found=$(grep_code '#[[:space:]]*include[[:space:]]*[<"]boost/' sim/topology | cut -d: -f1 | sort -u)
  (($(grep -c . <<<"$found") <= 3)) || report "sim/topology: more than three files include Boost: ${found//$'\n'/ }"
  found=$(grep_code '#[[:space:]]*include[[:space:]]*<pugixml' sim tools | grep -v '^sim/topology/[^:]*\.cc:' || true)
  [[ -z $found ]] || report_each "only .cc files of sim/topology know pugixml" <<<"$found"
  found=$(grep_code '#[[:space:]]*include[[:space:]]*<simdjson' sim tools | grep -v '^sim/replay/[^:]*\.cc:' || true)
  [[ -z $found ]] || report_each "only .cc files of sim/replay know simdjson" <<<"$found"
  found=$(grep_code '#[[:space:]]*include[[:space:]]*[<"]CLI/' sim)
  [[ -z $found ]] || report_each "only tools/ knows CLI11" <<<"$found"
}

# Two types of one name in one program are undefined behaviour, of which no linker says a word.
check_type_names() {
  local name
  while read -r name; do
    report "two headers of sim define the type $name: $(grep -lE "^(struct|class|enum class) $name\\b[^;]*\\{" sim/*/*.h | paste -sd ' ')"
  done < <(grep -hoE '^(struct|class|enum class) [A-Za-z]+\b[^;]*\{' sim/*/*.h 2>/dev/null |
    sed -E 's/^(struct|class|enum class) ([A-Za-z]+).*/\2/' | sort | uniq -d)
}

# A folder of tests that mirrors a floor has that floor's plate.
check_door_plates() {
  local folder
  while read -r folder; do
    [[ $folder == tests/?* && -d sim/${folder#tests/} ]] && continue
    [[ -z $(find "$folder" -type f -print -quit) || -e $folder/README.md ]] || report "$folder: has no README.md"
  done < <(
    find sim tools tests scenarios topologies -maxdepth 1 -type d 2>/dev/null | sort
  )
}

check_sizes() {
  local file lines
  while read -r file; do
    lines=$(wc -l <"$file")
    ((lines <= 400)) || report "$file: $lines lines, at most 400"
  done < <(code sim tools tests; find tools tests/house .ci -type f ! -name '*.md' 2>/dev/null | sort)
}

check_words() {
  local found
  found=$(grep_code '\b(TO''DO|FIX''ME|XXX|HACK)\b' sim tools tests)
  [[ -z $found ]] || report_each "unfinished work" <<<"$found"
  found=$(grep_code '\b(std::rand|srand|random_device|mt19937|system_clock|sleep_for)\b' sim)
  [[ -z $found ]] || report_each "not the same on every machine" <<<"$found"
  found=$(grep_code '"/(work|home|root|tmp|usr)/' sim tools tests)
  [[ -z $found ]] || report_each "a path of one machine" <<<"$found"
  found=$(grep_code '\busing namespace\b' sim)
  [[ -z $found ]] || report_each "no using namespace in sim" <<<"$found"
}

check_top_level() {
  local entry
  for entry in *; do
    case $entry in
      sim | tools | tests | scenarios | topologies) ;;
      CMakeLists.txt | CMakePresets.json | README.md | LICENSE | CONTRIBUTING.md | CHANGELOG.md | build*) ;;
      *) report "$entry: does not belong on the top level" ;;
    esac
  done
}

check_floors
check_libraries
check_type_names
check_door_plates
check_sizes
check_words
check_top_level
if ((violations > 0)); then
  echo "$violations violations of the house rules"
  exit 1
fi
echo "the house is in order"
