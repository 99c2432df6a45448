#!/usr/bin/env python3
"""The differential test: does gattscope read each packet as tshark does?

usage: compare-with-tshark.py GATTSCOPE CAPTURE_OR_FOLDER...

Compared are codes and bytes, never names. Of a folder, every btsnoop, pcap, pcapng and PacketLogger file below it that
both read is taken; a folder that is not there is said and skipped. Differences that are known and accepted stand
in Tests/known-differences.txt. `--dump CAPTURE` prints what tshark says, without gattscope.
Exit status 1: a difference, or a count of lines that is not the count of records.
"""

import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Iterator, NamedTuple

from traffic import btsnoop

KNOWN = Path(__file__).resolve().parent.parent / "Tests" / "known-differences.txt"
OWN_FOLDER = "captures/"  # a known difference in these must show up; other captures may be absent
LAYERS = "frame hci_mon bthci_evt bthci_cmd bthci_acl bthci_sco bthci_iso btl2cap btatt btsmp"
MOST_PRINTED = 40

# Where an ATT PDU's value begins, and for which PDUs tshark's handle is on the wire rather than remembered.
VALUE_AT = {0x0B: 1, 0x0D: 1, 0x0F: 1, 0x12: 3, 0x52: 3, 0x1B: 3, 0x1D: 3, 0x16: 5, 0x17: 5}
CARRIES_HANDLE = {0x01, 0x0A, 0x0C, 0x12, 0x52, 0xD2, 0x16, 0x17, 0x1B, 0x1D}
SIGNED_WRITE, SIGNATURE = 0xD2, 12

PCAP_MAGICS = tuple(map(bytes.fromhex, ("a1b2c3d4", "d4c3b2a1", "a1b23c4d", "4d3cb2a1", "0a0d0d0a")))

Facts = dict[str, object]


# ------------------------------------------------------------------------------------------------------------- tshark


def listed(value) -> list:
    return value if isinstance(value, list) else [] if value is None else [value]


def first(value):
    values = listed(value)
    return values[0] if values else None


def number(text) -> int | None:
    return None if text is None else int(str(text), 0)


def tshark_facts(path: Path) -> list[Facts]:
    """What tshark says about each packet. No preferences of the user's, no name resolution."""
    with tempfile.TemporaryDirectory() as empty:
        environment = dict(os.environ, WIRESHARK_CONFIG_DIR=empty, TZ="UTC", LC_ALL="C.UTF-8")
        command = ["tshark", "-n", "-r", str(path), "-T", "ek", "-x", "-J", LAYERS]
        result = subprocess.run(command, capture_output=True, env=environment, check=False)
    lines = [line for line in result.stdout.splitlines() if b'"layers"' in line]
    packets = [json.loads(line, object_pairs_hook=_merged) for line in lines]
    if not packets and result.returncode != 0:
        if not btsnoop.is_btsnoop(path):
            return []  # PacketLogger with ISO records, which tshark takes for something else
        sys.exit(f"tshark could not read {path}: {result.stderr.decode().strip()}")
    return [_packet_facts(packet["layers"]) for packet in packets]


def _merged(pairs: list) -> dict:
    """tshark repeats a key where a field occurs again deeper in a layer; the first one is the layer's own."""
    merged: dict = {}
    for key, value in pairs:
        merged[key] = [*listed(merged[key]), *listed(value)] if key in merged else value
    return merged


def _packet_facts(layers: dict) -> Facts:
    facts: Facts = {}

    def layer(name: str) -> dict | None:
        found = first(layers.get(name))
        return found if isinstance(found, dict) else None

    def put(key: str, value) -> None:
        if value is not None:
            facts[key] = value

    put("time", _without_zeros(first(layers["frame"].get("frame_frame_time"))))
    monitor = layer("hci_mon")
    index = number(first(monitor.get("hci_mon_hci_mon_adapter_id"))) if monitor else 0
    put("adapter", None if index == 0xFFFF else index)
    put("direction", _direction(first(layers["frame"].get("frame_frame_p2p_dir")), layer("hci_h4")))
    if command := layer("bthci_cmd"):
        put("hci.opcode", number(first(command.get("bthci_cmd_bthci_cmd_opcode"))))
    if event := layer("bthci_evt"):
        _event_facts(event, put)
    for kind in ("acl", "sco", "iso"):
        if data := layer(f"bthci_{kind}"):
            put("hci.handle", number(first(data.get(f"bthci_{kind}_bthci_{kind}_chandle"))))
    if l2cap := layer("btl2cap"):
        put("l2cap.cid", number(first(l2cap.get("btl2cap_btl2cap_cid"))))
    if att := layer("btatt"):
        _att_facts(att, bytes.fromhex(first(layers.get("btatt_raw")) or ""), put)
    if smp := layer("btsmp"):
        put("smp.opcode", number(first(smp.get("btsmp_btsmp_opcode"))))
    return facts


