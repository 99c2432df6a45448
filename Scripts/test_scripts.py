"""Tests the checking scripts: a right answer must pass, and each single error in it must be found.

A stand-in for gattscope prints prepared lines for a small capture; then one thing at a time is changed.
"""

import contextlib
import copy
import functools
import importlib.util
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
sys.path.insert(0, str(SCRIPTS))

from traffic import advertising, air, btsnoop, ciphers, files, handmade, pairing, written  # noqa: E402

STAND_IN = """#!/bin/sh
folder=${0%/*}
if [ -e "$folder/$1" ]; then cat "$folder/$1"; else cat "$folder/show"; fi
"""

PEER = "F3:F3:F3:F3:F3:F3"
KEY = bytes.fromhex("5bd1034e9827c6f00a7d31b2e5644f88")


def load(name: str):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def capture() -> bytes:
    made = handmade.Capture(btsnoop.H4)
    made.command(0x0C03)
    report = bytes([0, 1]) + handmade.address(PEER) + bytes([3]) + bytes.fromhex("020106") + bytes([0xC3])
    made.event(0x3E, b"\x02\x01" + report)
    made.acl(0x0040, 0, handmade.l2cap(4, bytes.fromhex("12100001")), received=False)
    made.received(0x0040, bytes.fromhex("0112100005"))
    made.acl(0x0040, 0, handmade.l2cap(6, bytes.fromhex("0503")), received=False)
    made.acl(0x0040, 0, handmade.l2cap(6, bytes.fromhex("0104002d100703")), received=False)
    made.acl(0x0040, 0, handmade.l2cap(6, bytes.fromhex("09") + b"\1" + handmade.address(PEER)), received=False)
    made.acl(0x0040, 0, handmade.l2cap(6, b"\x06" + KEY), received=False)
    made.acl(0x0040, 0, handmade.l2cap(5, bytes.fromhex("14010a00810040001001f7000300")), received=False)
    fields = bytes.fromhex("020106 03030d18 0409416265 02 0af9 0319 4103 0416 0f18 61 05ff 4c000102".replace(" ", ""))
    made.event(0x3E, b"\x02\x01" + report[:8] + bytes([len(fields)]) + fields + bytes([0xC3]))
    made.event(0x3E, b"\x0f" + bytes.fromhex("100007beff0003020a04"))
    return bytes(made.content)


def line(number: int, **layers) -> dict:
    micros = (number - 1) * handmade.STEP
    time = f"2026-11-21T12:00:00.{micros:06}Z"
    received = layers["hci"]["kind"] == "event" or number == 4
    direction = "received" if received else "sent"
    return {"type": "packet", "packet": number, "time": time, "adapter": 0, "direction": direction, **layers}


def secure(number: int, opcode: str, **parameters) -> dict:
    smp = {"opcode": opcode, "parameters": parameters}
    return line(number, hci={"kind": "acl", "handle": "0x0040"}, l2cap={"cid": "0x0006"}, smp=smp)


