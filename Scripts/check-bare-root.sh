#!/bin/sh
# Tests the archive, the package and the Dockerfile in a bare Debian root. usage: check-bare-root.sh ARCHIVE PACKAGE [ROOT]
# debootstrap creates ROOT (.build/bare-root) if it does not exist; it is left as bare as before. If that fails,
# standard output explains why, and the exit status is 77.
set -eu

archive=$1
package=$2
root=${3:-$(dirname "$0")/../.build/bare-root}
suite=bookworm

skip() {
  echo "skipped: $1"
  exit 77
}
fail() {
  echo "$1" >&2
  exit 1
}

[ "$(id -u)" -eq 0 ] || skip "only root can create a Debian root"
PATH=$PATH:/usr/sbin:/sbin
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
if [ ! -e "$root/.whole" ]; then
  rm -rf "$root"
  mkdir -p "$root"
  debootstrap --variant=minbase --force-check-gpg --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
    "$suite" "$root" > "$root.log" 2>&1 ||
    skip "debootstrap could not create a Debian root: $(tail -n 1 "$root.log")"
  touch "$root/.whole"
fi

# A separate namespace, so that nothing stays mounted. Swift's runtime reads a program's arguments from /proc.
inside() {
  unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
inside true 2>/dev/null || skip "chroot or mount is not allowed here"

# Runs the program; keeps its output and exit status.
try() {
  program=$1
  status=0
  shift
  said=$(inside "$program" "$@" 2>&1) || status=$?
}
expect() {
  [ "$status" -eq "$1" ] || fail "exit status $status, not $1: $said"
  case $said in *"$2"*) ;; *) fail "not said: $2: $said" ;; esac
}

rm -rf "$root/opt/gattscope"
mkdir -p "$root/opt/gattscope"
tar -C "$root/opt/gattscope" --strip-components=1 -xzf "$archive"
captures=/opt/gattscope/share/doc/gattscope/captures
before=$(inside dpkg-query -W)

# The archive: only pcap files need libpcap.
! inside dpkg-query -W libpcap0.8 >/dev/null 2>&1 || fail "the root is not bare: libpcap0.8 is there"
for capture in heart-rate.btsnoop write-refused.pklg wristband.pcapng; do
  try /opt/gattscope/bin/gattscope info "$captures/$capture"
  expect 0 "connection"
done
try /opt/gattscope/bin/gattscope info "$captures/heart-rate.pcap"
expect 66 "libpcap, which is not installed (Debian: libpcap0.8)"
try /opt/gattscope/bin/gattscope --version
expect 0 "libpcap is not installed"
rm -rf "$root/opt/gattscope"
echo "the archive runs in a bare Debian $suite: btsnoop, PacketLogger and pcapng without libpcap, pcap with a sentence"

# The package with its dependencies and recommendations, and its removal.
cp "$package" "$root/gattscope.deb"
if ! inside apt-get install -y -q /gattscope.deb > "$root.log" 2>&1; then
  rm -f "$root/gattscope.deb"
  inside apt-get --print-uris -qq install libpcap0.8 >/dev/null 2>&1 && fail "could not install the package: see $root.log"
  skip "no package can be fetched: see $root.log"
fi
rm -f "$root/gattscope.deb"
# debootstrap may leave documents out of a root, so these captures replace those of the package.
mkdir -p "$root/opt/captures"
cp "$(dirname "$0")"/../captures/heart-rate.* "$root/opt/captures"
for capture in heart-rate.btsnoop heart-rate.pcap; do
  try gattscope info "/opt/captures/$capture"
  expect 0 "connection"
done
try gattscope --version
expect 0 "libpcap 1."
rm -rf "$root/opt/captures"
inside apt-get purge -y -q --auto-remove gattscope libpcap0.8 > "$root.log" 2>&1
[ "$(inside dpkg-query -W)" = "$before" ] || fail "packages remain: see $root.log"
left=$(find "$root/usr" "$root/etc" -name '*gattscope*')
[ -z "$left" ] || fail "files remain: $left"
echo "the package installs with libpcap into a bare Debian $suite, reads pcap too, and leaves nothing behind"

# The steps of the Dockerfile, in a copy of the root.
dockerfile=$(dirname "$0")/../Dockerfile
image=$root.image
trap 'rm -rf "$image" "$image.steps"' EXIT
rm -rf "$image"
cp -a "$root" "$image"
root=$image
user=root
folder=/
entry=
environment=
# As the user of the step and in its folder.
step() {
  unshare --mount sh -c '
    mount -t proc proc "$0/proc"; user=$1 folder=$2 environment=$3; shift 3
    exec chroot --userspec="$user" "$0" env -i --chdir="$folder" PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive $environment "$@"' \
    "$root" "$user" "$folder" "$environment" "$@"
}
# One instruction a line.
sed -e ':join' -e '/\\$/ { N; s/\\\n */ /; b join' -e '}' "$dockerfile" | grep -E '^[A-Z]+ ' > "$image.steps"
while read -r instruction arguments; do
  case $instruction in
    FROM) [ "$arguments" = "debian:$suite-slim" ] || fail "the Dockerfile is for $arguments, this root is $suite" ;;
    COPY)
      pattern=$(basename "${arguments% *}")
      case $(basename "$package") in
        $pattern) cp "$package" "$root${arguments#* }" ;;
        *) fail "COPY $arguments does not copy $package" ;;
      esac
      ;;
    RUN) step sh -c "$arguments" > "$root.log" 2>&1 < /dev/null || fail "RUN $arguments: $(tail -n 3 "$root.log")" ;;
    USER) user=$arguments ;;
    ENV) environment="$environment $arguments" ;;
    WORKDIR)
      folder=$arguments
      mkdir -p "$root$folder"
      ;;
    ENTRYPOINT) entry=$(echo "$arguments" | sed 's/^\["\([^"]*\)"\]$/\1/') ;;
    *) fail "this script does not know $instruction" ;;
  esac
done < "$image.steps"
cp "$(dirname "$0")"/../captures/heart-rate.* "$root$folder"
chmod 644 "$root$folder"/heart-rate.*
for capture in heart-rate.btsnoop heart-rate.pcap; do
  said=$(step "$entry" info "$capture" 2>&1) || fail "in the image: $said"
  case $said in *connection*) ;; *) fail "in the image: $said" ;; esac
done
[ "$(step id -u)" -ne 0 ] || fail "the image runs the program as root"
step sh -c 'echo > /usr/bin/gattscope' 2>/dev/null && fail "the image's user may change the program"
echo "the Dockerfile's steps make a root in which another user than root runs the program, and it reads pcap too"
