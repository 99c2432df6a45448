#!/bin/sh
# Installs the missing ones of the given Debian packages. usage: install-packages.sh PACKAGE...
# Without apt-get, it only prints their names.
set -eu

missing=
for package in "$@"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "not a Debian system; the contents of these packages may be missing:$missing" >&2
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
  # The variable is set again because sudo does not pass the environment.
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
}
# The package lists may be old or missing; a first try without an update saves time if they are good.
install >/dev/null 2>&1 || {
  $as_root apt-get update -q
  install
}
