"""Tests captures on standard output and in named pipes: `convert IN -`, `live -w -`. Records must be written as soon as
they arrive, a reader that closes the pipe must end the program quietly, and existing files must stay.
"""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import live_feeder as feeder
from tested_program import IN_CI, PROGRAM, ROOT

GATTSCOPE = str(PROGRAM)
CAPTURE = ROOT / "captures" / "heart-rate.btsnoop"
RECORDS = feeder.read(CAPTURE)
SECONDS = 60
FORMATS = ("btsnoop", "pcap", "pcapng", "pklg")


class PipeTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def start(self, *arguments: str, **options) -> subprocess.Popen:
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "bufsize": 0} | options
        process = subprocess.Popen([GATTSCOPE, *arguments], **options)
        self.addCleanup(self.close, process)
        return process

    def close(self, process: subprocess.Popen) -> None:
        if process.poll() is None:
            process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()
        process.wait()

    def end(self, process: subprocess.Popen) -> tuple[int, str]:
        """Waits for the end; returns the status and the messages."""
        said = process.stderr.read().decode()
        return process.wait(SECONDS), said

    def read_records(self, stream, count: int) -> bytes:
        """Reads the output until it has that many btsnoop records."""
        data = b""
        while len(data) < 16 or self.whole(data) < count:
            piece = stream.read(65536)
            self.assertTrue(piece, f"it ended after {self.whole(data)} records")
            data += piece
        return data

    def whole(self, data: bytes) -> int:
        at = records = 0
        at = 16
        while at + 24 <= len(data) and at + 24 + int.from_bytes(data[at + 4 : at + 8]) <= len(data):
            at += 24 + int.from_bytes(data[at + 4 : at + 8])
            records += 1
        return records

    def show(self, data: bytes) -> list[dict]:
        done = subprocess.run([GATTSCOPE, "show", "--json", "-"], input=data, capture_output=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]


