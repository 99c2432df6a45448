"""An Android phone's log: start-up with vendor commands, scanning with filters, a connection without discovery.

The vendor commands are those of Android's "HCI requirements" (source.android.com, Bluetooth HCI requirements,
version 1.04), written byte by byte.
"""

import struct

from . import btsnoop
from .advertising import report, structure
from .handmade import CENTRAL, NONE, PHONE_RPA, RANDOM, RANDOM_IDENTITY, Capture, address

LOCAL = address("00:00:5E:00:53:20")
WATCH, WATCH_RPA = address("F4:F4:F4:F4:F4:F4"), address("4D:66:77:88:99:AB")
HANDLE = 0x0002
CONNECTABLE = 0x0013  # ADV_IND in an extended report
CAPABILITIES, MULTI_ADVERTISING, BATCH_SCAN, FILTER, ENERGY, QUALITY = 0xFD53, 0xFD54, 0xFD56, 0xFD57, 0xFD59, 0xFD5E


def android_phone() -> bytes:
    capture = Capture(btsnoop.H4)
    _start(capture)
    _vendor(capture)
    _scan(capture)
    _connect(capture)
    _use(capture)
    capture.disconnect(HANDLE)
    capture.done(ENERGY, b"", b"\0" + struct.pack("<IIII", 1200, 5400, 86_000, 31))
    return bytes(capture.content)


def _start(capture: Capture) -> None:
    capture.done(0x0C03)
    capture.done(0x1001, b"", b"\0" + struct.pack("<BHBHH", 0x0D, 0x1234, 0x0D, 0x000F, 0x4321))  # Read Local Version
    capture.done(0x1009, b"", b"\0" + LOCAL)
    capture.done(0x1005, b"", b"\0" + struct.pack("<HBHH", 1021, 64, 8, 4))  # Read Buffer Size
    capture.done(0x1003, b"", b"\0" + bytes.fromhex("fffe8ffefbff7b87"))  # Read Local Supported Features
    capture.done(0x0C6D, b"\x01\x00")  # Write LE Host Support
    capture.done(0x0C56, b"\x01")  # Write Simple Pairing Mode
    capture.done(0x0C7A, b"\x01")  # Write Secure Connections Host Support
    capture.done(0x0C13, b"Phone of nobody".ljust(248, b"\0"))  # Write Local Name
    capture.done(0x2002, b"", b"\0" + struct.pack("<HB", 251, 10))  # LE Read Buffer Size
    capture.done(0x2003, b"", b"\0" + bytes.fromhex("fff9010800000000"))
    capture.done(0x200F, b"", b"\0\x20")  # LE Read Filter Accept List Size
    capture.done(0x2024, struct.pack("<HH", 251, 2120))
    capture.done(0x0C01, bytes.fromhex("ffffffffffffff3d"))
    capture.done(0x2001, bytes.fromhex("ff1f080000000000"))
    capture.done(0x2005, address("6A:01:02:03:04:05"))


def _vendor(capture: Capture) -> None:
    capabilities = struct.pack("<BBHBBBBHHBBBIB", 5, 1, 1024, 16, 1, 16, 1, 0x0104, 32, 1, 1, 1, 0x3F, 1)
    capture.done(CAPABILITIES, b"", b"\0" + capabilities + struct.pack("<IB", 0, 0))
    capture.done(QUALITY, struct.pack("<BIH", 0, 0x0F, 100), b"\0" + struct.pack("<I", 0x0F))  # BQR: add all
    # Multi-advertising: parameters, data, scan response, address, on, of instance 1.
    parameters = struct.pack("<HHBB6sB6sBBBb", 160, 176, 0, 1, NONE, 0, NONE, 7, 0, 1, -7)
    data = structure(0x01, b"\x02") + structure(0x03, struct.pack("<H", 0xFE2C))
    name = structure(0x09, b"Phone of nobody")
    for number, content in (
        (1, parameters),
        (2, bytes([len(data)]) + data.ljust(31, b"\0") + b"\x01"),
        (3, bytes([len(name)]) + name.ljust(31, b"\0") + b"\x01"),
        (4, address("6B:0A:0B:0C:0D:0E") + b"\x01"),
        (5, b"\x01\x01"),
    ):
        capture.done(MULTI_ADVERTISING, bytes([number]) + content, bytes([0, number]))
    # Batch scan: storage, parameters, on, results of mode "truncated", off.
    for number, content, results in (
        (2, b"\x50\x50\x5a", b""),
        (3, struct.pack("<BIIBB", 3, 1500, 150_000, 1, 0), b""),
        (1, b"\x01", b""),
        (4, b"\x01", b"\x01\x01" + WATCH_RPA + bytes([RANDOM, 4, 0xC4, 3, 0])),
        (1, b"\x00", b""),
    ):
        capture.done(BATCH_SCAN, bytes([number]) + content, bytes([0, number]) + results)
    # Advertising filters: the condition's parameters, an address, a service, a name, manufacturer data, then on.
    add, index = 0, 1
    selection = struct.pack("<BBHHBbBHBbHH", add, index, 0x0025, 0x0001, 1, -128, 0, 0, 0, -128, 0, 0)
    for number, content in (
        (1, selection),
        (2, bytes([add, index]) + WATCH + b"\x01"),
        (3, bytes([add, index]) + struct.pack("<HH", 0x180D, 0xFFFF)),
        (5, bytes([add, index]) + b"Watch"),
        (6, bytes([add, index]) + struct.pack("<HH", 0x00E0, 0xFFFF)),
        (7, bytes([add, index]) + struct.pack("<H", 0xFE2C) + b"\xff\xff"),
    ):
        capture.done(FILTER, bytes([number]) + content, bytes([0, number, add, 15]))
    capture.done(FILTER, b"\x00\x01", b"\0\x00\x01")
    capture.done(FILTER, b"\xff", b"\0\xff\x03\x00")  # Read Extended Features


