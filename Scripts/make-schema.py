#!/usr/bin/env python3
"""Writes Sources/Reports/JSONSchema+Text.swift, which `gattscope schema` prints, from docs/schema.json.

usage: make-schema.py [--check]

With --check nothing is written; exit status 1: the Swift file is not what the schema makes it.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "docs" / "schema.json"
SWIFT = ROOT / "Sources" / "Reports" / "JSONSchema+Text.swift"
QUOTES = '#"""'

BEFORE = f"""\
// swift-format-ignore-file
// Made from docs/schema.json by `make schema`; edit that file.

extension JSONSchema {{
  /// The schema of every document (JSON Schema 2020-12), as docs/schema.json has it.
  package static let text: StaticString = {QUOTES}
"""
AFTER = f"""

{QUOTES[::-1]}
}}
"""


def swift(schema: str) -> str:
    json.loads(schema)  # what is not JSON shall not be built in
    for sign in (QUOTES[::-1], "\\#"):
        if sign in schema:
            raise ValueError(f"{SCHEMA.name} holds {sign}, which ends or changes the Swift literal")
    return BEFORE + schema.removesuffix("\n") + AFTER


def main() -> int:
    made = swift(SCHEMA.read_text(encoding="utf-8"))
    if sys.argv[1:] == ["--check"]:
        if SWIFT.read_text(encoding="utf-8") != made:
            print(f"{SWIFT.name} is not what docs/schema.json makes it; run make schema")
            return 1
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        SWIFT.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
