#!/usr/bin/env python3
"""Searches the output of `convert --redact` for secrets, and checks that the rest is still there.

usage: check-redaction.py GATTSCOPE FOLDER...

The secrets come from elsewhere: keys and passkeys from find-secrets.py; confirm, random and check values, public keys,
addresses and names from tshark; identifiers of beacons from the bytes of the file. The script searches the bytes of the written file, and the contents of ACL packets
joined per link and direction, in both byte orders; of keys and values it searches for each piece of six bytes. It does
the same with a copy in which records are cut, missing or repeated, and commands and events shorter or longer. `map` and `explain` must find the same rules,
packets and attributes as before, and tshark the same number of packets and no new malformed ones, except for parts that
are reported as zeros. Exit status 1: a secret remains, something is lost, or no secret was searched for.
"""

import importlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Iterator, NamedTuple

from comparison import tshark
from tested_program import sampled
from traffic import files

find_secrets = importlib.import_module("find-secrets")

VALUES = ("confirm_value", "random_value", "dhkey_check", "public_key_x", "public_key_y", *find_secrets.KEYS)
DEBUG_KEY = bytes.fromhex("20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6")
DEBUG_KEY_Y = bytes.fromhex("dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b")
KNOWN_TO_ALL = {DEBUG_KEY, DEBUG_KEY[::-1], DEBUG_KEY_Y, DEBUG_KEY_Y[::-1]}
FILE_HEADER, RECORD_HEADER = 16, 24  # bytes of a btsnoop file
H4_ACL = b"\x02"
MONITOR_ACL = (4, 5)  # opcodes of the monitor: sent, received
# Identifiers of beacons, with what comes before them: iBeacon, AltBeacon, Eddystone-UID and -EID.
BEACONS = re.compile(rb"\xff(?:\x4c\x00\x02\x15|..\xbe\xac)(?P<uuid>.{16})|\x16\xaa\xfe(?:\x00.(?P<space>.{10})(?P<instance>.{6})|\x30.(?P<eid>.{8}))", re.DOTALL)
LEAST_NAME = 6  # bytes; shorter names would be found by chance
LEAST_KEY = 8  # bytes; longer values are searched for in pieces
TOGETHER = 40  # captures that tshark reads at once
PIECE, PIECE_STEP = 6, 2  # bytes of a piece, and between the starts of two pieces: any seven bytes in a row contain a whole piece


def what_must_go(path: Path) -> dict[bytes, str]:
    """Returns the bytes that must be removed, and what each is."""
    packets = tshark.facts(path) or []
    found = {key: "key" for key in find_secrets.secrets_of(path, packets).keys}
    for packet in packets:
        for name in VALUES:
            if value := packet.get(f"smp.{name}"):
                found[bytes.fromhex(value)] = name
        for text in packet.get("identity.addresses", []):
            value = bytes.fromhex(text.replace(":", ""))
            # 00:00:00:00:00:01, which an anonymised capture may have, appears among zeros everywhere.
            if len(set(value)) > 2:
                found[value] = "address"
        for text in packet.get("identity.names", []):
            if len(text.encode()) >= LEAST_NAME and "\ufffd" not in text:
                found[text.encode()] = "name"
    for beacon in BEACONS.finditer(path.read_bytes()):
        for value in filter(None, beacon.groups()):
            # An instance of zeros and a small number is not distinctive.
            if len(set(value)) > 3:
                found.setdefault(value, "beacon")
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


def forms(name: bytes) -> set[bytes]:
    """Returns the forms of a name that are searched for."""
    text = name.decode()
    return {name, name.lower(), name.upper(), text.encode("utf-16-le"), text.encode("utf-16-be")}


def pieces(value: bytes, what: str) -> Iterator[bytes]:
    """Returns what must not be found of a value: every distinctive piece of a key, all of an address or name."""
    if what == "name":
        yield from forms(value)
        return
    if len(value) < LEAST_KEY:
        yield value
        return
    for start in range(0, len(value) - PIECE + 1, PIECE_STEP):
        piece = value[start : start + PIECE]
        if len(set(piece)) >= find_secrets.LEAST_DIFFERENT:
            yield piece


