"""Traffic between bluetoothd and the Linux kernel: the management interface in a monitor capture.

Written byte by byte from BlueZ's doc/mgmt-protocol.rst. All names, addresses and keys are invented.
"""

import struct

from . import btsnoop
from .advertising import structure
from .handmade import NONE, Capture, address

LOCAL = address("00:00:5E:00:53:30")
WATCH, HEADSET = address("F4:F4:F4:F4:F4:F4"), address("00:00:5E:00:53:31")
WATCH_RPA = address("4D:66:77:88:99:AB")
ADAPTER, NOBODY = 0, 0xFFFF
COOKIE = struct.pack("<I", 7)
BR_EDR, LE_PUBLIC, LE_RANDOM = 0, 1, 2  # address types of the management interface
LE_DEVICES = 0x06  # the address types to discover, as bits
SETTINGS = struct.pack("<I", 0x00003ED1)

COMPLETE, STATUS = 0x0001, 0x0002


def key(text: str) -> bytes:
    return text.upper().replace(" ", "-").encode().ljust(16, b".")


class Control:
    """One program on the control socket."""

    def __init__(self) -> None:
        self.capture = Capture(btsnoop.MONITOR)

    def command(self, opcode: int, parameters: bytes = b"", index: int = ADAPTER) -> None:
        self.capture.monitor(16, COOKIE + struct.pack("<H", opcode) + parameters, index)

    def event(self, code: int, parameters: bytes = b"", index: int = ADAPTER) -> None:
        self.capture.monitor(17, COOKIE + struct.pack("<H", code) + parameters, index)

    def done(self, opcode: int, parameters: bytes = b"", results: bytes = b"", index: int = ADAPTER) -> None:
        self.command(opcode, parameters, index)
        self.event(COMPLETE, struct.pack("<HB", opcode, 0) + results, index)

    def failed(self, opcode: int, parameters: bytes, status: int) -> None:
        self.command(opcode, parameters)
        self.event(STATUS, struct.pack("<HB", opcode, status))


def management() -> bytes:
    control = Control()
    capture = control.capture
    capture.monitor(12, b"Linux version 6.12.0 (x86_64)\0", NOBODY)
    capture.monitor(0, struct.pack("<BB6s8s", 0, 1, NONE, b"hci0"), ADAPTER)
    capture.monitor(8, b"", ADAPTER)
    capture.monitor(10, LOCAL + struct.pack("<H", 0x0059), ADAPTER)
    opened = COOKIE + struct.pack("<HBHI", 2, 1, 22, 1) + bytes([11]) + b"bluetoothd\0"
    capture.monitor(14, opened, NOBODY)
    _start(control)
    _load(control)
    _discover(control)
    _pair_le(control)
    _pair_classic(control)
    _advertise(control)
    _end(control)
    capture.monitor(15, COOKIE, NOBODY)
    return bytes(capture.content)


def _start(control: Control) -> None:
    control.done(0x0001, results=struct.pack("<BH", 1, 22), index=NOBODY)  # Read Version
    control.done(0x0003, results=struct.pack("<HH", 1, ADAPTER), index=NOBODY)  # Read Controller Index List
    information = LOCAL + struct.pack("<BH", 0x0D, 0x0059) + struct.pack("<I", 0x0001FFFF) + SETTINGS
    information += bytes.fromhex("0c010c") + b"Host of nobody".ljust(249, b"\0") + b"host".ljust(11, b"\0")
    control.done(0x0004, results=information)  # Read Controller Information
    control.done(0x000D, b"\x01", SETTINGS)  # Set Low Energy
    control.done(0x000B, b"\x01", SETTINGS)  # Set Secure Simple Pairing
    control.done(0x002D, b"\x01", SETTINGS)  # Set Secure Connections
    control.done(0x0009, b"\x01", SETTINGS)  # Set Bondable
    control.failed(0x002F, b"\x01" + key("local IRK"), 0x0B)  # Set Privacy: rejected, the adapter is powered
    control.done(0x000E, b"\x01\x0c", bytes.fromhex("0c010c"))  # Set Device Class
    names = b"Host of nobody".ljust(249, b"\0") + b"host".ljust(11, b"\0")
    control.done(0x000F, names, names)  # Set Local Name
    control.done(0x0010, bytes.fromhex("fb349b5f80000080001000000d180000") + b"\0", bytes.fromhex("0c010c"))  # Add UUID
    control.done(0x0028, struct.pack("<HHHH", 2, 0x1D6B, 0x0246, 0x0542))  # Set Device ID
    control.done(0x0018, b"\x01")  # Set IO Capability: DisplayYesNo
    control.done(0x0005, b"\x01", SETTINGS)  # Set Powered
    control.event(0x0006, SETTINGS)  # New Settings


