#!/usr/bin/env python3
"""Searches the output of `convert --redact` for secrets of captures from sniffers, and checks that the rest is still there.

usage: check-redaction-air.py GATTSCOPE FOLDER...

The secrets come from tshark and from the bytes of `convert --decrypt`: addresses, names, values and keys of pairing, and the
random values of encryption starts. The script searches the bytes of the written file, and the data of its connections joined
per direction; of keys and values it searches for each piece of six bytes. It does the same with copies in which records are
cut, missing or repeated. The redacted file must have the same packets, procedures, rules and attributes, and each CRC that it
calls right must be right. Exit status 1: a secret remains, something is lost, or no secret was searched for.
"""

import importlib
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterator, NamedTuple

from tested_program import sampled
from traffic import files, written

check_redaction = importlib.import_module("check-redaction")

ADDRESSES = [
    *("btle.advertising_address", "btle.initiator_address", "btle.scanning_address", "btle.target_address"),
    *("btsmp.bd_addr", "btcommon.eir_ad.entry.bd_addr"),
]
VALUES = [
    *("btsmp.cfm_value", "btsmp.random_value", "btsmp.long_term_key", "btsmp.id_resolving_key", "btsmp.signature_key"),
    *("btsmp.dhkey_check", "btsmp.public_key_x", "btsmp.public_key_y"),
]
NAME = "btcommon.eir_ad.entry.device_name"
ADVERTISING, ADVERTISING_INIT = 0x8E89BED6, 0x555555
CRC_CHECKED, CRC_RIGHT, CODED = 0x0400, 0x0800, 2
HEADER = 10  # bytes of the pseudo header
CONTROL, ENC_REQ, ENC_RSP, CONNECT_IND = 3, 3, 4, 5
SAME = ("packet", "protocol", "direction", "length")
DISTURBED = 4  # copies of each capture


class Packet(NamedTuple):
    """A packet of link type 256."""

    flags: int
    access_address: int
    pdu: bytes
    crc: int | None

    @property
    def is_right(self) -> bool:
        return self.flags & CRC_RIGHT != 0 or not self.flags & CRC_CHECKED

    @property
    def control(self) -> bytes:
        """The payload of a control PDU."""
        is_control = self.access_address != ADVERTISING and self.is_right and self.pdu[0] & 3 == CONTROL
        return self.pdu[2:] if is_control else b""


def records(path: Path) -> Iterator[bytes]:
    """Yields the records of a pcapng file."""
    for order, block, body in files.blocks(path.read_bytes()):
        if block == files.PACKET:
            captured = struct.unpack_from(order + "I", body, 12)[0]
            yield body[20 : 20 + captured]


def packets(path: Path) -> Iterator[Packet]:
    """Yields the packets of a pcapng file of link type 256 that are long enough to be read."""
    for record in records(path):
        if len(record) < HEADER + 6:
            continue
        flags = int.from_bytes(record[8:10], "little")
        access_address = int.from_bytes(record[10:14], "little")
        rest = record[15:] if flags >> 14 == CODED else record[14:]
        if len(rest) < 2:
            continue
        length = 2 + rest[1]
        # CTEInfo, if the length then fits.
        if rest[0] & 0x20 and access_address != ADVERTISING and len(rest) == length + 4:
            length += 1
        crc = rest[length : length + 3]
        yield Packet(flags, access_address, rest[:length], int.from_bytes(crc, "little") if len(crc) == 3 else None)


def crc24(initial: int, pdu: bytes) -> int:
    state = int(f"{initial:024b}"[::-1], 2)
    for byte in pdu:
        for bit in range(8):
            odd = (state ^ byte >> bit) & 1
            state >>= 1
            if odd:
                state ^= 0xDA6000
    return state


