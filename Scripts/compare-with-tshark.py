#!/usr/bin/env python3
"""The differential test: does gattscope read each packet as tshark does?

usage: compare-with-tshark.py GATTSCOPE CAPTURE_OR_FOLDER...

Compares codes, numbers and bytes, but no names: HCI, L2CAP and its signalling, ATT, RFCOMM, SMP with its keys, advertising data
and periodic advertising; of sniffers' captures also the headers of their packets, and what the sniffers claim. In a
folder it compares every HCI capture and every sniffer's, whatever its name (btsnoop, pcap, pcapng, PacketLogger); it
reports and skips missing folders. Tests/known-differences.txt lists the accepted differences. `--dump
CAPTURE` prints what tshark reads, `--dump-own GATTSCOPE CAPTURE` what gattscope reads. Exit status 1: a difference, a
wrong number of lines, or, for folders, a layer or format that was never compared, because a test that compares nothing
must not pass.
"""

import fnmatch
import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Iterator, NamedTuple

from comparison import Facts, gattscope, tshark
from traffic import files

KNOWN = Path(__file__).resolve().parent.parent / "Tests" / "known-differences.txt"
OWN_FOLDER = "captures/"  # known differences in these must occur; other captures may be absent
MOST_PRINTED = 9000

# Both must have agreed on each of these at least once.
REQUIRED = {
    *("time", "adapter", "direction", "hci.opcode", "hci.event", "hci.subevent", "hci.connection_handles", "hci.handle", "l2cap.cid"),
    *("att.opcode", "att.handle", "att.value", "att.error", "att.request_opcode"),
    *("smp.opcode", "smp.address", *(f"smp.{each}" for each in (*tshark.SECURITY, *tshark.SECURITY_BYTES))),
    *("signalling.code", "signalling.psm", *(f"signalling.{each}" for each in tshark.SIGNALLING)),
    *(f"adv.{each}" for each in ("count", "event_type", "address", "rssi_dbm", "data", "types", "names", "companies")),
    *(f"adv.{each}" for each in ("uuids_16", "uuids_32", "uuids_128", "tx_power_dbm", "appearances", "flags", "service_data")),
    *(f"air.{each}" for each in ("access_address", "pdu_type", "llid", "sn", "nesn", "length", "opcode", "crc", "channel")),
    "air.rssi_dbm",
    *(f"rfcomm.{each}" for each in ("frame", "dlci", "channel", "length", "credits", "fcs", "value", *tshark.MULTIPLEXER)),
    *(f"periodic.{each}" for each in ("sync", "sid", "address", "interval", "rssi_dbm", "data_status", "data")),
}


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
    *("air.pdu_type", "air.opcode"),
    *("rfcomm.frame", "rfcomm.fcs", "rfcomm.command", "rfcomm.convergence_layer"),
    *("hci.event", "hci.subevent", "att.opcode", "att.error", "att.request_opcode", "smp.opcode", "adv.event_type"),
    *("adv.types", "adv.flags", "signalling.code", "signalling.identifier"),
    *("smp.io_capability", "smp.authreq", "smp.reason", "smp.initiator_key_distribution", "smp.responder_key_distribution"),
}
DECIMAL = {
    *("adapter", "air.channel", "air.rssi_dbm", "air.event", "air.length", "air.llid", "air.sn", "air.nesn", "adv.count", "adv.rssi_dbm", "adv.tx_power_dbm", "l2cap.sdu_length"),
    *("smp.maximum_encryption_key_size", "periodic.rssi_dbm", "periodic.sid", "periodic.interval"),
    *(f"rfcomm.{each}" for each in ("dlci", "channel", "length", "credits", "command_channel", "frame_size", "initial_credits")),
    *(f"signalling.{each}" for each in ("mtu", "mps", "credits", "initial_credits")),
}


def shown(field: str, value) -> str:
    """Returns the value as in the file of known differences; `-` if absent."""
    if value is None:
        return "-"
    if isinstance(value, list):
        return "[" + " ".join(shown(field, each) for each in value) + "]"
    if isinstance(value, int) and field not in DECIMAL:
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
        # Test for equality first: brackets in a value are a list, not a pattern.
        matched = all(pattern in ("*", text) or fnmatch.fnmatchcase(text, pattern) for text, pattern in pairs)
        self.used |= matched
        return matched


