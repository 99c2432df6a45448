#!/usr/bin/env python3
"""Searches the output of `convert --redact` for secrets, and checks that the rest is still there.

usage: check-redaction.py GATTSCOPE FOLDER...

The secrets come from elsewhere: keys and passkeys from find-secrets.py; confirm, random and check values, public keys,
addresses and names from tshark. The script searches the bytes of the written file, and the contents of ACL packets
joined per link and direction, in both byte orders; of keys and values it searches for each piece of six bytes. It does
the same with a copy in which records are cut, missing or repeated. `map` and `explain` must find the same rules,
packets and attributes as before, and tshark the same number of packets and no new malformed ones, except for parts that
are reported as zeros. Exit status 1: a secret remains, something is lost, or no secret was searched for.
"""

import importlib
import itertools
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterator

from comparison import tshark
from traffic import files

find_secrets = importlib.import_module("find-secrets")

ADDRESSES = (
    *("bthci_cmd.bd_addr", "bthci_evt.bd_addr", "bthci_evt.le_local_rpa", "bthci_evt.le_peer_rpa"),
    *("bthci_evt.direct_bd_addr", "btsmp.bd_addr", "btcommon.eir_ad.entry.bd_addr", "hci_mon.bd_addr"),
)
NAMES = ("btcommon.eir_ad.entry.device_name", "bthci_evt.device_name", "bthci_cmd.device_name")
VALUES = ("confirm_value", "random_value", "dhkey_check", "public_key_x", "public_key_y", *find_secrets.KEYS)
DEBUG_KEY = bytes.fromhex("20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6")
DEBUG_KEY_Y = bytes.fromhex("dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b")
KNOWN_TO_ALL = {DEBUG_KEY, DEBUG_KEY[::-1], DEBUG_KEY_Y, DEBUG_KEY_Y[::-1]}
FILE_HEADER, RECORD_HEADER = 16, 24  # bytes of a btsnoop file
H4_ACL = b"\x02"
MONITOR_ACL = (4, 5)  # opcodes of the monitor: sent, received
LEAST_NAME = 6  # bytes; shorter names would be found by chance
LEAST_KEY = 8  # bytes; longer values are searched for in pieces
PIECE, PIECE_STEP = 6, 2  # bytes of a piece, and between the starts of two pieces: any seven bytes in a row contain a whole piece


def fields(path: Path, names: tuple[str, ...]) -> list[list[list[str]]]:
    """Returns tshark's values of these fields: for each packet and field, all values."""
    with tempfile.TemporaryDirectory() as empty:
        environment = dict(os.environ, WIRESHARK_CONFIG_DIR=empty, LC_ALL="C.UTF-8")
        options = [option for name in names for option in ("-e", name)]
        command = ["tshark", "-n", "-r", str(path), "-T", "fields", "-E", "separator=\x01", "-E", "aggregator=\x02"]
        result = subprocess.run([*command, *options], capture_output=True, env=environment, check=False)
    lines = result.stdout.decode(errors="replace").split("\n")[:-1]
    return [[list(filter(None, field.split("\x02"))) for field in line.split("\x01")] for line in lines]


def what_must_go(path: Path) -> dict[bytes, str]:
    """Returns the bytes that must be removed, and what each is."""
    packets = tshark.facts(path) or []
    found = {key: "key" for key in find_secrets.secrets_of(path, packets).keys}
    for packet in packets:
        for name in VALUES:
            if value := packet.get(f"smp.{name}"):
                found[bytes.fromhex(value)] = name
    for values in fields(path, (*ADDRESSES, *NAMES)):
        for text in itertools.chain(*values[: len(ADDRESSES)]):
            value = bytes.fromhex(text.replace(":", ""))
            # 00:00:00:00:00:01, which an anonymised capture may have, appears among zeros everywhere.
            if len(set(value)) > 2:
                found[value] = "address"
        for text in itertools.chain(*values[len(ADDRESSES) :]):
            if len(text.encode()) >= LEAST_NAME and "\ufffd" not in text:
                found[text.encode()] = "name"
    # Zeros and ones identify nobody, nor do values that the specification publishes.
    return {
        value: what
        for value, what in found.items()
        if len(value) >= LEAST_NAME and set(value) not in ({0}, {0xFF}) and value not in KNOWN_TO_ALL
    }


def data(content: bytes, is_monitor: bool) -> Iterator[bytes]:
    """Returns the contents of a btsnoop file's ACL packets, joined per link and direction."""
    streams: dict[tuple, bytearray] = {}
    offset = FILE_HEADER
    while offset + RECORD_HEADER <= len(content):
        _, length, flags = struct.unpack_from(">III", content, offset)
        record = content[offset + RECORD_HEADER : offset + RECORD_HEADER + length]
        offset += RECORD_HEADER + length
        if is_monitor and flags & 0xFFFF in MONITOR_ACL:
            way, packet = flags, record
        elif not is_monitor and record[:1] == H4_ACL:
            way, packet = flags & 1, record[1:]
        else:
            continue
        # Handle (2 bytes), length (2).
        if len(packet) > 4:
            handle = int.from_bytes(packet[:2], "little") & 0xFFF
            streams.setdefault((way, handle), bytearray()).extend(packet[4:])
    yield from map(bytes, streams.values())


def pieces(value: bytes, what: str) -> Iterator[bytes]:
    """Returns what must not be found of a value: every distinctive piece of a key, all of an address or name."""
    if len(value) < LEAST_KEY or what == "name":
        yield value
        return
    for start in range(0, len(value) - PIECE + 1, PIECE_STEP):
        piece = value[start : start + PIECE]
        if len(set(piece)) >= find_secrets.LEAST_DIFFERENT:
            yield piece