def wrong_crcs(path: Path) -> int:
    """Returns how many CRCs that are called right are wrong, of those whose initial value the capture states."""
    initial = {ADVERTISING: ADVERTISING_INIT}
    wrong = 0
    for packet in packets(path):
        if not packet.flags & CRC_RIGHT or not packet.crc:
            continue
        if (init := initial.get(packet.access_address)) is not None and crc24(init, packet.pdu) != packet.crc:
            wrong += 1
        if packet.access_address == ADVERTISING and packet.pdu[0] & 15 == CONNECT_IND and len(packet.pdu) == 36:
            initial[int.from_bytes(packet.pdu[14:18], "little")] = int.from_bytes(packet.pdu[18:21], "little")
    return wrong


def what_must_go(path: Path, name: str) -> dict[bytes, str]:
    """Returns the bytes that must be removed of a decrypted capture, and what each is."""
    found = {key: "key" for key in written.SECRETS.get(name, [])}
    fields = [*ADDRESSES, *VALUES, NAME]
    command = ["tshark", "-n", "-r", str(path), "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=|", "-e", "btle_rf.flags"]
    with tempfile.TemporaryDirectory() as empty:
        environment = dict(os.environ, WIRESHARK_CONFIG_DIR=empty, LC_ALL="C.UTF-8")
        command += [argument for field in fields for argument in ("-e", field)]
        result = subprocess.run(command, capture_output=True, env=environment, check=False)
    # Names may have other ends of lines.
    for line in filter(None, result.stdout.decode(errors="replace").split("\n")):
        flags, *columns = line.split("\t")
        is_damaged = int(flags or "0", 16) & (CRC_CHECKED | CRC_RIGHT) == CRC_CHECKED
        for field, column in zip(fields, columns):
            for text in filter(None, column.split("|")):
                if field == NAME:
                    if len(text.encode()) >= check_redaction.LEAST_NAME and "\ufffd" not in text and not is_damaged:
                        found[text.encode()] = "name"
                    continue
                value = bytes.fromhex(text.replace(":", ""))
                if field in VALUES:
                    found[value] = field
                # Of a damaged packet, tshark reads anything as an address.
                elif not is_damaged and len(set(value)) > 2:
                    found[value] = "address"
    for packet in packets(path):
        control = packet.control
        if len(control) == 23 and control[0] == ENC_REQ:
            found |= {control[1:9]: "Rand", control[11:19]: "SKD_C"}
        if len(control) == 13 and control[0] == ENC_RSP:
            found[control[1:9]] = "SKD_P"
    for beacon in check_redaction.BEACONS.finditer(path.read_bytes()):
        for value in filter(None, beacon.groups()):
            if len(set(value)) > 3:
                found.setdefault(value, "beacon")
    return {
        value: what
        for value, what in found.items()
        if len(value) >= check_redaction.LEAST_NAME
        and set(value) not in ({0}, {0xFF})
        and value not in check_redaction.KNOWN_TO_ALL
    }


def run(program: str, *arguments: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([program, *map(str, arguments)], capture_output=True, check=False)


def places(program: str, redacted: Path, folder: Path) -> list[bytes]:
    """Returns where secrets are searched for: the records, and the data of connections joined per direction."""
    joined = folder / "joined.btsnoop"
    result = run(program, "convert", "--force", "--as-hci", redacted, joined)
    data = check_redaction.data(joined.read_bytes(), is_monitor=False) if result.returncode == 0 else []
    return [*records(redacted), *data]


def structure(program: str, path: Path) -> list:
    """Returns what each packet is, without its content."""
    shown = run(program, "show", "--json", path).stdout.decode().splitlines()
    lines = [line for line in map(json.loads, shown) if line.get("type") == "packet"]
    return [
        (
            *(line.get(key) for key in SAME),
            *(line.get("att", {}).get(key) for key in ("opcode", "handle")),
            line.get("smp", {}).get("code"),
            *(line.get("ll", {}).get(key) for key in ("pdu", "opcode", "resent", "empty")),
            line.get("air", {}).get("crc"),
        )
        for line in lines
    ]


def disturbed(content: list[bytes], seed: str) -> list[bytes]:
    """Returns records of which some are cut, missing or repeated."""
    chance = random.Random(seed)
    result = []
    for record in content:
        fate = chance.randrange(20)
        if fate == 1:
            record = record[: chance.randrange(len(record) + 1)]
        result += [record] * (0 if fate == 0 else 2 if fate == 2 else 1)
    return result


def pcap(link: int, content: list[bytes]) -> bytes:
    head = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 0x40000, link)
    return head + b"".join(struct.pack("<IIII", 0, 1000 * index, len(record), len(record)) + record for index, record in enumerate(content))


