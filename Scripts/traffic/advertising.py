"""Captures of advertising: every AD type of the Assigned Numbers, and periodic advertising with its BIG.

Written byte by byte from the Core Specification 6.0 (Vol 4, Part E, 7.7.65; Vol 3, Part C, 11) and the supplement
(CSS, Part A). All values are invented.
"""

import struct

from . import btsnoop
from .handmade import NONE, RANDOM, Capture, address

PUBLIC = 0
SPEAKER, TAG, SHELF, SENSOR = (address(f"{each:02X}:5A:5A:5A:5A:{each:02X}") for each in (0xD1, 0xD2, 0xD3, 0xD4))
DOCUMENTED = address("00:00:5E:00:53:07")  # public, from the range reserved for documentation
EXTENDED_ADVERTISEMENT = 0x0000  # not connectable, not scannable, not directed, complete

UUID_128 = bytes.fromhex("5ca1ab1e00014b0d9f006c6f636b0000")[::-1]

# One structure per advertisement, so that a reader that fails on one still finds the next.
DISCOVERY = [
    (0x01, b"\x06"),  # Flags
    (0x02, struct.pack("<HH", 0x180D, 0x1809)),  # 16-bit services, more available
    (0x03, struct.pack("<H", 0x180F)),
    (0x04, struct.pack("<I", 0x00001812)),  # 32-bit services
    (0x05, struct.pack("<I", 0x0000FFF0)),
    (0x06, UUID_128),
    (0x07, UUID_128),
    (0x08, b"Acme"),  # Shortened Local Name
    (0x09, "Grüße 42".encode()),  # Complete Local Name, not ASCII
    (0x0A, struct.pack("b", -7)),  # TX Power Level
    (0x12, struct.pack("<HH", 6, 0xFFFF)),  # Peripheral Connection Interval Range: 7.5 ms, no maximum
    (0x14, struct.pack("<H", 0x1805)),  # solicitation
    (0x1F, struct.pack("<I", 0x00001805)),
    (0x15, UUID_128),
    (0x19, struct.pack("<H", 0x0341)),  # Appearance: heart rate belt
    (0x1A, struct.pack("<H", 0x00A0)),  # Advertising Interval: 100 ms
    (0x2F, struct.pack("<I", 0x010000)[:3]),  # Advertising Interval, long: 40.96 s
]
DATA = [
    (0x16, struct.pack("<H", 0x180F) + b"\x61"),  # Service Data, Battery Service: 97 %
    (0x20, struct.pack("<I", 0x0000FFF0) + b"\x01\x02"),
    (0x21, UUID_128 + b"\x03"),
    (0x24, b"\x17//example.com/a"),  # URI, scheme https:
    (0x25, bytes.fromhex("14c419")),  # Indoor Positioning: TX power -60 dBm, floor number
    (0x28, bytes.fromhex("ffffffff1f3412")),  # Channel Map Update Indication
    (0x3D, bytes.fromhex("0164")),  # 3D Information Data
    (0xFF, struct.pack("<H", 0x004C) + bytes.fromhex("0215") + UUID_128[::-1] + struct.pack(">HHb", 1, 2, -59)),
    (0xFF, struct.pack("<H", 0xFFFF) + b"test"),  # 0xffff: the identifier for tests
    (0x27, bytes.fromhex("ff01")),  # LE Supported Features
    (0x26, bytes.fromhex("010203a1b2c3")),  # Transport Discovery Data
]
SECURITY = [
    (0x0D, bytes.fromhex("04042c")),  # Class of Device
    (0x0E, b"INVENTED-C-192!!"),  # Simple Pairing Hash
    (0x0F, b"INVENTED-R-192!!"),  # Simple Pairing Randomizer
    (0x11, b"\x05"),  # Security Manager Out of Band Flags
    (0x17, DOCUMENTED),  # Public Target Address
    (0x18, SENSOR + TAG),  # Random Target Address, two of them
    (0x1B, SENSOR + b"\x01"),  # LE Bluetooth Device Address
    (0x1C, b"\x02"),  # LE Role: both, peripheral preferred
    (0x1D, b"INVENTED-C-256!!"),
    (0x1E, b"INVENTED-R-256!!"),
    (0x22, b"SC-CONFIRMATION!"),  # LE Secure Connections Confirmation Value
    (0x23, b"SC-RANDOM-VALUE!"),
    (0x2E, bytes.fromhex("a1a2a3b1b2b3")),  # Resolvable Set Identifier
    (0x10, b"INVENTED-TK-VAL!"),  # Security Manager TK Value; Device ID only in an inquiry response
]
BROADCAST = [
    (0x29, bytes.fromhex("0102030400000102030405060708090a")),  # PB-ADV
    (0x2A, bytes.fromhex("68eca487516765b5e5bfdacbaf6cb7fb6bff871f")),  # Mesh Message
    (0x2B, b"\x00" + UUID_128 + bytes.fromhex("0000")),  # Mesh Beacon, unprovisioned
    (0x2C, bytes.fromhex("0a3020284e71020000e8030000640000112233445566778899aabbccddeeff0011")),  # BIGInfo
    (0x2D, b"INVENTED-CODE-01"),  # Broadcast Code
    (0x30, "Café radio".encode()),  # Broadcast Name
    (0x31, bytes.fromhex("1122334455aabbccddeeff0011deadbeef")),  # Encrypted Advertising Data
    (0x32, struct.pack("<IBBBB", 0x12345678, 4, 16, 8, 5)),  # Periodic Advertising Response Timing Information
    (0x34, bytes.fromhex("00010203")),  # Electronic Shelf Label
    (0x33, b"\x00"),  # assigned to nothing (yet)
]


