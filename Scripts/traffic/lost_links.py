"""Connections of a phone that fail or do not last: no response, a peer that is out of range, different keys.

Written byte by byte from the Core Specification 6.0, Vol 4, Part E, 7.7 and 7.8, because virtual devices have no
distance.
"""

import struct

from . import btsnoop
from .handmade import ATT, CENTRAL, KEYFOB, NONE, PHONE, RANDOM, Capture, l2cap

HANDLE = 0x0040
WITH_HANDLE = struct.pack("<H", HANDLE)
ADV_IND = 0x0013
NAME = b"\x08\x09Key fob"
NOT_ESTABLISHED, TIMEOUT, UNKNOWN_CONNECTION, MIC_FAILURE = 0x3E, 0x08, 0x02, 0x3D
SECRETS = [b"AN-INVENTED-LTK."]


def connecting_fails() -> bytes:
    capture = Capture(btsnoop.H4)
    capture.done(0x0C03)  # Reset
    capture.done(0x0C01, bytes.fromhex("ffffffffffffff3f"))  # Set Event Mask: LE Meta as well
    capture.done(0x2005, PHONE)  # LE Set Random Address
    _scan(capture, reports=3)
    _silence(capture)
    for _ in range(3):
        _scan(capture, reports=1)
        _never_heard(capture)
    _scan(capture, reports=1)
    _out_of_reach(capture)
    _scan(capture, reports=1)
    _keys_differ(capture)
    return bytes(capture.content)


def _scan(capture: Capture, reports: int) -> None:
    capture.done(0x2041, struct.pack("<BBBBHH", 1, 0, 1, 1, 96, 96))  # LE Set Extended Scan Parameters
    capture.done(0x2042, struct.pack("<BBHH", 1, 0, 0, 0))  # LE Set Extended Scan Enable
    data = bytes.fromhex("020106") + NAME
    for number in range(reports):
        rssi = -93 + number % 2
        report = struct.pack("<HB6sBBBbbHB6s", ADV_IND, RANDOM, KEYFOB, 1, 0, 0xFF, 127, rssi, 0, 0, NONE)
        capture.event(0x3E, b"\x0d\x01" + report + bytes([len(data)]) + data)
        capture.wait(1022)
    capture.done(0x2042, bytes(6))


def _create(capture: Capture) -> None:
    """Records LE Extended Create Connection: interval 30 to 50 ms, no latency, supervision timeout 5 s."""
    parameters = struct.pack("<BBB6sB", 0, RANDOM, RANDOM, KEYFOB, 1) + struct.pack("<8H", 96, 96, 24, 40, 0, 500, 0, 0)
    capture.started(0x2043, parameters)


def _complete(capture: Capture, status: int = 0) -> None:
    """Records LE Enhanced Connection Complete; if it failed, only the status counts."""
    interval, timeout, handle, peer = (24, 500, HANDLE, KEYFOB) if status == 0 else (0, 0, 0, NONE)
    complete = struct.pack("<BHBB6s6s6s", status, handle, CENTRAL, RANDOM, peer, NONE, NONE)
    capture.meta(0x0A, complete + struct.pack("<HHHB", interval, 0, timeout, 0))


def _ended(capture: Capture, reason: int) -> None:
    capture.event(0x05, b"\0" + WITH_HANDLE + bytes([reason]))


def _silence(capture: Capture) -> None:
    """Records a gadget that was heard before but does not answer: after 30 s the phone's system gives up."""
    _create(capture)
    capture.wait(30_000)
    capture.done(0x200E)  # LE Create Connection Cancel
    _complete(capture, UNKNOWN_CONNECTION)
    capture.wait(2_000)


def _never_heard(capture: Capture) -> None:
    """Records a CONNECT_IND that the gadget does not hear."""
    _create(capture)
    capture.wait(1_020)
    _complete(capture)
    capture.started(0x2016, WITH_HANDLE)  # LE Read Remote Features
    capture.wait(180)
    capture.meta(0x04, bytes([NOT_ESTABLISHED]) + WITH_HANDLE + bytes(8))
    _ended(capture, NOT_ESTABLISHED)
    capture.wait(1_000)


def _heard(capture: Capture) -> None:
    _create(capture)
    capture.wait(1_020)
    _complete(capture)
    capture.started(0x2016, WITH_HANDLE)
    capture.wait(60)
    capture.meta(0x04, b"\0" + WITH_HANDLE + bytes.fromhex("ff59010000000000"))


def _out_of_reach(capture: Capture) -> None:
    """Records a connection on which a value is read before the gadget moves out of range."""
    _heard(capture)
    capture.sent(HANDLE, bytes.fromhex("0a0300"))  # Read Request, the device name
    capture.wait(30)
    capture.received(HANDLE, b"\x0bKey fob")
    capture.wait(4_000)
    for number in range(3):
        capture.acl(HANDLE, 0, l2cap(ATT, b"\x52\x15\0" + bytes([number])), received=False)  # Write Command
        capture.wait(200)
    capture.wait(4_400)
    _ended(capture, TIMEOUT)
    capture.wait(1_000)


def _keys_differ(capture: Capture) -> None:
    """Records keys of an earlier bond that differ: the first encrypted packet ends the link."""
    _heard(capture)
    capture.started(0x2019, WITH_HANDLE + bytes(10) + SECRETS[0])  # LE Enable Encryption
    capture.wait(90)
    capture.event(0x08, b"\0" + WITH_HANDLE + b"\x01")  # Encryption Change: on
    capture.sent(HANDLE, bytes.fromhex("0a0300"))
    capture.wait(30)
    _ended(capture, MIC_FAILURE)
