"""Tests the extcap with Wireshark's calls, and through tshark: the captured packets must be those of the file that is
sent.
"""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import live_feeder as feeder
from tested_program import IN_CI, PROGRAM, ROOT

EXTCAP = ROOT / "Wireshark" / "gattscope"
CAPTURE = ROOT / "captures" / "heart-rate.btsnoop"
SECONDS = 60
FIELDS = ("bthci_cmd.opcode", "bthci_evt.code", "bthci_acl.chandle", "btatt.opcode", "btatt.handle", "btatt.value", "btl2cap.cid")
# tshark ignores WIRESHARK_EXTCAP_DIR when root starts it.
NOBODY = {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
# A program that lists two adapters, and prints its arguments for a capture.
STAND_IN = """#!/bin/sh
case "$*" in
  --version) echo "gattscope 1.2.3, commit unknown" ;;
  "live --list") printf 'monitor  all adapters\\n         a need\\nhci0     this adapter\\nhci12    this adapter\\npcap:bluetooth0  hci3 \\n' ;;
  *) echo "asked: $*"; echo "said: $*" >&2; exit "${STATUS:-0}" ;;
esac
"""


def fields(file: Path, *names: str) -> list[str]:
    command = ["tshark", "-n", "-r", str(file), "-T", "fields"]
    for name in names:
        command += ["-e", name]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


class ExtcapTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        if NOBODY:
            os.chown(self.folder, pwd.getpwnam("nobody").pw_uid, -1)
        stand_in = self.folder / "stand-in"
        stand_in.write_text(STAND_IN)
        stand_in.chmod(0o755)
        self.stand_in = {"GATTSCOPE": str(stand_in)}


class CallTest(ExtcapTest):
    """Tests Wireshark's four calls."""

    def call(self, *arguments: str, status: int = 0, **environment: str) -> tuple[str, str]:
        done = subprocess.run(
            [EXTCAP, *arguments], env=os.environ | self.stand_in | environment, capture_output=True, text=True, check=False,
            timeout=SECONDS)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def test_interfaces(self) -> None:
        said, _ = self.call("--extcap-interfaces", "--extcap-version=4.0")
        self.assertTrue(said.startswith("extcap {version=1.2.3}{display="))
        self.assertEqual(
            re.findall(r"(?m)^interface \{value=([^}]*)\}\{display=[^}]+\}$", said),
            ["gattscope-monitor", "gattscope-hci0", "gattscope-hci12", "gattscope-tcp", "gattscope-tty"])

    def test_no_program_no_interfaces(self) -> None:
        self.assertEqual(self.call("--extcap-interfaces", GATTSCOPE="/nowhere/gattscope"), ("", ""))

    def test_link_types(self) -> None:
        for interface, number in {"gattscope-monitor": 254, "gattscope-hci0": 254, "gattscope-tty": 254, "gattscope-tcp": 201}.items():
            said, _ = self.call("--extcap-dlts", "--extcap-interface", interface)
            self.assertRegex(said, rf"^dlt \{{number={number}\}}\{{name=[^}}]+\}}\{{display=[^}}]+\}}\n$")

    def test_options(self) -> None:
        self.assertEqual(self.call("--extcap-config", "--extcap-interface", "gattscope-hci0")[0], "")
        self.assertIn("{call=--address}", self.call("--extcap-config", "--extcap-interface=gattscope-tcp")[0])
        self.assertIn("{call=--device}", self.call("--extcap-config", "--extcap-interface", "gattscope-tty")[0])

    def captured(self, *arguments: str, status: int = 0, **environment: str) -> tuple[str, str]:
        """Returns what a program gets from the named pipe, and the text on standard error."""
        pipe = self.folder / "pipe with a space"
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
        found = []
        reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
        reader.start()
        _, err = self.call("--capture", "--fifo", str(pipe), *arguments, status=status, **environment)
        reader.join()
        return found[0], err

    def test_capture(self) -> None:
        """gattscope's messages may only be errors if it failed: Wireshark shows everything on standard error as an
        error.
        """
        for arguments, expected in {
            ("--extcap-interface", "gattscope-monitor"): "-i monitor -w - --as pcapng-254",
            ("--extcap-interface=gattscope-hci12",): "-i hci12 -w - --as pcapng-254",
            ("--extcap-interface", "gattscope-tcp"): "-i tcp:localhost:8872 -w - --as pcapng-201",
            ("--extcap-interface", "gattscope-tcp", "--address", "[::1]:5"): "-i tcp:[::1]:5 -w - --as pcapng-201",
            ("--extcap-interface", "gattscope-tty", "--device", "/dev/a b@9600"): "-i tty:/dev/a b@9600 -w - --as pcapng-254",
        }.items():
            with self.subTest(arguments):
                self.assertEqual(self.captured(*arguments), (f"asked: live {expected}\n", ""))
        _, err = self.captured("--extcap-interface", "gattscope-monitor", status=77, STATUS="77")
        self.assertEqual(err, "said: live -i monitor -w - --as pcapng-254\n")

    def test_what_cannot_be_meant(self) -> None:
        for arguments in ([], ["--capture"], ["--capture", "--fifo", "x", "--extcap-interface", "eth0"],
                          ["--capture", "--fifo", "x", "--extcap-interface", "gattscope-tty", "--device"]):
            self.assertTrue(self.call(*arguments, status=64)[1])


@unittest.skipUnless(shutil.which("tshark") or IN_CI, "tshark is not installed")
@unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
class TsharkTest(ExtcapTest):
    def setUp(self) -> None:
        super().setUp()
        # In a folder that tshark's user can read.
        extcap = self.folder / "extcap"
        extcap.mkdir()
        shutil.copy(EXTCAP, extcap)
        self.environment = os.environ | {"WIRESHARK_EXTCAP_DIR": str(extcap), "GATTSCOPE": str(PROGRAM), "HOME": str(self.folder)}

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen:
        process = subprocess.Popen(
            ["tshark", "-n", *arguments], env=self.environment | environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, cwd=self.folder, **NOBODY)
        self.addCleanup(process.communicate)
        return process

    def end(self, process: subprocess.Popen) -> str:
        """Returns the messages, none of which may be an error."""
        try:
            _, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        self.assertEqual(process.returncode, 0, err)
        self.assertNotIn("Error by extcap", err)
        return err

    def test_list(self) -> None:
        out, err = self.start("-D", **self.stand_in).communicate(timeout=SECONDS)
        self.assertEqual(set(re.findall(r"gattscope-\w+(?= \()", out)), {
            "gattscope-monitor", "gattscope-hci0", "gattscope-hci12", "gattscope-tcp", "gattscope-tty"}, err)

    def compare(self, written: Path, count: int, link_type: int) -> None:
        self.assertEqual(fields(written, *FIELDS), fields(CAPTURE, *FIELDS)[:count])
        self.assertEqual(set(fields(written, "frame.encap_type")), {{201: "99", 254: "159"}[link_type]})

    def test_tcp(self) -> None:
        records = feeder.read(CAPTURE)
        out = self.folder / "out.pcapng"
        server, port = feeder.listen()
        process = self.start(
            "-i", "gattscope-tcp", "-o", f"extcap.gattscope_tcp.address:127.0.0.1:{port}", "-w", str(out), "-c", str(len(records)))
        with server, server.accept()[0] as client:
            client.sendall(b"".join(feeder.btsnoop(records, feeder.H4)))
            # The source stays open: tshark has enough packets, and ends the capture.
            self.end(process)
        self.compare(out, len(records), 201)
        self.assertEqual(fields(out, "frame.time_epoch"), fields(CAPTURE, "frame.time_epoch"))

    def test_source_that_ends(self) -> None:
        records = feeder.read(CAPTURE)
        out = self.folder / "out.pcapng"
        server, port = feeder.listen()
        process = self.start("-i", "gattscope-tcp", "-o", f"extcap.gattscope_tcp.address:127.0.0.1:{port}", "-w", str(out))
        with server, server.accept()[0] as client:
            client.sendall(b"".join(feeder.btsnoop(records, feeder.H4)))
        self.end(process)
        self.compare(out, len(records), 201)

    def test_serial_line(self) -> None:
        records = feeder.read(CAPTURE)[:40]
        out = self.folder / "out.pcapng"
        here, there, name = feeder.pseudo_terminal()
        os.chmod(name, 0o666)
        process = self.start(
            "-i", "gattscope-tty", "-o", f"extcap.gattscope_tty.device:{name}", "-w", str(out), "-c", str(len(records)))
        # The serial line drops everything before gattscope has set it up.
        for _ in range(SECONDS * 10):
            time.sleep(0.1)
            if any(self.has_open(folder, name) for folder in Path("/proc").glob("[0-9]*")):
                break
        time.sleep(0.5)
        for frame in feeder.serial_frames(records):
            feeder.write_all(here)(frame)
        self.end(process)
        os.close(here)
        os.close(there)
        self.compare(out, len(records), 254)

    def has_open(self, process: Path, name: str) -> bool:
        if process.name == str(os.getpid()):
            return False
        try:
            return any(os.readlink(link) == name for link in (process / "fd").iterdir())
        except OSError:
            return False

    def test_source_that_is_not_there(self) -> None:
        """Wireshark must show gattscope's message."""
        with feeder.listen()[0] as server:
            port = server.getsockname()[1]
        process = self.start("-i", "gattscope-tcp", "-o", f"extcap.gattscope_tcp.address:127.0.0.1:{port}", "-c", "1")
        _, err = process.communicate(timeout=SECONDS)
        self.assertIn("connection refused", err)


if __name__ == "__main__":
    unittest.main()
