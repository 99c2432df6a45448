#!/bin/sh
# Makes an archive for Debian 12 and newer, and its checksum, from a tree that `make install PREFIX=` created: program,
# licence, manual page and completions. usage: make-dist.sh TREE FOLDER VERSION
# The same tree and SOURCE_DATE_EPOCH make the same archive, byte for byte. SIGN is the OpenPGP key that signs it, if any.
set -eu

tree=$1
folder=$2
version=$3
name=gattscope-$version-linux-$(uname -m)

"$(dirname "$0")/check-linking.sh" "$tree/bin/gattscope"
# Everything else must be linked in: every Debian has only these libraries.
needed=$(readelf -d "$tree/bin/gattscope" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
  case $library in
    libc.so.6 | libm.so.6 | libstdc++.so.6 | libgcc_s.so.1 | ld-linux*.so.*) ;;
    *) echo "the program needs $library, which not every system has" >&2; exit 1 ;;
  esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"
cp -R "$tree" "$work/$name"
cp "$tree/share/doc/gattscope/LICENSE" "$tree/share/doc/gattscope/COPYRIGHT" "$work/$name"
chmod -R u=rwX,go=rX "$work/$name"
tar -C "$work" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" |
  gzip -9n > "$folder/$name.tar.gz"
(cd "$folder" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
[ -z "${SIGN:-}" ] || gpg --batch --yes --local-user "$SIGN" --armor --detach-sign "$folder/$name.tar.gz"
echo "$folder/$name.tar.gz"
