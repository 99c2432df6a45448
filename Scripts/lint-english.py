#!/usr/bin/env python3
"""Finds phrases of CONTRIBUTING.md's glossary in comments, documents and the program's own sentences, and wide comments.

Each phrase comes with what to write instead. Phrases are chosen so that they are nearly always wrong; a line that
needs one ends with `lint:english`.
"""

import pathlib
import re
import sys

WIDTH = 100
PHRASES = {
    r"\bso many (?!of|as)": "up to N, or N",
    r"\bcomes? about\b": "happens, succeeds",
    r"\bcame about\b": "happened, succeeded",
    r"(?<!there )\b(?:is|are|was|were) none[.;,:]?$": "is not a ...",
    r"^Takes (?:in|that|what|these|those|how|whether)\b": "name what is done: Records ..., Remembers ...",
    r"\bhands? on\b": "passes",
    r"\bas far as known\b": "if known",
    r"^Whose\b": "a noun phrase: The owner ...",
    r"^What is about\b": "a noun phrase",
    r"\bof one's own\b": "your, its",
    r"^(?:Why|And when|Its UUID|And how|How|Which)\.$": "delete it: it repeats the name",
    r"\btold of\b": "reported, listed",
    r"\btells? of\b": "reports, shows",
}
# Only in string literals: in comments these words are often right.
SENTENCES = {
    r"\bso many (?!of|as)": PHRASES[r"\bso many (?!of|as)"],
    r"\bcomes? about\b": PHRASES[r"\bcomes? about\b"],
    r"\bcame about\b": PHRASES[r"\bcame about\b"],
    r"\btells? of\b": PHRASES[r"\btells? of\b"],
    r"\S (?:is|are) there\b": "is present, exists",
    r"\b(?:nobody|somebody)\b": "the actor: the peer, the reader, no program",
    r"\b(?:goes|went) on\b": "continues, continued",
    r"\b(?:capture|packet|peer|request|map|profile|flag|file|counters|versions) (?:says?|said|tells?|told)\b":
        "states, shows, reports, records",
    r"\b(?:says?|tells?) (?:so|why|which|what|nothing)\b": "reports, shows, explains",
    r"\b(?:does not|can|later) (?:say|tell)\b(?! whether)": "does not state, can show, reports",
    r"\b(?:is|are|was|were|not) told\b": "is notified, is reported, unknown",
    r"\bstands? (?:at|behind|beside|in|under)\b": "is, appears",
    r"\b(?:comes?|came) along\b": "is included",
    r"\bwhat was asked for\b": "was selected, was requested",
    r"\bbecame of\b": "the outcome of",
    r"\bthat (?:is|are) no (?!longer)": "that is not a, that are not",
    r"\bthere is no memory\b": "not enough memory",
}
COMMENT = re.compile(r"^\s*///?\s?(.*)$")


def comments(path: pathlib.Path):
    """Yields the number, the text and the whole of each line that is a comment, outside of literals."""
    in_literal = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not in_literal and (match := COMMENT.match(line)):
            yield number, match[1], line
        if line.count('"""') % 2:
            in_literal = not in_literal


def strings(line: str, start: int, text: list[str]) -> int:
    """Appends the parts of the literal at `start` that are not interpolated, then nested literals; returns its end."""
    nested, own, position = [], "", start
    while position < len(line) and line[position] != '"':
        if line.startswith("\\(", position):
            depth, position = 1, position + 2
            while position < len(line) and depth > 0:
                if line[position] == '"':
                    position = strings(line, position + 1, nested)
                else:
                    depth += {"(": 1, ")": -1}.get(line[position], 0)
                position += 1
            own += "…"
        else:
            step = 2 if line[position] == "\\" else 1
            own, position = own + line[position : position + step], position + step
    text += [own, *nested]
    return position


def literals(path: pathlib.Path):
    """Yields the number, the text and the whole of each line with a string literal or a part of one."""
    in_literal = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found: list[str] = []
        if line.count('"""') % 2:
            in_literal = not in_literal
        elif in_literal:
            strings(line.replace('"', "'"), 0, found)
        elif not COMMENT.match(line):
            position = 0
            while (position := line.find('"', position)) >= 0:
                position = strings(line, position + 1, found) + 1
        for text in found:
            yield number, text, line


def prose(path: pathlib.Path):
    """Yields the number, the text and the whole of each line of a document, outside of code."""
    in_code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            in_code = not in_code
        elif not in_code:
            yield number, line, line


def findings(root: pathlib.Path):
    """Yields a sentence for each line to be corrected."""
    code = [path for folder in ("Sources", "Tests", "Fuzz") for path in sorted((root / folder).rglob("*.swift"))]
    for path in code:
        if "Generated" in path.parts:
            continue
        for number, text, line in comments(path):
            if len(line) > WIDTH:
                yield f"{path.relative_to(root)}:{number}: {len(line)} columns, at most {WIDTH}"
            yield from phrases(path.relative_to(root), number, text, line)
        if path.is_relative_to(root / "Sources"):
            for number, text, line in literals(path):
                yield from phrases(path.relative_to(root), number, text, line, SENTENCES)
    for path in [*sorted(root.glob("*.md")), *sorted((root / "docs").glob("*.md"))]:
        if path.name == "rules.md":
            continue
        for number, text, line in prose(path):
            if "| " not in line:
                yield from phrases(path.relative_to(root), number, text, line)


def phrases(path, number, text, line, table=PHRASES):
    """Yields a sentence for each phrase in a line."""
    if "lint:english" in line:
        return
    for pattern, better in table.items():
        if match := re.search(pattern, text):
            yield f"{path}:{number}: \"{match[0].strip()}\"; better: {better}"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    found = list(findings(root))
    for sentence in found:
        print(sentence)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
