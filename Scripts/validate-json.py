#!/usr/bin/env python3
"""Validates gattscope's JSON with the schema that it prints itself.

usage: validate-json.py GATTSCOPE CAPTURE_OR_FOLDER...

Lines: those of `show --json` and `show --json --raw` must fit `$defs/showLine`, those of `devices --json`
`$defs/devicesLine`, and those of `values --json` `$defs/valuesLine`. Documents: those of `info --json` and `map --json`
must fit `$defs/info` and `$defs/map`; those of `diff --json` with a sample capture, `$defs/diff`; those of `explain
--json` and `profiles match --json`, `$defs/explain` and `$defs/profileMatches`; `profiles list --json` and `explain
--list-rules --json`, `$defs/profileList` and `$defs/ruleList`. None may have a top-level key that the schema does not
know, and two runs must give the same bytes. Over all outputs of a verb, also those of `table` and `profiles decode`, each
key has one type, or null: a key is named by the keys that contain it, down from the type of the line. fastjsonschema looks at every document, and jsonschema, which is 50 times
slower, at the first of each output if it is short, and at those that do not fit: its errors say more. In a folder, the
script uses every file that gattscope reads. An output of more than 256 MB is skipped, and a line reports it. Exit status
1: an output does not fit.
"""

import hashlib
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterator

from tested_program import sampled

try:
    import fastjsonschema
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit("validate-json.py needs two Python packages (Debian: python3-fastjsonschema and python3-jsonschema)")

MOST_PRINTED = 40
OTHER = Path(__file__).resolve().parent.parent / "captures" / "heart-rate.btsnoop"  # the capture that diff compares each capture with
COMMANDS = (
    *(("showLine", ["show", "--json"]), ("showLine", ["show", "--json", "--raw"])),
    *(("valuesLine", ["values", "--json"]), ("valuesLine", ["values", "--json", "--show-keys"])),
    *(("valuesLine", ["values", "--json", "--distinct"]), ("valuesLine", ["values", "--json", "--changes"])),
    *(("valuesLine", ["values", "--json", "--messages"]), ("valuesLine", ["values", "--json", "--rate"])),
    *(("devicesLine", ["devices", "--json"]), ("info", ["info", "--json"]), ("map", ["map", "--json"])),
    *(("profileMatches", ["profiles", "match", "--json"]), ("explain", ["explain", "--json"])),
    *(("profileLearn", ["profiles", "learn", "--json"]), ("valuePositions", ["values", "--json", "--positions"])),
    ("explain", ["explain", "--json", "--show-keys"]),
    *(("traceLine", ["trace", "--json"]), ("traceLine", ["trace", "--json", "--as", "android", "--show-keys"])),
    *(("diff", ["diff", "--json", "--all", str(OTHER)]), ("diff", ["diff", "--json", "--show-keys", str(OTHER)])),
)
ROWS = (["table"], ["table", "--kind", "captures,connections,findings,devices"])  # whose columns are described elsewhere
DECODED = (  # values of all kinds of fields: codes, reserved codes, quantities, special values, times, texts, bytes, secrets
    ("--uuid", "2a37", "165b0a03f402"), ("--uuid", "2a37", "165b0a"), ("--uuid", "2a38", "01"), ("--uuid", "2a38", "99"),
    ("--uuid", "2a1c", "06ff0000ffe907010101010102"), ("--uuid", "2a1c", "07ffff7f00"), ("--uuid", "2a35", "1effff0700"),
    ("--uuid", "2a2b", "ea070b1e0d2a000100ff"), ("--uuid", "2a00", "41c3a9"), ("--uuid", "2a29", "ff41"), ("--uuid", "2a04", "0600ffff000000ff"),
    ("--uuid", "2902", "0100"), ("--uuid", "2902", "0700"), ("--company", "004c", "10060b1e11223344"), ("--company", "0499", "05ffffffffffffffffffffffffffffffffffff"),
)
LISTS = {"profileList": ["profiles", "list", "--json"], "ruleList": ["explain", "--list-rules", "--json"]}
LINES = ("showLine", "valuesLine", "devicesLine", "traceLine")  # one document per line
READ, DIFFERENT, DAMAGED = 0, 1, 65  # exit statuses: 65 is also "not a format that gattscope reads", which prints nothing
SHORT = 10_000  # bytes of a document
MOST_BYTES = 256 << 20  # of an output, which is kept in memory
NOT_CAPTURES = (".md", ".json", ".tsv", ".txt")


def run(program: str, *arguments: str) -> tuple[int, bytes | None, str]:
    """Returns the exit status, the output or None if it is too long, and the messages."""
    with tempfile.TemporaryFile() as messages:
        with subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=messages) as process:
            output = process.stdout.read(MOST_BYTES + 1)
            if len(output) > MOST_BYTES:
                process.kill()
                output = None
        messages.seek(0)
        return process.returncode, output, messages.read().decode(errors="replace").strip()


def digest(program: str, *arguments: str) -> bytes:
    """Returns the digest of an output, of which only a piece is kept at a time."""
    digest = hashlib.sha256()
    with subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        while piece := process.stdout.read(1 << 20):
            digest.update(piece)
    return digest.digest()


