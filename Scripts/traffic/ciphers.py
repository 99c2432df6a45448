"""AES-128 and what Bluetooth LE builds on it: legacy pairing's functions and the Link Layer's encryption.

Written from FIPS 197, RFC 3610 and the Core Specification (Vol 3, Part H, 2.2; Vol 6, Part B, 5.1.3 and Part E), without
a package, so that the captures can be recreated everywhere. Keys and blocks have their most significant byte first.
"""


def _doubled(value: int) -> int:
    return (value << 1 ^ (value >> 7) * 0x1B) & 0xFF


def _substitution() -> list[int]:
    """Returns the S-box: the inverse in the field of 256 elements, and an affine transformation of it."""
    powers = [1]
    for _ in range(254):
        powers.append(powers[-1] ^ _doubled(powers[-1]))
    box = [0x63] * 256
    for exponent, power in enumerate(powers):
        inverse = powers[(255 - exponent) % 255]
        twice = inverse << 8 | inverse
        box[power] = 0x63 ^ (inverse ^ twice >> 7 ^ twice >> 6 ^ twice >> 5 ^ twice >> 4) & 0xFF
    return box


SUBSTITUTION = _substitution()


def _round_keys(key: bytes) -> list[bytes]:
    words = [key[at : at + 4] for at in range(0, 16, 4)]
    constant = 1
    for index in range(4, 44):
        word = words[-1]
        if index % 4 == 0:
            word = bytes(SUBSTITUTION[byte] for byte in word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = _doubled(constant)
        words.append(xor(words[-4], word))
    return [b"".join(words[at : at + 4]) for at in range(0, 44, 4)]


def xor(one: bytes, other: bytes) -> bytes:
    return bytes(left ^ right for left, right in zip(one, other))


def e(key: bytes, block: bytes) -> bytes:
    """Encrypts one block."""
    keys = _round_keys(key)
    state = xor(block, keys[0])
    for number in range(1, 11):
        state = bytes(SUBSTITUTION[state[(at + 4 * (at % 4)) % 16]] for at in range(16))
        if number < 10:
            state = b"".join(_mixed(state[at : at + 4]) for at in range(0, 16, 4))
        state = xor(state, keys[number])
    return state


def _mixed(column: bytes) -> bytes:
    whole = column[0] ^ column[1] ^ column[2] ^ column[3]
    return bytes(column[row] ^ whole ^ _doubled(column[row] ^ column[(row + 1) % 4]) for row in range(4))


def c1(key: bytes, value: bytes, request: bytes, response: bytes, types: tuple[int, int], addresses) -> bytes:
    """The confirm value. Numbers are as transmitted, least significant byte first, and so is the result; the types and
    addresses are the initiator's and the responder's.
    """
    first = bytes(types) + request + response
    second = addresses[1] + addresses[0] + bytes(4)
    inner = e(key, xor(value[::-1], first[::-1]))
    return e(key, xor(inner, second[::-1]))[::-1]


def s1(key: bytes, responder: bytes, initiator: bytes) -> bytes:
    """The short-term key of the two random values, which are as transmitted."""
    return e(key, responder[:8][::-1] + initiator[:8][::-1])


class LinkCipher:
    """The encryption of one connection's packets."""

    def __init__(self, key: bytes, diversifier: bytes, vector: bytes) -> None:
        """`diversifier` (SKD_C, SKD_P) and `vector` (IV_C, IV_P) are as transmitted."""
        self.key = e(key, diversifier[::-1])
        self.vector = vector

    def encrypted(self, header: int, payload: bytes, from_central: bool, counter: int) -> bytes:
        """Returns the payload and the MIC."""
        nonce = (counter | from_central << 39).to_bytes(5, "little") + self.vector
        blocks = [b"\x49" + nonce + len(payload).to_bytes(2, "big"), bytes([0, 1, header & 0xE3]) + bytes(13)]
        blocks += [payload[at : at + 16].ljust(16, b"\0") for at in range(0, len(payload), 16)]
        code = bytes(16)
        for block in blocks:
            code = e(self.key, xor(code, block))
        stream = b"".join(
            e(self.key, b"\x01" + nonce + number.to_bytes(2, "big")) for number in range(1 + (len(payload) + 15) // 16)
        )
        return xor(payload, stream[16:]) + xor(code[:4], stream)
