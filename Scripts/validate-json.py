#!/usr/bin/env python3
"""Validates gattscope's JSON with the schema that it prints itself.

usage: validate-json.py GATTSCOPE CAPTURE_OR_FOLDER...

Lines: those of `show --json` and `show --json --raw` must fit `$defs/showLine`, those of `devices --json`
`$defs/devicesLine`, and those of `values --json` `$defs/valuesLine`. Documents: those of `info --json` and `map --json`
must fit `$defs/info` and `$defs/map`; those of `diff --json` with a sample capture, `$defs/diff`; those of `explain
--json` and `profiles match --json`, `$defs/explain` and `$defs/profileMatches`; `profiles list --json` and `explain
--list-rules --json`, `$defs/profileList` and `$defs/ruleList`. None may have a top-level key that the schema does not
know, and two runs must give the same bytes. Documents that differ only in times, addresses, strings of hexadecimal
digits of one length, and numbers with as many digits (0 apart) are compared with the schema once: only its few limits
of numbers tell them apart. In a folder, the script uses every file that gattscope reads. Exit status 1: an output does
not fit.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit("validate-json.py needs the Python package jsonschema (Debian: python3-jsonschema)")

MOST_PRINTED = 40
OTHER = Path(__file__).resolve().parent.parent / "captures" / "heart-rate.btsnoop"  # the capture that diff compares each capture with
COMMANDS = (
    *(("showLine", ["show", "--json"]), ("showLine", ["show", "--json", "--raw"])),
    *(("valuesLine", ["values", "--json"]), ("valuesLine", ["values", "--json", "--show-keys"])),
    *(("devicesLine", ["devices", "--json"]), ("info", ["info", "--json"]), ("map", ["map", "--json"])),
    *(("profileMatches", ["profiles", "match", "--json"]), ("explain", ["explain", "--json"])),
    ("explain", ["explain", "--json", "--show-keys"]),
    *(("traceLine", ["trace", "--json"]), ("traceLine", ["trace", "--json", "--as", "android", "--show-keys"])),
    *(("diff", ["diff", "--json", "--all", str(OTHER)]), ("diff", ["diff", "--json", "--show-keys", str(OTHER)])),
)
LISTS = {"profileList": ["profiles", "list", "--json"], "ruleList": ["explain", "--list-rules", "--json"]}
LINES = ("showLine", "valuesLine", "devicesLine", "traceLine")  # one document per line
READ, DIFFERENT, DAMAGED = 0, 1, 65  # exit statuses: 65 is also "not a format that gattscope reads", which prints nothing
# A string of hexadecimal digits that is not a key, an address, a time, or a number that is not 0.
ALIKE = re.compile(
    rb'(?<=")(?:0x)?[0-9a-f]{2,}(?="[^:])|(?<=")(?:[0-9A-F]{2}:){5}[0-9A-F]{2}(?=")|(?<=")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?=")|(?<=[:,\[])-?(?:[1-9]\d*(?:\.\d+)?|0\.\d+)(?=[,}\]])'
)
DIGIT = re.compile(rb"[0-9a-fA-F]")
NOT_CAPTURES = (".md", ".json", ".tsv", ".txt")


def run(program: str, *arguments: str) -> tuple[int, bytes, str]:
    result = subprocess.run([program, *arguments], capture_output=True, check=False)
    return result.returncode, result.stdout, result.stderr.decode(errors="replace").strip()


def validators(program: str) -> dict[str, Draft202012Validator]:
    status, output, message = run(program, "schema")
    if status != 0:
        sys.exit(f"gattscope schema ended with {status}: {message}")
    schema = json.loads(output)
    Draft202012Validator.check_schema(schema)
    found = {}
    for name in {name for name, _ in COMMANDS} | set(LISTS):
        if name not in schema.get("$defs", {}):
            sys.exit(f"gattscope schema has no $defs/{name}")
        found[name] = Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})
    return found


def no_duplicates(pairs: list) -> dict:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key appears twice: {', '.join(key for key in keys if keys.count(key) > 1)}")
    return dict(pairs)


def not_a_number(text: str):
    raise ValueError(f"{text} is not JSON")


def telling_error(error):
    """Returns the error of the intended alternative: the one whose constants fit, such as the type."""
    while error.context:
        branches: dict = {}
        for each in error.context:
            branches.setdefault(each.relative_schema_path[0], []).append(each)
        meant = min(branches.values(), key=lambda errors: (sum(each.validator == "const" for each in errors), len(errors)))
        error = meant[0]
    return error


def document_errors(validator: Draft202012Validator, text: bytes, fitting: set[bytes]) -> Iterator[str]:
    """Yields what is wrong with a document. `fitting` has the shapes of those that fit, and gets another one."""
    try:
        document = json.loads(text, object_pairs_hook=no_duplicates, parse_constant=not_a_number)
    except ValueError as error:  # also if the text is not UTF-8
        yield f"expected JSON: {error}"
        return
    shape = ALIKE.sub(lambda found: DIGIT.sub(b"1", found[0]), text)
    if shape in fitting:
        return
    errors = list(validator.iter_errors(document))
    if not errors:
        fitting.add(shape)
    for error in map(telling_error, errors):
        expected = f"{error.validator} {json.dumps(error.validator_value)}"
        yield f"{error.json_path}: {error.message[:200]} (expected {expected[:160]})"


def capture_errors(
    program: str, schemas: dict[str, Draft202012Validator], fitting: dict[str, set[bytes]], path: Path, counts: dict
) -> Iterator[str]:
    for name, arguments in COMMANDS:
        status, output, message = run(program, *arguments, str(path))
        what = f"{path.parent.name}/{path.name}: {' '.join(arguments)}"
        if status not in (READ, DAMAGED) and (name, status) != ("diff", DIFFERENT):
            yield f"{what} ended with {status}: {message}"
            continue
        if status == DAMAGED and not output:
            counts["not read"] += name == "info"
            continue
        if run(program, *arguments, str(path))[1] != output:
            yield f"{what}: two runs give different bytes"
        if output and not output.endswith(b"\n"):
            yield f"{what}: the last line has no line end"
        documents = output.splitlines() if name in LINES else [output]
        for line, document in enumerate(documents, 1):
            counts[name] += 1
            for error in document_errors(schemas[name], document, fitting[name]):
                yield f"{what}, line {line}: {error}"


def captures(arguments: list[str]) -> Iterator[Path]:
    for argument in map(Path, arguments):
        if argument.is_dir():
            files = (path for path in sorted(argument.rglob("*")) if path.is_file())
            yield from (path for path in files if path.suffix not in NOT_CAPTURES and not path.parent.suffix)
        elif argument.is_file():
            yield argument
        elif argument.suffix:
            sys.exit(f"{argument}: no such capture")
        else:
            print(f"skipped: there is no folder {argument}")


def main() -> int:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program = sys.argv[1]
    schemas = validators(program)
    counts = dict.fromkeys([*(name for name, _ in COMMANDS), "not read"], 0)
    found = []
    for name, arguments in LISTS.items():
        listed = run(program, *arguments)[1]
        found += [f"{' '.join(arguments)}: {error}" for error in document_errors(schemas[name], listed, set())]
    fitting: dict[str, set[bytes]] = {name: set() for name in schemas}
    found += [error for path in captures(sys.argv[2:]) for error in capture_errors(program, schemas, fitting, path, counts)]
    if 0 in (count for name, count in counts.items() if name != "not read"):
        found.append("nothing was validated")
    for message in found[:MOST_PRINTED]:
        print(message)
    if len(found) > MOST_PRINTED:
        print(f"... and {len(found) - MOST_PRINTED} more")
    print(
        f"{counts['showLine']} lines of show, {counts['valuesLine']} of values, {counts['devicesLine']} of devices, "
        f"{counts['info']} documents of info, {counts['map']} of map, "
        f"{counts['profileMatches']} of profiles match, {counts['explain']} of explain, {counts['diff']} of diff, "
        f"{counts['not read']} files in formats that are not read, {len(found)} errors"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
