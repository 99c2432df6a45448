#!/bin/sh
# Installs those of the named Debian packages that are missing. usage: install-packages.sh PACKAGE...
# On a system without apt-get it only names them.
set -eu

missing=
for package in "$@"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "not a Debian system; what these packages hold may be missing:$missing" >&2
  exit 0
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "please install, as root:$missing" >&2
    exit 1
  fi
  as_root=sudo
fi

echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
install() {
  # The variable is named again because sudo does not pass the environment on.
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
}
# The lists may be old or not be there at all; a first try without refreshing them saves time where they are good.
install >/dev/null 2>&1 || {
  $as_root apt-get update -q
  install
}
