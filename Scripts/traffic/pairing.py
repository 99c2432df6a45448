"""Every Security Manager PDU: legacy and Secure Connections, with each authentication method and all keys.

Written byte by byte from the Core Specification 6.0, Vol 3, Part H, 3. The secrets are words, so everyone can see that
they are invented; they do not match each other as those of a real pairing do.
"""

import struct

from . import btsnoop
from .handmade import CENTRAL, KEYFOB, NONE, RANDOM, SECURITY_MANAGER, Capture

HANDLE = 0x0040
DISPLAY_ONLY, DISPLAY_YES_NO, KEYBOARD_ONLY, NO_INPUT_NO_OUTPUT, KEYBOARD_DISPLAY = range(5)
BONDING, MITM, SECURE, KEYPRESS, CT2 = 0x01, 0x04, 0x08, 0x10, 0x20
ALL_KEYS = 0x0F  # encryption, identity, signing, link key
LEGACY_KEYS = 0x07

def secret(text: str) -> bytes:
    """Returns words as the sixteen bytes of a secret, in a form that no output uses."""
    return text.upper().replace(" ", "-").encode().ljust(16, b".")


def commitment(name: str, text: str) -> bytes:
    """Returns a confirm or random value: secret if it reveals a passkey, otherwise a distinct form."""
    if name.split()[0] in ("passkey", "round"):
        return secret(f"{name} {text}")
    return f"{name}-{text}".replace(" ", "-").lower().encode().ljust(16, b".")


KEY_BY_NUMBERS, KEY_OUT_OF_BAND = secret("key no one knows"), secret("it came by light")


class Pairing:
    """Both ends of one link; PDUs have the names of the specification."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture

    def phone(self, pdu: bytes) -> None:
        self.capture.wait(30)
        self.capture.sent(HANDLE, pdu, SECURITY_MANAGER)

    def gadget(self, pdu: bytes) -> None:
        self.capture.wait(30)
        self.capture.received(HANDLE, pdu, SECURITY_MANAGER)

    def features(self, capabilities, authreq: int, oob=(0, 0), initiator=ALL_KEYS, responder=ALL_KEYS) -> None:
        """Records Pairing Request and Response."""
        self.phone(bytes([1, capabilities[0], oob[0], authreq, 16, initiator, responder]))
        self.gadget(bytes([2, capabilities[1], oob[1], authreq, 16, initiator, responder]))

    def confirm(self, name: str) -> None:
        self.phone(b"\x03" + commitment(name, "Mconfirm"))
        self.gadget(b"\x03" + commitment(name, "Sconfirm"))

    def random(self, name: str) -> None:
        self.phone(b"\x04" + commitment(name, "Mrand"))
        self.gadget(b"\x04" + commitment(name, "Srand"))

    def public_keys(self) -> None:
        self.phone(b"\x0c" + bytes(range(64)))
        self.gadget(b"\x0c" + bytes(range(64, 128)))

    def checks(self, name: str) -> None:
        self.phone(b"\x0d" + commitment(name, "Ea"))
        self.gadget(b"\x0d" + commitment(name, "Eb"))

    def encrypt(self, key: bytes, ediv: int = 0, rand: bytes = bytes(8)) -> None:
        self.capture.started(0x2019, struct.pack("<H8sH16s", HANDLE, rand, ediv, key))
        self.capture.wait(30)
        self.capture.event(0x08, struct.pack("<BHB", 0, HANDLE, 1))

    def keys(self, name: str, send, long_term: bool, address: bytes) -> None:
        """Records all keys that one side distributes, in the specification's order."""
        if long_term:
            send(b"\x06" + secret(f"{name} LTK"))
            send(b"\x07" + struct.pack("<H8s", 0x1234, b"Rand 8 b"))
        send(b"\x08" + secret(f"{name} IRK"))
        send(b"\x09" + bytes([RANDOM]) + address)
        send(b"\x0a" + secret(f"{name} CSRK"))


def pairing_all_keys() -> bytes:
    capture = Capture(btsnoop.H4)
    capture.done(0x0C03)
    for part in (_legacy_passkey, _legacy_out_of_band, _secure_numeric, _secure_passkey, _secure_out_of_band, _refusals):
        _connect(capture)
        part(Pairing(capture))
        capture.wait(200)
        capture.disconnect(HANDLE)
    return bytes(capture.content)