def structure(kind: int, value: bytes) -> bytes:
    return bytes([len(value) + 1, kind]) + value


def report(capture: Capture, peer: bytes, data: bytes, event_type: int = EXTENDED_ADVERTISEMENT, tx_power: int = 127) -> None:
    """Records an LE Extended Advertising Report with one report."""
    head = struct.pack("<HB6sBBBbbHB6s", event_type, RANDOM, peer, 1, 2, 5, tx_power, -58, 0, 0, NONE)
    capture.meta(0x0D, b"\x01" + head + bytes([len(data)]) + data)


def advertising_types() -> bytes:
    capture = Capture(btsnoop.H4)
    capture.done(0x0C03)
    capture.done(0x2041, struct.pack("<BBBBHH", 1, 0, 1, 1, 96, 96))  # LE Set Extended Scan Parameters
    capture.done(0x2042, struct.pack("<BBHH", 1, 0, 0, 0))
    for peer, structures in ((SPEAKER, DISCOVERY), (TAG, DATA), (SENSOR, SECURITY), (SHELF, BROADCAST)):
        capture.wait(100)
        report(capture, peer, b"".join(structure(*each) for each in structures), tx_power=4)
    _legacy_reports(capture)
    _hostile(capture)
    capture.done(0x2042, bytes(6))
    return bytes(capture.content)


def _legacy_reports(capture: Capture) -> None:
    """Records two reports in one event, and a directed advertisement."""
    eddystone = structure(0x01, b"\x06") + structure(0x03, b"\xaa\xfe") + structure(0x16, b"\xaa\xfe\x10\xeb\x03example\x07")
    name = structure(0x09, b"Beacon")
    first = bytes([0x03, RANDOM]) + TAG + bytes([len(eddystone)]) + eddystone + b"\xc4"
    second = bytes([0x04, PUBLIC]) + DOCUMENTED + bytes([len(name)]) + name + b"\x7f"  # 127: no RSSI
    capture.meta(0x02, b"\x02" + first + second)
    capture.meta(0x0B, struct.pack("<BBB6sB6sb", 1, 1, RANDOM, SENSOR, RANDOM, address("5B:11:22:33:44:55"), -70))


def _hostile(capture: Capture) -> None:
    """Records common mistakes: early termination, a length that is too large, an empty and a short structure."""
    capture.wait(100)
    report(capture, SPEAKER, structure(0x01, b"\x06") + bytes(5))  # zeros to the end: early termination
    report(capture, SPEAKER, structure(0x01, b"\x06") + bytes.fromhex("1e0941636d65"))  # 30 bytes claimed, 5 present
    report(capture, SPEAKER, structure(0x03, b"\x0d\x18\x0f"))  # a UUID and a half
    report(capture, SPEAKER, structure(0xFF, b"\x4c"))  # half a company identifier
    report(capture, SPEAKER, structure(0x09, b"tab\there\x1b[31m\xff"))  # control characters and invalid UTF-8
    report(capture, SPEAKER, b"\x00" + structure(0x09, b"behind the end"))  # data after the termination


# ---------------------------------------------------------------------------------------------------------- periodic

