#!/usr/bin/env python3
"""Finds conditions that depend on words that are printed, so that rewording would change behaviour: a description, a name or
a text that is compared with a literal, or is searched for one. What decides gets an identity or an attribute instead: a case,
a row's property, a rule's trait. usage: lint-words.py [FOLDER]
"""

import re
import sys
from pathlib import Path

import swift_sources

# Properties that hold words of this program or of the specification, as read by code.
WORDS = r"\.(?:description|text|words|headline|what|why|key|name\.description)\b(?:\(\))?"
CONDITION = re.compile(
    rf'{WORDS} *(?:==|!=|~=) *"|" *(?:==|!=) *[\w.]+{WORDS}|\.id\.description *(?:==|!=)'
    rf"|{WORDS}\.(?:hasPrefix|hasSuffix)\(|\btext\([\w.]+\)\.(?:hasPrefix|hasSuffix)\("
    rf'|{WORDS}\.contains\("|contains \{{ *\$0 *== *[\w.]+\.description'
    rf"|contains\([\w.]+\.description\)|switch [\w.]+\.description\b"
)
# Files of users, in which words are keys.
READERS = {"MapFile.swift"}


def complaints(path: Path, text: str) -> list[str]:
    """Returns the lines of a file that decide by words."""
    return [
        f"{path}:{number}: {line.strip()}"
        for number, line in enumerate(text.splitlines(), 1)
        if CONDITION.search(line.split("// ")[0])
    ]


def sources(folder: Path) -> list[Path]:
    """Returns the files to check: all that do not read or parse what users write."""
    return swift_sources.sources(folder, ("ProfileFiles", "gattscope"), lambda path: path.name in READERS)


if __name__ == "__main__":
    sys.exit(
        swift_sources.run(sources, complaints, "these conditions depend on words: give what decides a case or an attribute of its own")
    )