def long_term_key(peer: bytes, kind: int, name: str) -> bytes:
    """Returns address, address type, key type, central, size, EDIV, Rand, value."""
    return struct.pack("<6sBBBBH8s16s", peer, LE_RANDOM, kind, 1, 16, 0x1234, b"Rand 8 b", key(name))


def link_key(peer: bytes, name: str) -> bytes:
    return struct.pack("<6sBB16sB", peer, BR_EDR, 4, key(name), 0)


def _load(control: Control) -> None:
    control.done(0x0012, struct.pack("<BH", 0, 1) + link_key(HEADSET, "loaded link key"))
    keys = long_term_key(WATCH, 1, "loaded LTK 1") + long_term_key(address("F5:F5:F5:F5:F5:F5"), 2, "loaded LTK 2")
    control.done(0x0013, struct.pack("<H", 2) + keys)
    control.done(0x0030, struct.pack("<H6sB16s", 1, WATCH, LE_RANDOM, key("loaded IRK")))
    control.done(0x0035, struct.pack("<H6sBHHHH", 1, WATCH, LE_RANDOM, 24, 40, 0, 500))


def found(peer: bytes, kind: int, rssi: int, eir: bytes, flags: int = 0) -> bytes:
    return struct.pack("<6sBbIH", peer, kind, rssi, flags, len(eir)) + eir


def _discover(control: Control) -> None:
    control.done(0x0023, bytes([LE_DEVICES]), bytes([LE_DEVICES]))  # Start Discovery
    control.event(0x0013, bytes([LE_DEVICES, 1]))  # Discovering
    watch = structure(0x01, b"\x06") + structure(0x03, struct.pack("<H", 0x180D)) + structure(0x09, b"Watch 7")
    control.event(0x0012, found(WATCH_RPA, LE_RANDOM, -61, watch))
    control.event(0x0012, found(HEADSET, BR_EDR, -48, structure(0x0D, bytes.fromhex("040424")), flags=1))
    control.event(0x0012, found(address("00:00:5E:00:53:33"), LE_PUBLIC, 127, b""))
    control.done(0x0024, bytes([LE_DEVICES]), bytes([LE_DEVICES]))
    control.event(0x0013, bytes([LE_DEVICES, 0]))
    services = struct.pack("<BbH", LE_DEVICES, -90, 1) + bytes.fromhex("fb349b5f80000080001000000d180000")
    control.done(0x003A, services, bytes([LE_DEVICES]))  # Start Service Discovery
    control.failed(0x0023, bytes([LE_DEVICES]), 0x0A)  # Busy
    control.done(0x0024, bytes([LE_DEVICES]), bytes([LE_DEVICES]))