def remaining(wanted: dict[bytes, str], places: list[bytes]) -> list[str]:
    """Returns the secrets that are still there."""
    return [
        f"{what} {value.hex()} remains"
        for value, what in sorted(wanted.items())
        if any(piece in place or piece[::-1] in place for piece in pieces(value, what) for place in places)
    ]


def disturbed(content: bytes, seed: str) -> bytes:
    """Returns a btsnoop file in which some records are cut, missing or repeated."""
    chance = random.Random(seed)
    result = bytearray(content[:FILE_HEADER])
    offset = FILE_HEADER
    while offset + RECORD_HEADER <= len(content):
        original, length = struct.unpack_from(">II", content, offset)
        header = content[offset + 8 : offset + RECORD_HEADER]
        record = content[offset + RECORD_HEADER : offset + RECORD_HEADER + length]
        offset += RECORD_HEADER + length
        fate = chance.randrange(20)
        if fate == 0:
            continue
        if fate == 1:
            record = record[: chance.randrange(len(record) + 1)]
        whole = struct.pack(">II", original, len(record)) + header + record
        result += whole * (2 if fate == 2 else 1)
    return bytes(result)


def printed(program: str, verb: str, path: Path) -> dict:
    result = subprocess.run([program, verb, "--json", str(path)], capture_output=True, check=False)
    return json.loads(result.stdout or b"{}")


def objects(document) -> Iterator[dict]:
    """Every object in a document."""
    if isinstance(document, list):
        for each in document:
            yield from objects(each)
    elif isinstance(document, dict):
        yield document
        for value in document.values():
            yield from objects(value)


def findings(program: str, path: Path) -> list:
    """Returns the rules that found something, with their severity and packets."""
    document = printed(program, "explain", path)
    return [
        (each["rule"], each.get("severity"), each.get("certainty"), each.get("evidence"))
        for each in objects(document)
        if "rule" in each
    ]


def attributes(program: str, path: Path) -> list:
    """Returns every attribute of a map: handles, type and properties."""
    places = ("start_handle", "end_handle", "declaration_handle", "value_handle", "handle")
    return [
        (*(each.get(place) for place in places), each["uuid"], each.get("properties"))
        for each in objects(printed(program, "map", path))
        if "uuid" in each
    ]


def packets(path: Path) -> tuple[int, int]:
    """Returns the number of packets, and of those that tshark calls malformed or cannot read."""
    found = fields(path, ("frame.number", "_ws.malformed"))
    return len(found), sum(1 for _, malformed in found if malformed)


def removed(report: str) -> tuple[int, bool]:
    """Returns the number of parts of PDUs that became zeros, which no program can read any more, and whether controller
    logs became zeros, which tshark reads as malformed data.
    """
    parts = re.search(r"became zeros: (\d+) parts? of", report)
    return int(parts[1]) if parts else 0, "controller" in report


def check(program: str, path: Path, kind: files.Kind, folder: Path) -> tuple[int, list[str]]:
    """Returns the number of secrets that were searched for, and the errors."""
    wanted = what_must_go(path)
    is_monitor = any(link in kind.name for link in ("2001", "254"))
    out = folder / "redacted.btsnoop"
    target = "btsnoop-2001" if is_monitor else "btsnoop-1002"
    command = [program, "convert", "--force", "--redact", "--as", target, str(path), str(out)]
    result = subprocess.run(command, capture_output=True, check=False)
    if result.returncode not in (0, 65):
        return 0, [f"ended with {result.returncode}: {result.stderr.decode().strip()}"]
    content = out.read_bytes()
    wrong = remaining(wanted, [content, *data(content, is_monitor)])
    # Another format may lack room for some records, so the same program also writes the file without redaction.
    same = folder / "same.btsnoop"
    subprocess.run([program, "convert", "--force", "--as", target, str(path), str(same)], capture_output=True, check=False)
    # Addresses and names are only recognised by their remaining bytes, keys by their places.
    worse, redacted = folder / "worse.btsnoop", folder / "worse-redacted.btsnoop"
    worse.write_bytes(disturbed(same.read_bytes(), path.name))
    subprocess.run([program, "convert", "--force", "--redact", "--as", target, str(worse), str(redacted)], capture_output=True, check=False)
    content = redacted.read_bytes()
    keys = {value: what for value, what in wanted.items() if what not in ("address", "name")}
    wrong += [f"disturbed: {message}" for message in remaining(keys, [content, *data(content, is_monitor)])]
    if findings(program, same) != findings(program, out):
        wrong.append("explain finds something else")
    if attributes(program, same) != attributes(program, out):
        wrong.append("map has other attributes")
    (count, malformed), (count_before, malformed_before) = packets(out), packets(same)
    zeros, logs = removed(result.stderr.decode())
    fewest = 0 if logs else malformed_before
    if count != count_before or not fewest <= malformed <= malformed_before + zeros:
        wrong.append(f"tshark sees {count} packets, {malformed} malformed; before {count_before}, {malformed_before}")
    return len(wanted), wrong


def main() -> int:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if shutil.which("tshark") is None:
        print("skipped: tshark is not installed")
        return 1 if os.environ.get("CI") else 0
    captures = looked_for = errors = 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in map(Path, sys.argv[2:]):
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                kind = files.kind(path)
                if kind is None or not any(kind.is_hci):
                    continue
                count, wrong = check(sys.argv[1], path, kind, Path(scratch))
                captures, looked_for, errors = captures + 1, looked_for + count, errors + len(wrong)
                for message in wrong:
                    print(f"{path.parent.name}/{path.name}: {message}")
    if looked_for == 0:
        print("no secret was searched for")
    print(f"{captures} captures, {looked_for} secrets, addresses and names, {errors} errors")
    return 1 if errors or looked_for == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
