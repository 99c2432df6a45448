#!/usr/bin/env python3
"""Writes Sources/Bluetooth/Generated: the names of the Bluetooth SIG's Assigned Numbers, as compact Swift tables.

usage: import-assigned-numbers.py [--check] PATH

PATH is the wheel of the Python package bluetooth-sig (`pip download --no-deps bluetooth-sig`), which has a copy of the
SIG's YAML files, or a folder with its contents. Only numbers and names are imported. Needed only to update the tables.
With --check nothing is written; exit status 1: a table differs from what PATH produces.
"""

import re
import sys
import zipfile
from pathlib import Path

import made_files

FOLDER = Path(__file__).resolve().parent.parent / "Sources" / "Bluetooth" / "Generated"
QUOTES = '##"""'
INDEX_COLUMNS = 9

# The files name some services after their profile; these are their usual names.
CORRECTIONS = {0x1800: "Generic Access", 0x1801: "Generic Attribute"}


class Source:
    """The YAML files of a wheel or a folder."""

    def __init__(self, path: Path):
        if path.is_dir():
            self.files = {file.as_posix(): file for file in sorted(path.rglob("*.yaml"))}
            self.read = lambda name: self.files[name].read_text(encoding="utf-8")
        else:
            wheel = zipfile.ZipFile(path)
            self.files = {name: name for name in wheel.namelist()}
            self.read = lambda name: wheel.read(name).decode("utf-8")

    def load(self, name: str, key: str) -> list:
        import yaml  # only needed for an import

        found = [file for file in self.files if file.endswith(f"assigned_numbers/{name}.yaml")]
        if len(found) != 1:
            sys.exit(f"{name}.yaml was found {len(found)} times, expected once")
        # All scalars as text: YAML 1.1 would read some names as numbers or booleans.
        return yaml.load(self.read(found[0]), yaml.BaseLoader)[key]


def number(text: str) -> int:
    return int(text, 0)


# TeX subscripts in the files.
SUBSCRIPTS = str.maketrans("0123456789n", "₀₁₂₃₄₅₆₇₈₉ₙ")


def plain(name: str) -> str:
    """Returns the name on one line, without TeX."""
    name = re.sub(r"\\textsubscript\{(.*?)\}", lambda found: found[1].translate(SUBSCRIPTS), name)
    return " ".join(name.split())


def short(name: str) -> str:
    """Returns the name without the examples in brackets at its end."""
    return name.split(" (")[0]


def companies(source: Source) -> dict:
    rows = source.load("company_identifiers/company_identifiers", "company_identifiers")
    return {number(row["value"]): row["name"] for row in rows}


def uuids(source: Source) -> dict:
    """Returns the 16-bit UUIDs in one table, because they share one number space."""
    table = {}
    for name in (
        "protocol_identifiers",
        "browse_group_identifiers",
        "service_class",
        "mesh_profile_uuids",
        "service_uuids",
        "units",
        "declarations",
        "descriptors",
        "characteristic_uuids",
        "object_types",
        "member_uuids",
        "sdo_uuids",
    ):
        for row in source.load(f"uuids/{name}", "uuids"):
            # An SDO's own entry names the purpose of its UUID, a member's only its owner: the later list wins.
            table[number(row["uuid"])] = row["name"]
    return table | CORRECTIONS


def appearances(source: Source) -> dict:
    """Returns categories (10 bits) and subcategories (6 bits), as in the characteristic."""
    table = {}
    for row in source.load("core/appearance_values", "appearance_values"):
        category = number(row["category"]) << 6
        table[category] = row["name"]
        for sub in row.get("subcategory", []):
            table[category | number(sub["value"])] = f"{row['name']}: {sub['name']}"
    return table


def uri_schemes(source: Source) -> dict:
    rows = source.load("core/uri_schemes", "uri_schemes")
    # 1 means that the URI contains its own scheme.
    return {number(row["value"]): row["name"] for row in rows if number(row["value"]) != 1}


# Keys for the parts of a class of device that are not in its bits 2 to 12.
MAJOR, SERVICE = 0xF000, 0xE000


def device_classes(source: Source) -> dict:
    """Returns major and minor classes by bits 2 to 12 of the class of device; majors from 0xf000, service bits from
    0xe000.
    """
    table = {}
    for row in source.load("core/class_of_device", "cod_services"):
        if not row["name"].startswith("Reserved"):
            table[SERVICE | number(row["bit"])] = short(row["name"])
    for row in source.load("core/class_of_device", "cod_device_class"):
        major = number(row["major"])
        table[MAJOR | major] = short(row["name"])
        # The first of the six bits count minor classes if the last ones count something else.
        shift = 6 - number(row.get("subsplit", "6"))
        split = row.get("subminor", []) if major == 5 else []
        for minor in row.get("minor", []):
            if minor["name"].startswith(("Reserved", "Uncategorized")) and not split:
                continue
            value = number(minor["value"])
            names = [] if minor["name"].startswith("Uncategorized") else [short(minor["name"])]
            for sub in split or [{"value": "0", "name": "Uncategorized"}]:
                both = names if sub["name"].startswith("Uncategorized") else [*names, short(sub["name"])]
                if both:
                    table[major << 8 | (value << shift | number(sub["value"])) << 2] = ", ".join(both)
    return table


def swift(title: str, member: str, rows: dict) -> str:
    """Returns a table: the names, one a line, and the position of each number's name."""
    lines, index, offset = [], [], 0
    for key in sorted(rows):
        name = plain(rows[key])
        if not name or QUOTES[::-1] in name or "\\##" in name or not 0 <= key <= 0xFFFF:
            sys.exit(f"{member}: {key:#06x} {name!r} does not fit into the table")
        index.append(f"{key:04x}{offset:05x}")
        lines.append(name)
        offset += len(name.encode()) + 1
    rows_of_index = [" ".join(index[at : at + INDEX_COLUMNS]) for at in range(0, len(index), INDEX_COLUMNS)]
    return "\n".join(
        [
            "// swift-format-ignore-file",
            "// Made by Scripts/import-assigned-numbers.py; do not edit. Numbers and names: Bluetooth SIG, Assigned Numbers.",
            "",
            "extension NameTable {",
            f"  /// {title}",
            "  // Not inlined, or each module that uses it would have a copy of the texts.\n  @inline(never)\n"
            f"  static var {member}: NameTable {{ NameTable(index: {member}Index, names: {member}Text) }}",
            "}",
            "",
            f"private let {member}Index: StaticString = {QUOTES}",
            *rows_of_index,
            QUOTES[::-1],
            "",
            f"private let {member}Text: StaticString = {QUOTES}",
            *lines,
            "",
            QUOTES[::-1],
            "",
        ]
    )


def tables(source: Source) -> dict:
    return {
        "NameTable+Companies.swift": swift("Company identifiers.", "companies", companies(source)),
        "NameTable+UUIDs.swift": swift("What 16-bit UUIDs stand for, or who registered them.", "uuids", uuids(source)),
        "NameTable+Appearances.swift": swift("Appearance values, by category and subcategory.", "appearances", appearances(source)),
        "NameTable+URISchemes.swift": swift("Scheme names that a URI in advertising data begins with.", "uriSchemes", uri_schemes(source)),
        "NameTable+DeviceClasses.swift": swift(
            "The class of a device: bits 2 to 12; majors from 0xf000, service bits from 0xe000.", "deviceClasses", device_classes(source)
        ),
    }


def main() -> int:
    path, checks = made_files.arguments(__doc__)
    return 0 if made_files.keep(tables(Source(Path(path))), FOLDER, path, checks) else 1


if __name__ == "__main__":
    sys.exit(main())
