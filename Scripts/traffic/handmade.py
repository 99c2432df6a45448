"""Captures written byte by byte, for traffic that the virtual devices never create."""

import struct
from pathlib import Path

from . import btsnoop
from .btsnoop import ACL, COMMAND, EVENT

STEP = 1_250
SIGNALLING, ATT, LE_SIGNALLING, SECURITY_MANAGER, BR_SECURITY_MANAGER = 1, 4, 5, 6, 7  # fixed L2CAP channels


class Capture:
    """A capture whose records are a fixed time apart."""

    def __init__(self, datalink: int) -> None:
        self.content = bytearray(btsnoop.header(datalink))
        self.time = btsnoop.SAMPLE_START

    def add(self, data: bytes, flags: int) -> None:
        self.content += btsnoop.record(data, flags, self.time)
        self.time += STEP

    # Datalink 1002: a type byte, then the packet.

    def command(self, opcode: int, parameters: bytes = b"") -> None:
        self.add(bytes([COMMAND]) + command(opcode, parameters), btsnoop.h4_flags(COMMAND, received=False))

    def event(self, code: int, parameters: bytes) -> None:
        self.add(bytes([EVENT]) + event(code, parameters), btsnoop.h4_flags(EVENT, received=True))

    def done(self, opcode: int, parameters: bytes = b"", results: bytes = b"\0") -> None:
        """Records a command and its Command Complete."""
        self.command(opcode, parameters)
        self.event(0x0E, struct.pack("<BH", 1, opcode) + results)

    def acl(self, handle: int, boundary: int, data: bytes, received: bool) -> None:
        self.add(bytes([ACL]) + acl(handle, boundary, data), btsnoop.h4_flags(ACL, received))

    def sent(self, handle: int, pdu: bytes, channel: int = ATT) -> None:
        """Records a whole L2CAP PDU, and the controller's confirmation that it was sent."""
        self.acl(handle, 0, l2cap(channel, pdu), received=False)
        self.event(0x13, struct.pack("<BHH", 1, handle, 1))

    def received(self, handle: int, pdu: bytes, channel: int = ATT) -> None:
        self.acl(handle, 2, l2cap(channel, pdu), received=True)

    def started(self, opcode: int, parameters: bytes = b"", status: int = 0) -> None:
        """Records a command and its Command Status."""
        self.command(opcode, parameters)
        self.event(0x0F, struct.pack("<BBH", status, 1, opcode))

    def meta(self, subevent: int, parameters: bytes) -> None:
        """Records an LE Meta event."""
        self.event(0x3E, bytes([subevent]) + parameters)

    def wait(self, milliseconds: int) -> None:
        self.time += milliseconds * 1000

    def disconnect(self, handle: int) -> None:
        self.started(0x0406, struct.pack("<HB", handle, 0x13))
        self.event(0x05, struct.pack("<BHB", 0, handle, 0x16))  # by the local host

    # Datalink 2001: the flags are the monitor's opcode and the adapter's index.

    def monitor(self, opcode: int, data: bytes = b"", index: int = 0) -> None:
        self.add(data, index << 16 | opcode)


def command(opcode: int, parameters: bytes = b"") -> bytes:
    return struct.pack("<HB", opcode, len(parameters)) + parameters


def event(code: int, parameters: bytes) -> bytes:
    return bytes([code, len(parameters)]) + parameters


def acl(handle: int, boundary: int, data: bytes) -> bytes:
    return struct.pack("<HH", handle | boundary << 12, len(data)) + data


def l2cap(channel: int, payload: bytes) -> bytes:
    return struct.pack("<HH", len(payload), channel) + payload


def address(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))[::-1]


PHONE, PHONE_RPA = address("C0:FF:EE:C0:FF:EE"), address("5B:11:22:33:44:55")
THERMOMETER, THERMOMETER_RPA = address("F2:F2:F2:F2:F2:F2"), address("4C:66:77:88:99:AA")
KEYFOB = address("F3:F3:F3:F3:F3:F3")
NONE = bytes(6)
RANDOM, RANDOM_IDENTITY = 1, 3
CENTRAL = 0