def known_differences() -> list[KnownDifference]:
    lines = KNOWN.read_text().splitlines() if KNOWN.exists() else []
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and line[0] != "#"]
    return [KnownDifference(line, f"{KNOWN.name}:{number}") for number, line in numbered]


# Some controllers write their debug log as data packets with handles of no connection. tshark reads the text as L2CAP.
CONTROLLER_LOG = "controller_log"


# What is above the Link Layer's header.
PAYLOAD = ("l2cap", "signalling", "att", "smp", "rfcomm")


def without(facts: Facts, *names: str) -> Facts:
    """Returns the facts without these fields and layers."""
    return {field: value for field, value in facts.items() if field not in names and field.partition(".")[0] not in names}


def comparable_on_air(line: dict, ours: Facts, theirs: Facts) -> tuple[Facts, Facts]:
    # gattscope tells by other evidence what a header does not, and no length of a PDU whose content it decodes.
    ours = without(ours, *({"direction", "air.event", "air.crc"} - theirs.keys()))
    theirs = without(theirs, *({"air.length"} - ours.keys()))
    link = line.get("ll", {})
    if ours.get("air.crc") == "not_recorded":  # sniffers that write zeros call them right
        ours, theirs = without(ours, "air.crc"), without(theirs, "air.crc")
    # tshark reads the ciphertext as if it were plain. Whether the plain text is right, the tests of decryption check.
    if link.get("decrypted") == "here":
        return without(ours, "air.opcode", "air.length", *PAYLOAD), without(theirs, "air.opcode", "air.length", *PAYLOAD)
    if link.get("encrypted") and "decrypted" not in link:
        theirs = without(theirs, "air.opcode", *PAYLOAD)
    # tshark reads damaged packets, and resent ones again.
    cut = any(problem["code"] == "length_too_large" for problem in line.get("problems", []))
    if cut or ours.get("air.crc") == "wrong":
        ours, theirs = without(ours, "air.length"), without(theirs, "air.length")
    if ours.get("air.crc") == "wrong":
        theirs = without(theirs, "direction", "air.event", "air.opcode", "air.pdu_type", "adv", *PAYLOAD)
    if link.get("resent"):
        theirs = without(theirs, "air.opcode", *PAYLOAD)
    return ours, theirs


def comparable(line: dict, ours: Facts, theirs: Facts) -> tuple[Facts, Facts]:
    """Returns the facts about a packet without those that gattscope deliberately reads differently than tshark,
    and without those that only other checks need.
    """
    theirs = without(theirs, "identity")
    if "air" in line:
        return comparable_on_air(line, ours, theirs)
    if line.get("protocol") == CONTROLLER_LOG:
        return ours, without(theirs, *PAYLOAD)
    # For a PDU that the capture cut, tshark shows the fields before the cut; gattscope shows the remaining bytes.
    if any(problem["code"] == "truncated" for problem in line.get("problems", [])):
        theirs = {field: value for field, value in theirs.items() if field in ours or field.partition(".")[0] not in ("smp", "adv")}
    return ours, theirs


class Tally:
    """Counts how often each field appeared, and how often both agreed on it."""

    def __init__(self) -> None:
        self.fields: Counter = Counter()
        self.agreed: Counter = Counter()
        self.formats: Counter = Counter()

    def differences(self, capture: str, ours: list[Facts], theirs: list[Facts]) -> Iterator[Difference]:
        for packet, (our, their) in enumerate(zip(ours, theirs), 1):
            for field in sorted(our.keys() | their.keys()):
                self.fields[field] += 1
                if our.get(field) != their.get(field):
                    yield Difference(capture, packet, field, our.get(field), their.get(field))
                else:
                    self.agreed[field] += 1

    def never_compared(self) -> Iterator[str]:
        for field in sorted(REQUIRED):
            if not self.agreed[field]:
                yield f"{field}: compared {self.fields[field]} times, but both never agreed"
        for name, packets in self.formats.items():
            if not packets:
                yield f"{name}: no packet of this format was compared"