LINES = [
    line(1, hci={"kind": "command", "opcode": "0x0c03"}),
    line(
        2,
        hci={"kind": "event", "event": "0x3e", "subevent": "0x02"},
        advertisements=[
            {
                "address": PEER,
                "event_type": "0x00",
                "rssi_dbm": -61,
                "data": "020106",
                "fields": [{"type": "0x01", "value": {"code": "0x06"}}],
            }
        ],
    ),
    line(
        3,
        hci={"kind": "acl", "handle": "0x0040"},
        l2cap={"cid": "0x0004"},
        att={"opcode": "0x12", "handle": "0x0010", "value": "01"},
    ),
    line(
        4,
        hci={"kind": "acl", "handle": "0x0040"},
        l2cap={"cid": "0x0004"},
        att={"opcode": "0x01", "handle": "0x0010", "request_opcode": "0x12", "error": {"code": "0x05"}},
    ),
    secure(5, "0x05", reason={"code": "0x03", "name": "Authentication Requirements"}),
    secure(
        6,
        "0x01",
        io_capability={"code": "0x04", "name": "KeyboardDisplay"},
        oob_data_flag={"code": "0x00"},
        authreq={"code": "0x2d", "names": ["Bonding", "MITM", "SC", "CT2"]},
        maximum_encryption_key_size=16,
        initiator_key_distribution={"code": "0x07", "names": ["EncKey", "IdKey", "SignKey"]},
        responder_key_distribution={"code": "0x03", "names": ["EncKey", "IdKey"]},
    ),
    secure(7, "0x09", address_type={"code": "0x01", "name": "Random"}, bd_addr=PEER),
    secure(8, "0x06", long_term_key=KEY.hex()),
    line(
        9,
        hci={"kind": "acl", "handle": "0x0040"},
        l2cap={
            "cid": "0x0005",
            "signalling": [
                {
                    "code": "0x14",
                    "identifier": "0x01",
                    "parameters": {
                        "spsm": {"code": "0x0081"},
                        "source_cid": "0x0040",
                        "mtu": 272,
                        "mps": 247,
                        "initial_credits": 3,
                    },
                }
            ],
        },
    ),
    line(
        10,
        hci={"kind": "event", "event": "0x3e", "subevent": "0x02"},
        advertisements=[
            {
                "address": PEER,
                "event_type": "0x00",
                "rssi_dbm": -61,
                "data": "02010603030d180409416265020af903194103" + "04160f186105ff4c000102",
                "fields": [
                    {"type": "0x01", "value": {"code": "0x06"}},
                    {"type": "0x03", "uuids": ["180d"]},
                    {"type": "0x09", "text": "Abe"},
                    {"type": "0x0a", "value": {"tx_power_dbm": -7}},
                    {"type": "0x19", "value": {"code": "0x0341"}},
                    {"type": "0x16", "value": {"uuid": "180f", "data": "61"}},
                    {"type": "0xff", "value": {"company": {"code": "0x004c"}, "data": "0102"}},
                ],
            }
        ],
    ),
    line(
        11,
        hci={
            "kind": "event",
            "event": "0x3e",
            "subevent": "0x0f",
            "parameters": {
                "sync_handle": "0x0010",
                "tx_power_dbm": 7,
                "rssi_dbm": -66,
                "data_status": {"code": "0x00", "name": "Complete"},
                "data": "020a04",
            },
        },
    ),
]

