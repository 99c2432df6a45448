"""Serial channels: an amplifier that offers a serial port on RFCOMM, and a lamp with a credit-based LE channel.

Written byte by byte from the Core Specification 6.0 (Vol 3, Part A and B) and RFCOMM 1.2 (with TS 07.10). Both devices
and their protocol are invented: 7e, length, command, payload, and a sum of all bytes before it.
"""

import struct

from . import btsnoop
from .classic import SDP, Link, address, frame
from .handmade import LE_SIGNALLING, RANDOM

RFCOMM = 0x0003
AMPLIFIER, LAMP = address("00:00:5E:00:53:41"), address("D1:D1:D1:D1:D1:D1")
HANDLE, LE_HANDLE = 0x000B, 0x0040
SERIAL_PORT = 0x1101
PORT, SPSM = 1, 0x0081  # the server channel, and the lamp's protocol
SABM, DISC, UA, DM, UIH, POLL = 0x3F, 0x53, 0x73, 0x1F, 0xEF, 0x10


class Serial(Link):
    """An RFCOMM session that the phone opens."""

    def __init__(self) -> None:
        super().__init__()
        self.ours = self.theirs = 0

    def send(self, dlci: int, control: int, payload: bytes = b"", credits: int | None = None) -> None:
        is_command = control not in (UA, DM)
        self.sent(HANDLE, credited(frame(dlci, control, payload, is_command, initiator=True), credits), self.theirs)

    def receive(self, dlci: int, control: int, payload: bytes = b"", credits: int | None = None) -> None:
        self.wait(8)
        is_command = control not in (UA, DM)
        self.received(HANDLE, credited(frame(dlci, control, payload, is_command, initiator=False), credits), self.ours)

    def ask_both(self, kind: int, values: bytes, answer: bytes | None = None) -> None:
        """Sends a multiplexer command, and records its response, which repeats the values or has others."""
        self.send(0, UIH, command(kind, values))
        self.receive(0, UIH, command(kind, values if answer is None else answer, response=True))


def credited(content: bytes, credits: int | None) -> bytes:
    """Adds the field of credits, which the P/F bit announces. The frame check sequence covers that bit."""
    if credits is None:
        return content
    changed = frame(content[0] >> 2, UIH | POLL, content[3:-1], command=True, initiator=bool(content[0] & 2))
    return changed[:3] + bytes([credits]) + changed[3:]


def command(kind: int, values: bytes, response: bool = False) -> bytes:
    return bytes([kind << 2 | (0 if response else 2) | 1, len(values) << 1 | 1]) + values


def message(code: int, payload: bytes = b"") -> bytes:
    content = bytes([0x7E, len(payload) + 4, code]) + payload
    return content + bytes([sum(content) & 0xFF])


def serial() -> bytes:
    link = Serial()
    link.done(0x0C03)
    link.started(0x0405, AMPLIFIER + struct.pack("<HBBHB", 0xCC18, 1, 0, 0x9234, 1))
    link.wait(120)
    link.event(0x03, b"\0" + struct.pack("<H", HANDLE) + AMPLIFIER + b"\x01\x00")
    _services(link)
    _session(link)
    link.disconnect(HANDLE)
    _lamp(link)
    return bytes(link.content)


def _services(link: Serial) -> None:
    """The record of the serial port, in two responses."""
    ours, theirs = link.open(SDP)
    name = b"Amplifier control"
    record = bytes.fromhex("0900000a00010005") + bytes.fromhex("090001 3503 19") + struct.pack(">H", SERIAL_PORT)
    record += bytes.fromhex("090004 350c 3503190100 350519000308") + bytes([PORT])
    record += bytes.fromhex("090100 25") + bytes([len(name)]) + name
    lists = b"\x35" + bytes([len(record) + 2]) + b"\x35" + bytes([len(record)]) + record
    rest = b"\0"
    for number, (part, state) in enumerate(((lists[:40], b"\x02\x00\x28"), (lists[40:], b"\0")), 1):
        asked = b"\x35\x03\x19" + struct.pack(">HH", SERIAL_PORT, 0xFFFF) + bytes.fromhex("35050a0000ffff") + rest
        link.sent(HANDLE, struct.pack(">BHH", 0x06, number, len(asked)) + asked, theirs)
        found = struct.pack(">H", len(part)) + part + state
        link.received(HANDLE, struct.pack(">BHH", 0x07, number, len(found)) + found, ours)
        rest = state
    link.close(ours, theirs)


def _session(link: Serial) -> None:
    link.ours, link.theirs = link.open(RFCOMM, 1013)
    port = PORT << 1
    link.send(0, SABM)
    link.receive(0, UA)
    negotiation = struct.pack("<BBBBHBB", port, 0xF0, 0, 0, 667, 0, 7)
    link.ask_both(0x20, negotiation, struct.pack("<BBBBHBB", port, 0xE0, 0, 0, 127, 0, 4))
    link.send(port, SABM)
    link.receive(port, UA)
    signals = bytes([port << 2 | 3, 0x8D])
    link.ask_both(0x38, signals)
    link.ask_both(0x24, bytes([port << 2 | 3, 7, 0x03, 0, 0x11, 0x13, 0x7F, 0x3F]))  # 115200, 8 data bits
    link.ask_both(0x08, b"echo?")
    link.ask_both(0x14, bytes([port << 2 | 3, 0x03]))  # an overrun
    link.send(0, UIH, command(0x3F, b""))  # not a command
    link.receive(0, UIH, command(0x04, bytes([0x3F << 2 | 3]), response=True))
    # The volume, asked for and set; its answer comes in two frames, and two answers in one.
    link.send(port, UIH, message(0x01), credits=5)
    answer = message(0x81, bytes([24, 0, 1]))
    link.receive(port, UIH, answer[:4])
    link.receive(port, UIH, answer[4:], credits=1)
    link.send(port, UIH, message(0x02, b"\x20"))
    link.receive(port, UIH, message(0x82, b"\x20") + message(0x83, b"Night mode"))
    link.receive(port, UIH, b"", credits=3)
    # Nothing is on channel 2.
    link.send(4, SABM)
    link.receive(4, DM)
    link.send(port, DISC)
    link.receive(port, UA)
    link.send(0, DISC)
    link.receive(0, UA)
    link.close(link.ours, link.theirs)


def _lamp(link: Serial) -> None:
    complete = struct.pack("<BHBB6sHHHB", 0, LE_HANDLE, 0, RANDOM, LAMP, 24, 0, 72, 0)
    link.command(0x200D, struct.pack("<HHBB6sBHHHHHH", 96, 48, 0, RANDOM, LAMP, 0, 24, 40, 0, 42, 0, 0))
    link.event(0x0F, struct.pack("<BBH", 0, 1, 0x200D))
    link.meta(0x01, complete)
    ours, theirs = 0x0041, 0x0051
    asked = struct.pack("<5H", SPSM, ours, 100, 23, 4)
    link.sent(LE_HANDLE, struct.pack("<BBH", 0x14, 1, len(asked)) + asked, LE_SIGNALLING)
    granted = struct.pack("<5H", theirs, 100, 23, 4, 0)
    link.received(LE_HANDLE, struct.pack("<BBH", 0x15, 1, len(granted)) + granted, LE_SIGNALLING)
    link.sent(LE_HANDLE, struct.pack("<H", 4) + message(0x01), theirs)
    answer = message(0x83, b"A name that takes two frames")
    first = struct.pack("<H", len(answer)) + answer[:21]
    link.received(LE_HANDLE, first, ours)
    link.received(LE_HANDLE, answer[21:], ours)
    link.disconnect(LE_HANDLE)
