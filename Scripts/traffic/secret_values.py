"""Attributes whose values are or contain secrets: profiles mark them with `secret: true`."""

import struct

from . import btsnoop
from .handmade import CENTRAL, KEYFOB, RANDOM, Capture

HANDLE = 0x0040
SIRK, CODE, WRONG_CODE = b"INVENTED-SIRK-01", b"INVENTED-CODE-03", b"INVENTED-CODE-04"
AUTHORIZATION, KEY_MATERIAL = b"INVENTED-WORD-05", b"INVENTED-SESSKEY-IV-0006"
SECRETS = [SIRK, CODE, WRONG_CODE, AUTHORIZATION, KEY_MATERIAL[:16]]
# Value handles, UUIDs and properties of the characteristics; the handle before each is its declaration.
READ, WRITE, NOTIFY, INDICATE = 0x02, 0x08, 0x10, 0x20
CHARACTERISTICS = [
    (0x0003, 0x2A9F, WRITE | INDICATE),  # User Control Point
    (0x0006, 0x2AA4, WRITE),  # Bond Management Control Point
    (0x0008, 0x2B84, READ),  # Set Identity Resolving Key
    (0x000A, 0x2BC7, WRITE),  # Broadcast Audio Scan Control Point
    (0x000C, 0x2BC8, READ | NOTIFY),  # Broadcast Receive State
    (0x000F, 0x2B88, READ),  # Encrypted Data Key Material
]


def secret_values() -> bytes:
    capture = Capture(btsnoop.H4)
    capture.started(0x200D, struct.pack("<HHBB6sB6H", 96, 96, 0, RANDOM, KEYFOB, 1, 24, 40, 0, 500, 0, 0))
    capture.meta(0x01, struct.pack("<BHBB6sHHHB", 0, HANDLE, CENTRAL, RANDOM, KEYFOB, 24, 0, 500, 0))
    capture.sent(HANDLE, bytes.fromhex("02b900"))
    capture.received(HANDLE, bytes.fromhex("03b900"))
    _discover(capture)
    _use(capture)
    capture.disconnect(HANDLE)
    return bytes(capture.content)


def _asked(capture: Capture, request: bytes, response: bytes) -> None:
    capture.sent(HANDLE, request)
    capture.received(HANDLE, response)


def _discover(capture: Capture) -> None:
    _asked(capture, bytes.fromhex("10 0100 ffff 0028"), bytes.fromhex("11 06 0100 ffff 1c18"))
    declarations = b"".join(struct.pack("<HBHH", value - 1, bits, value, uuid) for value, uuid, bits in CHARACTERISTICS)
    _asked(capture, bytes.fromhex("08 0100 ffff 0328"), b"\x09\x07" + declarations)
    _asked(capture, bytes.fromhex("08 0f00 ffff 0328"), bytes.fromhex("01 08 0f00 0a"))


def _use(capture: Capture) -> None:
    _asked(capture, bytes.fromhex("12 0300 01 800d"), b"\x13")  # register a new user, consent code 3456
    _asked(capture, bytes.fromhex("12 0300 02 02 800d"), b"\x13")  # and consent
    capture.received(HANDLE, bytes.fromhex("1d 0300 20 02 01"))  # success
    capture.sent(HANDLE, b"\x1e")
    _asked(capture, b"\x12\x06\x00\x03" + AUTHORIZATION, b"\x13")  # delete this bond
    _asked(capture, b"\x0a\x08\x00", b"\x0b\x01" + SIRK)
    _asked(capture, b"\x12\x0a\x00\x04\x01" + CODE, b"\x13")  # set the Broadcast Code of source 1
    state = bytes([1, RANDOM]) + KEYFOB + bytes([3, 0xCC, 0xBB, 0xAA, 2, 3]) + WRONG_CODE + b"\0"
    capture.received(HANDLE, b"\x1b\x0c\x00" + state)  # and the previous one was wrong
    _asked(capture, b"\x0c\x0c\x00\x08\x00", b"\x0d" + state[8:])
    # Two values notified in one PDU.
    notified = struct.pack("<HH", 0x000C, len(state)) + state + struct.pack("<HH", 0x0003, 3) + b"\x20\x02\x01"
    capture.received(HANDLE, b"\x23" + notified)
    _asked(capture, b"\x0a\x0f\x00", b"\x0b" + KEY_MATERIAL)