def _direction(pseudo: str | None, h4: dict | None) -> str | None:
    """Of link types that carry it: 0 sent, 1 received."""
    written = number(pseudo if pseudo is not None else first((h4 or {}).get("hci_h4_hci_h4_direction")))
    return {0: "sent", 1: "received"}.get(written)


def _event_facts(event: dict, put) -> None:
    def field(name: str):
        return event.get(f"bthci_evt_bthci_evt_{name}")

    put("hci.event", number(first(field("code"))))
    put("hci.subevent", number(first(field("le_meta_subevent"))))
    put("hci.connection_handles", [number(each) for each in listed(field("connection_handle"))] or None)
    types = listed(field("le_ext_advts_event_type")) or listed(field("le_advts_event_type"))
    if not types:
        return
    data = iter(listed(event.get("btcommon_btcommon_eir_ad_advertising_data_raw")))
    lengths = [int(each) for each in listed(field("data_length"))]
    put("adv.count", len(types))
    put("adv.event_type", [number(each) for each in types])
    put("adv.address", [each.upper() for each in listed(field("bd_addr"))])
    put("adv.rssi_dbm", [None if each == "127" else int(each) for each in listed(field("rssi"))])
    put("adv.data", [next(data, "") if length else "" for length in lengths])


def _att_facts(att: dict, pdu: bytes, put) -> None:
    opcode = number(first(att.get("btatt_btatt_opcode")))
    put("att.opcode", opcode)
    if opcode in CARRIES_HANDLE:
        put("att.handle", number(first(att.get("btatt_btatt_handle"))))
    if opcode == 0x01:
        put("att.error", number(first(att.get("btatt_btatt_error_code"))))
        put("att.request_opcode", number(first(att.get("btatt_btatt_req_opcode_in_error"))))
    if opcode in VALUE_AT:
        if len(pdu) >= VALUE_AT[opcode]:  # the capture may have cut the PDU before its value
            put("att.value", pdu[VALUE_AT[opcode] :].hex())
    elif opcode == SIGNED_WRITE:
        put("att.value", pdu[3:-SIGNATURE].hex())


def _without_zeros(time: str | None) -> str | None:
    if time is None:
        return None
    time = time.rstrip("Z")
    return time.rstrip("0").rstrip(".") if "." in time else time


# ---------------------------------------------------------------------------------------------------------- gattscope


def gattscope_lines(program: str, path: Path) -> list[dict]:
    result = subprocess.run([program, "show", "--json", str(path)], capture_output=True, check=False)
    if result.returncode not in (0, 65):  # 65: the capture is damaged; what could be read was printed
        sys.exit(f"{path}: gattscope ended with {result.returncode}: {result.stderr.decode().strip()}")
    return [json.loads(line) for line in result.stdout.splitlines()]


def _connection_handles(parameters) -> Iterator[int]:
    """Of an event, also of the results in a Command Complete, and where the specification has a list of them."""
    if isinstance(parameters, list):
        for each in parameters:
            yield from _connection_handles(each)
    elif isinstance(parameters, dict):
        for key, value in parameters.items():
            if key in ("connection_handle", "connection_handles"):
                yield from (number(each) for each in listed(value))
            else:
                yield from _connection_handles(value)


