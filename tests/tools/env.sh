# shellcheck shell=bash
# Source me: the environment in which every tool of this repository runs. Sets nothing outside it and needs nothing from it.
#   ROOT   the checkout            CACHE  everything that is made, all of it disposable
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
CACHE=$ROOT/.cache
export ROOT CACHE LC_ALL=C.UTF-8 LANG=C.UTF-8
export PATH="$CACHE/venv/bin:$CACHE/pybin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# One home for each user: a ring that runs by sudo must not leave files that the next one cannot write.
ANSIBLE_HOME=$CACHE/home/$(id -un)
export ANSIBLE_HOME
export ANSIBLE_COLLECTIONS_PATH="$CACHE/collections"
export ANSIBLE_LOCALHOST_WARNING=false ANSIBLE_INVENTORY_UNPARSED_WARNING=false
# ansible-test keeps its virtual environments under its home, by content; short, since the paths end up in #! lines.
export ANSIBLE_TEST_HOME="${XDG_CACHE_HOME:-$HOME/.cache}/instinct-fleet"
export CDI_SCHEMA=$CACHE/foreign/cdi   # where tests/tools/foreign unpacks it
unset PYTHONPATH ANSIBLE_CONFIG ANSIBLE_LIBRARY ANSIBLE_ROLES_PATH

# as_root COMMAND...: run it as root, by sudo if need be. Returns its status.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo --preserve-env=PATH,LC_ALL,ANSIBLE_COLLECTIONS_PATH "$@"; fi
}
