"""A lamp with a protocol of its own, of which nothing is built in: the manual learns it from the capture.

A frame: 5a, the length of what follows it, a command, its payload, and a CRC-8 that no catalogue lists. An answer has
the request's command with the highest bit set.
"""

import struct

from . import btsnoop
from .handmade import CENTRAL, RANDOM, Capture, address

HANDLE = 0x0040
LAMP = address("F4:F4:F4:F4:F4:F4")
WRITTEN, NOTIFIED, SWITCH = 0x0003, 0x0005, 0x0006
POLYNOMIAL, INITIAL = 0x39, 0x42
POWER, COLOUR, BRIGHTNESS, STATUS, VERSION = 0x01, 0x02, 0x03, 0x10, 0x20
MOST = 20  # bytes of a notification, since the MTU stays 23


def checksum(data: bytes) -> int:
    value = INITIAL
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value << 1 ^ (POLYNOMIAL if value & 0x80 else 0)) & 0xFF
    return value


def frame(command: int, payload: bytes) -> bytes:
    data = bytes([0x5A, len(payload) + 2, command]) + payload
    return data + bytes([checksum(data)])


class Lamp:
    """The lamp's state, and the session of an app with it."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        self.on, self.brightness, self.colour = 1, 80, bytes([255, 160, 0])
        self.temperature, self.seconds = 258, 4711

    def ask(self, command: int, payload: bytes = b"", wait: int = 300) -> None:
        self.capture.sent(HANDLE, b"\x52" + struct.pack("<H", WRITTEN) + frame(command, payload))
        answer = frame(command | 0x80, self.answer(command))
        self.capture.wait(40)
        for start in range(0, len(answer), MOST):
            self.capture.received(HANDLE, b"\x1b" + struct.pack("<H", NOTIFIED) + answer[start : start + MOST])
        self.capture.wait(wait)
        self.seconds += 1

    def answer(self, command: int) -> bytes:
        if command == STATUS:
            state = bytes([self.on, self.brightness]) + self.colour
            return state + struct.pack(">HI", self.temperature, self.seconds)
        if command == VERSION:
            return b"SunnyLamp 1.4.2, " + struct.pack(">I", self.seconds) + b" s"
        return b"\0"


def lamp() -> bytes:
    capture = Capture(btsnoop.H4)
    name = b"SunnyLamp"
    advertised = bytes.fromhex("020106") + bytes([len(name) + 1, 0x09]) + name
    capture.meta(0x02, struct.pack("<BBB6sB", 1, 0, RANDOM, LAMP, len(advertised)) + advertised + struct.pack("b", -58))
    capture.started(0x200D, struct.pack("<HHBB6sB6H", 96, 96, 0, RANDOM, LAMP, 1, 24, 40, 0, 500, 0, 0))
    capture.meta(0x01, struct.pack("<BHBB6sHHHB", 0, HANDLE, CENTRAL, RANDOM, LAMP, 24, 0, 500, 0))
    _discover(capture)
    _use(Lamp(capture))
    capture.disconnect(HANDLE)
    return bytes(capture.content)


def _asked(capture: Capture, request: str, response: str) -> None:
    capture.sent(HANDLE, bytes.fromhex(request))
    capture.received(HANDLE, bytes.fromhex(response))


def _discover(capture: Capture) -> None:
    _asked(capture, "10 0100 ffff 0028", "11 06 0100 ffff c0a0")
    _asked(capture, "08 0100 ffff 0328", "09 07 0200 04 0300 c1a0 0400 10 0500 c2a0")
    _asked(capture, "08 0500 ffff 0328", "01 08 0500 0a")
    _asked(capture, "04 0600 0600", "05 01 0600 0229")
    _asked(capture, "12 0600 0100", "13")


def _use(lamp: Lamp) -> None:
    """The user looks, drags a finger over the colours, dims, and switches off and on."""
    lamp.ask(VERSION)
    for step in range(28):
        if step % 3 == 0:
            lamp.ask(STATUS)
            lamp.temperature += 1 if step % 2 == 0 else 2
        lamp.colour = bytes([255 - 9 * step, 37 * step % 256, 11 * step * step % 256])
        lamp.ask(COLOUR, lamp.colour, wait=80)
    for brightness in (72, 55, 31, 12, 48, 96):
        lamp.brightness = brightness
        lamp.ask(BRIGHTNESS, bytes([brightness]))
    for on in (0, 1):
        lamp.on = on
        lamp.ask(POWER, bytes([on]), wait=900)
        lamp.ask(STATUS)
    lamp.ask(VERSION)
