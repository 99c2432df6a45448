#!/usr/bin/env python3
"""Writes docs/picture.svg, the program's output in a terminal, for the README. usage: make-picture.py PROGRAM [--check]

The commands run on sample captures with --color=always; nothing in the picture is written by hand. With --check nothing
is written; exit status 1: the picture differs from the program's output.
"""

import os
import re
import subprocess
import sys
import unicodedata
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "picture.svg"
COMMANDS = [
    "gattscope show --layer att --packets 78- --width 112 captures/write-refused.btsnoop",
    "gattscope explain --width 112 captures/pairing-fails.btsnoop",
]

# The box of a character, the margin around the text, and the bar above it, in pixels.
WIDTH, HEIGHT, MARGIN, BAR = 8.4, 19, 18, 30
FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
SIZE = 14
GROUND, TEXT = "#0d1117", "#e6edf3"
# Bold text is shown as brighter.
COLOURS = {
    "1": "#ffffff", "2": "#7d8590", "31": "#ff7b72", "32": "#7ee787", "33": "#d29922", "35": "#d2a8ff", "36": "#76e3ea",
}
STYLE = re.compile(r"\x1b\[([0-9;]*)m")
PROMPT = "#7ee787"


def runs(line: str) -> list[tuple[str, str]]:
    """Returns stretches of one colour: colour and text. Raises an error for a style that the picture cannot show."""
    found = []
    colour = TEXT
    parts = STYLE.split(line)
    for at, part in enumerate(parts):
        if at % 2 == 0:
            if part:
                found.append((colour, part))
        elif part in ("", "0"):
            colour = TEXT
        else:
            colour = COLOURS[part]
    return found


def columns(words: str) -> int:
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in words)


def printed(program: Path) -> list[list[tuple[str, str]]]:
    """Returns the lines of a terminal in which the commands were typed one after the other."""
    lines = []
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", "XDG_CONFIG_HOME": "/nonexistent"}
    for command in COMMANDS:
        if lines:
            lines.append([])
        lines.append([(PROMPT, "$ "), (TEXT, command)])
        result = subprocess.run(
            [program, *command.split()[1:], "--color=always"], cwd=ROOT, env=environment, check=True, text=True,
            stdout=subprocess.PIPE)
        lines += [runs(line) for line in result.stdout.splitlines()]
    return lines


def picture(lines: list[list[tuple[str, str]]]) -> str:
    wide = max(sum(columns(words) for _, words in line) for line in lines)
    width, height = round(wide * WIDTH + 2 * MARGIN), len(lines) * HEIGHT + BAR + MARGIN
    told = "; ".join(COMMANDS)
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        "<!-- Made by Scripts/make-picture.py from what the program prints. -->",
        f"<title>{escape(told)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}"/>',
        *(f'<circle cx="{MARGIN + 18 * at}" cy="16" r="5" fill="{colour}"/>'
          for at, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))),
        f'<g font-family="{FONT}" font-size="{SIZE}" xml:space="preserve">',
    ]
    for row, line in enumerate(lines):
        column = 0
        for colour, words in line:
            # Each run begins in its column and is as wide as its columns in any font.
            bare = words.lstrip(" ")
            at = column + len(words) - len(bare)
            column += columns(words)
            bare = bare.rstrip(" ")
            if bare:
                svg.append(
                    f'<text x="{MARGIN + at * WIDTH:.1f}" y="{BAR + (row + 1) * HEIGHT - 5}" fill="{colour}" '
                    f'textLength="{columns(bare) * WIDTH:.1f}" lengthAdjust="spacingAndGlyphs">{escape(bare, quote=False)}</text>')
    return "\n".join([*svg, "</g>", "</svg>"]) + "\n"


def main() -> int:
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    made = picture(printed(Path(sys.argv[1]).absolute()))
    if sys.argv[2:]:
        if not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != made:
            print(f"{PICTURE.name} differs from the program's output; run make golden")
            return 1
    else:
        PICTURE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
