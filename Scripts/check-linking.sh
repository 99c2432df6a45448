#!/bin/sh
# Checks that a program is linked so that nothing beside it is loaded and nothing in it can be redirected. usage:
# check-linking.sh PROGRAM
set -eu

refuse() {
  echo "$1 $2: it must not be distributed" >&2
  exit 1
}
dynamic=$(readelf --dynamic "$1")
case $dynamic in *"(RUNPATH)"* | *"(RPATH)"*) refuse "$1" "looks for libraries outside of the system's folders (RUNPATH)" ;; esac
case $dynamic in *BIND_NOW*) ;; *) refuse "$1" "finds functions of libraries only when it calls them (no BIND_NOW)" ;; esac
case $(readelf --program-headers --wide "$1") in *GNU_RELRO*) ;; *) refuse "$1" "has no GNU_RELRO" ;; esac