class KeyTypes:
    """The types of all keys: for each verb and type of document, a tree of keys, of which each has types with an example."""

    NAMES = {bool: "true or false", int: "a number", float: "a number", str: "a string", list: "a list", dict: "an object"}

    def __init__(self) -> None:
        self.roots: dict[str, dict] = {}

    def note(self, verb: str, document, example: str) -> None:
        kind = document.get("type") or document.get("kind") if isinstance(document, dict) else None
        self.walk(document, self.roots.setdefault(f"{verb}: {kind}" if isinstance(kind, str) else verb, {}), example)

    def walk(self, value, place: dict, example: str) -> None:
        # The types of a place are under None, which is not a key.
        if value is None:
            return
        place.setdefault(None, {}).setdefault(self.NAMES[type(value)], example)
        if isinstance(value, dict):
            for key, member in value.items():
                self.walk(member, place.setdefault(key, {}), example)
        elif isinstance(value, list):
            for member in value:
                self.walk(member, place.setdefault("[]", {}), example)

    def errors(self) -> Iterator[str]:
        """Yields the keys that have several types."""
        pending = list(self.roots.items())
        while pending:
            name, place = pending.pop()
            types = place.get(None, {})
            if len(types) > 1:
                yield f"{name} has several types: " + ", ".join(f"{kind} ({example})" for kind, example in types.items())
            pending += [(f"{name}.{key}".replace(".[]", "[]"), member) for key, member in place.items() if key is not None]


class Validator:
    """Compares documents with one definition of the schema."""

    def __init__(self, name: str, definitions: dict) -> None:
        schema = {"$ref": f"#/$defs/{name}", "$defs": definitions}
        self.whole = Draft202012Validator(schema)
        self.quick = fastjsonschema.compile(simplified(schema, definitions), use_default=False)

    def errors(self, document, for_both: bool) -> Iterator[str]:
        """Yields what is wrong with a document; both validators look at it if the quick one finds a fault."""
        fits = True
        try:
            self.quick(document)
        except fastjsonschema.JsonSchemaValueException:
            fits = False
        if fits and not for_both:
            return
        errors = [*map(telling_error, self.whole.iter_errors(document))]
        if fits == bool(errors):
            yield f"only one of the validators finds an error: {'jsonschema' if fits else 'fastjsonschema'}"
        for error in errors:
            expected = f"{error.validator} {json.dumps(error.validator_value)}"
            yield f"{error.json_path}: {error.message[:200]} (expected {expected[:160]})"


def simplified(schema, definitions: dict):
    """Returns a schema without what fastjsonschema does not know: a reference with properties of its own."""
    if isinstance(schema, list):
        return [simplified(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        # fastjsonschema ignores everything else beside a reference.
        assert schema.keys() <= {"$ref", "$defs", "description", "properties", "unevaluatedProperties"}, schema.keys()
    if "unevaluatedProperties" in schema and "$ref" in schema:
        base = definitions[schema["$ref"].rpartition("/")[2]]
        properties = base["properties"] | schema.get("properties", {})
        schema = base | {"properties": properties, "additionalProperties": schema["unevaluatedProperties"]}
    return {key: simplified(value, definitions) for key, value in schema.items()}


def validators(program: str) -> dict[str, Validator]:
    status, output, message = run(program, "schema")
    if status != 0:
        sys.exit(f"gattscope schema ended with {status}: {message}")
    schema = json.loads(output)
    Draft202012Validator.check_schema(schema)
    names = {name for name, _ in COMMANDS} | set(LISTS) | {"decoded"}
    if missing := names - schema.get("$defs", {}).keys():
        sys.exit(f"gattscope schema has no $defs/{min(missing)}")
    return {name: Validator(name, schema["$defs"]) for name in names}


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


def document_errors(
    validator: Validator | None, text: bytes, for_both: bool, types: KeyTypes | None = None, what: str = ""
) -> Iterator[str]:
    """Yields what is wrong with a document, which may not even be JSON, and remembers the types of its keys."""
    try:
        document = json.loads(text, object_pairs_hook=no_duplicates, parse_constant=not_a_number)
    except ValueError as error:  # also if the text is not UTF-8
        yield f"expected JSON: {error}"
        return
    if types is not None:
        types.note(what.partition(": ")[2].partition(" --")[0], document, what)
    if validator is not None:
        yield from validator.errors(document, for_both)


def capture_errors(program: str, schemas: dict[str, Validator], path: Path, counts: dict, types: KeyTypes) -> Iterator[str]:
    for arguments in ROWS:
        what = f"{path.parent.name}/{path.name}: {' '.join(arguments)}"
        for line in (run(program, *arguments, str(path))[1] or b"").splitlines():
            yield from (f"{what}: {error}" for error in document_errors(None, line, False, types, what))
    for name, arguments in COMMANDS:
        status, output, message = run(program, *arguments, str(path))
        what = f"{path.parent.name}/{path.name}: {' '.join(arguments)}"
        if output is None:
            print(f"skipped: {what} prints more than {MOST_BYTES >> 20} MB")
            continue
        if status not in (READ, DAMAGED) and (name, status) != ("diff", DIFFERENT):
            yield f"{what} ended with {status}: {message}"
            continue
        if status == DAMAGED and not output:
            counts["not read"] += name == "info"
            continue
        if digest(program, *arguments, str(path)) != hashlib.sha256(output).digest():
            yield f"{what}: two runs give different bytes"
        if output and not output.endswith(b"\n"):
            yield f"{what}: the last line has no line end"
        documents = io.BytesIO(output) if name in LINES else [output]
        for line, document in enumerate(documents, 1):
            counts[name] += 1
            for error in document_errors(schemas[name], document, line == 1 and len(document) <= SHORT, types, what):
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
        found += [f"{' '.join(arguments)}: {error}" for error in document_errors(schemas[name], listed, True)]
    types = KeyTypes()
    for arguments in DECODED:
        what = f"{arguments[-1]}: profiles decode --json {' '.join(arguments)}"
        decoded = run(program, "profiles", "decode", "--json", *arguments)[1]
        found += [f"{what}: {error}" for error in document_errors(schemas["decoded"], decoded, True, types, what)]
    for path in sampled(list(captures(sys.argv[2:]))):
        found += capture_errors(program, schemas, path, counts, types)
    found += types.errors()
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
