"""What is compared: facts about a packet from tshark and from gattscope, with the same names and in the same form.

Codes are numbers, bytes are lower-case hex, lists keep the order of the packet. Facts that a program does not report
are left out. Signalling facts are lists over all commands of a PDU, advertising facts over all reports of an event.
"""

Facts = dict[str, object]

# Types of advertising data structures, by their contents (Assigned Numbers, 2.3).
FLAGS, TX_POWER, APPEARANCE, MANUFACTURER = 0x01, 0x0A, 0x19, 0xFF
NAMES = {0x08, 0x09}
UUIDS = {16: {0x02, 0x03, 0x14}, 32: {0x04, 0x05, 0x1F}, 128: {0x06, 0x07, 0x15}}
SERVICE_DATA = {0x16: 16, 0x20: 32, 0x21: 128}


def listed(value) -> list:
    return value if isinstance(value, list) else [] if value is None else [value]


def first(value):
    values = listed(value)
    return values[0] if values else None


def number(text) -> int | None:
    return None if text is None else int(str(text), 0)


def without_zeros(time: str | None) -> str | None:
    if time is None:
        return None
    time = time.rstrip("Z")
    return time.rstrip("0").rstrip(".") if "." in time else time


class Told(dict):
    """Facts; None and empty lists are left out."""

    def put(self, key: str, value) -> None:
        if value is not None and value != []:
            self[key] = value