# Each change must be found: its place in the lines, and the name in the report.
SPOILT = [
    ((0, "hci", "opcode"), "0x0c04", "hci.opcode"),
    ((0, "direction"), "received", "direction"),
    ((0, "time"), "2026-11-21T12:00:01.000000Z", "time"),
    ((1, "hci", "event"), "0x3f", "hci.event"),
    ((1, "hci", "subevent"), "0x0d", "hci.subevent"),
    ((1, "advertisements", 0, "address"), "F3:F3:F3:F3:F3:F4", "adv.address"),
    ((1, "advertisements", 0, "event_type"), "0x04", "adv.event_type"),
    ((1, "advertisements", 0, "rssi_dbm"), -60, "adv.rssi_dbm"),
    ((1, "advertisements", 0, "data"), "020107", "adv.data"),
    ((1, "advertisements"), [], "adv.count"),
    ((2, "hci", "handle"), "0x0041", "hci.handle"),
    ((2, "l2cap", "cid"), "0x0005", "l2cap.cid"),
    ((2, "att", "opcode"), "0x52", "att.opcode"),
    ((2, "att", "handle"), "0x0011", "att.handle"),
    ((2, "att", "value"), "02", "att.value"),
    ((3, "att", "error", "code"), "0x06", "att.error"),
    ((3, "att", "request_opcode"), "0x52", "att.request_opcode"),
    ((3, "adapter"), 1, "adapter"),
    ((3, "direction"), "sent", "direction"),
    ((4, "smp", "opcode"), "0x04", "smp.opcode"),
    ((4, "packet"), 60, "does not count the records"),
    ((4, "smp", "parameters", "reason", "code"), "0x04", "smp.reason"),
    ((5, "smp", "parameters", "io_capability", "code"), "0x03", "smp.io_capability"),
    ((5, "smp", "parameters", "oob_data_flag", "code"), "0x01", "smp.oob_data_flag"),
    ((5, "smp", "parameters", "authreq", "code"), "0x0d", "smp.authreq"),
    ((5, "smp", "parameters", "maximum_encryption_key_size"), 7, "smp.maximum_encryption_key_size"),
    ((5, "smp", "parameters", "initiator_key_distribution", "code"), "0x03", "smp.initiator_key_distribution"),
    ((5, "smp", "parameters", "responder_key_distribution", "code"), "0x07", "smp.responder_key_distribution"),
    ((6, "smp", "parameters", "address_type", "code"), "0x00", "smp.address_type"),
    ((6, "smp", "parameters", "bd_addr"), "F3:F3:F3:F3:F3:F4", "smp.address"),
    ((7, "smp", "parameters", "long_term_key"), bytes(16).hex(), "smp.long_term_key"),
    ((8, "l2cap", "signalling", 0, "code"), "0x15", "signalling.code"),
    ((8, "l2cap", "signalling", 0, "identifier"), "0x02", "signalling.identifier"),
    ((8, "l2cap", "signalling", 0, "parameters", "spsm", "code"), "0x0080", "signalling.psm"),
    ((8, "l2cap", "signalling", 0, "parameters", "source_cid"), "0x0041", "signalling.source_cid"),
    ((8, "l2cap", "signalling", 0, "parameters", "mtu"), 23, "signalling.mtu"),
    ((8, "l2cap", "signalling", 0, "parameters", "mps"), 23, "signalling.mps"),
    ((8, "l2cap", "signalling", 0, "parameters", "initial_credits"), 4, "signalling.initial_credits"),
    ((9, "advertisements", 0, "fields", 0, "value", "code"), "0x05", "adv.flags"),
    ((9, "advertisements", 0, "fields", 1, "uuids"), ["180e"], "adv.uuids_16"),
    ((9, "advertisements", 0, "fields", 2, "text"), "Abel", "adv.names"),
    ((9, "advertisements", 0, "fields", 2, "type"), "0x08", "adv.types"),
    ((9, "advertisements", 0, "fields", 3, "value", "tx_power_dbm"), 7, "adv.tx_power_dbm"),
    ((9, "advertisements", 0, "fields", 4, "value", "code"), "0x0340", "adv.appearances"),
    ((9, "advertisements", 0, "fields", 5, "value", "data"), "62", "adv.service_data"),
    ((9, "advertisements", 0, "fields", 6, "value", "company", "code"), "0x004d", "adv.companies"),
    ((10, "hci", "parameters", "sync_handle"), "0x0011", "periodic.sync"),
    ((10, "hci", "parameters", "rssi_dbm"), -65, "periodic.rssi_dbm"),
    ((10, "hci", "parameters", "data_status", "code"), "0x01", "periodic.data_status"),
    ((10, "hci", "parameters", "data"), "020a05", "periodic.data"),
]

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": {
        "showLine": {"oneOf": [{"$ref": "#/$defs/packet"}, {"$ref": "#/$defs/note"}]},
        "packet": {
            "type": "object",
            "required": ["type", "packet"],
            "additionalProperties": False,
            "properties": {"type": {"const": "packet"}, "packet": {"type": "integer", "minimum": 1}},
        },
        "note": {"type": "object", "required": ["type"], "properties": {"type": {"const": "note"}}},
        "decoded": {"type": "object"},
        "devicesLine": {"type": "object", "required": ["events"], "properties": {"events": {"type": "array"}}},
        "valuesLine": {
            "type": "object",
            "required": ["packet"],
            "properties": {"type": {"const": "value"}, "packet": {"type": "integer"}},
        },
        "info": {"type": "object", "required": ["records"], "properties": {"records": {"type": "integer"}}},
        "map": {"type": "object", "required": ["devices"]},
        "profileList": {"type": "object", "required": ["definitions"]},
        "profileMatches": {"type": "object"},
        "profileLearn": {"type": "object"},
        "valuePositions": {"type": "object"},
        "explain": {"type": "object"},
        "diff": {"type": "object"},
        "traceLine": {"type": "object"},
        "ruleList": {"type": "object"},
    },
}


