"""The judges are judged: a right answer passes, and each single wrong thing in it is found.

A small capture is read by a stand-in for gattscope that prints prepared lines; then one thing at a time is spoilt.
"""

import contextlib
import copy
import importlib.util
import io
import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
sys.path.insert(0, str(SCRIPTS))

from traffic import btsnoop, handmade  # noqa: E402

STAND_IN = """#!/usr/bin/env python3
import pathlib, sys
folder = pathlib.Path(__file__).parent
sys.stdout.write((folder / ("info" if sys.argv[1] == "info" else "schema" if sys.argv[1] == "schema" else "show")).read_text())
"""

PEER = "F3:F3:F3:F3:F3:F3"


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
    return bytes(made.content)


def line(number: int, **layers) -> dict:
    micros = (number - 1) * handmade.STEP
    time = f"2026-11-21T12:00:00.{micros:06}Z"
    direction = "sent" if number % 2 else "received"
    return {"type": "packet", "packet": number, "time": time, "adapter": 0, "direction": direction, **layers}


LINES = [
    line(1, hci={"kind": "command", "opcode": "0x0c03"}),
    line(
        2,
        hci={"kind": "event", "event": "0x3e", "subevent": "0x02"},
        advertisements=[{"address": PEER, "event_type": "0x00", "rssi_dbm": -61, "data": "020106"}],
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
    line(5, hci={"kind": "acl", "handle": "0x0040"}, l2cap={"cid": "0x0006"}, smp={"opcode": "0x05"}),
]

# Each of these, spoilt alone, must be found: where it is in the lines, and under which name it is reported.
SPOILT = [
    ((0, "hci", "opcode"), "0x0c04", "hci.opcode"),
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
    ((4, "packet"), 6, "does not count"),
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
        "info": {"type": "object", "required": ["records"], "properties": {"records": {"type": "integer"}}},
    },
}


class StandIn(unittest.TestCase):
    """A folder with a stand-in program, the capture, and what the program prints."""

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

    def judge(self, module) -> tuple[int, str]:
        output, arguments = io.StringIO(), sys.argv
        sys.argv = ["judge", str(self.program), str(self.capture)]
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
                self.assertIn(reported, output)

    def test_missing_line_is_found(self) -> None:
        self.print_lines(LINES[:-1])
        status, output = self.judge(self.module)
        self.assertEqual(status, 1)
        self.assertIn("expected 5 lines, one a whole record, got 4", output)

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


class ValidationTests(StandIn):
    def setUp(self) -> None:
        super().setUp()
        self.module = load("validate-json")
        (self.folder / "schema").write_text(json.dumps(SCHEMA))
        (self.folder / "info").write_text('{"records":1}\n')

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

    def test_wrong_info_is_found(self) -> None:
        (self.folder / "info").write_text('{"records":"many"}\n')
        status, output = self.judged('{"type":"packet","packet":1}\n')
        self.assertEqual(status, 1)
        self.assertIn("$.records", output)

    def test_other_bytes_on_the_second_run_are_found(self) -> None:
        self.program.write_text(STAND_IN + "print('{\"type\":\"note\",\"time\":%d}' % __import__('time').time_ns())\n")
        (self.folder / "schema").write_text(json.dumps(SCHEMA))
        self.module.validators = lambda program: {
            name: self.module.Draft202012Validator({"$ref": f"#/$defs/{name}", **SCHEMA}) for name in ("showLine", "info")
        }
        self.assertIn("different bytes", self.judged("")[1])


class CaptureTests(unittest.TestCase):
    def test_handmade_captures_are_those_of_the_project(self) -> None:
        captures = SCRIPTS.parent / "captures"
        for name, content in (
            ("enhanced-connection", handmade.enhanced_connection()),
            ("monitor", handmade.monitor()),
        ):
            self.assertEqual((captures / f"{name}.btsnoop").read_bytes(), content, name)

    def test_monitor_capture_has_every_opcode(self) -> None:
        opcodes = {record.flags & 0xFFFF for record in btsnoop.records(handmade.monitor())}
        self.assertEqual(opcodes, {*range(20), 25})


if __name__ == "__main__":
    unittest.main()