SYNC_1, SYNC_2 = 0x0010, 0x0011
SID = 5
FIRST_PART, COMPLETE, CUT = 1, 0, 2  # Data_Status: more to come, complete, truncated


def periodic() -> bytes:
    """Returns two trains: one with the events of Bluetooth 5.0 and a BIG, one with subevents in version 2 of the
    events.
    """
    capture = Capture(btsnoop.H4)
    capture.done(0x0C03)
    capture.done(0x2001, bytes.fromhex("ff7fffffff010000"))
    _create_sync(capture, SPEAKER)
    established = struct.pack("<BHBB6sBHB", 0, SYNC_1, SID, RANDOM, SPEAKER, 2, 160, 5)
    capture.meta(0x0E, established)
    announcement = struct.pack("<H", 0x1852) + bytes.fromhex("112233")  # Broadcast Audio Announcement
    named = structure(0x16, announcement) + structure(0x30, b"Foyer, in three parts of one report each")
    _report(capture, SYNC_1, COMPLETE, structure(0x0A, b"\x04"))
    for status, part in ((FIRST_PART, named[:15]), (FIRST_PART, named[15:30]), (COMPLETE, named[30:])):
        _report(capture, SYNC_1, status, part)
    _report(capture, SYNC_1, FIRST_PART, named[:15])
    _report(capture, SYNC_1, CUT, b"")
    _big(capture)
    _create_sync(capture, SHELF)
    capture.meta(0x24, struct.pack("<BHBB6sBHBBBBB", 0, SYNC_2, SID, RANDOM, SHELF, 1, 800, 1, 4, 20, 8, 5))
    capture.done(0x2084, struct.pack("<HHBBB", SYNC_2, 0, 2, 0, 1), b"\0" + struct.pack("<H", SYNC_2))
    _report_2(capture, 1000, 0, COMPLETE, structure(0x34, b"\x00\x01\x02\x03"))
    prices = structure(0x09, b"Shelf 17") + structure(0xFF, b"\xff\xff" + b"prices of the day")
    _report_2(capture, 1000, 1, FIRST_PART, prices[:12])
    _report_2(capture, 1000, 1, COMPLETE, prices[12:])
    _report_2(capture, 1001, 0, 0xFF, b"")  # Data_Status 0xff: nothing was received
    capture.done(0x2046, struct.pack("<H", SYNC_2))  # LE Periodic Advertising Terminate Sync
    capture.wait(1600)
    capture.meta(0x10, struct.pack("<H", SYNC_1))  # Sync Lost
    _create_sync(capture, TAG)
    capture.done(0x2045)  # Create Sync Cancel, and its result
    capture.meta(0x0E, struct.pack("<BHBB6sBHB", 0x44, 0, 0, 0, NONE, 0, 0, 0))
    return bytes(capture.content)


def _create_sync(capture: Capture, peer: bytes) -> None:
    capture.started(0x2044, struct.pack("<BBB6sHHB", 0, SID, RANDOM, peer, 0, 160, 0))
    capture.wait(200)


def _report(capture: Capture, sync: int, status: int, data: bytes) -> None:
    capture.meta(0x0F, struct.pack("<HbbBBB", sync, 7, -66, 0xFF, status, len(data)) + data)


def _report_2(capture: Capture, counter: int, subevent: int, status: int, data: bytes) -> None:
    capture.meta(0x25, struct.pack("<HbbBHBBB", SYNC_2, 127, -71, 0xFF, counter, subevent, status, len(data)) + data)


def _big(capture: Capture) -> None:
    """Records an encrypted broadcast of two streams: found, joined with a code, lost."""
    interval = (10_000).to_bytes(3, "little")
    info = struct.pack("<HBBHBBBH", SYNC_1, 2, 4, 8, 1, 0, 2, 104) + interval + struct.pack("<HBBB", 100, 2, 0, 1)
    capture.meta(0x22, info)
    create = struct.pack("<BHB16sBHB", 1, SYNC_1, 1, b"INVENTED-CODE-02", 0, 100, 2) + b"\x01\x02"
    capture.started(0x206B, create)
    capture.wait(60)
    latency = (12_500).to_bytes(3, "little")
    established = b"\0\x01" + latency + struct.pack("<BBBBHHB", 4, 1, 0, 2, 104, 8, 2) + struct.pack("<HH", 0x0060, 0x0061)
    capture.meta(0x1D, established)
    capture.wait(1000)
    capture.meta(0x1E, b"\x01\x08")  # BIG Sync Lost: Connection Timeout
