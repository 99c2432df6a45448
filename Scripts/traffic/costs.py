"""Captures of about 10,000 records, over which `make cost` counts instructions. Always the same bytes.

The mixed sessions and the page come from Benchmarks/make-traffic.py, the others from here: they have much of one kind
of traffic, of which the mixes have little.
"""

import struct
from pathlib import Path

from . import btsnoop
from .advertising import DATA, DISCOVERY, report, structure
from .attacks import device
from .handmade import CENTRAL, NONE, RANDOM, SECURITY_MANAGER, Capture

RECORDS = 10_000
SAMPLES = Path(__file__).resolve().parents[2] / "captures"


class Counted(Capture):
    """A capture that knows how many records it has."""

    def __init__(self) -> None:
        super().__init__(btsnoop.H4)
        self.count = 0

    def add(self, data: bytes, flags: int) -> None:
        self.count += 1
        super().add(data, flags)


# ------------------------------------------------------------------------------------------------------- advertising

ADVERTISERS = 200


def advertising() -> bytes:
    """A crowd: beacons, named gadgets, trackers; legacy and extended reports, some with two advertisers in one."""
    capture = Counted()
    capture.done(0x0C03)
    capture.done(0x2041, struct.pack("<BBBBHH", 1, 0, 1, 1, 96, 96))  # LE Set Extended Scan Parameters
    capture.done(0x2042, struct.pack("<BBHH", 1, 0, 0, 0))
    data = [_advertisement(number) for number in range(ADVERTISERS)]
    while capture.count < RECORDS:
        number = capture.count * 7919 % ADVERTISERS  # a prime, so that each has its turn
        rssi = -40 - capture.count * 31 % 50
        if number % 3 == 0:
            report(capture, device(number), data[number])
        elif number % 3 == 1:
            capture.meta(0x02, b"\x01" + _legacy(number, data[number], rssi))
        else:
            both = _legacy(number, data[number], rssi) + _legacy(number - 1, data[number - 1], rssi - 5)
            capture.meta(0x02, b"\x02" + both)
    return bytes(capture.content)


def _legacy(number: int, data: bytes, rssi: int) -> bytes:
    return struct.pack("<BB6sB", 3 * (number % 2), RANDOM, device(number), len(data)) + data + struct.pack("b", rssi)


def _advertisement(number: int) -> bytes:
    """Returns at most 31 bytes, as legacy advertising has."""
    flags, kind = structure(0x01, b"\x06"), number % 5
    if kind == 0:  # iBeacon
        ids = struct.pack(">HHb", number, number * 3, -59)
        return flags + structure(0xFF, bytes.fromhex("4c000215") + bytes(range(16)) + ids)
    if kind == 1:  # Eddystone
        return flags + structure(0x03, b"\xaa\xfe") + structure(0x16, b"\xaa\xfe\x10\xeb\x03example\x07")
    if kind == 2:
        return flags + structure(0x03, struct.pack("<HH", 0x180D, 0x180F)) + structure(0x09, b"Gadget %04d" % number)
    if kind == 3:
        return flags + structure(0xFF, struct.pack("<HI", 0x004C, 0x00010710 + number) + bytes(12))
    found = flags
    for each in (*DISCOVERY[number % 7 :], *DATA):
        part = structure(*each)
        found += part if len(found) + len(part) <= 31 else b""
    return found


# ------------------------------------------------------------------------------------- notifications of a framed protocol

FIRST_FRAME, LAST_FRAME = 85, 113  # the records of the sample between the subscription and the disconnection


def frames() -> bytes:
    """The wristband's session, in which its requests and answers are repeated: frames in up to three notifications."""
    records = list(btsnoop.records((SAMPLES / "wristband.btsnoop").read_bytes()))
    before, repeated = records[:FIRST_FRAME], records[FIRST_FRAME : LAST_FRAME + 1]
    content = bytearray(btsnoop.header(btsnoop.H4))
    shift, period = 0, repeated[-1].time - before[-1].time
    for index in range(RECORDS):
        place = index - len(before)
        each = before[index] if place < 0 else repeated[place % len(repeated)]
        shift = 0 if place < 0 else place // len(repeated) * period
        content += btsnoop.RECORD.pack(each.original, len(each.data), each.flags, 0, each.time + shift) + each.data
    return bytes(content)


# ------------------------------------------------------------------------------------------ commands and event masks

VERSION = struct.pack("<BHBHH", 0x0D, 0x1234, 0x0D, 0x000F, 0x4321)


def commands() -> bytes:
    """A host that starts its controller again and again; each time it asks for other events and features."""
    capture = Counted()
    number = 0
    while capture.count < RECORDS:
        _start(capture, number)
        number += 1
    return bytes(capture.content)