class StandIn(unittest.TestCase):
    """A folder with a stand-in program, the capture, and the program's output."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name) / "captures"
        self.folder.mkdir()
        self.program = self.folder / "program.txt"
        self.program.write_text(STAND_IN)
        self.program.chmod(0o755)
        self.capture = self.folder / "small.btsnoop"
        self.capture.write_bytes(capture())
        self.print_lines(LINES)

    def print_lines(self, lines) -> None:
        (self.folder / "show").write_text("".join(json.dumps(each) + "\n" for each in lines))

    def judge(self, module, capture: Path | None = None) -> tuple[int, str]:
        output, arguments = io.StringIO(), sys.argv
        sys.argv = ["judge", str(self.program), str(capture or self.capture)]
        try:
            with contextlib.redirect_stdout(output):
                status = module.main()
        finally:
            sys.argv = arguments
        return status, output.getvalue()


@unittest.skipUnless(shutil.which("tshark") or os.environ.get("CI"), "tshark is not installed")
class ComparisonTests(StandIn):
    def setUp(self) -> None:
        super().setUp()
        self.module = load("compare-with-tshark")
        self.module.KNOWN = self.folder / "known-differences.txt"

    def test_right_lines_pass(self) -> None:
        status, output = self.judge(self.module)
        self.assertEqual(status, 0, output)

    def test_each_spoilt_value_is_found(self) -> None:
        for (*path, key), value, reported in SPOILT:
            with self.subTest(reported):
                lines = copy.deepcopy(LINES)
                place = lines
                for step in path:
                    place = place[step]
                self.assertNotEqual(place[key], value)
                place[key] = value
                self.print_lines(lines)
                status, output = self.judge(self.module)
                self.assertEqual(status, 1, output)
                # After the errors the output lists all fields.
                self.assertIn(reported, output.split("formats:")[0])

    def test_missing_line_is_found(self) -> None:
        self.print_lines(LINES[:-1])
        status, output = self.judge(self.module)
        self.assertEqual(status, 1)
        self.assertIn(f"expected {len(LINES)} lines, one a whole record, got {len(LINES) - 1}", output)

    def test_what_is_never_compared_is_an_error(self) -> None:
        """For a folder. The stand-in's capture has no credits, for example."""
        status, output = self.judge(self.module, self.folder)
        self.assertEqual(status, 1, output)
        self.assertIn("signalling.credits: compared 0 times", output)
        self.assertNotIn("smp.authreq", output.split("formats:")[0])

    def test_each_format_is_recognised(self) -> None:
        command = bytes.fromhex("01030c00")
        pcap = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 201)
        pcap += struct.pack("<IIII", 0, 0, 8, 8) + bytes(4) + command
        section = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
        interfaces = b"".join(struct.pack("<IIHHII", 1, 20, link, 0, 0, 20) for link in (1, 187))
        packets = b"".join(
            struct.pack("<IIIIIII", 6, 36, index, 0, 0, 4, 4) + command + struct.pack("<I", 36) for index in (1, 0, 1)
        )
        logger = struct.pack(">IIIB", 12, 1_795_262_400, 0, 0) + command[1:]
        for content, name, is_hci, is_air in (
            (pcap, "pcap 201", [True], [False]),
            (pcap[:20] + struct.pack("<I", 256) + pcap[24:], "pcap 256", [False], [True]),
            (section + interfaces + packets, "pcapng 1 187", [True, False, True], [False] * 3),
            (logger, "PacketLogger, big-endian", [True], [False]),
            (capture(), "btsnoop 1002", [True] * len(LINES), [False] * len(LINES)),
        ):
            path = self.folder / "capture"
            path.write_bytes(content)
            self.assertEqual(files.kind(path), (name, is_hci, is_air))
        for content in (b"", b"no capture", json.dumps(LINES).encode(), logger[:-1]):
            path.write_bytes(content)
            self.assertIsNone(files.kind(path), content)

    def test_each_spoilt_value_of_a_sniffer_is_found(self) -> None:
        """Of a packet of a connection: a pseudo header, a read request, and its CRC."""
        packet = bytes.fromhex("05c4000000000000 130c b3a16550 0e07 03000400 0a0300 112233".replace(" ", ""))
        pcap = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 256)
        self.capture.write_bytes(pcap + struct.pack("<IIII", 1, 0, len(packet), len(packet)) + packet)
        line = {
            **{"type": "packet", "packet": 1, "time": "1970-01-01T00:00:01Z", "adapter": 0, "length": len(packet)},
            "air": {"channel": 4, "rssi_dbm": -60, "access_address": "0x5065a1b3", "crc": "ok"},
            "ll": {"pdu": "data", "llid": 2, "nesn": 1, "sn": 1},
            "l2cap": {"cid": "0x0004", "length": 3},
            "att": {"opcode": "0x0a", "handle": "0x0003"},
        }
        self.print_lines([line])
        status, output = self.judge(self.module)
        self.assertEqual(status, 0, output)
        for layer, key, value in (
            ("air", "channel", 5),
            ("air", "rssi_dbm", 60),
            ("air", "access_address", "0xb3a16550"),
            ("air", "crc", "wrong"),
            ("ll", "llid", 1),
            ("ll", "sn", 0),
            ("ll", "nesn", 0),
            ("l2cap", "cid", "0x0005"),
            ("att", "handle", "0x0300"),
        ):
            with self.subTest(key):
                self.print_lines([{**line, layer: {**line[layer], key: value}}])
                status, output = self.judge(self.module)
                self.assertEqual(status, 1, output)
                self.assertIn(f"#1 {layer.replace('ll', 'air')}.{key}", output.split("formats:")[0])

    def test_known_difference_is_accepted_while_it_lasts(self) -> None:
        self.module.KNOWN.write_text("captures/small* | 3 | att.value | 02 | 01 | a reason\n")
        self.assertIn("no longer matches anything", self.judge(self.module)[1])
        lines = copy.deepcopy(LINES)
        lines[2]["att"]["value"] = "02"
        self.print_lines(lines)
        status, output = self.judge(self.module)
        self.assertEqual(status, 0, output)
        self.module.KNOWN.write_text("captures/small* | 3 | att.value | 02 | 01 |\n")
        with self.assertRaises(SystemExit):
            self.judge(self.module)