def gattscope_facts(line: dict) -> Facts:
    facts: Facts = {}

    def put(key: str, value) -> None:
        if value is not None:
            facts[key] = value

    def code(of: dict, key: str) -> int | None:
        return number(of.get(key))

    put("time", _without_zeros(line.get("time")))
    put("adapter", line.get("adapter"))
    if line.get("direction_via") != "inferred":
        put("direction", line.get("direction"))
    hci, l2cap = line.get("hci", {}), line.get("l2cap", {})
    for key in ("opcode", "event", "subevent", "handle"):
        put(f"hci.{key}", code(hci, key))
    if hci.get("kind") == "event":
        facts.pop("hci.handle", None)
        put("hci.connection_handles", list(_connection_handles(hci.get("parameters", {}))) or None)
    if not l2cap.get("fragment"):
        put("l2cap.cid", code(l2cap, "cid"))
    if att := line.get("att"):
        opcode = code(att, "opcode")
        put("att.opcode", opcode)
        if opcode in CARRIES_HANDLE:
            put("att.handle", code(att, "handle"))
        if opcode == 0x01:
            put("att.error", code(att.get("error", {}), "code"))
            put("att.request_opcode", code(att, "request_opcode"))
        if opcode in VALUE_AT or opcode == SIGNED_WRITE:
            put("att.value", att.get("value"))
    if smp := line.get("smp"):
        put("smp.opcode", code(smp, "opcode"))
    reports = line.get("advertisements", [])
    if reports and facts.get("hci.subevent") in (0x02, 0x0D):
        put("adv.count", len(reports))
        put("adv.event_type", [code(each, "event_type") for each in reports])
        put("adv.address", [each.get("address") for each in reports])
        put("adv.rssi_dbm", [each.get("rssi_dbm") for each in reports])
        put("adv.data", [each.get("data", "") for each in reports])
    return facts


# --------------------------------------------------------------------------------------------------------- comparison


class Difference(NamedTuple):
    capture: str
    packet: int
    field: str
    ours: object
    tshark: object

    def __str__(self) -> str:
        return (
            f"{self.capture} #{self.packet} {self.field}: "
            f"expected (tshark) {shown(self.field, self.tshark)}, got {shown(self.field, self.ours)}"
        )


TWO_DIGITS = {
    *("hci.event", "hci.subevent", "att.opcode", "att.error", "att.request_opcode", "smp.opcode", "adv.event_type"),
}


def shown(field: str, value) -> str:
    """As one would write it in the file of known differences; `-` for absent."""
    if value is None:
        return "-"
    if isinstance(value, list):
        return "[" + " ".join(shown(field, each) for each in value) + "]"
    if isinstance(value, int) and field not in ("adapter", "adv.count", "adv.rssi_dbm"):
        return f"0x{value:02x}" if field in TWO_DIGITS and value < 0x100 else f"0x{value:04x}"
    return str(value) or '""'


class KnownDifference:
    def __init__(self, line: str, where: str) -> None:
        parts = [part.strip() for part in line.split("|", 5)]
        if len(parts) != 6 or not all(parts):
            sys.exit(f"{where}: expected capture | packet or * | field | ours | tshark | reason")
        self.capture, self.packet, self.field, self.ours, self.tshark, _ = parts
        self.where, self.line = where, line.strip()
        self.used = self.in_reach = False

    def accepts(self, difference: Difference) -> bool:
        pairs = (
            (difference.capture, self.capture),
            (str(difference.packet), self.packet),
            (difference.field, self.field),
            (shown(difference.field, difference.ours), self.ours),
            (shown(difference.field, difference.tshark), self.tshark),
        )
        # Equal first: in a value, brackets are a list and no pattern.
        matched = all(pattern in ("*", text) or fnmatch.fnmatchcase(text, pattern) for text, pattern in pairs)
        self.used |= matched
        return matched


def known_differences() -> list[KnownDifference]:
    lines = KNOWN.read_text().splitlines() if KNOWN.exists() else []
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and line[0] != "#"]
    return [KnownDifference(line, f"{KNOWN.name}:{number}") for number, line in numbered]


def differences(capture: str, lines: list[dict], theirs: list[Facts], counts: Counter) -> Iterator[Difference]:
    for line in lines:
        packet = line.get("packet", 0)
        if not 0 < packet <= len(theirs):
            continue  # said by count_errors
        our, their = gattscope_facts(line), theirs[packet - 1]
        if "direction" not in their:  # link types that do not carry it, and records that went nowhere
            our.pop("direction", None)
        for field in sorted(our.keys() | their.keys()):
            counts[field] += 1
            if our.get(field) != their.get(field):
                yield Difference(capture, packet, field, our.get(field), their.get(field))


