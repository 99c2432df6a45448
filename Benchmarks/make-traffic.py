#!/usr/bin/env python3
"""Creates a large capture from small ones, for measuring.

usage: make-traffic.py OUT COUNT [--mix NAME | --notifications UUID] [--hci-only] [--from FOLDER]...

Repeats the sessions of a mix until COUNT records are written. The mix is `spine`, the five captures of the project's
first measurements, or `mixed-layers`, which has every layer (signalling, channels, enhanced bearers, SMP, periodic and
extended advertising with many AD structures, vendor and BR/EDR traffic). With `--from`, it is all btsnoop files
(datalink 1002) of the folders instead, without the peripherals' views. Each session ends before the next begins, so
connection handles are always valid; the times are continuous. `--hci-only` keeps only commands and events. Takes a
second for a million records.
"""

import argparse
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Scripts"))

from traffic import btsnoop  # noqa: E402

# Listed by name, so that a new sample capture does not change what is compared over time.
SPINE = ("enhanced-connection", "heart-rate", "pairing-fails", "wristband", "write-refused")
MIXES = {
    "spine": SPINE,
    "mixed-layers": (
        *("advertising-types", "android-phone", "channels", "classic", "enhanced-bearers", "heart-rate"),
        *("link-control", "pairing-all-keys", "periodic", "write-refused"),
    ),
    "working": ("enhanced-connection", "heart-rate", "wristband", "write-refused"),  # without failed pairings
}

PAUSE_US = 1_000_000  # between two sessions
HCI_ONLY = (btsnoop.COMMAND, btsnoop.EVENT)
TIME_AT = btsnoop.RECORD.size - 8
TIME = struct.Struct(">Q")
HEART_RATE = bytes.fromhex("372a")  # 2a37 Heart Rate Measurement, as in a declaration
NOTIFICATION = bytes.fromhex("04001b")  # the ATT channel, and the opcode
NOTIFICATION_AT = 7  # after the packet's type, the HCI header and L2CAP's length


class Block:
    """All sessions once: the bytes, the position of each record's time, and that time relative to the block's start."""

    def __init__(self, captures: list[Path], hci_only: bool) -> None:
        self.content = bytearray()
        self.times: list[tuple[int, int]] = []
        self.ends: list[int] = []
        self.duration = 0
        for path in captures:
            self._add(path.read_bytes(), hci_only)

    def _add(self, file: bytes, hci_only: bool) -> None:
        if btsnoop.datalink(file) != btsnoop.H4:
            return
        records = list(btsnoop.records(file))
        first = records[0].time
        for record in records:
            if hci_only and record.data[0] not in HCI_ONLY:
                continue
            time = self.duration + record.time - first
            self.times.append((len(self.content) + TIME_AT, time))
            self.content += btsnoop.RECORD.pack(record.original, len(record.data), record.flags, 0, 0) + record.data
            self.ends.append(len(self.content))
        self.duration += records[-1].time - first + PAUSE_US

    def at(self, start: int) -> bytearray:
        """Returns the block with its first record at that time, in the same buffer each time."""
        put, content = TIME.pack_into, self.content
        for offset, time in self.times:
            put(content, offset, start + time)
        return content


def write(out: Path, count: int, captures: list[Path], hci_only: bool) -> None:
    block = Block(captures, hci_only)
    if not block.ends:
        sys.exit("there is no btsnoop file of datalink 1002 to start from")
    start = btsnoop.SAMPLE_START + btsnoop.EPOCH
    with open(out, "wb", buffering=1 << 20) as file:
        file.write(btsnoop.header(btsnoop.H4))
        while count > 0:
            content = block.at(start)
            if count < len(block.ends):
                content = content[: block.ends[count - 1]]
            file.write(content)
            count -= len(block.ends)
            start += block.duration


def write_notifications(out: Path, count: int, uuid: str) -> None:
    """Writes the session up to its first notification, then repeats all notifications, a millisecond apart."""
    before: list[btsnoop.Record] = []
    notifications: list[btsnoop.Record] = []
    for record in btsnoop.records((ROOT / "captures" / "heart-rate.btsnoop").read_bytes()):
        if record.data[NOTIFICATION_AT:].startswith(NOTIFICATION):
            notifications.append(record)
        elif not notifications:
            before.append(record)
    handle = slice(NOTIFICATION_AT + len(NOTIFICATION), NOTIFICATION_AT + len(NOTIFICATION) + 2)
    notifications = [record for record in notifications if record.data[handle] == notifications[0].data[handle]]
    time = before[0].time
    with open(out, "wb", buffering=1 << 20) as file:
        file.write(btsnoop.header(btsnoop.H4))
        for index in range(count):
            is_before = index < len(before)
            record = before[index] if is_before else notifications[(index - len(before)) % len(notifications)]
            data = record.data.replace(HEART_RATE, bytes.fromhex(uuid)[::-1]) if is_before else record.data
            time = record.time if is_before else time + 1000
            file.write(btsnoop.RECORD.pack(record.original, len(data), record.flags, 0, time) + data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--mix", choices=MIXES, default="spine")
    parser.add_argument("--notifications", metavar="UUID")
    parser.add_argument("--hci-only", action="store_true")
    parser.add_argument("--from", dest="folders", type=Path, action="append")
    arguments = parser.parse_args()
    if arguments.notifications:
        write_notifications(arguments.out, arguments.count, arguments.notifications)
        return
    if arguments.folders:
        found = sorted(path for folder in arguments.folders for path in folder.glob("*.btsnoop"))
        captures = [path for path in found if ".peripheral." not in path.name]
    else:
        captures = [ROOT / "captures" / f"{name}.btsnoop" for name in MIXES[arguments.mix]]
    write(arguments.out, arguments.count, captures, arguments.hci_only)


main()
