#!/usr/bin/env python3
"""Writes a fuzzer's initial inputs to a folder. usage: fuzz-seeds.py FUZZER FOLDER FILE|FOLDER...

Captures below 16 KB are copied for the fuzzers that read their kind. An input of FuzzPDU is a list of PDUs
(Fuzz/Inputs/Fuzzing+PDU.swift): it is made from the PDUs of each btsnoop file.
"""

import gzip
import hashlib
import io
import struct
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

MOST_BYTES = 16384
BTSNOOP = b"btsnoop\0"
H4, MONITOR = 1002, 2001
# The kinds of files that a fuzzer reads, by their first bytes; the other fuzzers read them all.
RECORDS = (BTSNOOP,)
KINDS = {
    **dict.fromkeys(
        ("FuzzDissect", "FuzzConvert", "FuzzDiff", "FuzzRedact", "FuzzExplain", "FuzzTrace", "FuzzPDU"), RECORDS
    ),
    "FuzzPcap": (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d"),
    "FuzzPcapng": (b"\x0a\x0d\x0d\x0a",),
    "FuzzAir": (b"air\0",),
}
COMMAND, ACL, EVENT = 1, 2, 4
ATT_FAMILY, SMP_FAMILY, SIGNALLING_FAMILY, CHANNEL_FAMILY = 0, 6, 8, 9
CLASSIC_FAMILY, SERIAL_FAMILY = 10, 12
WITH_SERIAL = 4  # the first byte: channels for RFCOMM and SDP are open
COMMAND_FAMILY, EVENT_FAMILY, META_FAMILY, OTHER_FAMILY, ACL_FAMILY = 13, 15, 17, 24, 30
META_EVENT = 0x3E
SENT, RECEIVED = 0, 0x80


def records(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yields the records of a btsnoop file: the H4 type, or -1 for the monitor's other records, which begin with their
    opcode; the direction; the packet.
    """
    (link,) = struct.unpack_from(">I", data, 12)
    offset = 16
    while offset + 24 <= len(data):
        included, flags = struct.unpack_from(">4xII", data, offset)
        packet = data[offset + 24 : offset + 24 + included]
        offset += 24 + included
        if link == H4 and packet:
            yield packet[0], RECEIVED if flags & 1 else SENT, packet[1:]
        elif link == MONITOR:
            opcode = flags & 0xFFFF
            kind = {2: COMMAND, 3: EVENT, 4: ACL, 5: ACL}.get(opcode, -1)
            yield kind, RECEIVED if opcode in (3, 5) else SENT, packet if kind > 0 else bytes([opcode & 0xFF]) + packet


def pdus(data: bytes) -> bytes:
    """Returns the PDUs of a btsnoop file, each with its family and length in front."""
    made = bytearray([0])
    for kind, direction, packet in records(data):
        if kind == COMMAND and len(packet) >= 3:
            family, pdu = COMMAND_FAMILY, packet[:2] + packet[3:]
        elif kind == EVENT and len(packet) >= 2:
            family, pdu = (META_FAMILY, packet[2:]) if packet[0] == META_EVENT else (EVENT_FAMILY, packet[:1] + packet[2:])
        elif kind == ACL and len(packet) >= 8 and not packet[1] & 0x10 and len(packet) == 8 + packet[4] + 256 * packet[5]:
            channel = packet[6] | packet[7] << 8
            families = {1: CLASSIC_FAMILY, 4: ATT_FAMILY, 5: SIGNALLING_FAMILY, 6: SMP_FAMILY}
            if channel == 1:
                made[0] = WITH_SERIAL
            dynamic = SERIAL_FAMILY if made[0] == WITH_SERIAL else CHANNEL_FAMILY
            family, pdu = families.get(channel, dynamic), packet[8:]
        elif kind == ACL:
            family, pdu = ACL_FAMILY, packet
        else:
            family, pdu = OTHER_FAMILY, packet
        if len(pdu) < 256:
            made += bytes([family | direction, len(pdu)]) + pdu
    return bytes(made)


def packed(name: str, data: bytes) -> bytes:
    """Returns a file in an archive of a kind that depends on its name."""
    made = io.BytesIO()
    choice = sum(name.encode()) % 4
    if choice == 0:
        return gzip.compress(data, mtime=0)
    if choice == 1:
        with tarfile.open(fileobj=made, mode="w") as archive:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    else:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED if choice == 2 else zipfile.ZIP_STORED) as archive:
            archive.writestr(zipfile.ZipInfo(name), data)
    return made.getvalue()


def main(fuzzer: str, folder: Path, sources: list[Path]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    kinds = KINDS.get(fuzzer)
    for source in sources:
        for path in sorted(source.rglob("*")) if source.is_dir() else [source]:
            if not path.is_file() or path.stat().st_size > MOST_BYTES:
                continue
            data = path.read_bytes()
            if kinds is not None and not data.startswith(kinds):
                continue
            if fuzzer == "FuzzPDU":
                data = pdus(data)
            if fuzzer == "FuzzArchive":
                data = packed(path.name, data)
            (folder / hashlib.sha256(data).hexdigest()[:20]).write_bytes(data)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]])