def _scan(capture: Capture) -> None:
    capture.done(0x2041, struct.pack("<BBBBHH", 1, 0, 1, 1, 0x0200, 0x0040))
    capture.done(0x2042, struct.pack("<BBHH", 1, 0, 0, 0))
    capture.wait(180)
    data = structure(0x01, b"\x06") + structure(0x03, struct.pack("<H", 0x180D)) + structure(0x09, b"Watch 7")
    report(capture, WATCH_RPA, data, CONNECTABLE)
    capture.event(0xFF, bytes([0x54]))  # LE Batch Scan: storage threshold breached
    # LE Advertisement Tracking: found, with all details; later lost, without them.
    seen = struct.pack("<bbHB", -7, -58, 4, len(data)) + data + b"\0"
    capture.event(0xFF, b"\x56\x01\x00\x00" + WATCH_RPA + bytes([RANDOM]) + seen)
    capture.event(0xFF, b"\x56\x01\x01\x01" + WATCH_RPA + bytes([RANDOM]))
    capture.done(0x2042, bytes(6))


def _connect(capture: Capture) -> None:
    """Records a connection as phones make it: they first fill the resolving list, and get the enhanced event."""
    capture.done(0x202D, b"\0")  # Address Resolution off
    keys = b"INVENTED-IRK-ONE" + b"INVENTED-IRK-TWO"
    capture.done(0x2027, b"\x01" + WATCH + keys)  # LE Add Device To Resolving List
    capture.done(0x204E, b"\x01" + WATCH + b"\x01")  # LE Set Privacy Mode: device
    capture.done(0x202D, b"\x01")
    capture.started(0x2043, struct.pack("<BBB6sB8H", 0, 3, RANDOM, WATCH, 1, 96, 48, 24, 40, 0, 500, 0, 0))
    capture.wait(90)
    complete = struct.pack("<BHBB6s6s6s", 0, HANDLE, CENTRAL, RANDOM_IDENTITY, WATCH, PHONE_RPA, WATCH_RPA)
    capture.meta(0x0A, complete + struct.pack("<HHHB", 36, 0, 500, 1))
    capture.meta(0x14, struct.pack("<HB", HANDLE, 1))
    capture.started(0x2016, struct.pack("<H", HANDLE))
    capture.meta(0x04, struct.pack("<BH", 0, HANDLE) + bytes.fromhex("ff79010000000000"))
    # Already bonded, so the stored key is used at once.
    capture.started(0x2019, struct.pack("<H8sH16s", HANDLE, bytes(8), 0, b"INVENTED-LTK-001"))
    capture.event(0x08, struct.pack("<BHB", 0, HANDLE, 1))


def _use(capture: Capture) -> None:
    """Records GATT without discovery: the phone knows the handles from its cache."""
    capture.sent(HANDLE, bytes.fromhex("020502"))
    capture.received(HANDLE, bytes.fromhex("03f700"))
    capture.sent(HANDLE, bytes.fromhex("0801 00ff ff2a2b"))  # Read By Type: Database Hash
    capture.received(HANDLE, bytes.fromhex("0912 1400") + b"a hash, invented")
    capture.sent(HANDLE, bytes.fromhex("1219000100"))  # a CCCD
    capture.received(HANDLE, b"\x13")
    for beats in (61, 62, 64):
        capture.wait(1000)
        capture.received(HANDLE, bytes.fromhex("1b180006") + bytes([beats]))
    capture.sent(HANDLE, bytes.fromhex("0a2000"))
    capture.received(HANDLE, bytes.fromhex("010a200005"))  # Insufficient Authentication
    _quality_report(capture)


def _quality_report(capture: Capture) -> None:
    """Records Android's Bluetooth Quality Report: id 1, monitor mode, of an LE link."""
    body = struct.pack("<BBHBbbBBBH", 1, 0x17, HANDLE, CENTRAL, 8, -63, 30, 0, 0, 500)
    body += struct.pack("<IIIIIIIII", 0x00ABCDEF, 3, 1, 0, 0x00ABCDE0, 0, 0, 0, 0)
    capture.event(0xFF, bytes([0x58]) + body + b"\x01\x02")
    capture.event(0xFF, bytes.fromhex("5501000000"))  # Multi-advertising state change: instance 1 stopped