class OutputTest(PipeTest):
    def test_same_bytes_as_in_a_file(self) -> None:
        for format in FORMATS:
            with self.subTest(format):
                out = self.folder / f"out.{format}"
                command = [GATTSCOPE, "convert", str(CAPTURE)]
                self.assertEqual(subprocess.run([*command, str(out)], capture_output=True, check=True).stderr, b"")
                done = subprocess.run([*command, "--as", format, "-"], capture_output=True, check=True)
                self.assertEqual((done.stdout, done.stderr), (out.read_bytes(), b""))
                recorded = self.folder / f"recorded.{format}"
                command = [GATTSCOPE, "live", "-i", str(CAPTURE), "-w"]
                subprocess.run([*command, str(recorded)], capture_output=True, check=True)
                done = subprocess.run([*command, "-", "--as", format], capture_output=True, check=True)
                self.assertEqual(done.stdout, recorded.read_bytes())
                self.assertRegex(done.stderr.decode(), r"^gattscope: 166 records, [^\n]*; 166 written to standard output\n$")

    def test_pcapng_unless_something_else_is_said(self) -> None:
        pipe = self.folder / "wireshark_extcap_gattscopeJDJ3Y3"
        os.mkfifo(pipe)
        for arguments in (["convert", str(CAPTURE), "-"], ["live", "-i", str(CAPTURE), "-w", "-"]):
            with self.subTest(arguments):
                done = subprocess.run([GATTSCOPE, *arguments], capture_output=True, check=True)
                self.assertEqual(done.stdout[:4], b"\n\r\r\n")
                process = self.start(*[str(pipe) if each == "-" else each for each in arguments])
                self.assertEqual(pipe.read_bytes(), done.stdout)
                self.assertEqual(self.end(process)[0], 0)

    def test_printing_is_asked_for(self) -> None:
        """Standard output is the capture: printed output goes to standard error, and only if an option requests it."""
        command = [GATTSCOPE, "live", "-i", str(CAPTURE), "-w", "-"]
        for options, words in {
            (): None,
            ("--view", "values"): "Heart Rate Measurement",
            ("--view", "packets"): "Heart Rate Measurement 72 bpm",
            ("-v",): "Heart Rate Measurement",
            ("--view", "explain"): "Control Point Not Supported",
        }.items():
            with self.subTest(options):
                done = subprocess.run([*command, *options], capture_output=True, check=True)
                self.assertEqual(len(self.show(done.stdout)), len(RECORDS))
                said = done.stderr.decode()
                if words:
                    self.assertIn(words, said)
                else:
                    self.assertEqual(said.count("\n"), 1, said)
        done = subprocess.run([*command, "--json"], capture_output=True, check=True)
        lines = [line for line in done.stderr.splitlines() if line.startswith(b"{")]
        self.assertEqual([json.loads(line)["packet"] for line in lines], list(range(1, len(RECORDS) + 1)))

    def test_terminal_is_no_file(self) -> None:
        here, there = os.openpty()
        for arguments in (["convert", str(CAPTURE), "-"], ["live", "-i", str(CAPTURE), "-w", "-"]):
            done = subprocess.run([GATTSCOPE, *arguments], stdout=there, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 64)
            self.assertIn(b"standard output is a terminal", done.stderr)
        os.close(here)
        os.close(there)

    def test_on_a_terminal_show_names_brief_once(self) -> None:
        content = CAPTURE.read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "busy.btsnoop"
            path.write_bytes(content[:16] + content[16:] * 5)  # the same records again, with six reports each time
            said = {name: self.on_terminal("show", *options, str(path)) for name, options in
                    (("all", []), ("brief", ["--brief"]), ("asked", ["--layer", "adv"]), ("one", ["--uuid", "2a37"]))}
            piped = subprocess.run([GATTSCOPE, "show", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        self.assertEqual(said["all"].count(b"30 advertising reports were printed; --brief folds them"), 1)
        self.assertEqual([name for name, errors in said.items() if b"--brief" in errors], ["all"])
        self.assertNotIn(b"--brief", piped.stderr)

    def on_terminal(self, *arguments: str) -> bytes:
        """Runs the program with a terminal as its output, and returns its errors."""
        here, there = os.openpty()
        environment = os.environ | {"PAGER": "cat", "TERM": "xterm"}
        with subprocess.Popen([GATTSCOPE, *arguments], stdout=there, stderr=subprocess.PIPE, env=environment) as process:
            os.close(there)
            with contextlib.suppress(OSError):  # the other end is closed
                while os.read(here, 65536):
                    pass
            os.close(here)
            return process.communicate()[1]

    def test_full_disk(self) -> None:
        """If nothing is printed, there is no reason to continue."""
        with open("/dev/full", "wb") as full:
            process = self.start("live", "-i", "-", "-w", "-", stdout=full)
        process.stdin.write(b"".join(feeder.btsnoop(RECORDS[:3], feeder.H4)))
        status, said = self.end(process)
        self.assertEqual(status, 74, said)
        self.assertIn("standard output cannot be written: no space left on device\n", said)

    def test_closed_output(self) -> None:
        process = self.start("live", "-i", str(CAPTURE), "-w", "-", stdout=None, preexec_fn=lambda: os.close(1))
        self.addCleanup(process.wait)
        status, said = self.end(process)
        self.assertEqual(status, 74, said)
        self.assertIn("standard output cannot be written: it is closed", said)

    @unittest.skipUnless(shutil.which("tshark") or IN_CI, "tshark is not installed")
    def test_tshark_reads_along(self) -> None:
        """Tests tshark as a reader, as Wireshark does with `-k -i -`."""
        fields = ["-T", "fields", "-e", "frame.time_epoch", "-e", "bthci_acl.chandle", "-e", "btatt.opcode", "-e", "btatt.value"]
        expected = subprocess.run(["tshark", "-n", "-r", str(CAPTURE), *fields], capture_output=True, check=True).stdout
        for format in ("btsnoop", "pcap", "pcapng", "pcapng-201"):
            command = f"{GATTSCOPE} live -i '{CAPTURE}' -w - --as {format} | tshark -n -r - {' '.join(fields)}"
            with self.subTest(format):
                self.assertEqual(subprocess.run(command, shell=True, capture_output=True, check=True).stdout, expected)
        for format in ("pcap", "pcapng"):
            command = f"{GATTSCOPE} live -i '{CAPTURE}' -w - --as {format} | tshark -n -l -i - {' '.join(fields)}"
            with self.subTest(format, follows=True):
                self.assertEqual(subprocess.run(command, shell=True, capture_output=True, check=True).stdout, expected)


class PromptTest(PipeTest):
    COMMANDS = (("convert", "--as", "btsnoop", "-", "-"), ("convert", "--as", "btsnoop-2001", "-", "-"),
                ("live", "-i", "-", "-w", "-", "--as", "btsnoop"))

    def test_each_record_at_once(self) -> None:
        stream = list(feeder.btsnoop(RECORDS[:20], feeder.H4))
        for command in self.COMMANDS:
            with self.subTest(command):
                process = self.start(*command)
                process.stdin.write(stream[0])
                data = b""
                for number, record in enumerate(stream[1:], 1):
                    process.stdin.write(record)
                    while self.whole(data) < number:
                        # Reads only what is available; if nothing arrives, the runner's timeout ends the test.
                        data += process.stdout.read(65536)
                    self.assertEqual(self.whole(data), number)
                process.stdin.close()
                self.assertEqual(self.end(process)[0], 0)

    def test_named_pipes(self) -> None:
        """Tests named pipes as input and output."""
        source, out = self.folder / "in", self.folder / "out.btsnoop"
        os.mkfifo(source)
        os.mkfifo(out)
        stream = list(feeder.btsnoop(RECORDS[:20], feeder.H4))
        for command in (["convert", str(source), str(out)], ["live", "-i", str(source), "-w", str(out)]):
            with self.subTest(command):
                process = self.start(*command)
                with source.open("wb", buffering=0) as writer:
                    writer.write(b"".join(stream[:6]))
                    with out.open("rb", buffering=0) as reader:
                        self.read_records(reader, 5)
                        writer.write(b"".join(stream[6:8]))
                        self.read_one(reader)
                        writer.close()
                        while reader.read(65536):
                            pass
                self.assertEqual(self.end(process)[0], 0)

    def read_one(self, reader) -> None:
        self.assertGreater(len(reader.read(65536)), 24)


class GoneTest(PipeTest):
    """A reader that closes the pipe must end the program with status 0 and without a message, whether records arrive or
    not.
    """

    def check_quiet(self, process: subprocess.Popen) -> None:
        status, said = self.end(process)
        self.assertEqual((status, said), (0, ""))

    def test_live_while_nothing_comes(self) -> None:
        for options in ((), ("--as", "pklg"), ("--as", "pcap")):
            with self.subTest(options):
                process = self.start("live", "-i", "-", "-w", "-", *options)
                process.stdin.write(b"".join(feeder.btsnoop(RECORDS[:3], feeder.H4)))
                self.assertTrue(process.stdout.read(65536))
                process.stdout.close()
                self.check_quiet(process)

    def test_live_while_much_comes(self) -> None:
        server, port = feeder.listen()
        process = self.start("live", "-i", f"tcp:127.0.0.1:{port}", "-w", "-")
        with server, server.accept()[0] as client:
            client.sendall(b"".join(feeder.btsnoop(RECORDS * 20, feeder.H4)))
            self.assertTrue(process.stdout.read(100))
            process.stdout.close()
            try:
                while True:
                    client.sendall(b"".join(feeder.btsnoop(RECORDS, feeder.H4))[16:])
            except OSError:
                pass  # gattscope has ended
        self.check_quiet(process)

    def test_live_with_a_named_pipe(self) -> None:
        pipe = self.folder / "out.pcapng"
        os.mkfifo(pipe)
        process = self.start("live", "-i", "-", "-w", str(pipe))
        process.stdin.write(b"".join(feeder.btsnoop(RECORDS[:3], feeder.H4)))
        with pipe.open("rb", buffering=0) as reader:
            self.assertTrue(reader.read(100))
        # Detected at the next record; until then packets are still printed.
        process.stdin.write(b"".join(list(feeder.btsnoop(RECORDS[3:4], feeder.H4))[1:]))
        self.check_quiet(process)

    def test_convert(self) -> None:
        for options in ((), ("--comments",)):
            with self.subTest(options):
                process = self.start("convert", "-", "-", *options)
                stream = list(feeder.btsnoop(RECORDS[:20], feeder.H4))
                process.stdin.write(b"".join(stream[:5]))
                self.assertTrue(process.stdout.read(65536))
                process.stdout.close()
                try:
                    for record in stream[5:]:
                        process.stdin.write(record)
                        time.sleep(0.02)
                except BrokenPipeError:
                    pass
                self.check_quiet(process)

    def test_convert_of_a_file(self) -> None:
        large = self.folder / "large.btsnoop"
        large.write_bytes(b"".join(feeder.btsnoop(RECORDS * 200, feeder.H4)))
        process = self.start("convert", str(large), "-")
        self.assertTrue(process.stdout.read(100))
        process.stdout.close()
        self.check_quiet(process)


class ExistingTest(PipeTest):
    def test_live_replaces_no_file(self) -> None:
        """It must not wait for a source before it refuses."""
        for content, status in ((CAPTURE.read_bytes(), 73), (b"no capture", 73), (b"", 0)):
            with self.subTest(content[:10]):
                out = self.folder / "out.btsnoop"
                out.write_bytes(content)
                source = f"unix:{self.folder / 'socket'}" if status else str(CAPTURE)
                done = subprocess.run([GATTSCOPE, "live", "-i", source, "-w", str(out)], capture_output=True, check=False)
                self.assertEqual(done.returncode, status, done.stderr)
                if status:
                    self.assertEqual(
                        done.stderr.decode(), f"gattscope: {out} already exists; name another file, or replace it with --force\n")
                    self.assertEqual(out.read_bytes(), content)
        subprocess.run([GATTSCOPE, "live", "-i", str(CAPTURE), "--force", "-w", str(out)], capture_output=True, check=True)
        self.assertEqual(len(feeder.read(out)), len(RECORDS))


if __name__ == "__main__":
    unittest.main()