def _bits(number: int, size: int) -> bytes:
    """Returns bits that look random, most of them set."""
    return bytes((number * 37 + place * 101 | 0x55) & 0xFF for place in range(size))


def _start(capture: Capture, number: int) -> None:
    capture.done(0x0C03)
    capture.done(0x1001, b"", b"\0" + VERSION)  # Read Local Version Information
    capture.done(0x1002, b"", b"\0" + _bits(number, 64))  # Read Local Supported Commands
    capture.done(0x1003, b"", b"\0" + _bits(number, 8))  # Read Local Supported Features
    capture.done(0x1009, b"", b"\0" + device(number))
    capture.done(0x2003, b"", b"\0" + _bits(number, 8))  # LE Read Local Supported Features
    capture.done(0x201C, b"", b"\0" + _bits(number, 8))  # LE Read Supported States
    capture.done(0x2002, b"", b"\0" + struct.pack("<HB", 251, 10))  # LE Read Buffer Size
    capture.done(0x0C01, _bits(number, 7) + b"\x3d")  # Set Event Mask
    capture.done(0x0C63, _bits(number, 3) + bytes(5))  # Set Event Mask Page 2
    capture.done(0x2001, _bits(number, 4) + bytes(4))  # LE Set Event Mask
    capture.done(0x0C13, (b"Host %d" % number).ljust(248, b"\0"))  # Write Local Name
    capture.done(0x0C6D, b"\x01\x00")  # Write LE Host Support
    capture.done(0x2005, device(number))  # LE Set Random Address
    capture.done(0x2024, struct.pack("<HH", 27 + number % 225, 2120))
    capture.done(0x2031, struct.pack("<BBB", number % 4, number % 8, number % 8))  # LE Set Default PHY
    capture.done(0x2041, struct.pack("<BBBBHH", number % 4, 0, 1, number % 2, 96 + number, 96))
    data = _advertisement(number % ADVERTISERS)
    advertising_set = struct.pack("<BH3s3sBBB6sBbBBBBB", 0, 0x13, b"\xa0\0\0", b"\xa0\0\0", 7, 1, 0, NONE, 0, 4, 1, 0, 1, 0, 0)
    capture.done(0x2036, advertising_set, b"\0\x04")  # LE Set Extended Advertising Parameters
    capture.done(0x2037, struct.pack("<BBBB", 0, 3, 1, len(data)) + data)
    capture.done(0x2039, struct.pack("<BBBHB", 1, 1, 0, 0, 0))
    capture.done(0x2042, struct.pack("<BBHH", 1, 0, 0, 0), b"\0" if number % 3 else b"\x0c")  # Command Disallowed
    capture.event(0x10, bytes([number % 256]))  # Hardware Error


# ------------------------------------------------------------------------------------------------ many connections

OPEN = 20  # connections at the same time
SECURE_CONNECTIONS, BONDING = 0x08, 0x01
KEYS = 0x03  # encryption and identity
PEERS = 50  # fewer than a table of servers has room for; most of them connect again
# Two points of P-256, known from its definition: the base point and twice the base point.
POINTS = tuple(
    bytes.fromhex(x)[::-1] + bytes.fromhex(y)[::-1]
    for x, y in (
        (
            "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
        ),
        (
            "7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
            "07775510db8ed040293d9ac69f7430dbba7dade63ce982299e04b79d227873d1",
        ),
    )
)


def connections() -> bytes:
    """Connections to many peers, many at a time: paired in two ways or encrypted with a key of an earlier bond."""
    capture = Counted()
    number = 0
    while capture.count < RECORDS:
        handle = 0x40 + number % (OPEN + 1)
        _connect(capture, handle, number)
        _discover(capture, handle)
        (_pair_legacy, _pair_secure, _encrypt)[number % 3](capture, handle, number)
        _use(capture, handle, number)
        if number >= OPEN:
            capture.disconnect(0x40 + (number - OPEN) % (OPEN + 1))
        number += 1
    return bytes(capture.content)


def _value(number: int, name: bytes) -> bytes:
    """Returns the sixteen bytes of a key or a random value."""
    return (b"%s %d" % (name, number)).ljust(16, b".")


def _connect(capture: Capture, handle: int, number: int) -> None:
    peer = device(number % PEERS)
    capture.started(0x2043, struct.pack("<BBB6sB8H", 0, 1, RANDOM, peer, 1, 96, 96, 24, 40, 0, 500, 0, 0))
    complete = struct.pack("<BHBB6s6s6sHHHB", 0, handle, CENTRAL, RANDOM, peer, NONE, NONE, 24, 0, 500, 0)
    capture.meta(0x0A, complete)
    capture.started(0x2016, struct.pack("<H", handle))  # LE Read Remote Features
    capture.meta(0x04, struct.pack("<BH", 0, handle) + bytes.fromhex("3f00000000000000"))


