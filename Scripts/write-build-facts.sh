#!/bin/sh
# Writes BuildFacts.swift, what `gattscope --version` says of this build. usage: write-build-facts.sh PACKAGE FOLDER
# The build runs it each time (Plugins/BuildSources). What is not known is "unknown": a build never fails for want of it.
set -eu

package=$1
folder=$2

# The commit: of the clone, never of another that an unpacked archive may stand in; else what `git archive` wrote here.
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

# The version that was resolved of a dependency, by the name it goes by in Package.resolved.
resolved() {
  sed -n '/"identity" : "'"$1"'"/,/}/s/.*"version" : "\([0-9A-Za-z.+-]*\)".*/\1/p' "$package/Package.resolved" 2>/dev/null |
    head -n 1
}
argument_parser=$(resolved swift-argument-parser)

mkdir -p "$folder"
made=$folder/BuildFacts.swift
cat > "$folder/.new" <<SWIFT
// Made by Scripts/write-build-facts.sh for this build.

/// What was known when the program was built; \`unknown\` where it was not.
enum BuildFacts {
  /// The commit's first digits, and whether files had been changed since.
  static let commit = "${commit:-unknown}"
  /// The version of the Swift package that is linked.
  static let argumentParser = "${argument_parser:-unknown}"
}
SWIFT
if cmp -s "$folder/.new" "$made"; then rm "$folder/.new"; else mv "$folder/.new" "$made"; fi
