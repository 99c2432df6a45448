#!/usr/bin/env python3
"""Creates the fuzzers' initial inputs, in addition to the sample captures. usage: make-fuzz-corpus.py FOLDER

Creates attacks on every table, a few turns of each, as records; pcapng, pcap and PacketLogger files with everything
that such a file may have: both byte orders, several sections and interfaces, clocks of all kinds, every option with its
lowest and highest numbers; and what two devices send on the air, in every form in which sniffers record it. Everything
is generated and the same each time, without a fuzzer's own finds. Files with the same bytes are written once. A test
checks that the whole stays below 2 MB.
"""

import hashlib
import itertools
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from traffic import attacks  # noqa: E402

MOST_BYTES = 8192  # of one file: a fuzzer mutates short ones best
TURNS = (2, 12)
EVENT = bytes.fromhex("040e0401030c00")
CONNECTED = bytes.fromhex("043e1301004000000155443322 11c018000000480000")
NOTIFIED = bytes.fromhex("024020090005000400 1b03004800")
ENDS = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)


class Pcapng:
    """Blocks of a pcapng file."""

    def __init__(self, big: bool = False) -> None:
        self.order = ">" if big else "<"
        self.content = b""

    def pack(self, form: str, *values: int) -> bytes:
        return struct.pack(self.order + form, *values)

    def options(self, *options: tuple[int, bytes]) -> bytes:
        made = b"".join(self.pack("HH", code, len(value)) + value + bytes(-len(value) % 4) for code, value in options)
        return made + bytes(4) if options else b""

    def block(self, kind: int, body: bytes) -> "Pcapng":
        body += bytes(-len(body) % 4)
        length = self.pack("I", len(body) + 12)
        self.content += self.pack("I", kind) + length + body + length
        return self

    def section(self, *options: tuple[int, bytes], length: int = (1 << 64) - 1) -> "Pcapng":
        return self.block(0x0A0D0D0A, self.pack("IHHQ", 0x1A2B3C4D, 1, 0, length) + self.options(*options))

    def interface(self, link: int = 201, *options: tuple[int, bytes], snap: int = 0) -> "Pcapng":
        return self.block(1, self.pack("HHI", link, 0, snap) + self.options(*options))

    def packet(self, data: bytes, *options: tuple[int, bytes], interface: int = 0, ticks: int = 1) -> "Pcapng":
        head = self.pack("IIIII", interface, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data))
        return self.block(6, head + data + bytes(-len(data) % 4) + self.options(*options))


def received(packet: bytes) -> bytes:
    """Returns the packet with the direction that link type 201 puts in front."""
    return struct.pack(">I", 1) + packet


def pcapng() -> Iterator[bytes]:
    for big in (False, True):
        order = ">" if big else "<"
        for link, packets in (
            (201, [received(CONNECTED), received(NOTIFIED), received(EVENT)]),
            (187, [CONNECTED, NOTIFIED, EVENT]),
            (254, [struct.pack(">HH", 0, 3) + EVENT[1:], struct.pack(">HH", 0, 13) + b"note\0"]),
        ):
            file = Pcapng(big).section((4, b"tool"), (1, b"note")).interface(link)
            for number, packet in enumerate(packets):
                file.packet(packet, (2, struct.pack(order + "I", 1 + number % 2)), ticks=number)
            yield file.content
        for number in ENDS:
            eight = struct.pack(order + "Q", number)
            drops = [(4, eight)]
            yield Pcapng(big).section().interface().packet(received(EVENT), *drops).packet(received(EVENT), *drops).content
            yield Pcapng(big).section().interface(201, (14, eight)).packet(received(EVENT), ticks=number).content
            yield Pcapng(big).section(length=number).interface(201, snap=number & 0xFFFFFFFF).packet(received(EVENT)).content
        for resolution in (0, 3, 6, 9, 19, 20, 0x7F, 0x80, 0x8A, 0xBF, 0xC0, 0xFF):
            file = Pcapng(big).section().interface(201, (9, bytes([resolution])), (2, b"hci0"))
            yield file.packet(received(EVENT), ticks=(1 << 64) - 1).packet(received(EVENT)).content
        for code, size in itertools.product((1, 2, 3, 5, 6, 7, 0x0BAD), (0, 1, 4, 8, 300)):
            yield Pcapng(big).section().interface().packet(received(EVENT), (code, b"A" * size), (1, b"end")).content
        several = Pcapng(big).section().interface().interface(187).packet(received(EVENT)).packet(EVENT, interface=1)
        several.block(5, several.pack("III", 0, 0, 1) + several.options((4, bytes(8)), (5, b"\xff" * 8)))
        several.block(3, several.pack("I", len(EVENT) + 4) + received(EVENT)).block(4, bytes(8)).block(0xBAD, bytes(4))
        yield several.section().interface().packet(received(EVENT)).content
        yield several.content + Pcapng(not big).section().interface().packet(received(EVENT)).content


