#!/bin/sh
# Writes files of the repository as Swift string literals for the module that contains them. Every build runs it
# (Plugins/BuildSources).
# usage: write-texts.sh profiles|reports PACKAGE FOLDER
set -eu
LC_ALL=C
export LC_ALL

kind=$1
package=$2
folder=$3

# Ends the build if a text would end or change its literal.
literal() {
  if grep -qF -e '"""##' -e '\##' "$1"; then
    echo "$1 holds \"\"\"## or \\##, which no Swift literal of write-texts.sh may hold" >&2
    exit 1
  fi
  printf '##"""\n'
  # The line end before the closing delimiter is not part of the literal, so the text needs its own.
  sed -e '$a\' "$1"
  printf '\n"""##\n'
}

profiles() {
  echo "extension ProfileSources {"
  echo "  package static let all: [(name: StaticString, text: StaticString)] = ["
  for file in "$package"/Profiles/*/*.yaml; do
    name=$(basename "$file" .yaml)
    echo "    (\"$name\", source_$name),"
  done
  printf '  ]\n}\n'
  for file in "$package"/Profiles/*/*.yaml; do
    printf '\nprivate let source_%s: StaticString = ' "$(basename "$file" .yaml)"
    literal "$file"
  done
}

reports() {
  echo "extension JSONSchema {"
  echo "  /// The schema of every document (JSON Schema 2020-12), as docs/schema.json has it."
  printf '  package static let text: StaticString = '
  literal "$package/docs/schema.json"
  echo "}"
  printf '\nextension PageTexts {\n'
  for part in page:html style:css script:js; do
    printf '  package static let %s: StaticString = ' "${part%:*}"
    literal "$package/Sources/Reports/Page/page.${part#*:}"
  done
  echo "}"
}

mkdir -p "$folder"
made=$folder/Texts.swift
{
  echo "// Made by Scripts/write-texts.sh for this build."
  echo
  "$kind"
} > "$folder/.new"
# An unchanged file keeps its date, so it is not compiled again.
if cmp -s "$folder/.new" "$made"; then rm "$folder/.new"; else mv "$folder/.new" "$made"; fi