def enhanced_connection() -> bytes:
    capture = Capture(btsnoop.H4)
    capture.done(0x0C03)  # Reset
    capture.done(0x0C01, bytes.fromhex("ffffffffffffff3f"))  # Set Event Mask: LE Meta as well
    capture.done(0x2001, bytes.fromhex("ff1f080000000000"))  # LE Set Event Mask: Enhanced Connection Complete, v1
    capture.done(0x2005, PHONE)  # LE Set Random Address
    _scan(capture)
    _connect_version_1(capture, 0x0040)
    capture.done(0x2001, bytes.fromhex("ff1f080000010000"))  # from here on also version 2
    _connect_version_2(capture, 0x0041)
    _talk_on_two_links(capture, 0x0040, 0x0041)
    for handle in (0x0041, 0x0040):
        capture.disconnect(handle)
    return bytes(capture.content)


def _scan(capture: Capture) -> None:
    """One advertisement in two reports, cut in the middle of the name."""
    name = b"Thermometer on the balcony"
    data = bytes.fromhex("020106" "03030918") + bytes([len(name) + 1, 0x09]) + name
    capture.done(0x2041, struct.pack("<BBBBHH", 1, 0, 1, 1, 96, 96))  # LE Set Extended Scan Parameters
    capture.done(0x2042, struct.pack("<BBHH", 1, 0, 0, 0))  # LE Set Extended Scan Enable
    connectable, more_to_come = 0x0001, 0x0020
    for event_type, part in ((connectable | more_to_come, data[:20]), (connectable, data[20:])):
        report = struct.pack("<HB6sBBBbbHB6s", event_type, RANDOM, THERMOMETER_RPA, 1, 2, 3, 127, -61, 0, 0, NONE)
        capture.event(0x3E, b"\x0d\x01" + report + bytes([len(part)]) + part)
    capture.done(0x2042, bytes(6))


def _create_connection(capture: Capture, address_type: int, peer: bytes) -> None:
    parameters = struct.pack("<BBB6sB", 0, 1, address_type, peer, 1)
    parameters += struct.pack("<8H", 96, 96, 24, 40, 0, 500, 0, 0)
    capture.command(0x2043, parameters)  # LE Extended Create Connection
    capture.event(0x0F, struct.pack("<BBH", 0, 1, 0x2043))


def _connect_version_1(capture: Capture, handle: int) -> None:
    """Both ends use resolvable private addresses; the controller knows the peer's identity."""
    _create_connection(capture, RANDOM, THERMOMETER)
    complete = struct.pack("<BHBB6s6s6s", 0, handle, CENTRAL, RANDOM_IDENTITY, THERMOMETER, PHONE_RPA, THERMOMETER_RPA)
    capture.event(0x3E, b"\x0a" + complete + struct.pack("<HHHB", 36, 0, 500, 0))


def _connect_version_2(capture: Capture, handle: int) -> None:
    """No privacy, and no periodic advertising: Advertising_Handle and Sync_Handle are "none"."""
    _create_connection(capture, RANDOM, KEYFOB)
    complete = struct.pack("<BHBB6s6s6s", 0, handle, CENTRAL, RANDOM, KEYFOB, NONE, NONE)
    capture.event(0x3E, b"\x29" + complete + struct.pack("<HHHBBH", 24, 0, 500, 0, 0xFF, 0xFFFF))


def _talk_on_two_links(capture: Capture, first: int, second: int) -> None:
    capture.sent(first, bytes.fromhex("02b900"))  # Exchange MTU Request, 185
    capture.sent(second, bytes.fromhex("02b900"))
    capture.received(second, bytes.fromhex("031700"))  # 23
    capture.received(first, bytes.fromhex("03f700"))  # 247
    capture.sent(first, bytes.fromhex("0a0300"))  # Read Request, the device name
    capture.sent(second, bytes.fromhex("0a0300"))

    # The responses arrive in pieces, alternating; on the first link even the L2CAP header is cut, after one byte and
    # after three.
    first_answer = l2cap(0x0004, b"\x0bThermometer on the balcony")
    second_answer = l2cap(0x0004, b"\x0bKey fob, north door")
    capture.acl(first, 2, first_answer[:1], received=True)
    capture.acl(second, 2, second_answer[:12], received=True)
    capture.acl(first, 1, first_answer[1:3], received=True)
    capture.acl(first, 1, first_answer[3:20], received=True)
    capture.acl(second, 1, second_answer[12:], received=True)
    capture.acl(first, 1, first_answer[20:], received=True)

    # Sent in pieces, too: a write of 30 bytes, its header cut after two.
    write = l2cap(0x0004, bytes.fromhex("122a00") + bytes(range(30)))
    capture.acl(first, 0, write[:2], received=False)
    capture.acl(first, 1, write[2:], received=False)
    capture.event(0x13, struct.pack("<BHH", 1, first, 2))
    capture.received(second, bytes.fromhex("1b10000648"))  # a notification on the other link arrives in between
    capture.received(first, bytes.fromhex("13"))  # Write Response