def count_errors(name: str, kind: files.Kind, lines: list[dict], theirs: list[Facts] | None) -> Iterator[str]:
    """Compares the numbers of records. `theirs` includes records of other link types; it is None if tshark did not read
    the file.
    """
    whole = sum(kind.is_read)
    if len(lines) != whole:
        yield f"{name}: expected {whole} lines, one a whole record, got {len(lines)}"
    if theirs is not None and len(theirs) != len(kind.is_read):
        yield f"{name}: tshark sees {len(theirs)} packets, the file has {len(kind.is_read)} whole records"
    numbers = [line.get("packet") for line in lines]
    expected = [number for number, is_read in enumerate(kind.is_read, 1) if is_read]
    if numbers != expected[: len(numbers)]:
        yield f'{name}: "packet" does not count the records'


def captures(arguments: list[str]) -> Iterator[tuple[str, Path, files.Kind]]:
    for argument in map(Path, arguments):
        if argument.is_dir():
            found = sorted(path for path in argument.rglob("*") if path.is_file())
        elif argument.is_file():
            found = [argument]
        elif argument.suffix:
            sys.exit(f"{argument}: no such capture")
        else:
            print(f"skipped: there is no folder {argument}")
            continue
        for path in found:
            kind = files.kind(path)
            # Reads files without records, too. Those with only other link types are refused, which another test checks.
            if kind is not None and (any(kind.is_read) or not kind.is_read and kind.name in files.EMPTY_IS_READ):
                yield f"{path.parent.name}/{path.name}", path, kind


def main() -> int:
    arguments = sys.argv[1:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    if shutil.which("tshark") is None:
        print("skipped: tshark is not installed")
        return 1 if os.environ.get("CI") else 0
    if arguments[0].startswith("--dump"):
        told = (
            tshark.facts(Path(arguments[1]))
            if arguments[0] == "--dump"
            else [gattscope.facts(line) for line in gattscope.lines(arguments[1], Path(arguments[2]))]
        )
        for packet, facts in enumerate(told, 1):
            print(packet, *(f"{key}={shown(key, value)}" for key, value in facts.items()))
        return 0

    program, known, tally = arguments[0], known_differences(), Tally()
    found: list[str] = []
    compared = packets = accepted = 0
    for name, path, kind in captures(arguments[1:]):
        lines, theirs = gattscope.lines(program, path), tshark.facts(path)
        found += count_errors(name, kind, lines, theirs)
        if theirs is None:
            message = f"{name}: tshark does not read this file; only its records are counted"
            if name.startswith(OWN_FOLDER):
                found.append(message)
            else:
                print(message)
        theirs = [each for each, is_read in zip(theirs or [], kind.is_read) if is_read]
        pairs = [comparable(line, gattscope.facts(line), their) for line, their in zip(lines, theirs)]
        ours, theirs = [our for our, _ in pairs], [their for _, their in pairs]
        for each in known:
            each.in_reach |= fnmatch.fnmatchcase(name, each.capture)
        for difference in tally.differences(name, ours, theirs):
            # Counts every matching line as used, not just the first one.
            if any([each.accepts(difference) for each in known]):
                accepted += 1
            else:
                found.append(str(difference))
        tally.formats[kind.name] += min(len(lines), len(theirs))
        compared, packets = compared + 1, packets + len(lines)
    for each in known:
        if not each.used and (each.in_reach or each.capture.startswith(OWN_FOLDER)):
            found.append(f"{each.where}: no longer matches anything: {each.line}")
    if compared == 0:
        found.append("nothing was compared")
    if any(Path(each).is_dir() for each in arguments[1:]):
        found += tally.never_compared()

    for message in found[:MOST_PRINTED]:
        print(message)
    if len(found) > MOST_PRINTED:
        print(f"... and {len(found) - MOST_PRINTED} more")
    print(f"{compared} captures, {packets} packets, {accepted} known differences, {len(found)} errors")
    print("formats:", ", ".join(f"{name} {count}" for name, count in sorted(tally.formats.items())))
    print("agreed:", ", ".join(f"{field} {tally.agreed[field]}/{count}" for field, count in sorted(tally.fields.items())))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