def count_errors(name: str, content: bytes, lines: list[dict], theirs: list[Facts]) -> Iterator[str]:
    if not content.startswith(btsnoop.MAGIC):
        # Packets of other interfaces are left out, but keep their numbers.
        numbers = [line.get("packet") for line in lines]
        if numbers != sorted(set(numbers)):
            yield f'{name}: "packet" does not rise'
        if not content.startswith(b"\n\r\r\n") and len(lines) != len(theirs):
            yield f"{name}: tshark sees {len(theirs)} packets, we {len(lines)}"
        return
    whole = sum(1 for _ in btsnoop.records(content))
    if len(lines) != whole:
        yield f"{name}: expected {whole} lines, one a whole record, got {len(lines)}"
    if len(theirs) != whole:
        yield f"{name}: tshark sees {len(theirs)} packets, the file has {whole} whole records"
    numbers = [line.get("packet") for line in lines]
    if numbers != list(range(1, len(lines) + 1)):
        yield f'{name}: "packet" does not count 1, 2, 3 ...'


def captures(arguments: list[str]) -> Iterator[tuple[str, Path]]:
    for argument in map(Path, arguments):
        if argument.is_file():
            yield f"{argument.parent.name}/{argument.name}", argument
        elif argument.is_dir():
            for path in sorted(argument.rglob("*")):
                if path.is_file() and _is_read(path):
                    yield f"{path.parent.name}/{path.name}", path
        elif argument.suffix:
            sys.exit(f"{argument}: no such capture")
        else:
            print(f"skipped: there is no folder {argument}")


def _is_read(path: Path) -> bool:
    with open(path, "rb") as file:
        start = file.read(24)
    if start.startswith(btsnoop.MAGIC):
        return btsnoop.datalink(start[: btsnoop.HEADER.size]) in (btsnoop.H1, btsnoop.H4, btsnoop.MONITOR)
    return start[:4] in PCAP_MAGICS or path.suffix == ".pklg"


def main() -> int:
    arguments = sys.argv[1:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    if shutil.which("tshark") is None:
        print("skipped: tshark is not installed")
        return 1 if os.environ.get("CI") else 0
    if arguments[0] == "--dump":
        for packet, facts in enumerate(tshark_facts(Path(arguments[1])), 1):
            print(packet, *(f"{key}={shown(key, value)}" for key, value in facts.items()))
        return 0

    program, known, counts = arguments[0], known_differences(), Counter()
    found: list[str] = []
    compared = packets = accepted = 0
    for name, path in captures(arguments[1:]):
        lines = gattscope_lines(program, path)
        if not lines and not btsnoop.is_btsnoop(path):
            print(f"skipped: {name}: a link type that is not read")
            continue
        theirs = tshark_facts(path)
        if not theirs and not btsnoop.is_btsnoop(path):
            print(f"skipped: {name}: tshark does not read it")
            continue
        found += count_errors(name, path.read_bytes(), lines, theirs)
        for each in known:
            each.in_reach |= fnmatch.fnmatchcase(name, each.capture)
        for difference in differences(name, lines, theirs, counts):
            # Every line that fits counts as used, not the first one only.
            if any([each.accepts(difference) for each in known]):
                accepted += 1
            else:
                found.append(str(difference))
        compared, packets = compared + 1, packets + len(lines)
    for each in known:
        if not each.used and (each.in_reach or each.capture.startswith(OWN_FOLDER)):
            found.append(f"{each.where}: no longer matches anything: {each.line}")
    if compared == 0:
        found.append("nothing was compared")

    for message in found[:MOST_PRINTED]:
        print(message)
    if len(found) > MOST_PRINTED:
        print(f"... and {len(found) - MOST_PRINTED} more")
    print(f"{compared} captures, {packets} packets, {accepted} known differences, {len(found)} errors")
    print("compared:", ", ".join(f"{field} {count}" for field, count in sorted(counts.items())))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
