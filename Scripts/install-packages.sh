#!/bin/sh
# Installs the missing ones of the given Debian packages. usage: install-packages.sh PACKAGE...
# Asks first on a terminal, unless CI or ASSUME_YES is set. Without a terminal, only root installs without being asked.
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

if [ -n "${CI:-}${ASSUME_YES:-}" ]; then
  echo "installing:$missing"
elif [ -t 0 ]; then
  printf 'These packages are needed:%s\nInstall them, and what they depend on, with %s? [Y/n] ' "$missing" "$as_root${as_root:+ }apt-get" >&2
  read -r answer || answer=n
  case $answer in
    "" | [Yy]*) ;;
    *) echo "not installed:$missing" >&2; exit 1 ;;
  esac
elif [ -z "$as_root" ]; then
  echo "installing:$missing"
else
  echo "not installed, since there is no terminal to ask on (ASSUME_YES=1 installs them with sudo apt-get):$missing" >&2
  exit 1
fi
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
