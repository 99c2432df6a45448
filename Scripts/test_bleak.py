"""Checks the scripts that `trace --as bleak` writes: Python compiles them, bleak has what they call, and run against
servers on bumble's virtual link they do what the client of the capture did.
"""

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tested_program import PROGRAM, sampled
from traffic import files

FOLDER = Path(__file__).resolve().parent
SAMPLES = FOLDER.parent / "captures"
SHARED = FOLDER.parent.parent / "shared" / "captures"
# The Python that has bumble and bleak: that of the Makefile, or another one.
PYTHON = os.environ.get("BUMBLE_PYTHON", str(FOLDER.parent / ".venv" / "bin" / "python"))
SYSTEMS = ("1800", "1801")
# A module that finds every device and prints what is asked of it.
STUB = '''
class BleakError(Exception): pass
class BleakScanner:
    async def find_device_by_address(address): return address
    async def find_device_by_name(name): return name
class Anything:
    def __getattr__(self, name): return self
    def __call__(self, *arguments, **named): return self
    def values(self): return ()
    def hex(self, *arguments): return ""
    def __await__(self):
        yield from ()
        return self
class BleakClient(Anything):
    def __init__(self, device): print("connects to", device)
    async def __aenter__(self): return Anything()
    async def __aexit__(self, *arguments): pass
'''
RUN = ("heart-rate", "wristband", "write-refused", "lost-subscription", "secret-values", "android-phone")


def printed(*arguments: object) -> str:
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False).stdout


def script_of(capture: Path) -> str:
    """Returns the script for a capture, or nothing if it has nothing to replay."""
    return printed("trace", "--as", "bleak", capture)


def has(module: str) -> bool:
    found = Path(PYTHON).exists() and subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0
    if not found and os.environ.get("CI"):
        raise AssertionError(f"{module} is not installed: make packages")
    return found


def operations(capture: Path) -> list[list[str]]:
    """Returns what the client of a capture did with attributes that the script can use, in order."""
    values = [json.loads(line) for line in printed("values", "--json", capture).splitlines()]
    found = []
    for value in sorted((each for each in values if each["type"] == "value"), key=lambda each: each["packet"]):
        is_write = value["operation"].startswith("write")
        if not is_write and value["operation"] != "read" or value.get("server") == "local":
            continue
        if value.get("service") in (None, *SYSTEMS) or "uuid" not in value or value["uuid"] == "2902":
            continue
        if "offset" in value or "cut" in value or value.get("failed", "refused") != "refused" or is_write and not is_shown(value.get("value")):
            continue
        found.append([value["uuid"], "write" if is_write else "read", value["value"] if is_write else ""])
    return found


def is_shown(value: object) -> bool:
    return isinstance(value, str) and value != "<hidden>"


def calls(script: str) -> list[tuple[str, int, list[str]]]:
    """Returns the methods of the client that a script calls: name, number of arguments, names of others."""
    return [
        (node.func.attr, len(node.args), [each.arg for each in node.keywords])
        for node in ast.walk(ast.parse(script))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
        if node.func.value.id == "client"
    ]