def check(program: str, path: Path, folder: Path) -> tuple[int, list[str]]:
    """Returns the number of secrets that were searched for, and the errors."""
    plain, redacted = folder / "plain.pcapng", folder / "redacted.pcapng"
    for arguments, out in ((["--decrypt"], plain), (["--redact"], redacted)):
        result = run(program, "convert", "--force", *arguments, path, out)
        if result.returncode not in (0, 65):
            return 0, [f"{arguments} ended with {result.returncode}: {result.stderr.decode().strip()}"]
    wanted = what_must_go(plain, path.name.split(".")[0])
    wrong = check_redaction.remaining(wanted, places(program, redacted, folder))
    before, after = structure(program, plain), structure(program, redacted)
    if before != after:
        differing = [(one, other) for one, other in zip(before, after) if one != other]
        wrong.append(f"show has {len(after)} packets of {len(before)}, {len(differing)} others: {differing[:1]}")
    if check_redaction.findings(program, plain) != check_redaction.findings(program, redacted):
        wrong.append("explain finds something else")
    if check_redaction.attributes(program, plain) != check_redaction.attributes(program, redacted):
        wrong.append("map has other attributes")
    for each in (plain, redacted):
        if count := wrong_crcs(each):
            wrong.append(f"{each.name}: {count} CRCs are called right and are wrong")
    # Addresses and names are only recognised by their remaining bytes, keys by their places.
    same = folder / "same.pcapng"
    run(program, "convert", "--force", path, same)
    kind = files.kind(same)
    links = [int(link) for link in kind.name.split()[1:]] if kind else []
    keys = {value: what for value, what in wanted.items() if what not in ("address", "name", "beacon")}
    for number in range(DISTURBED if len(links) == 1 else 0):
        worse, out = folder / "worse.pcap", folder / "worse-redacted.pcapng"
        worse.write_bytes(pcap(links[0], disturbed(list(records(same)), f"{path.name}{number}")))
        result = run(program, "convert", "--force", "--redact", worse, out)
        # Too little may be left to write.
        if result.returncode in (64, 74):
            continue
        if result.returncode != 0:
            wrong.append(f"disturbed: ended with {result.returncode}: {result.stderr.decode().strip()}")
            continue
        wrong += [f"disturbed: {message}" for message in check_redaction.remaining(keys, places(program, out, folder))]
        if count := wrong_crcs(out):
            wrong.append(f"disturbed: {count} CRCs are called right and are wrong")
    return len(wanted), wrong


def captures(folders: list[str]) -> list[Path]:
    found = (path for folder in map(Path, folders) for path in sorted(folder.rglob("*")) if path.is_file())
    return [path for path in found if (kind := files.kind(path)) and any(kind.is_air)]


def main() -> int:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if shutil.which("tshark") is None:
        print("skipped: tshark is not installed")
        return 1 if os.environ.get("CI") else 0
    looked_for, found = 0, []
    chosen = sampled(captures(sys.argv[2:]))
    for path in chosen:
        with tempfile.TemporaryDirectory() as scratch:
            count, wrong = check(sys.argv[1], path, Path(scratch))
        looked_for += count
        found += [f"{path.parent.name}/{path.name}: {message}" for message in wrong]
    print(*found, sep="\n", end="\n" if found else "")
    if looked_for == 0:
        print("no secret was searched for")
    print(f"{len(chosen)} captures, {looked_for} secrets, addresses and names, {len(found)} errors")
    return 1 if found or looked_for == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