def has_relative(address: bytes, places: list[bytes]) -> bool:
    """Returns whether a place has an address that differs only in the last four bits and in those for random and local ones."""
    # With these first bits it may be private and thus random; zeros and ones are found everywhere.
    if address[0] >> 6 in (0, 1) or sum(byte in (0, 0xFF) for byte in address) >= 4:
        return False
    first, middle, last = address[0] & 0x3D, address[1:5], address[5] >> 4
    for step in (1, -1):
        for match in (match for place in places for match in re.finditer(b"." + re.escape(middle[::step]) + b".", place, re.DOTALL)):
            found = match[0][::step]
            if found[0] & 0x3D == first and found[5] >> 4 == last:
                return True
    return False


def remaining(wanted: dict[bytes, str], places: list[bytes]) -> list[str]:
    """Returns the secrets that are still there."""
    found = [
        f"{what} {value.hex()} remains"
        for value, what in sorted(wanted.items())
        if any(piece in place or piece[::-1] in place for piece in pieces(value, what) for place in places)
    ]
    return found + [
        f"an address like {value.hex()} remains"
        for value, what in sorted(wanted.items())
        if what == "address" and has_relative(value, places)
    ]


def resized(record: bytes, is_monitor: bool, opcode: int, delta: int) -> bytes:
    """Returns a command or an event with fewer or more parameters; other records stay."""
    kind = {2: 1, 3: 4}.get(opcode) if is_monitor else record[0] if record else None
    if kind not in (1, 4):
        return record
    # Type if there is one, opcode (2 bytes) or event code (1), length.
    place = (0 if is_monitor else 1) + (2 if kind == 1 else 1)
    if len(record) <= place:
        return record
    count = min(255, max(0, record[place] + delta))
    return record[:place] + bytes([count]) + (record[place + 1 :] + b"\xa5" * 8)[:count]


def disturbed(content: bytes, is_monitor: bool, seed: str) -> bytes:
    """Returns a btsnoop file in which some records are cut, missing or repeated, and some shorter or longer."""
    chance, sizes = random.Random(seed), random.Random(seed)
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
        if fate in (3, 4, 5):
            record = resized(record, is_monitor, header[3], sizes.randrange(-8, 9))
            original = len(record)
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


def packets(paths: list[Path], folder: Path) -> list[tuple[int, int]]:
    """Returns each file's number of packets, and of those that tshark calls malformed or cannot read. tshark reads all
    files as one, because it is slow to start: each stays an interface, and what tshark remembers is kept per interface.
    """
    merged = folder / "merged.pcapng"
    subprocess.run(["mergecap", "-a", "-I", "none", "-w", merged, *paths], capture_output=True, check=True)
    environment = dict(os.environ, WIRESHARK_CONFIG_DIR=str(folder / "none"), LC_ALL="C.UTF-8")
    command = ["tshark", "-n", "-r", merged, "-T", "fields", "-e", "frame.interface_id", "-e", "_ws.malformed"]
    result = subprocess.run(command, capture_output=True, env=environment, check=True)
    lines = [line.split("\t") for line in result.stdout.decode(errors="replace").splitlines()]
    seen = Counter(int(interface) for interface, _ in lines)
    malformed = Counter(int(interface) for interface, problem in lines if problem)
    return [(seen[interface], malformed[interface]) for interface in range(len(paths))]


def removed(report: str) -> tuple[int, bool]:
    """Returns the number of parts of PDUs that became zeros, which no program can read any more, and whether controller
    logs became zeros, which tshark reads as malformed data.
    """
    parts = re.search(r"replaced with zeros: (\d+) parts? of", report)
    return int(parts[1]) if parts else 0, "controller" in report


class Copies(NamedTuple):
    """A capture's redacted and unchanged copies, and by how much their numbers of malformed packets may differ."""

    name: str
    redacted: Path
    same: Path
    zeros: int
    logs: bool