def pcap() -> Iterator[bytes]:
    for order, magic, (link, packet) in itertools.product(
        "<>", (0xA1B2C3D4, 0xA1B23C4D), ((201, received(CONNECTED)), (187, EVENT), (254, struct.pack(">HH", 0, 3) + EVENT[1:]))
    ):
        head = struct.pack(order + "IHHIIII", magic, 2, 4, 0, 0, 0xFFFF, link)
        for seconds, fraction in ((1, 0), (0xFFFFFFFF, 0xFFFFFFFF)):
            record = struct.pack(order + "IIII", seconds, fraction, len(packet), len(packet)) + packet
            yield head + record * 2


def packet_logger() -> Iterator[bytes]:
    for order, kind in itertools.product("<>", (0, 1, 2, 3, 0xFB, 0xFC, 0xFE, 0xFF)):
        packet = (EVENT if kind < 2 else NOTIFIED)[1:] if kind < 4 else b"text\0"
        record = struct.pack(order + "III", len(packet) + 9, 0x60000000, 5) + bytes([kind]) + packet
        yield record * 2


class Steps:
    """Steps of two devices on the air, as FuzzAir reads them (Fuzz/Inputs/Fuzzing+Air.swift)."""

    ATT, SMP, CONTROL, RUN, ENCRYPT, ADVERTISE, UPDATE, DISCONNECT, RECORD, BYTES = 0, 4, 7, 9, 10, 11, 12, 13, 14, 15
    PERIPHERAL = 16

    def __init__(self, *choices: int) -> None:
        self.content = b"air\0" + bytes(choices)

    def add(self, kind: int, content: bytes) -> "Steps":
        self.content += bytes([kind, len(content)]) + content
        return self


def air() -> Iterator[bytes]:
    """Yields sessions: a feature exchange, attributes, pairing, encryption, updates, the end."""
    answer = Steps.PERIPHERAL
    for form, (missed, options) in itertools.product(range(7), ((0, 0), (0x13, 0x0D), (0x20, 0x23))):
        for choices in (form, form | 0x10, form | 0x20, form | 0x40, form | 0x80):
            steps = Steps(form + 1, missed, options, choices)
            steps.add(Steps.CONTROL, bytes.fromhex("080100000000000000")).add(Steps.CONTROL, bytes.fromhex("0c0c0f000100"))
            steps.add(Steps.ATT, bytes.fromhex("021700")).add(Steps.ATT | answer, bytes.fromhex("031700"))
            steps.add(Steps.SMP, bytes.fromhex("01030001100101")).add(Steps.SMP | answer, bytes.fromhex("02030001100101"))
            for code in (3, 4):
                steps.add(Steps.SMP, bytes([code]) + bytes(16)).add(Steps.SMP | answer, bytes([code]) + bytes(range(16)))
            steps.add(Steps.ENCRYPT, bytes([7])).add(Steps.ATT | answer, bytes.fromhex("1b1800") + bytes(range(30)))
            steps.add(Steps.RUN | answer, bytes([40])).add(Steps.ATT, bytes.fromhex("0a1900"))
            steps.add(Steps.UPDATE, bytes([form])).add(Steps.RUN, bytes([9])).add(Steps.DISCONNECT, bytes([0x13]))
            yield steps.content
    # The Link Layer's control PDUs, each alone; whether it has its length does not matter.
    for opcode in range(0x40):
        for side in (0, answer):
            yield Steps(1, 0, 0, 5).add(Steps.CONTROL | side, bytes([opcode]) + bytes(range(24))).content
    # Advertising PDUs of all types on both kinds of channels, and records that were changed.
    for kind in range(16):
        for side in (0, answer):
            steps = Steps(1, 0, 0, 1).add(Steps.ADVERTISE | side, bytes([kind]) + bytes(range(36)))
            yield steps.add(Steps.ADVERTISE | side, bytes([kind | 0x60]) + bytes.fromhex("0d7f") + bytes(range(60))).content
            yield Steps(2, 0, 0, kind % 7).add(Steps.RECORD | side, bytes(range(kind, 60))).content
            yield Steps(3, 0, 0, kind % 7).add(Steps.BYTES | side, bytes([0x40, kind, 0xFF, kind + 9, 0])).content


def records() -> Iterator[bytes]:
    for name, turns in itertools.product(attacks.ATTACKS, TURNS):
        yield attacks.attack(name, turns)
    yield attacks.made(attacks.ordinary, 20)


def main(folder: Path) -> None:
    for name, files in (("pcapng", pcapng), ("pcap", pcap), ("packetlogger", packet_logger), ("btsnoop", records), ("air", air)):
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        for old in place.iterdir():
            old.unlink()
        for content in files():
            if len(content) <= MOST_BYTES:
                (place / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