@unittest.skipUnless(shutil.which("tshark") or os.environ.get("CI"), "tshark is not installed")
class SecretTests(StandIn):
    """The capture has a key, which tshark names."""

    def setUp(self) -> None:
        super().setUp()
        self.module = load("find-secrets")
        # The stand-in prints the same with --show-keys, so the requested output has its own line.
        asked = f"case $* in *--show-keys*) echo {KEY.hex()};; esac\n"
        self.program.write_text(STAND_IN + asked)
        self.print_lines([])
        (self.folder / "info").write_text("{}\n")
        (self.folder / "map").write_text("{}\n")

    def judged(self, show: str) -> tuple[int, str]:
        (self.folder / "show").write_text(show)
        return self.judge(self.module, self.folder)

    def test_nothing_secret_passes(self) -> None:
        status, output = self.judged("Encryption Information <hidden>, 16 bytes\n0010  5b d1 .. .. ..\n")
        self.assertEqual(status, 0, output)
        self.assertIn("1 captures, 1 secrets, seen with --show-keys in 1 captures, 0 errors", output)

    def test_each_form_of_a_key_is_found(self) -> None:
        dump = f"0000  {KEY[:7].hex(' ')}\n0010  {KEY[7:].hex(' ')}\n"
        for shown in (KEY.hex(), KEY.hex(" "), KEY.hex(":").upper(), KEY[::-1].hex(), dump):
            with self.subTest(shown):
                status, output = self.judged(f"Encryption Information {shown}\n")
                self.assertEqual(status, 1, output)
                self.assertIn("small.btsnoop: show shows", output)

    def test_only_pieces_that_look_like_packet_numbers_are_left_out(self) -> None:
        secrets = self.module.Secrets()
        secrets.keys = {bytes(range(0x30, 0x40))}
        self.assertEqual(list(secrets.pieces()), [])
        # Only the last piece, and in the other order the first, contains the byte that does not ascend.
        mixed = bytes(range(0x30, 0x3F)) + b"\xc7"
        secrets.keys = {mixed}
        pieces = [mixed[10:], mixed[:9:-1]]
        self.assertEqual(list(secrets.pieces()), [(piece, mixed) for piece in pieces])
        for piece in pieces:
            self.assertIsNotNone(secrets.found(f"value {piece.hex(' ')}"))
        self.assertIsNone(secrets.found(f"packets {mixed[:10].hex(' ')}"))

    def test_passkeys_and_text_are_found(self) -> None:
        truth = {"ops": [{"keys": {"phone": {"ltk": {"value": b"A-KEY-OF-LETTERS".hex()}}}}], "passkey": 42, "compare": None}
        (self.folder / "small.truth.json").write_text(json.dumps(truth))
        for shown, leaks in (("passkey 000042", 1), ("y 1000042.5", 0), ("....A-KEY-OF", 1)):
            with self.subTest(shown):
                self.assertEqual(self.judged(shown + "\n")[0], leaks)

    def test_a_search_that_could_find_nothing_is_an_error(self) -> None:
        self.program.write_text(STAND_IN)
        status, output = self.judged("")
        self.assertEqual(status, 1)
        self.assertIn("could not have found any", output)