def _connect(capture: Capture) -> None:
    capture.started(0x2043, struct.pack("<BBB6sB8H", 0, 1, RANDOM, KEYFOB, 1, 96, 96, 24, 40, 0, 500, 0, 0))
    capture.wait(50)
    complete = struct.pack("<BHBB6s6s6sHHHB", 0, HANDLE, CENTRAL, RANDOM, KEYFOB, NONE, NONE, 24, 0, 500, 0)
    capture.meta(0x0A, complete)


def _legacy_passkey(pairing: Pairing) -> None:
    """The gadget requests security; the user types its digits on the phone; both sides distribute every key."""
    pairing.gadget(bytes([0x0B, BONDING | MITM]))  # Security Request
    pairing.features((KEYBOARD_ONLY, DISPLAY_ONLY), BONDING | MITM, initiator=LEGACY_KEYS, responder=LEGACY_KEYS)
    pairing.confirm("passkey")
    pairing.random("passkey")
    pairing.encrypt(secret("passkey STK"))
    pairing.keys("gadget A", pairing.gadget, True, KEYFOB)
    pairing.keys("phone A", pairing.phone, True, bytes.fromhex("eeffc0eeffc0"))


def _legacy_out_of_band(pairing: Pairing) -> None:
    pairing.features((NO_INPUT_NO_OUTPUT, NO_INPUT_NO_OUTPUT), BONDING | MITM, (1, 1), LEGACY_KEYS, LEGACY_KEYS)
    pairing.confirm("oob")
    pairing.random("oob")
    pairing.encrypt(secret("oob STK"))
    pairing.keys("gadget B", pairing.gadget, True, KEYFOB)


def _secure_numeric(pairing: Pairing) -> None:
    """Numeric comparison. The keys that the link key bit requests need no PDU."""
    pairing.features((DISPLAY_YES_NO, KEYBOARD_DISPLAY), BONDING | MITM | SECURE | CT2)
    pairing.public_keys()
    pairing.gadget(b"\x03" + commitment("numeric", "Cb"))
    pairing.random("numeric")
    pairing.checks("numeric")
    pairing.encrypt(KEY_BY_NUMBERS)
    pairing.keys("gadget C", pairing.gadget, False, KEYFOB)
    pairing.keys("phone C", pairing.phone, False, bytes.fromhex("eeffc0eeffc0"))


def _secure_passkey(pairing: Pairing) -> None:
    """Each typed digit causes a notification; after two of the twenty rounds the user gives up."""
    pairing.features((DISPLAY_ONLY, KEYBOARD_ONLY), BONDING | MITM | SECURE | KEYPRESS)
    pairing.public_keys()
    for notification in (0, 1, 1, 2, 1, 3, 1, 4):  # started, digits, one erased, all cleared, completed
        pairing.gadget(bytes([0x0E, notification]))
    for round_number in range(2):
        pairing.confirm(f"round {round_number}")
        pairing.random(f"round {round_number}")
    pairing.phone(b"\x05\x01")  # Passkey Entry Failed


def _secure_out_of_band(pairing: Pairing) -> None:
    """Only the phone has received the other's data."""
    pairing.features((NO_INPUT_NO_OUTPUT, NO_INPUT_NO_OUTPUT), BONDING | MITM | SECURE, (1, 0), 0x03, 0x03)
    pairing.public_keys()
    pairing.random("oob sc")
    pairing.checks("oob sc")
    pairing.encrypt(KEY_OUT_OF_BAND)
    pairing.gadget(b"\x08" + bytes(16))  # an all-zero IRK: no privacy
    pairing.gadget(b"\x09\x00" + NONE)


def _refusals(pairing: Pairing) -> None:
    """Each defined reason and a reserved one, then an unknown code."""
    for reason in (*range(0x01, 0x11), 0x77):
        pairing.phone(bytes([1, KEYBOARD_DISPLAY, 0, BONDING | MITM | SECURE, 16, 0x07, 0x07]))
        pairing.gadget(bytes([5, reason]))
    pairing.gadget(b"\x0f\x01\x02")


# Secrets that must not be printed unless requested. Confirm and random values are secret if they reveal a passkey.
SECRETS = [
    *(secret(f"passkey {each}") for each in ("Mconfirm", "Sconfirm", "Mrand", "Srand", "STK")),
    *(secret(f"round {number} {each}") for number in (0, 1) for each in ("Mconfirm", "Sconfirm", "Mrand", "Srand")),
    *(secret(f"{side} {each}") for side in ("gadget A", "phone A", "gadget B") for each in ("LTK", "IRK", "CSRK")),
    *(secret(f"{side} {each}") for side in ("gadget C", "phone C") for each in ("IRK", "CSRK")),
    *(secret("oob STK"), KEY_BY_NUMBERS, KEY_OUT_OF_BAND),
]
