#!/usr/bin/env python3
"""Finds phrases of CONTRIBUTING.md's glossary, and comments that are too wide, in comments and documents.

Each phrase comes with what to write instead. Phrases are chosen so that they are nearly always wrong; a line that
needs one ends with `lint:english`.
"""

import pathlib
import re
import sys

WIDTH = 120
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
COMMENT = re.compile(r"^\s*///?\s?(.*)$")


def comments(path: pathlib.Path):
    """Yields the number, the text and the whole of each line that is a comment, outside of literals."""
    in_literal = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not in_literal and (match := COMMENT.match(line)):
            yield number, match[1], line
        if line.count('"""') % 2:
            in_literal = not in_literal


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
    for path in [*sorted(root.glob("*.md")), *sorted((root / "docs").glob("*.md"))]:
        if path.name == "rules.md":
            continue
        for number, text, line in prose(path):
            if "| " not in line:
                yield from phrases(path.relative_to(root), number, text, line)


def phrases(path, number, text, line):
    """Yields a sentence for each phrase in a line."""
    if "lint:english" in line:
        return
    for pattern, better in PHRASES.items():
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