def check(program: str, path: Path, kind: files.Kind, folder: Path) -> tuple[int, list[str], Copies | None]:
    """Returns the number of secrets that were searched for, the errors, and the copies for tshark."""
    wanted = what_must_go(path)
    is_monitor = any(link in kind.name for link in ("2001", "254"))
    out, same = folder / "redacted.btsnoop", folder / "same.btsnoop"
    target = "btsnoop-2001" if is_monitor else "btsnoop-1002"
    convert = [program, "convert", "--force", "--as", target]
    result = subprocess.run([*convert, "--redact", str(path), str(out)], capture_output=True, check=False)
    if result.returncode not in (0, 65):
        return 0, [f"ended with {result.returncode}: {result.stderr.decode().strip()}"], None
    content = out.read_bytes()
    wrong = remaining(wanted, [content, *data(content, is_monitor)])
    # Another format may lack room for some records, so the same program also writes the file without redaction.
    subprocess.run([*convert, str(path), str(same)], capture_output=True, check=False)
    # Addresses and names are only recognised by their remaining bytes, keys by their places.
    worse, redacted = folder / "worse.btsnoop", folder / "worse-redacted.btsnoop"
    worse.write_bytes(disturbed(same.read_bytes(), is_monitor, path.name))
    subprocess.run([*convert, "--redact", str(worse), str(redacted)], capture_output=True, check=False)
    content = redacted.read_bytes()
    keys = {value: what for value, what in wanted.items() if what not in ("address", "name", "beacon")}
    wrong += [f"disturbed: {message}" for message in remaining(keys, [content, *data(content, is_monitor)])]
    if findings(program, same) != findings(program, out):
        wrong.append("explain finds something else")
    if attributes(program, same) != attributes(program, out):
        wrong.append("map has other attributes")
    zeros, logs = removed(result.stderr.decode())
    return len(wanted), wrong, Copies(f"{path.parent.name}/{path.name}", out, same, zeros, logs)


def seen_otherwise(copies: list[Copies], folder: Path) -> Iterator[str]:
    """Yields the captures of which tshark sees other packets when they are redacted."""
    redacted, same = (packets(paths, folder) for paths in ([each.redacted for each in copies], [each.same for each in copies]))
    for each, (count, malformed), (count_before, malformed_before) in zip(copies, redacted, same):
        fewest = 0 if each.logs else malformed_before
        if count != count_before or not fewest <= malformed <= malformed_before + each.zeros:
            yield f"{each.name}: tshark sees {count} packets, {malformed} malformed; before {count_before}, {malformed_before}"


def captures(folders: list[str]) -> list[Path]:
    found = (path for folder in map(Path, folders) for path in sorted(folder.rglob("*")) if path.is_file())
    return [path for path in found if (kind := files.kind(path)) and any(kind.is_hci)]


def main() -> int:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if shutil.which("tshark") is None:
        print("skipped: tshark is not installed")
        return 1 if os.environ.get("CI") else 0
    looked_for, found = 0, []
    chosen = [(path, kind) for path in sampled(captures(sys.argv[2:])) if (kind := files.kind(path))]
    for start in range(0, len(chosen), TOGETHER):
        with tempfile.TemporaryDirectory() as scratch:
            copies = []
            for number, (path, kind) in enumerate(chosen[start : start + TOGETHER]):
                folder = Path(scratch) / str(number)
                folder.mkdir()
                count, wrong, written = check(sys.argv[1], path, kind, folder)
                looked_for += count
                found += [f"{path.parent.name}/{path.name}: {message}" for message in wrong]
                copies += [written] if written else []
            found += seen_otherwise(copies, Path(scratch))
    print(*found, sep="\n", end="\n" if found else "")
    if looked_for == 0:
        print("no secret was searched for")
    print(f"{len(chosen)} captures, {looked_for} secrets, addresses and names, {len(found)} errors")
    return 1 if found or looked_for == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
