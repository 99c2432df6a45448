"""The btsnoop file format: reads and writes records, knows nothing about Bluetooth.

All numbers are big-endian. Header: "btsnoop\\0", version 1, datalink. Record: original length, included length,
flags, cumulative drops, microseconds since the year 0, then the bytes.
"""

import struct
from typing import Iterator, NamedTuple

MAGIC = b"btsnoop\0"
H1, H4, MONITOR = 1001, 1002, 2001
HEADER = struct.Struct(">8sII")
RECORD = struct.Struct(">IIIIQ")
SAMPLE_START = 1_795_262_400_000_000  # every sample capture starts at 2026-11-21T12:00:00Z
EPOCH = 0x00DCDDB30F2F8000  # microseconds from the year 0 to 1970

COMMAND, ACL, SCO, EVENT, ISO = 1, 2, 3, 4, 5  # H4 packet types


class Record(NamedTuple):
    original: int
    flags: int
    drops: int
    time: int
    data: bytes


def header(datalink: int) -> bytes:
    return HEADER.pack(MAGIC, 1, datalink)


def record(data: bytes, flags: int, unix_us: int, original: int | None = None, drops: int = 0) -> bytes:
    return RECORD.pack(original or len(data), len(data), flags, drops, unix_us + EPOCH) + data


def h4_flags(packet_type: int, received: bool) -> int:
    """Returns the flags. Bit 0: from the controller. Bit 1: a command or an event rather than data."""
    return int(received) | (2 if packet_type in (COMMAND, EVENT) else 0)


def is_btsnoop(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def datalink(content: bytes) -> int:
    magic, _, link = HEADER.unpack_from(content)
    if magic != MAGIC:
        raise ValueError("not a btsnoop file")
    return link


def records(content: bytes) -> Iterator[Record]:
    """Yields each whole record, without a truncated one at the end."""
    at = HEADER.size
    while at + RECORD.size <= len(content):
        original, included, flags, drops, time = RECORD.unpack_from(content, at)
        at += RECORD.size
        if at + included > len(content):
            return
        yield Record(original, flags, drops, time, content[at : at + included])
        at += included
