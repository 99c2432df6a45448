"""Controllers' reports about a link, besides data: encryption with the key's size, subrating, power, path loss.

Written byte by byte from the Core Specification 6.0, Vol 4, Part E, 7.7 and 7.8.
"""

import struct

from . import btsnoop
from .handmade import CENTRAL, KEYFOB, NONE, RANDOM, Capture

HANDLE = 0x0040
WITH_HANDLE = struct.pack("<H", HANDLE)


def link_control() -> bytes:
    capture = Capture(btsnoop.H4)
    capture.done(0x0C03)
    capture.done(0x0C01, bytes.fromhex("ffffffffffffff3f"))
    capture.done(0x0C63, bytes.fromhex("0000800200000000"))  # Event Mask Page 2: APTO Expired, Encryption Change v2
    capture.done(0x2001, bytes.fromhex("ffffffff07000000"))
    capture.started(0x2043, struct.pack("<BBB6sB8H", 0, 1, RANDOM, KEYFOB, 1, 96, 96, 24, 40, 0, 500, 0, 0))
    complete = struct.pack("<BHBB6s6s6sHHHB", 0, HANDLE, CENTRAL, RANDOM, KEYFOB, NONE, NONE, 24, 0, 500, 0)
    capture.meta(0x0A, complete)  # LE Enhanced Connection Complete
    capture.meta(0x14, WITH_HANDLE + b"\x01")  # Channel Selection Algorithm #2
    _features_and_version(capture)
    _encryption(capture)
    _parameters(capture)
    _power(capture)
    capture.wait(30_000)
    capture.event(0x57, WITH_HANDLE)  # Authenticated Payload Timeout Expired
    capture.disconnect(HANDLE)
    return bytes(capture.content)


def _features_and_version(capture: Capture) -> None:
    capture.started(0x2016, WITH_HANDLE)
    capture.meta(0x04, b"\0" + WITH_HANDLE + bytes.fromhex("ff59010000000000"))
    capture.started(0x041D, WITH_HANDLE)
    capture.event(0x0C, b"\0" + WITH_HANDLE + struct.pack("<BHH", 0x0E, 0x0059, 0x1234))
    capture.done(0x2022, WITH_HANDLE + struct.pack("<HH", 251, 2120), b"\0" + WITH_HANDLE)  # LE Set Data Length
    capture.meta(0x07, WITH_HANDLE + struct.pack("<HHHH", 251, 2120, 251, 2120))
    capture.started(0x2032, WITH_HANDLE + bytes.fromhex("0002020000"))  # LE Set PHY
    capture.meta(0x0C, b"\0" + WITH_HANDLE + b"\x02\x02")


def _encryption(capture: Capture) -> None:
    """Records encryption with a stored key: first refused because the key is missing, then version 2 of the event with
    the key's size.
    """
    key = b"AN-INVENTED-KEY!"
    capture.started(0x2019, WITH_HANDLE + bytes(10) + key)
    capture.event(0x59, b"\x06" + WITH_HANDLE + b"\0\0")  # PIN or Key Missing
    capture.started(0x2019, WITH_HANDLE + bytes(10) + key)
    capture.event(0x59, b"\0" + WITH_HANDLE + b"\x01\x10")  # on with AES-CCM, 16 bytes
    capture.event(0x30, b"\0" + WITH_HANDLE)  # Encryption Key Refresh Complete
    capture.done(0x0C7B, WITH_HANDLE, b"\0" + WITH_HANDLE + struct.pack("<H", 3000))  # Read Authenticated Payload Timeout
    capture.done(0x0C7C, WITH_HANDLE + struct.pack("<H", 3000), b"\0" + WITH_HANDLE)


def _parameters(capture: Capture) -> None:
    capture.started(0x2013, WITH_HANDLE + struct.pack("<HHHHHH", 12, 24, 4, 600, 0, 0))  # LE Connection Update
    capture.meta(0x03, b"\0" + WITH_HANDLE + struct.pack("<HHH", 24, 4, 600))
    capture.meta(0x06, WITH_HANDLE + struct.pack("<HHHH", 80, 100, 0, 400))  # Remote Connection Parameter Request
    accepted = WITH_HANDLE + struct.pack("<HHHHHH", 80, 100, 0, 400, 0, 0)
    capture.done(0x2020, accepted, b"\0" + WITH_HANDLE)
    capture.meta(0x03, b"\0" + WITH_HANDLE + struct.pack("<HHH", 100, 0, 400))
    capture.done(0x207D, struct.pack("<HHHHH", 1, 8, 2, 1, 600))  # LE Set Default Subrate
    capture.started(0x207E, WITH_HANDLE + struct.pack("<HHHHH", 2, 8, 1, 2, 600))  # LE Subrate Request
    capture.meta(0x23, b"\0" + WITH_HANDLE + struct.pack("<HHHH", 4, 1, 2, 600))  # LE Subrate Change
    capture.meta(0x23, b"\x1f" + WITH_HANDLE + struct.pack("<HHHH", 4, 1, 2, 600))  # and one that failed


def _power(capture: Capture) -> None:
    capture.done(0x1405, WITH_HANDLE, b"\0" + WITH_HANDLE + b"\xc8")  # Read RSSI: -56 dBm
    capture.done(0x2076, WITH_HANDLE + b"\x02", b"\0" + WITH_HANDLE + b"\x02\xfc\x08")  # -4 dBm now, 8 dBm at most
    capture.started(0x2077, WITH_HANDLE + b"\x02")  # LE Read Remote Transmit Power Level
    capture.meta(0x21, b"\0" + WITH_HANDLE + b"\x02\x02\x04\x00\x00")  # LE Transmit Power Reporting: as asked
    capture.done(0x207A, WITH_HANDLE + b"\x01\x01", b"\0" + WITH_HANDLE)
    capture.meta(0x21, b"\0" + WITH_HANDLE + b"\x00\x02\xf8\x00\xfc")  # the local power changed by -4 dB
    capture.meta(0x21, b"\0" + WITH_HANDLE + b"\x01\x02\x7e\x03\x7f")  # not supported by the remote device
    capture.done(0x2078, WITH_HANDLE + struct.pack("<BBBBH", 80, 5, 40, 5, 10), b"\0" + WITH_HANDLE)
    capture.done(0x2079, WITH_HANDLE + b"\x01", b"\0" + WITH_HANDLE)
    capture.meta(0x20, WITH_HANDLE + b"\x3c\x01")  # LE Path Loss Threshold: 60 dB, the middle zone
    capture.meta(0x20, WITH_HANDLE + b"\xff\x02")  # not available, high zone
