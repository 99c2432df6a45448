#!/bin/sh
# Makes a Debian package from a tree that `make install PREFIX=/usr` created. usage: make-deb.sh TREE FOLDER
# Changes the tree. The same tree and SOURCE_DATE_EPOCH make the same package, byte for byte. DEB_LEVEL is the
# compression level: 1 is fast, 6 is small. SIGN is the OpenPGP key that signs the package, if any.
set -eu

tree=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)/packaging
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$here/changelog")
architecture=$(dpkg --print-architecture)
package=$folder/gattscope_${version}_$architecture.deb
documents=$tree/usr/share/doc/gattscope

"$(dirname "$0")/check-linking.sh" "$tree/usr/bin/gattscope"
# Debian's places and names: the licence is in the copyright file, zsh and Wireshark have other folders, manual pages
# are compressed.
rm -f "$documents/LICENSE" "$documents/COPYRIGHT"
install -m 644 "$here/copyright" "$documents/copyright"
sed -i -e 's|(LICENSE)|(copyright)|' -e 's|(COPYRIGHT)|(copyright)|' "$documents/README.md"
gzip -9n < "$here/changelog" > "$documents/changelog.gz"
gzip -9nf "$tree/usr/share/man/man1/gattscope.1"
mv "$tree/usr/share/zsh/site-functions" "$tree/usr/share/zsh/vendor-completions"
extcap=$tree/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/wireshark
mkdir -p "$(dirname "$extcap")"
mv "$tree/usr/lib/wireshark" "$extcap"
sed -i '1{/^#!/d}' "$tree/usr/share/bash-completion/completions/gattscope" # sourced, not run
install -d "$tree/usr/share/lintian/overrides"
install -m 644 "$here/lintian-overrides" "$tree/usr/share/lintian/overrides/gattscope"

# dpkg-shlibdeps finds the packages of the linked libraries; it expects a source package around the program.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/debian/gattscope/DEBIAN" "$work/debian/gattscope/usr/bin"
printf 'Source: gattscope\n\nPackage: gattscope\nArchitecture: any\n' > "$work/debian/control"
cp "$tree/usr/bin/gattscope" "$work/debian/gattscope/usr/bin"
depends=$(cd "$work" && dpkg-shlibdeps -O debian/gattscope/usr/bin/gattscope | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { echo "dpkg-shlibdeps found no dependencies" >&2; exit 1; }

size=$(du -sk --apparent-size "$tree" | cut -f 1)
rm -rf "$tree/DEBIAN"
(cd "$tree" && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' md5sum) > "$work/md5sums"
install -d "$tree/DEBIAN"
install -m 644 "$work/md5sums" "$tree/DEBIAN/md5sums"
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@SIZE@/$size/" -e "s/@DEPENDS@/$depends/" \
  "$here/control" > "$tree/DEBIAN/control"
chmod -R u=rwX,go=rX "$tree"
mkdir -p "$folder"
dpkg-deb --root-owner-group -Zxz -z"${DEB_LEVEL:-6}" --build "$tree" "$package" >/dev/null
[ -z "${SIGN:-}" ] || gpg --batch --yes --local-user "$SIGN" --armor --detach-sign "$package"
echo "$package"