class ScriptTests(unittest.TestCase):
    def captures(self) -> list[Path]:
        everything = [path for folder in (SAMPLES, SHARED) for path in sorted(folder.rglob("*")) if path.is_file()]
        return [path for path in sampled(everything) if (kind := files.kind(path)) and any(kind.is_hci)]

    def test_python_compiles_the_script_of_every_capture(self) -> None:
        written = 0
        for path in self.captures():
            script = script_of(path)
            if script:
                written += 1
                self.assertTrue(script.isascii(), path)
                compile(script, str(path), "exec")
        self.assertGreater(written, 10)

    def test_names_from_the_capture_are_only_strings_and_comments(self) -> None:
        content = (SAMPLES / "heart-rate.btsnoop").read_bytes()
        usual = ast.dump(ast.parse(script_of(SAMPLES / "heart-rate.btsnoop"))).replace("'HRM-7'", "NAME")
        with tempfile.TemporaryDirectory() as folder:
            for name in (b'"\n\\\0"', b"'''\r\x0c", b'")\n#\xe2'):
                path = Path(folder) / "a\nimport os #'\"\"\".btsnoop"
                path.write_bytes(content.replace(b"HRM-7", name))
                script = script_of(path)
                text = name.decode(errors="replace")
                self.assertEqual(ast.dump(ast.parse(script)).replace(repr(text), "NAME"), usual)
                self.assertTrue(script.isascii())

    def test_secrets_are_not_in_the_script(self) -> None:
        script = script_of(SAMPLES / "secret-values.btsnoop")
        self.assertIn("hidden", script)
        shown = [json.loads(line) for line in printed("values", "--json", "--show-keys", SAMPLES / "secret-values.btsnoop").splitlines()]
        hidden = [json.loads(line) for line in printed("values", "--json", SAMPLES / "secret-values.btsnoop").splitlines()]
        secrets = [one["value"] for one, other in zip(shown, hidden) if one.get("value") != other.get("value")]
        self.assertTrue(secrets)
        for secret in secrets:
            self.assertNotIn(bytes.fromhex(secret).hex(" "), script)

    def run_script(self, script: str, *arguments: str) -> subprocess.CompletedProcess:
        """Runs a script with the stub instead of bleak."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "bleak").mkdir()
            (folder / "bleak" / "__init__.py").write_text(STUB)
            (folder / "bleak" / "exc.py").write_text("from . import BleakError")
            (folder / "replay.py").write_text(script)
            command = [sys.executable, "replay.py", "--pace", "0", *arguments]
            return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=60)

    def test_an_address_replaces_the_device_of_its_connection(self) -> None:
        captures = [SAMPLES / "write-refused.btsnoop", SAMPLES / "secret-values.btsnoop"]
        script = printed("trace", "--as", "bleak", *captures)
        numbers = re.findall(r"await connection_(\d+)\(options\)", script)
        usual = self.run_script(script)
        self.assertEqual(usual.returncode, 0, usual.stderr)
        before = [line for line in usual.stdout.splitlines() if line.startswith("connects")]
        self.assertEqual(len(set(before)), 2, before)
        after = self.run_script(script, "--address", f"{numbers[1]}=F0:F0:F0:F0:F0:F0").stdout.splitlines()
        self.assertEqual([line for line in after if line.startswith("connects")], [before[0], "connects to F0:F0:F0:F0:F0:F0"])
        refused = self.run_script(script, "--address", "F0:F0:F0:F0:F0:F0")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("this script has 2 devices: use --address CONNECTION=ADDRESS", refused.stderr)
        self.assertIn("connects to F0\n", self.run_script(script_of(captures[1]), "--address", "F0").stdout)

    def test_a_script_that_can_do_nothing_reports_it(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            output = Path(name) / "replay.py"
            command = [PROGRAM, "trace", "--as", "bleak", "-o", output, "--handle", "0x0018", SAMPLES / "android-phone.btsnoop"]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("the script replays nothing: every operation is left out; 1 of unknown UUID, which --map supplies", run.stderr)
            script = output.read_text()
            self.assertIn("# This script replays nothing: every operation is left out.\n", script)
            self.assertIn("    # Packets #110 to #112.\n", script)
            ran = self.run_script(script)
            self.assertEqual((ran.returncode, ran.stdout), (1, ""))
            self.assertEqual(ran.stderr, "This script replays nothing: every operation is left out.\n")
        nothing = subprocess.run([*command[:4], "--packets", "1", command[-1]], capture_output=True, text=True, check=False)
        self.assertEqual((nothing.returncode, nothing.stdout), (2, ""))

    def test_options_that_a_script_cannot_have_are_refused(self) -> None:
        for option in (["--json"], ["--show-keys"], ["--app-only"], ["--text", "x"], ["--app-log", "x"]):
            run = subprocess.run([PROGRAM, "trace", "--as", "bleak", *option, SAMPLES / "heart-rate.btsnoop"], capture_output=True, check=False)
            self.assertEqual(run.returncode, 64, option)
        run = subprocess.run([PROGRAM, "trace", "-o", "x", SAMPLES / "heart-rate.btsnoop"], capture_output=True, check=False)
        self.assertEqual(run.returncode, 64)

    def test_bleak_has_what_scripts_call(self) -> None:
        if not has("bleak"):
            self.skipTest("bleak is not installed (make .venv/bin/bleak-made)")
        used = sorted({json.dumps(call) for path in SAMPLES.glob("*.btsnoop") if (script := script_of(path)) for call in calls(script)})
        self.assertGreater(len(used), 2)
        check = (
            "import inspect, json, sys, bleak\n"
            "for name, count, names in map(json.loads, sys.argv[1:]):\n"
            "    inspect.signature(getattr(bleak.BleakClient, name)).bind(*[0] * (count + 1), **dict.fromkeys(names))\n"
            "for name in ('find_device_by_address', 'find_device_by_name'):\n"
            "    inspect.signature(getattr(bleak.BleakScanner, name)).bind('')\n"
            "import bleak.backends.characteristic as characteristic\n"
            "characteristic.BleakGATTCharacteristic.get_descriptor, bleak.exc.BleakError\n"
        )
        run = subprocess.run([PYTHON, "-c", check, *used], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_a_server_sees_what_that_of_the_capture_saw(self) -> None:
        if not has("bumble"):
            self.skipTest("bumble is not installed (make .venv/bin/bumble-made)")
        total = 0
        for name in RUN:
            capture = SAMPLES / f"{name}.btsnoop"
            with self.subTest(name), tempfile.TemporaryDirectory() as scratch:
                folder = Path(scratch)
                (folder / "replay.py").write_text(script_of(capture))
                (folder / "map.json").write_text(printed("map", "--json", capture))
                (folder / "values.json").write_text(printed("values", "--json", capture))
                run = subprocess.run(
                    [PYTHON, FOLDER / "replay_with_bumble.py", *(folder / each for each in ("replay.py", "map.json", "values.json"))],
                    capture_output=True, text=True, check=False, timeout=120,
                )
                self.assertEqual(run.returncode, 0, run.stderr[-2000:])
                seen = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("[")]
                total += len(seen)
                self.assertEqual([each for each in seen if each[1] != "subscribe"], operations(capture))
                if name == "heart-rate":
                    self.assertEqual([each[0] for each in seen if each[1] == "subscribe"], ["2a37", "2a19", "2a1c"])
                    self.assertIn("00002a37-0000-1000-8000-00805f9b34fb: 06 48", run.stdout)
                    self.assertIn("refused, as in the capture", run.stdout)
        self.assertGreater(total, 10)


if __name__ == "__main__":
    unittest.main()
