# shellcheck shell=bash
# Source me in a ring. A ring is an executable in tests/tools/rings that runs one kind of test and fails if any fails.
# The runner counts tests from what a ring leaves in $RING: JUnit files (*.xml), and lines "passed|failed|skipped NUMBER NAME"
# in the file counts.
# shellcheck source=../env.sh
. "$(dirname "${BASH_SOURCE[0]}")/../env.sh"
RING=${RING:-$CACHE/rings/$(basename "$0")}
export RING NO_COLOR=1
rm -rf "$RING"
mkdir -p "$RING"
cd "$ROOT" || exit 1
export status=0

# check NAME COMMAND...: one test of its own; its output is shown only if it fails.
check() {
  local name=$1 start=$EPOCHREALTIME log=$RING/$1.log
  shift
  if "$@" >"$log" 2>&1; then
    echo "passed 1 $name" >>"$RING/counts"
    printf 'ok      %-24s %5.1fs\n' "$name" "$(seconds_since "$start")"
  else
    echo "failed 1 $name" >>"$RING/counts"
    status=1
    printf 'FAILED  %-24s %5.1fs: %s\n' "$name" "$(seconds_since "$start")" "$*"
    sed 's/^/        /' "$log"
  fi
}

# Seconds since this value of EPOCHREALTIME, with one decimal.
seconds_since() {
  local us=$((${EPOCHREALTIME/./} - ${1/./}))
  printf '%d.%d' $((us / 1000000)) $((us / 100000 % 10))
}

# The files of the checkout, tracked and new, that still exist. NUL after each.
project_files() {
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [ -e "$file" ] && printf '%s\0' "$file"
  done
  return 0
}

# ansible-test wants a real path ansible_collections/instinct/fleet: prints that of a fresh copy of the checkout. Tests of what does not
# travel in the collection are left out: the ring "unit" runs them.
collection_copy() {
  local tree
  tree=$CACHE/tree/$(basename "$RING")/ansible_collections/instinct/fleet
  rm -rf "$tree"
  mkdir -p "$tree"
  project_files | rsync --archive --from0 --files-from=- "$ROOT" "$tree"
  rm -rf "$tree"/tests/unit/{catalogue,repository,roles,simulator,simulator_fleet,tools}
  git -C "$tree" init --quiet   # else ansible-test asks the checkout's git, which ignores .cache
  echo "$tree"
}
