"""Recordings of the Linux monitor channel, in btsnoop (datalink 2001) and pcap (link type 254), read without gattscope.
"""

import struct
from collections import Counter
from pathlib import Path
from typing import NamedTuple

BTSNOOP_EPOCH = 0x00DCDDB30F2F8000  # 1970, in microseconds since the year 0
# The kernel does not stamp system notes and user logs, so each reader adds its own time.
UNSTAMPED = {12, 13}
# Replayed after a bind: new, open and described adapters, notes, open control channels.
REPLAYED = {0, 8, 10, 12, 14}


class Record(NamedTuple):
    opcode: int
    adapter: int
    payload: bytes
    microseconds: int


class Recording:
    def __init__(self, path: Path) -> None:
        self.records: list[Record] = []
        self.drops = 0
        data = path.read_bytes()
        if data[:8] == b"btsnoop\0":
            self.read_btsnoop(data)
        else:
            self.read_pcap(data)

    def read_btsnoop(self, data: bytes) -> None:
        version, datalink = struct.unpack(">II", data[8:16])
        assert (version, datalink) == (1, 2001), (version, datalink)
        at = 16
        while at < len(data):
            original, included, flags, self.drops, time = struct.unpack(">IIIIQ", data[at : at + 24])
            assert original == included, f"a record at {at} is cut"
            payload = data[at + 24 : at + 24 + included]
            assert len(payload) == included, "the file ends within a record"
            self.records.append(Record(flags & 0xFFFF, flags >> 16, payload, time - BTSNOOP_EPOCH))
            at += 24 + included

    def read_pcap(self, data: bytes) -> None:
        magic, link_type = struct.unpack("<I", data[:4])[0], struct.unpack("<I", data[20:24])[0]
        assert (magic, link_type) == (0xA1B2C3D4, 254), (hex(magic), link_type)
        at = 24
        while at < len(data):
            seconds, microseconds, included, _ = struct.unpack("<IIII", data[at : at + 16])
            adapter, opcode = struct.unpack(">HH", data[at + 16 : at + 20])
            payload = data[at + 20 : at + 16 + included]
            self.records.append(Record(opcode, adapter, payload, seconds * 1_000_000 + microseconds))
            at += 16 + included

    def comparable(self) -> list[tuple[int, int, bytes, int]]:
        """Returns the records, without the times that each reader adds itself."""
        begun = next((i for i, record in enumerate(self.records) if record.opcode not in REPLAYED), len(self.records))
        return [
            (*record[:3], 0 if place < begun or record.opcode in UNSTAMPED else record.microseconds)
            for place, record in enumerate(self.records)
        ]

    def traffic(self) -> list[Record]:
        """Returns the records that are packets: commands, events, data."""
        return [record for record in self.records if 2 <= record.opcode <= 7]


def compare(reference: Recording, tested: Recording) -> tuple[bool, str]:
    """Returns whether two readers recorded the same, and an explanation."""
    expected, found = reference.comparable(), tested.comparable()
    count = f"{len(found)} records of {len(expected)}"
    if expected == found:
        return True, f"{count}, each with the same bytes, adapter and microsecond"
    missing, added = Counter(expected) - Counter(found), Counter(found) - Counter(expected)
    if not missing and not added:
        place = next(i for i, (one, other) in enumerate(zip(expected, found)) if one != other)
        return False, f"{count}, in another order from record {place + 1} on"
    examples = [f"missing {record}" for record in list(missing)[:3]] + [f"added {record}" for record in list(added)[:3]]
    return False, f"{count}, {missing.total()} missing, {added.total()} added: {'; '.join(examples)}"