class ValidationTests(StandIn):
    def setUp(self) -> None:
        super().setUp()
        self.module = load("validate-json")
        (self.folder / "schema").write_text(json.dumps(SCHEMA))
        (self.folder / "info").write_text('{"records":1}\n')
        (self.folder / "map").write_text('{"devices":[]}\n')
        (self.folder / "profiles").write_text('{"definitions":[]}\n')
        (self.folder / "devices").write_text('{"events":[]}\n')
        (self.folder / "table").write_text('{"kind":"captures"}\n')
        (self.folder / "values").write_text('{"type":"value","packet":1}\n')
        (self.folder / "explain").write_text('{}\n')
        (self.folder / "diff").write_text('{}\n')
        (self.folder / "trace").write_text('{}\n')

    def judged(self, show: str) -> tuple[int, str]:
        (self.folder / "show").write_text(show)
        return self.judge(self.module)

    def test_right_lines_pass(self) -> None:
        status, output = self.judged('{"type":"packet","packet":1}\n')
        self.assertEqual(status, 0, output)

    def test_wrong_lines_are_found(self) -> None:
        good = '{"type":"packet","packet":1}\n'
        for bad, reported in (
            ('{"type":"packet","packet":0}\n', "minimum"),
            ('{"type":"packet","packet":1,"extra":1}\n', "extra"),
            ('{"type":"packet","packet":1,"packet":1}\n', "twice"),
            ('{"type":"packet"}\n', "required"),
            ('{"type":"packet","packet":NaN}\n', "NaN"),
            ('{"type":"packet","packet":1', "expected JSON"),
        ):
            with self.subTest(reported):
                status, output = self.judged(good + bad)
                self.assertEqual(status, 1, output)
                self.assertIn("line 2", output)
                self.assertIn(reported, output)

    def test_wrong_values_are_found(self) -> None:
        (self.folder / "values").write_text('{"type":"value","packet":1}\n{"type":"value","packet":"1"}\n')
        status, output = self.judged('{"type":"packet","packet":1}\n')
        self.assertEqual(status, 1)
        self.assertIn("line 2: $.packet", output)

    def test_wrong_info_is_found(self) -> None:
        (self.folder / "info").write_text('{"records":"many"}\n')
        status, output = self.judged('{"type":"packet","packet":1}\n')
        self.assertEqual(status, 1)
        self.assertIn("$.records", output)

    def test_a_wrong_list_of_profiles_is_found(self) -> None:
        (self.folder / "profiles").write_text("{}\n")
        status, output = self.judged('{"type":"packet","packet":1}\n')
        self.assertEqual(status, 1)
        self.assertIn("profiles list --json: $", output)

    def test_wrong_devices_are_found(self) -> None:
        (self.folder / "devices").write_text('{"events":[]}\n{"events":1}\n')
        status, output = self.judged('{"type":"packet","packet":1}\n')
        self.assertEqual(status, 1)
        self.assertIn("devices --json, line 2: $.events", output)

    def test_keys_with_several_types_are_found(self) -> None:
        (self.folder / "table").write_text('{"kind":"fields","word":null}\n{"kind":"fields","word":"on"}\n{"kind":"captures","word":1}\n')
        status, output = self.judged('{"type":"note","a":[{"b":1},{"b":2.5}]}\n{"type":"packet","packet":1}\n')
        self.assertEqual(status, 0, output)
        (self.folder / "table").write_text('{"kind":"fields","word":null}\n{"kind":"fields","word":"on"}\n{"kind":"fields","word":1}\n')
        status, output = self.judged('{"type":"note","a":[{"b":1},{"b":{}}]}\n')
        self.assertEqual(status, 1, output)
        self.assertIn("show: note.a[].b has several types: a number (", output)
        self.assertIn("table: fields.word has several types: a string (", output)

    def test_a_long_output_is_skipped(self) -> None:
        most = len((self.folder / "schema").read_bytes())
        self.module.MOST_BYTES = most
        status, output = self.judged('{"type":"packet","packet":0}\n' * (most // 29 + 1))
        self.assertIn("show --json prints more than", output)
        self.assertNotIn("minimum", output)
        # The outputs of the other verbs are still compared.
        self.assertNotIn("info --json prints more than", output)
        self.assertEqual(status, 1, "no line of show was validated")

    def test_other_bytes_on_the_second_run_are_found(self) -> None:
        self.program.write_text(STAND_IN + """printf '{"type":"note","time":%d}\\n' $(date +%s%N)\n""")
        (self.folder / "schema").write_text(json.dumps(SCHEMA))
        self.module.validators = lambda program: {
            name: self.module.Validator(name, SCHEMA["$defs"]) for name in SCHEMA["$defs"]
        }
        self.assertIn("different bytes", self.judged("")[1])


class CaptureTests(unittest.TestCase):
    def test_written_captures_are_those_of_the_project(self) -> None:
        captures = SCRIPTS.parent / "captures"
        self.assertGreater(len(written.CAPTURES), 8)
        for name, made in written.CAPTURES.items():
            self.assertEqual((captures / f"{name}.btsnoop").read_bytes(), made(), f"{name}: make captures")

    def test_written_captures_are_the_same_in_every_process(self) -> None:
        print_digests = (
            "import hashlib; from traffic import written; "
            "print([hashlib.sha256(made()).hexdigest() for made in written.CAPTURES.values()])"
        )
        runs = {
            subprocess.run(
                [sys.executable, "-c", print_digests],
                cwd=SCRIPTS,
                env=dict(os.environ, PYTHONHASHSEED=seed),
                capture_output=True,
                check=True,
            ).stdout
            for seed in ("1", "2")
        }
        self.assertEqual(len(runs), 1)

    @unittest.skipUnless((SCRIPTS / "traffic" / "formats.py").exists(), "the other formats do not exist yet")
    def test_other_formats_are_made_of_the_samples(self) -> None:
        from traffic import formats

        captures = SCRIPTS.parent / "captures"
        with tempfile.TemporaryDirectory() as folder:
            for path in captures.glob("*.btsnoop"):
                shutil.copy(path, folder)
            formats.make_all(Path(folder))
            made = [path for path in Path(folder).iterdir() if path.suffix != ".btsnoop"]
            self.assertGreater(len(made), 4)
            for path in made:
                self.assertEqual((captures / path.name).read_bytes(), path.read_bytes(), f"{path.name}: make captures")

    def test_captures_of_a_sniffer_are_those_of_the_project(self) -> None:
        captures = SCRIPTS.parent / "captures"
        for name, made in air.CAPTURES.items():
            self.assertEqual((captures / name).read_bytes(), made(), f"{name}: make captures")

    def test_ciphers_by_the_specification(self) -> None:
        """The sample data of the Core Specification, Vol 6, Part C, 1, and Vol 3, Part H, 2.2.3 and 2.2.4."""
        key = bytes.fromhex("4c68384139f574d836bcf34e9dfb01bf")
        diversifier, vector = bytes.fromhex("1302f1e0dfcebdac7968574635241302"), bytes.fromhex("24abdcbabebaafde")
        cipher = ciphers.LinkCipher(key, diversifier, vector)
        payload = bytes.fromhex("1700636465666768696a6b6c6d6e6f707131323334353637383930")
        self.assertEqual(cipher.encrypted(0x0F, b"\6", True, 0).hex(), "9fcda7f448")
        self.assertEqual(cipher.encrypted(0x07, b"\6", False, 0).hex(), "a34c13a415")
        encrypted = "7a70d66415226df26b17839a060405596bd6564f796b5b9ce6ff32f75a6d33"
        self.assertEqual(cipher.encrypted(0x0E, payload, True, 1).hex(), encrypted)
        value, request, response = "5783d52156ad6f0e6388274ec6702ee0", "07071000000101", "05000800000302"
        value, request, response = (bytes.fromhex(each)[::-1] for each in (value, request, response))
        addresses = bytes.fromhex("a6a5a4a3a2a1"), bytes.fromhex("b6b5b4b3b2b1")
        confirm = ciphers.c1(bytes(16), value, request, response, (1, 0), addresses)
        self.assertEqual(confirm[::-1].hex(), "1e1e3fef878988ead2a74dc5bef13b86")
        randoms = "000f0e0d0c0b0a091122334455667788", "010203040506070899aabbccddeeff00"
        short = ciphers.s1(bytes(16), *(bytes.fromhex(each)[::-1] for each in randoms))
        self.assertEqual(short.hex(), "9a1fe1f0e8b0f49b5b4216ae796da062")
        self.assertEqual(air.crc(bytes.fromhex("0003424c45"), 0x555555).hex(), "290ace")

    def test_every_capture_is_described_and_small(self) -> None:
        folder = SCRIPTS.parent / "captures"
        described = (folder / "README.md").read_text()
        for path in folder.glob("*.*"):
            if path.suffix != ".md":
                self.assertIn(f"`{path.name.replace('.peripheral', '')}`", described)
                self.assertLess(path.stat().st_size, 20_000, path.name)

    def test_lengths_on_every_layer_agree(self) -> None:
        """A handwritten capture must have correct lengths, unless they are wrong on purpose."""
        for name, made in written.CAPTURES.items():
            content = made()
            if btsnoop.datalink(content) == btsnoop.H4:
                for number, record in enumerate(btsnoop.records(content), 1):
                    self.assertEqual(length_errors(record.data), "", f"{name} #{number}")

    def test_monitor_capture_has_every_opcode(self) -> None:
        opcodes = {record.flags & 0xFFFF for record in btsnoop.records(handmade.monitor())}
        self.assertEqual(opcodes, {*range(20), 25})

    def test_every_advertising_type_is_there(self) -> None:
        groups = (advertising.DISCOVERY, advertising.DATA, advertising.SECURITY, advertising.BROADCAST)
        kinds = {kind for group in groups for kind, _ in group}
        assigned = {*range(0x01, 0x0B), *range(0x0D, 0x13), *range(0x14, 0x33), 0x34, 0x3D, 0xFF}
        self.assertEqual(assigned - kinds, set())
        self.assertEqual(kinds - assigned, {0x33}, "only 0x33 is used although it is not assigned")

    def test_every_security_manager_code_is_there(self) -> None:
        codes = {
            record.data[9]
            for record in btsnoop.records(pairing.pairing_all_keys())
            if record.data[0] == btsnoop.ACL and record.data[7:9] == b"\x06\x00"
        }
        self.assertEqual(codes, set(range(0x01, 0x10)))


def length_errors(packet: bytes) -> str:
    """Returns what is wrong in an H4 packet's length fields; for ACL only if a fragment begins."""
    kind, rest = packet[0], packet[1:]
    if kind == btsnoop.COMMAND and rest[2] != len(rest) - 3:
        return f"command: {rest[2]} said, {len(rest) - 3} there"
    if kind == btsnoop.EVENT and rest[1] != len(rest) - 2:
        return f"event: {rest[1]} said, {len(rest) - 2} there"
    if kind == btsnoop.ACL and int.from_bytes(rest[2:4], "little") != len(rest) - 4:
        return "ACL: a wrong length"
    return ""


if __name__ == "__main__":
    unittest.main()