def _discover(capture: Capture, handle: int) -> None:
    capture.sent(handle, bytes.fromhex("02f700"))
    capture.received(handle, bytes.fromhex("03f700"))
    capture.sent(handle, bytes.fromhex("10 0100 ffff 0028"))
    capture.received(handle, bytes.fromhex("11 06 0100 0500 0d18 0600 0900 0f18"))
    capture.sent(handle, bytes.fromhex("08 0100 ffff 0328"))
    declarations = b"".join(struct.pack("<HBHH", at, bits, at + 1, uuid) for at, bits, uuid in ((2, 16, 0x2A37), (7, 18, 0x2A19)))
    capture.received(handle, b"\x09\x07" + declarations)
    capture.sent(handle, bytes.fromhex("04 0400 0500"))
    capture.received(handle, bytes.fromhex("05 01 0400 0229 0500 0129"))


def _security(capture: Capture, handle: int, *pdus: bytes) -> None:
    """Records PDUs of both sides in turns, the host's first."""
    for place, pdu in enumerate(pdus):
        if place % 2:
            capture.received(handle, pdu, SECURITY_MANAGER)
        else:
            capture.sent(handle, pdu, SECURITY_MANAGER)


def _features(code: int, capabilities: int, authreq: int) -> bytes:
    return bytes([code, capabilities, 0, authreq, 16, KEYS, KEYS])


def _key(capture: Capture, handle: int, key: bytes) -> None:
    capture.started(0x2019, struct.pack("<H8sH16s", handle, bytes(8), 0, key))  # LE Enable Encryption
    capture.event(0x08, struct.pack("<BHB", 0, handle, 1))


def _distribute(capture: Capture, handle: int, number: int) -> None:
    capture.received(handle, b"\x08" + _value(number % PEERS, b"IRK"), SECURITY_MANAGER)
    capture.received(handle, b"\x09\x01" + device(number % PEERS), SECURITY_MANAGER)


def _pair_legacy(capture: Capture, handle: int, number: int) -> None:
    """Records a pairing that succeeds: the search for the passkey of one that fails would cost far more than all
    connections. The page has such a pairing.
    """
    _security(capture, handle, _features(1, 3, BONDING), _features(2, 3, BONDING))
    _security(capture, handle, *(bytes([code]) + _value(number, name) for code, name in ((3, b"C1"), (3, b"C2"))))
    _security(capture, handle, *(bytes([code]) + _value(number, name) for code, name in ((4, b"R1"), (4, b"R2"))))
    _key(capture, handle, _value(number, b"STK"))
    capture.received(handle, b"\x06" + _value(number % PEERS, b"LTK"), SECURITY_MANAGER)
    capture.received(handle, b"\x07" + struct.pack("<HQ", number, number), SECURITY_MANAGER)
    _distribute(capture, handle, number)


def _pair_secure(capture: Capture, handle: int, number: int) -> None:
    authreq = BONDING | SECURE_CONNECTIONS
    _security(capture, handle, _features(1, 3, authreq), _features(2, 3, authreq))
    _security(capture, handle, *(b"\x0c" + point for point in POINTS))
    capture.received(handle, b"\x03" + _value(number, b"C2"), SECURITY_MANAGER)
    _security(capture, handle, b"\x04" + _value(number, b"R1"), b"\x04" + _value(number, b"R2"))
    _security(capture, handle, b"\x0d" + _value(number, b"E1"), b"\x0d" + _value(number, b"E2"))
    _key(capture, handle, _value(number, b"LTK"))
    _distribute(capture, handle, number)


def _encrypt(capture: Capture, handle: int, number: int) -> None:
    _key(capture, handle, _value(number % PEERS, b"OLD"))


def _use(capture: Capture, handle: int, number: int) -> None:
    capture.sent(handle, bytes.fromhex("0a 0800"))
    capture.received(handle, bytes([0x0B, number % 101]))
    capture.sent(handle, bytes.fromhex("12 0400 0100"))
    capture.received(handle, b"\x13")
    for beat in range(8):
        capture.received(handle, bytes([0x1B, 3, 0, 0x06, 60 + (number + beat) % 90]))


CAPTURES = {each.__name__: each for each in (advertising, frames, commands, connections)}


def beginning(content: bytes, count: int) -> bytes:
    """Returns the file with its first records only."""
    end = btsnoop.HEADER.size
    for _, each in zip(range(count), btsnoop.records(content)):
        end += btsnoop.RECORD.size + len(each.data)
    return content[:end]
