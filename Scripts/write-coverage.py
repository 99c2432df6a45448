#!/usr/bin/env python3
"""Writes the part of docs/coverage.md about characteristics and descriptors: which of the assigned ones are decoded, and
why the others are not.

usage: write-coverage.py [--check] PROGRAM

PROGRAM lists its profiles; the reasons are in Profiles/undecoded.txt. With --check nothing is written; exit status 1: the
document is not what the program and the reasons produce, or a number has neither a decoder nor a reason, or both.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import made_files

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = "coverage.md"
NAMES = ROOT / "Sources" / "Bluetooth" / "Generated" / "NameTable+UUIDs.swift"
REASONS = ROOT / "Profiles" / "undecoded.txt"
BEGIN, END = "<!-- Made by Scripts/write-coverage.py; do not edit. -->", "<!-- End of the made part. -->"

# Where the SIG's numbers of the two kinds are.
KINDS = {"characteristic": range(0x2A00, 0x3000), "descriptor": range(0x2900, 0x2A00)}
WITHOUT, PARTLY, NEITHER = "without a decoder", "decoded in part", "not a characteristic"


class Coverage:
    """What is assigned, what is decoded, and the reasons; `faults` lists what does not fit together."""

    def __init__(self, names: dict[int, str], decoded: dict[str, dict[int, str]], reasons: dict[str, dict[int, str]]):
        self.decoded = decoded
        self.reasons = reasons
        no_characteristics = reasons[NEITHER]
        self.assigned = {
            kind: {uuid: name for uuid, name in names.items() if uuid in numbers and uuid not in no_characteristics}
            for kind, numbers in KINDS.items()
        }
        self.faults = [
            *(f"{uuid:04x} has a reason, but is not assigned"
              for reasoned in reasons.values() for uuid in reasoned if uuid not in names),
            *(f"{uuid:04x} {name} has neither a decoder nor a reason"
              for kind in KINDS for uuid, name in self.missing(kind).items() if uuid not in reasons[WITHOUT]),
            *(f"{uuid:04x} has a reason for having no decoder, but has one"
              for uuid in reasons[WITHOUT] if self.is_decoded(uuid)),
            *(f"{uuid:04x} is listed as decoded in part, but has no decoder"
              for uuid in reasons[PARTLY] if not self.is_decoded(uuid)),
        ]

    def is_decoded(self, uuid: int) -> bool:
        return any(uuid in decoded for decoded in self.decoded.values())

    def missing(self, kind: str) -> dict[int, str]:
        return {uuid: name for uuid, name in self.assigned[kind].items() if uuid not in self.decoded[kind]}

    def text(self, profiles: dict[str, tuple[str, str]]) -> str:
        """Returns the made part of the document; `profiles` has title and source of each profile."""
        lines = [BEGIN]
        for kind in KINDS:
            assigned, missing = self.assigned[kind], self.missing(kind)
            lines += ["", f"## {kind.capitalize()}s", ""]
            lines.append(f"{len(assigned) - len(missing)} of the {len(assigned)} assigned {kind}s have a decoder.")
            for heading, section in (("No decoder", WITHOUT), ("Decoded in part", PARTLY)):
                rows = self.rows(section, assigned)
                if rows:
                    lines += ["", f"| {heading} | why |", "| --- | --- |", *rows]
            rows = self.profile_rows(kind, profiles)
            lines += ["", f"| profile | {kind}s | facts from |", "| --- | --- | --- |", *rows]
        return "\n".join([*lines, "", END])

    def rows(self, section: str, assigned: dict[int, str]) -> list[str]:
        """Returns a row for each reason, with all that it is about."""
        by_reason: dict[str, list[int]] = {}
        for uuid, reason in self.reasons[section].items():
            if uuid in assigned:
                by_reason.setdefault(reason, []).append(uuid)
        return [
            f"| {', '.join(f'`{uuid:04x}` {assigned[uuid]}' for uuid in sorted(uuids))} | {reason} |"
            for reason, uuids in sorted(by_reason.items(), key=lambda row: min(row[1]))
        ]

    def profile_rows(self, kind: str, profiles: dict[str, tuple[str, str]]) -> list[str]:
        by_profile: dict[str, list[int]] = {}
        for uuid, profile in self.decoded[kind].items():
            if uuid in self.assigned[kind]:
                by_profile.setdefault(profile, []).append(uuid)
        return [
            f"| {profiles[profile][0]} | {ranges(uuids)} | {profiles[profile][1]} |"
            for profile, uuids in sorted(by_profile.items(), key=lambda row: profiles[row[0]][0].lower())
        ]


def ranges(uuids: list[int]) -> str:
    """Returns the numbers, with a range for three or more in a row."""
    runs: list[list[int]] = []
    for uuid in sorted(uuids):
        if runs and uuid == runs[-1][-1] + 1:
            runs[-1].append(uuid)
        else:
            runs.append([uuid])
    return ", ".join(
        f"`{run[0]:04x}`–`{run[-1]:04x}`" if len(run) > 2 else ", ".join(f"`{uuid:04x}`" for uuid in run) for run in runs)


def assigned_names(text: str) -> dict[int, str]:
    """Returns the names in the Swift table, by UUID."""
    index, names = re.findall(r'##"""\n(.*?)\n?"""##', text, re.DOTALL)
    uuids = [int(entry[:4], 16) for entry in index.split()]
    return dict(zip(uuids, names.split("\n"), strict=False))


def read_reasons(text: str) -> dict[str, dict[int, str]]:
    """Returns the reasons by section and UUID; exits if a line has another form."""
    sections: dict[str, dict[int, str]] = {WITHOUT: {}, PARTLY: {}, NEITHER: {}}
    section = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = sections.get(line.strip("[]"))
            continue
        found = re.fullmatch(r"((?:[0-9a-f]{4}(?:-[0-9a-f]{4})? ?)+) +([A-Z].*\.)", line)
        if section is None or not found:
            sys.exit(f"{REASONS.name}:{number}: expected UUIDs, two spaces and a sentence, in a known section")
        for entry in found[1].split():
            first, _, last = entry.partition("-")
            for uuid in range(int(first, 16), int(last or first, 16) + 1):
                if uuid in section:
                    sys.exit(f"{REASONS.name}:{number}: {uuid:04x} has two reasons")
                section[uuid] = found[2]
    return sections


def listed(program: str) -> dict[str, dict[int, str]]:
    """Returns the profile of each UUID that the program decodes, by kind."""
    printed = subprocess.run(
        [program, "profiles", "list", "--json"], check=True, capture_output=True, text=True, timeout=60).stdout
    decoded: dict[str, dict[int, str]] = {kind: {} for kind in KINDS}
    for definition in json.loads(printed)["definitions"]:
        if definition["of"] in decoded and len(definition.get("uuid", "")) == 4:
            decoded[definition["of"]].setdefault(int(definition["uuid"], 16), definition["profile"])
    return decoded


def titles() -> dict[str, tuple[str, str]]:
    """Returns title and source of each built-in profile."""
    found = {}
    for path in (ROOT / "Profiles").rglob("*.yaml"):
        keys = dict(re.findall(r"^(profile|title|source): (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE))
        found[keys["profile"]] = (keys["title"], keys.get("source", "").strip('"'))
    return found


def coverage(program: str) -> Coverage:
    return Coverage(
        assigned_names(NAMES.read_text(encoding="utf-8")), listed(program),
        read_reasons(REASONS.read_text(encoding="utf-8")))


def main() -> int:
    program, checks = made_files.arguments(__doc__)
    found = coverage(program)
    for fault in found.faults:
        print(fault)
    document = (ROOT / "docs" / DOCUMENT).read_text(encoding="utf-8")
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{DOCUMENT} has no place for the made part")
    texts = {DOCUMENT: before + found.text(titles()) + after}
    same = made_files.keep(texts, ROOT / "docs", "Scripts/write-coverage.py", checks)
    return 0 if same and not found.faults else 1


if __name__ == "__main__":
    sys.exit(main())