def monitor() -> bytes:
    """Returns every opcode of the Linux monitor, and one that does not exist (yet)."""
    capture = Capture(btsnoop.MONITOR)
    adapter, other = 0, 1
    nobody = 0xFFFF
    local = address("00:00:5E:00:53:01")
    cookie = struct.pack("<I", 1)

    capture.monitor(12, b"Linux version 6.12.0 (x86_64)\0", nobody)  # system note
    capture.monitor(12, b"Bluetooth subsystem version 2.22\0", nobody)
    capture.monitor(0, struct.pack("<BB6s8s", 0, 1, NONE, b"hci0"), adapter)  # new index, on USB
    capture.monitor(0, struct.pack("<BB6s8s", 0, 0, NONE, b"hci1"), other)  # and a virtual one
    capture.monitor(8, b"", adapter)  # open index
    capture.monitor(10, local + struct.pack("<H", 0x0059), adapter)  # index information: Nordic Semiconductor
    opened = cookie + struct.pack("<HBHI", 2, 1, 22, 1) + bytes([11]) + b"bluetoothd\0"
    capture.monitor(14, opened, nobody)  # control open
    capture.monitor(16, cookie + struct.pack("<H", 0x0001), nobody)  # control command: Read Management Version
    version = struct.pack("<HBBH", 0x0001, 0, 1, 22)
    capture.monitor(17, cookie + struct.pack("<H", 0x0001) + version, nobody)  # control event: Command Complete
    ident, message = b"bluetoothd\0", b"Bluetooth daemon 5.66\0"
    capture.monitor(13, bytes([6, len(ident)]) + ident + message, nobody)  # user logging
    capture.monitor(13, bytes([3, 0]) + b"a line from nobody in particular\0", adapter)  # ident_len 0

    capture.monitor(2, command(0x0C03), adapter)
    capture.monitor(3, event(0x0E, bytes.fromhex("01030c00")), adapter)
    connected = struct.pack("<BHBB6sHHHB", 0, 0x0040, CENTRAL, RANDOM, KEYFOB, 24, 0, 500, 0)
    capture.monitor(3, event(0x3E, b"\x01" + connected), adapter)  # LE Connection Complete
    capture.monitor(4, acl(0x0040, 0, l2cap(0x0004, bytes.fromhex("0a0300"))), adapter)
    capture.monitor(3, event(0x13, struct.pack("<BHH", 1, 0x0040, 1)), adapter)
    capture.monitor(5, acl(0x0040, 2, l2cap(0x0004, b"\x0bKey fob")), adapter)
    samples = bytes(range(0x30))
    capture.monitor(6, struct.pack("<HB", 0x0101, len(samples)) + samples, adapter)  # SCO
    capture.monitor(7, struct.pack("<HB", 0x0101, len(samples)) + samples, adapter)
    sdu = struct.pack("<HH", 7, 8) + bytes(range(8))  # sequence number, length, audio
    for opcode in (18, 19):  # ISO: a complete SDU without a time stamp
        capture.monitor(opcode, struct.pack("<HH", 0x0060 | 2 << 12, len(sdu)) + sdu, adapter)
    capture.monitor(11, bytes.fromhex("0102030405"), adapter)  # vendor diagnostics
    capture.monitor(25, bytes.fromhex("cafe"), adapter)  # unknown
    capture.monitor(3, event(0x05, bytes.fromhex("00400013")), adapter)  # Disconnection Complete
    capture.monitor(15, cookie, nobody)  # control close
    capture.monitor(9, b"", adapter)  # close index
    capture.monitor(1, b"", other)  # deleted index
    capture.monitor(1, b"", adapter)
    return bytes(capture.content)
