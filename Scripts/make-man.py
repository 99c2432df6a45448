#!/usr/bin/env python3
"""Writes the manual page, gattscope(1), from the program's own help. usage: make-man.py PROGRAM > PAGE

The date is SOURCE_DATE_EPOCH, so that the same program and date make the same page.
"""

import json
import os
import re
import subprocess
import sys
import time

HEADING = """\
.TH GATTSCOPE 1 "{date}" "{version}" "User Commands"
.SH NAME
gattscope \\- explain what happened in a Bluetooth LE capture
"""
EXIT_STATUS = re.compile(r"^Exit status: (.*)\.$", re.MULTILINE)
AFTER = """\
.SH ENVIRONMENT
.TP
.B NO_COLOR
If set, text has no colours unless
.B \\-\\-color=always
asks for them.
.TP
.B PAGER
The program that shows text longer than the screen, by default less. If it is empty or cat, text is printed directly.
Under sudo, it is started with LESSSECURE=1.
.TP
.B XDG_CONFIG_HOME
Your own profiles are read from its folder gattscope/profiles, or from \(ti/.config/gattscope/profiles if it is not set.
.SH SEE ALSO
.BR btmon (1),
.BR tshark (1)
.PP
The documentation is in
.I /usr/local/share/doc/gattscope
or
.IR /usr/share/doc/gattscope .
"""


def text(words: str) -> str:
    """Returns the words escaped, so that roff prints them literally: no escapes or control characters, only ASCII."""
    words = words.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    words = words.replace("^", "\\(ha").replace("~", "\\(ti").replace('"', "\\(dq")
    return "".join(sign if ord(sign) < 0x80 else f"\\[u{ord(sign):04X}]" for sign in words)


def paragraph(words: str) -> list[str]:
    """Returns lines of running text; one that would begin with a control character of roff begins with an empty escape.
    """
    return ["\\&" + line if line[:1] in (".", "'") else line for line in map(text, words.splitlines())]


def discussion(words: str) -> list[str]:
    """Returns running text, and examples unchanged."""
    lines: list[str] = []
    literal = False
    for line in words.splitlines():
        indented = line.startswith("  ")
        if indented != literal:
            lines += [".PP", ".RS 2", ".nf"] if indented else [".fi", ".RE"]
            literal = indented
        if line:
            lines += paragraph(line[2:] if indented else line)
        elif not literal:
            lines.append(".PP")
    if literal:
        lines += [".fi", ".RE"]
    # roff warns about a paragraph break that follows no text.
    return [line for at, line in enumerate(lines) if line != ".PP" or (0 < at and lines[at - 1] != ".PP" and at + 1 < len(lines))]


def spelled(argument: dict, name: dict) -> str:
    dashes = "-" if name["kind"] in ("short", "longWithSingleDash") else "--"
    return dashes + name["name"]


def heading(argument: dict) -> str:
    """Returns the names of an option, with its value."""
    if argument["kind"] == "positional":
        return f"\\fI{text(argument['valueName'].upper())}\\fR" + (" ..." if argument["isRepeating"] else "")
    names = sorted((spelled(argument, name) for name in argument["names"]), key=len)
    bold = ", ".join(f"\\fB{text(name)}\\fR" for name in names)
    return bold if argument["kind"] == "flag" else f"{bold} \\fI{text(argument['valueName'])}\\fR"


def described(argument: dict) -> list[str]:
    words = argument.get("abstract", "")
    if "defaultValue" in argument:
        words += f" (default: {argument['defaultValue']})"
    return [".TP", heading(argument), *(paragraph(words) or ["\\&"])]


def command(found: dict) -> list[str]:
    """Returns a verb with its options; those that all verbs have, --help and --version, are listed once."""
    name = " ".join([*found["superCommands"], found["commandName"]])
    arguments = [argument for argument in found.get("arguments", []) if argument["shouldDisplay"]]
    shown = [argument for argument in arguments if argument.get("valueName") not in ("help", "version")]
    synopsis = [f"\\fB{text(name)}\\fR"] + (["[\\fIoptions\\fR]"] if any(a["kind"] != "positional" for a in shown) else [])
    for argument in shown:
        if argument["kind"] == "positional":
            word = heading(argument)
            synopsis.append(f"[{word}]" if argument["isOptional"] else word)
    verbs = [verb for verb in found.get("subcommands", []) if verb["shouldDisplay"] and verb["commandName"] != "help"]
    lines = [f'.SS "{text(name)}"']
    if not verbs:
        lines += [" ".join(synopsis), ".PP"]
    lines += paragraph(found["abstract"])
    if found.get("discussion"):
        lines += [".PP", *discussion(found["discussion"])]
    title = None
    for argument in shown:
        if argument.get("sectionTitle") != title:
            title = argument.get("sectionTitle")
            if title:
                lines += [".PP", f"\\fI{text(title)}\\fR"]
        lines += described(argument)
    for verb in verbs:
        lines += command(verb)
    return lines


def page(root: dict, version: str, date: str) -> str:
    statuses = EXIT_STATUS.search(root["discussion"])
    lines = [HEADING.format(date=date, version=version).rstrip(), ".SH SYNOPSIS"]
    lines += [".B gattscope", ".RI [ verb ]", ".RI [ options ]", ".IR CAPTURE \\ ..."]
    lines += [".SH DESCRIPTION", *discussion(EXIT_STATUS.sub("", root["discussion"]).strip())]
    lines += [".SH OPTIONS", "All verbs have these options:"]
    for argument in root["arguments"]:
        lines += described(argument)
    lines.append(".SH VERBS")
    for verb in root["subcommands"]:
        if verb["shouldDisplay"] and verb["commandName"] != "help":
            lines += command(verb)
    if statuses:
        lines.append(".SH EXIT STATUS")
        for status in re.split(r", (?=\d)", statuses[1]):
            number, _, meaning = status.partition(" ")
            lines += [".TP", f".B {number}", *paragraph(meaning)]
    return "\n".join(lines) + "\n" + AFTER


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    help_text = subprocess.run([sys.argv[1], "--experimental-dump-help"], check=True, stdout=subprocess.PIPE).stdout
    version = subprocess.run([sys.argv[1], "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    sys.stdout.write(page(json.loads(help_text)["command"], version.partition(",")[0], date))


if __name__ == "__main__":
    main()
