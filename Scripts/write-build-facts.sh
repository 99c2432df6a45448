#!/bin/sh
# Writes BuildFacts.swift, the facts about this build for `gattscope --version`. usage: write-build-facts.sh PACKAGE
# FOLDER
# Every build runs it (Plugins/BuildSources). Unknown facts are "unknown", because a build must not fail for lack of
# them.
set -eu

package=$1
folder=$2

# The commit: that of the clone, but not of a repository around an unpacked archive; otherwise the one that `git
# archive` wrote here.
archived='$Format:%H$'
commit=
if [ -e "$package/.git" ]; then
  commit=$(git -C "$package" rev-parse --verify --quiet --short=12 HEAD 2>/dev/null || true)
  if [ -n "$commit" ] &&
    [ -n "$(git --no-optional-locks -C "$package" status --porcelain --untracked-files=no 2>/dev/null)" ]; then
    commit="$commit, changed"
  fi
else
  case $archived in
    *[!0-9a-f]*) ;;
    *) commit=$(printf '%.12s' "$archived") ;;
  esac
fi

# Prints the resolved version of a dependency, by its name in Package.resolved.
resolved() {
  sed -n '/"identity" : "'"$1"'"/,/}/s/.*"version" : "\([0-9A-Za-z.+-]*\)".*/\1/p' "$package/Package.resolved" 2>/dev/null |
    head -n 1
}
argument_parser=$(resolved swift-argument-parser)

mkdir -p "$folder"
made=$folder/BuildFacts.swift
cat > "$folder/.new" <<SWIFT
// Made by Scripts/write-build-facts.sh for this build.

/// Facts about the build; \`unknown\` if they were not available.
enum BuildFacts {
  /// The commit's first digits, and whether files had been changed since.
  static let commit = "${commit:-unknown}"
  /// The version of the Swift package that is linked.
  static let argumentParser = "${argument_parser:-unknown}"
}
SWIFT
if cmp -s "$folder/.new" "$made"; then rm "$folder/.new"; else mv "$folder/.new" "$made"; fi