def _pair_le(control: Control) -> None:
    target = WATCH_RPA + bytes([LE_RANDOM])
    control.command(0x0019, target + b"\x01")  # Pair Device
    control.event(0x000B, target + struct.pack("<IH", 0, 0))  # Device Connected
    control.event(0x000F, target + struct.pack("<BI", 0, 123456))  # User Confirmation Request
    control.done(0x001C, target, target)
    control.event(0x0017, target + struct.pack("<IB", 654321, 0))  # Passkey Notify
    control.event(0x0017, target + struct.pack("<IB", 654321, 1))
    control.event(0x0010, target)  # User Passkey Request
    control.done(0x001E, target + struct.pack("<I", 246810), target)
    control.event(0x0018, b"\x01" + WATCH_RPA + WATCH + bytes([LE_RANDOM]) + key("new IRK"))  # New IRK
    control.event(0x000A, b"\x01" + long_term_key(WATCH, 3, "new LTK"))  # New Long Term Key
    control.event(0x0019, b"\x01" + WATCH + bytes([LE_RANDOM, 1]) + key("new CSRK"))  # New CSRK
    control.event(0x001C, WATCH + struct.pack("<BBHHHH", LE_RANDOM, 1, 24, 40, 0, 500))  # New Connection Parameter
    control.event(COMPLETE, struct.pack("<HB", 0x0019, 0) + WATCH + bytes([LE_RANDOM]))
    control.done(0x0031, WATCH + bytes([LE_RANDOM]), WATCH + bytes([LE_RANDOM]) + struct.pack("<bbb", -61, 4, 8))
    control.done(0x0033, WATCH + bytes([LE_RANDOM, 2]), WATCH + bytes([LE_RANDOM]))  # Add Device: auto-connect
    control.event(0x001A, WATCH + bytes([LE_RANDOM, 2]))  # Device Added


def _pair_classic(control: Control) -> None:
    target = HEADSET + bytes([BR_EDR])
    control.command(0x0019, target + b"\x03")
    control.event(0x000E, target + b"\x00")  # PIN Code Request
    control.done(0x0016, target + b"\x04" + b"9753".ljust(16, b"\0"), target)  # PIN Code Reply
    control.event(0x0009, b"\x01" + link_key(HEADSET, "new link key"))  # New Link Key
    control.event(COMPLETE, struct.pack("<HB", 0x0019, 0) + target)
    control.event(0x0011, target + b"\x05")  # Authentication Failed
    control.event(0x000D, target + b"\x04")  # Connect Failed
    hashes = b"".join(map(key, ("hash C-192", "random R-192", "hash C-256", "random R-256")))
    control.done(0x0020, results=hashes)  # Read Local Out Of Band Data
    control.done(0x0021, target + hashes, target)  # Add Remote Out Of Band Data


def _advertise(control: Control) -> None:
    data = structure(0x03, struct.pack("<H", 0x180F))
    response = structure(0x09, b"Host")
    advertising = struct.pack("<BIHHBB", 1, 0x03, 0, 30, len(data), len(response)) + data + response
    control.done(0x003E, advertising, b"\x01")  # Add Advertising
    control.event(0x0023, b"\x01")  # Advertising Added
    control.done(0x003F, b"\x01", b"\x01")
    pattern = struct.pack("<BBB31s", 0x16, 0, 2, b"\x2c\xfe")
    control.done(0x0052, b"\x01" + pattern, struct.pack("<H", 1))  # Add Advertisement Patterns Monitor


def _end(control: Control) -> None:
    control.done(0x0014, WATCH + bytes([LE_RANDOM]), WATCH + bytes([LE_RANDOM]))  # Disconnect
    control.event(0x000C, WATCH + bytes([LE_RANDOM, 2]))  # Device Disconnected: by the local host
    control.done(0x001B, WATCH + bytes([LE_RANDOM, 1]), WATCH + bytes([LE_RANDOM]))  # Unpair Device
    control.event(0x0016, WATCH + bytes([LE_RANDOM]))  # Device Unpaired
    control.failed(0x0FFF, b"\x01\x02", 0x01)  # not a command (yet)
    control.event(0x0FFF, b"\x01\x02\x03")
    control.event(0x0003, b"\x42")  # Controller Error
    control.done(0x0005, b"\x00", struct.pack("<I", 0x00003ED0))


# Secrets that must not be printed unless requested. (123456 was a numeric comparison: both screens showed it.)
SECRETS = [
    *(key(f"loaded {each}") for each in ("link key", "LTK 1", "LTK 2", "IRK")),
    *(key(f"new {each}") for each in ("IRK", "LTK", "CSRK", "link key")),
    *(key(each) for each in ("local IRK", "hash C-192", "random R-192", "hash C-256", "random R-256")),
]
PASSKEYS = ["654321", "246810"]
