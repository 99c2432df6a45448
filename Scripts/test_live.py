"""Compares `gattscope live` on every source that can be created here with `gattscope show` of the replayed file.

The comparison ignores what a source's protocol does not transfer: the times of a server's socket, and the adapter of a
serial line, whose times have steps of 0.1 ms.
"""

import contextlib
import fcntl
import json
import os
import re
import signal
import subprocess
import tempfile
import termios
import threading
import time
import unittest
from pathlib import Path

import live_feeder as feeder
from tested_program import PROGRAM, ROOT

GATTSCOPE = str(PROGRAM)
CAPTURES = [ROOT / "captures" / name for name in ("heart-rate.btsnoop", "management.btsnoop", "wristband.btsnoop")]
PIECES = (1, 7, 4096)
SECONDS = 60


def lines(text: bytes) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def shown(path: Path) -> list[dict]:
    return lines(subprocess.run([GATTSCOPE, "show", "--json", str(path)], check=True, capture_output=True).stdout)


def without(objects: list[dict], *keys: str) -> list[dict]:
    """Returns the objects without these keys, at any depth."""

    def clean(value):
        if isinstance(value, dict):
            return {key: clean(part) for key, part in value.items() if key not in keys}
        if isinstance(value, list):
            return [clean(part) for part in value]
        return value

    return clean(objects)


# Keys that depend on the time of arrival.
TIMES = ("time", "elapsed_s", "gap_ms", "latency_ms")


class Live:
    """A running `gattscope live`."""

    def __init__(self, *arguments: str, source: str, **options) -> None:
        command = [GATTSCOPE, "live", "-i", source, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def has_open(self, name: str) -> bool:
        """Returns whether it has opened a file."""
        with contextlib.suppress(OSError):
            return any(os.readlink(link) == name for link in Path(f"/proc/{self.process.pid}/fd").iterdir())
        return False

    def wait_until_idle(self) -> None:
        """Waits until it has used no processor time for a second."""
        used = None
        while used != (used := Path(f"/proc/{self.process.pid}/stat").read_text().split()[13:15]):
            time.sleep(1)

    def end(self, interrupts: bool = False) -> tuple[int, bytes, str]:
        """Waits for the end; returns the status and the output."""
        if interrupts:
            self.process.send_signal(signal.SIGINT)
        try:
            out, err = self.process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, out, err.decode()


class LiveTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def shown_as(self, datalink: int, path: Path) -> list[dict]:
        """Returns the output of show for the same records in a file of the source's protocol."""
        file = self.folder / f"{datalink}-{path.name}"
        file.write_bytes(b"".join(feeder.btsnoop(feeder.read(path), datalink)))
        return shown(file)

    def check(self, ended: tuple[int, bytes, str], expected: list[dict], *missing: str, said: str) -> None:
        status, out, err = ended
        self.assertEqual(status, 0, err)
        found = without(lines(out), *missing)
        self.assertEqual(len(found), len(expected), "number of records")
        for one, other in zip(found, without(expected, *missing)):
            self.assertEqual(one, other)
        self.assertRegex(err, said)

    def test_server_socket(self) -> None:
        for path in CAPTURES:
            for size in PIECES:
                with self.subTest(path.name, size=size):
                    place = self.folder / "socket"
                    live = Live("--json", source=f"unix:{place}")
                    with feeder.connect(place) as client:
                        feeder.send(feeder.server_protocol(feeder.read(path)), size, client.sendall)
                    expected = self.shown_as(feeder.MONITOR, path)
                    self.check(live.end(), expected, *TIMES, said=r"\d+ records")
                    self.assertFalse(place.exists(), "the socket remains")

    def test_serial_line(self) -> None:
        for path in CAPTURES:
            for size in PIECES:
                with self.subTest(path.name, size=size):
                    here, there, name = feeder.pseudo_terminal()
                    live = Live("--json", source=f"tty:{name}")
                    records = feeder.read(path)
                    # The line's driver drops everything before it is set up.
                    first = list(feeder.serial_frames(records))
                    self.wait_for(lambda: live.has_open(name))
                    time.sleep(0.3)
                    os.close(there)
                    feeder.send(first, size, feeder.write_all(here))
                    time.sleep(0.3)
                    os.close(here)
                    ended = live.end()
                    expected = self.shown_as(feeder.MONITOR, path)
                    self.check(ended, expected, *TIMES, "adapter", said=r"\d+ records")
                    self.check_times(lines(ended[1]), records)

    def check_times(self, objects: list[dict], records: list[feeder.Record]) -> None:
        for found, record in zip(objects, records):
            since = (record.microseconds - records[0].microseconds) / 1e6
            self.assertAlmostEqual(found["elapsed_s"], since, delta=0.00011)

    def test_stream_of_a_server(self) -> None:
        for path in CAPTURES:
            for size in PIECES:
                with self.subTest(path.name, size=size):
                    server, port = feeder.listen()
                    live = Live("--json", source=f"tcp:127.0.0.1:{port}")
                    with server, server.accept()[0] as client:
                        feeder.send(feeder.btsnoop(feeder.read(path), feeder.H4), size, client.sendall)
                    expected = self.shown_as(feeder.H4, path)
                    self.check(live.end(), expected, said=r"\d+ records")

    def test_named_pipe_and_standard_input(self) -> None:
        for path in CAPTURES:
            for size in PIECES:
                with self.subTest(path.name, size=size):
                    pipe = self.folder / "pipe"
                    os.mkfifo(pipe)
                    live = Live("--json", source=str(pipe))
                    with pipe.open("wb", buffering=0) as file:
                        feeder.send([path.read_bytes()], size, file.write)
                    self.check(live.end(), shown(path), said=r"\d+ records")
                    pipe.unlink()
                    live = Live("--json", source="-", stdin=subprocess.PIPE)
                    feeder.send([path.read_bytes()], size, live.process.stdin.write)
                    live.process.stdin.flush()
                    self.check(live.end(), shown(path), said=r"\d+ records")

    def test_recording_and_reading_back(self) -> None:
        for path in CAPTURES:
            expected = self.shown_as(feeder.MONITOR, path)
            source = self.folder / f"{feeder.MONITOR}-{path.name}"
            for ending in ("btsnoop", "pcapng", "pcap"):
                with self.subTest(path.name, ending=ending):
                    copy = self.folder / f"copy.{ending}"
                    # A selection does not affect the recording: everything is written.
                    status, _, err = Live("--json", "--layer", "smp", "--force", "-w", str(copy), source=str(source)).end()
                    self.assertEqual(status, 0, err)
                    self.assertIn(f"{len(expected)} written to {copy}", err)
                    self.assertEqual(shown(copy), expected)

    def test_views(self) -> None:
        path = CAPTURES[0]
        for view, words in {
            "values": "Heart Rate Measurement",
            "devices": "HRM-7",
            "explain": "Control Point Not Supported",
        }.items():
            with self.subTest(view):
                status, out, err = Live("--view", view, source=str(path)).end()
                self.assertEqual(status, 0, err)
                self.assertIn(words, out.decode())
                status, out, err = Live("--view", view, "--json", source=str(path)).end()
                self.assertEqual(status, 0, err)
                self.assertTrue(all(isinstance(line, dict) for line in lines(out)) and out)

    def test_table_on_a_terminal(self) -> None:
        """A growing table must be replaced by the table that `values` prints, and the terminal's echo must be on again.
        """
        here, there = os.openpty()
        place = self.folder / "socket"
        settings = termios.tcgetattr(there)
        live = subprocess.Popen(
            [GATTSCOPE, "live", "-i", f"unix:{place}", "--view", "values", "--color", "never"],
            stdin=there, stdout=there, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        drawn = bytearray()

        def collect() -> None:
            with contextlib.suppress(OSError):
                while data := os.read(here, 4096):
                    drawn.extend(data)

        thread = threading.Thread(target=collect)
        thread.start()
        with feeder.connect(place) as client:
            pieces = list(feeder.server_protocol(feeder.read(CAPTURES[0])))
            feeder.send(pieces[:120], 4096, client.sendall)
            self.wait_for(lambda: b"Heart Rate" in drawn)
            self.assertFalse(termios.tcgetattr(there)[3] & termios.ECHO, "typing would appear in the table")
            os.write(here, b"now\n")
            self.wait_for(lambda: b"now" in drawn)
            feeder.send(pieces[120:], 4096, client.sendall)
        self.assertEqual(live.wait(SECONDS), 0)
        err = live.stderr.read().decode()
        live.stderr.close()
        self.assertEqual(termios.tcgetattr(there)[3], settings[3])
        os.close(there)
        thread.join()
        os.close(here)
        self.assertIn("1 marker", err)
        final = drawn.decode().rpartition("\x1b[J")[2]
        self.assertNotIn("\x1b", final)
        self.assertRegex(final, "Heart Rate Measurement +notification +7")

    def test_interrupt_on_a_terminal(self) -> None:
        """Output after the `^C` that the terminal shows must begin on a new line."""
        here, there = os.openpty()
        place = self.folder / "socket"
        live = subprocess.Popen(
            [GATTSCOPE, "live", "-i", f"unix:{place}", "--color", "never"],
            stdin=there, stdout=there, stderr=there, start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(there)
        self.wait_for(place.exists)
        time.sleep(0.5)
        os.write(here, b"\x03")
        shown_there = bytearray()
        with contextlib.suppress(OSError):
            while data := os.read(here, 4096):
                shown_there.extend(data)
        os.close(here)
        self.assertEqual(live.wait(SECONDS), 0, shown_there)
        self.assertRegex(shown_there.decode(), r"\^C\r\ngattscope: nothing arrived")

    def test_readers_of_others_read_the_recording(self) -> None:
        path = CAPTURES[0]
        for ending in ("btsnoop", "pcapng", "pcap"):
            copy = self.folder / f"copy.{ending}"
            self.assertEqual(Live("-w", str(copy), source=str(path)).end()[0], 0)
            counts = [
                subprocess.run(["tshark", "-n", "-r", file], check=True, capture_output=True).stdout.count(b"\n")
                for file in (path, copy)
            ]
            self.assertEqual(counts[0], counts[1], ending)

    def test_markers(self) -> None:
        pipe = self.folder / "marks"
        os.mkfifo(pipe)
        copy = self.folder / "copy.btsnoop"
        server, port = feeder.listen()
        live = Live("--mark-from", str(pipe), "-w", str(copy), source=f"tcp:127.0.0.1:{port}")
        stream = list(feeder.btsnoop(feeder.read(CAPTURES[0]), feeder.H4))
        with server, server.accept()[0] as client:
            feeder.send(stream[:40], 4096, client.sendall)
            time.sleep(0.5)
            pipe.write_text("pressed connect\n\n")
            time.sleep(0.5)
            feeder.send(stream[40:], 4096, client.sendall)
        status, out, err = live.end()
        self.assertEqual(status, 0, err)
        printed = out.decode()
        self.assertRegex(printed, r"(?m)^ +40 .* Marker +pressed connect")
        self.assertRegex(printed, r"(?m)^ +41 .* Marker +marker 1")
        self.assertIn("2 markers", err)
        self.assertRegex(subprocess.run([GATTSCOPE, str(copy)], capture_output=True, text=True, check=True).stdout, "pressed connect")

    def test_rotation(self) -> None:
        copy = self.folder / "copy.btsnoop"
        live = Live("-w", str(copy), "--rotate", "2k:3", source=str(CAPTURES[0]))
        status, _, err = live.end()
        self.assertEqual(status, 0, err)
        files = sorted(self.folder.glob("copy*"))
        self.assertEqual(len(files), 3, files)
        for file in files:
            self.assertLessEqual(file.stat().st_size, 2000)
            self.assertEqual(subprocess.run([GATTSCOPE, str(file)], capture_output=True, check=False).returncode, 0)
        last = shown(copy)[-1]
        self.assertEqual(last["summary"], shown(CAPTURES[0])[-1]["summary"])

    def test_full_disk(self) -> None:
        full = self.folder / "full.btsnoop"
        full.symlink_to("/dev/full")
        status, out, err = Live("--json", "-w", str(full), source=str(CAPTURES[0])).end()
        self.assertEqual(status, 74, err)
        self.assertEqual(len(lines(out)), len(shown(CAPTURES[0])), "following did not continue")
        self.assertRegex(err, r"full\.btsnoop cannot be written: no space left on device; watching continues")

    def test_ends(self) -> None:
        everything = shown(CAPTURES[0])
        status, out, _ = Live("--json", "--count", "20", source=str(CAPTURES[0])).end()
        self.assertEqual((status, len(lines(out))), (0, 20))
        status, out, _ = Live("--json", "--until-disconnect", source=str(CAPTURES[0])).end()
        self.assertEqual(status, 0)
        self.assertEqual(lines(out)[-1]["summary"].split(",")[0], everything[-1]["summary"].split(",")[0])
        # It fails if the program has not ended after SECONDS.
        status, _, _ = Live("--duration", "0.5", source=f"unix:{self.folder / 'nobody'}").end()
        self.assertEqual(status, 0)
        for name in ("SIGINT", "SIGTERM"):
            place = self.folder / name
            live = Live("--json", source=f"unix:{place}")
            with feeder.connect(place) as client:
                feeder.send(feeder.server_protocol(feeder.read(CAPTURES[0])), 4096, client.sendall)
                # Everything that has arrived is read, even if nothing was read before.
                live.process.send_signal(getattr(signal, name))
                status, out, err = live.end()
            self.assertEqual(status, 0, err)
            self.assertEqual(len(lines(out)), len(everything))

    def test_blocked_output(self) -> None:
        """If nothing reads the output, Ctrl-C must still end the program, with everything that arrived in its summary.
        """
        for view in (("--json",), ("--view", "values")):
            with self.subTest(view):
                place = self.folder / "socket"
                records = feeder.read(CAPTURES[0]) * 60
                live = Live(*view, source=f"unix:{place}")
                with feeder.connect(place) as client:
                    feeder.send([b"".join(feeder.server_protocol(records))], 4096, client.sendall)
                    # Longer than the program waits after the signal.
                    time.sleep(1.5)
                    live.process.send_signal(signal.SIGINT)
                    err = live.process.stderr.read().decode()
                    self.assertEqual(live.process.wait(SECONDS), 0, err)
                self.assertRegex(err, r"standard output accepted nothing for 1 s after the stop request; \d+ bytes were not written")
                self.assertIn(f"{len(records)} records", err)
                live.end()

    def test_second_interrupt(self) -> None:
        """A second Ctrl-C, and SIGQUIT, must end the program at once and leave no socket."""
        for signals in ((signal.SIGINT, signal.SIGINT), (signal.SIGQUIT,)):
            with self.subTest(signals):
                place = self.folder / "socket"
                live = Live("--json", source=f"unix:{place}")
                with feeder.connect(place) as client:
                    feeder.send([b"".join(feeder.server_protocol(feeder.read(CAPTURES[0]) * 60))], 4096, client.sendall)
                    time.sleep(0.5)
                    for number in signals:
                        live.process.send_signal(number)
                        time.sleep(0.2)
                    self.assertEqual(live.process.wait(SECONDS), -signals[-1])
                self.assertFalse(place.exists(), "the socket remains")
                live.end()

    def test_recording_that_nobody_reads(self) -> None:
        pipe = self.folder / "pipe.btsnoop"
        os.mkfifo(pipe)
        place = self.folder / "socket"
        live = Live("-w", str(pipe), source=f"unix:{place}")
        self.wait_for(place.exists)
        time.sleep(0.5)
        status, _, err = live.end(interrupts=True)
        self.assertEqual(status, 0, err)
        self.assertIn("pipe.btsnoop: its reader is gone", err)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        place = self.folder / "other"
        records = feeder.read(CAPTURES[0]) * 60
        live = Live("-w", str(pipe), source=f"unix:{place}")
        with feeder.connect(place) as client:
            # As much as fits while nothing reads the recording.
            client.settimeout(1)
            with contextlib.suppress(TimeoutError):
                feeder.send([b"".join(feeder.server_protocol(records))], 4096, client.sendall)
            status, _, err = live.end(interrupts=True)
        os.close(reader)
        self.assertEqual(status, 0, err)
        self.assertIn("pipe.btsnoop: its reader is gone", err)
        self.assertRegex(err, r"pipe.btsnoop: \d+ records were not written")

    def test_full_disk_and_blocked_complaints(self) -> None:
        """If nothing reads standard error, problems with the file must stop neither reading nor printing."""
        full = self.folder / "full.btsnoop"
        full.symlink_to("/dev/full")
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writer, bytes(4096))
        os.set_blocking(writer, True)
        server, port = feeder.listen()
        command = [GATTSCOPE, "live", "-i", f"tcp:127.0.0.1:{port}", "--json", "-w", str(full)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=writer)
        os.close(writer)
        count = len(shown(CAPTURES[0]))
        with server, server.accept()[0] as client:
            feeder.send(feeder.btsnoop(feeder.read(CAPTURES[0]), feeder.MONITOR), 4096, client.sendall)
            for _ in range(count):
                self.assertTrue(process.stdout.readline())
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(SECONDS), 74)
        process.stdout.close()
        os.close(reader)

    def test_backlog_at_the_end(self) -> None:
        """Everything that had arrived must be read, however long that takes; later data must not."""
        place = self.folder / "socket"
        pieces = list(feeder.server_protocol(feeder.read(CAPTURES[0])))
        live = Live("--json", source=f"unix:{place}")
        with feeder.connect(place) as client:
            live.process.send_signal(signal.SIGSTOP)
            feeder.send(pieces, 4096, client.sendall)
            live.process.send_signal(signal.SIGINT)
            time.sleep(2)
            live.process.send_signal(signal.SIGCONT)
            status, out, err = live.end()
        self.assertEqual((status, out.count(b"\n")), (0, len(pieces)), err)

    @unittest.skipUnless(os.geteuid() == 0, "only root can drop privileges")
    def test_reconnecting_needs_root(self) -> None:
        environment = os.environ | {"SUDO_UID": "65534", "SUDO_GID": "65534"}
        status, _, err = Live("--reconnect", source="hci0", env=environment).end()
        self.assertEqual(status, 64, err)
        self.assertRegex(err, r"^gattscope: --reconnect opens hci0 again.*; add --keep-root\n$")

    def test_damage_and_its_own_recording(self) -> None:
        """A stream that breaks off within a record is damaged; one that the user ends there is not."""
        cut = self.folder / "cut.btsnoop"
        cut.write_bytes(CAPTURES[0].read_bytes()[:-3])
        status, _, err = Live(source=str(cut)).end()
        self.assertEqual(status, 65, err)
        self.assertIn("the capture ends early", err)
        status, _, err = Live("-w", str(cut), source=str(cut)).end()
        self.assertEqual(status, 64, err)
        self.assertEqual(cut.stat().st_size, CAPTURES[0].stat().st_size - 3, "the source was overwritten")
        server, port = feeder.listen()
        live = Live("--json", source=f"tcp:127.0.0.1:{port}")
        with server, server.accept()[0] as client:
            client.sendall(CAPTURES[0].read_bytes()[:-3])
            time.sleep(0.5)
            status, out, err = live.end(interrupts=True)
        self.assertEqual((status, out.count(b"\n")), (0, len(shown(CAPTURES[0])) - 1), err)

    def test_markers_without_number(self) -> None:
        """With a flood of markers and a blocked output, the program must stay small."""
        pipe = self.folder / "marks"
        os.mkfifo(pipe)
        place = self.folder / "socket"
        live = Live("--mark-from", str(pipe), source=f"unix:{place}")
        with feeder.connect(place):
            with pipe.open("wb") as file:
                file.write(b"\n" * 400_000)
            live.wait_until_idle()
            status = Path(f"/proc/{live.process.pid}/status").read_text()
            kilobytes = int(re.search(r"VmRSS:\s+(\d+)", status)[1])
            self.assertLess(kilobytes, 200_000)
            live.process.send_signal(signal.SIGINT)
            status, out, err = live.end()
        self.assertEqual(status, 0, err)
        self.assertIn("400000 markers", err)

    def test_reader_that_is_stopped_loses_nothing_on_a_pipe(self) -> None:
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        live = Live("--json", source=str(pipe))
        records = feeder.read(CAPTURES[0]) * 60
        stream = b"".join(feeder.btsnoop(records, feeder.MONITOR))

        def feed() -> None:
            with pipe.open("wb", buffering=0) as file:
                feeder.send([stream], 4096, file.write)

        thread = threading.Thread(target=feed)
        live.process.send_signal(signal.SIGSTOP)
        thread.start()
        time.sleep(10)
        live.process.send_signal(signal.SIGCONT)
        status, out, err = live.end()
        thread.join()
        self.assertEqual((status, out.count(b"\n")), (0, len(records)), err)

    def test_reconnecting(self) -> None:
        place = self.folder / "socket"
        live = Live("--json", "--reconnect", "--count", "41", source=f"unix:{place}")
        pieces = list(feeder.server_protocol(feeder.read(CAPTURES[0])))
        for part in (pieces[:20], pieces[20:40]):
            with feeder.connect(place) as client:
                feeder.send(part, 4096, client.sendall)
        status, out, err = live.end()
        # One of the lines is the note about the closed source.
        self.assertEqual((status, len(lines(out))), (0, 41), err)
        self.assertRegex(err, "closed once and was opened again")

    def test_following_a_file(self) -> None:
        file = self.folder / "log"
        content = CAPTURES[0].read_bytes()
        file.write_bytes(content[:3000])
        process = subprocess.Popen([GATTSCOPE, "show", "--follow", "--json", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        seen = []
        thread = threading.Thread(target=lambda: seen.extend(process.stdout))
        thread.start()
        time.sleep(0.5)
        with file.open("ab") as end:
            end.write(content[3000:])
        count = len(shown(CAPTURES[0]))
        self.wait_for(lambda: len(seen) == count)
        file.rename(self.folder / "log.last")
        file.write_bytes(CAPTURES[2].read_bytes())
        # A note separates them.
        self.wait_for(lambda: len(seen) == count + 1 + len(shown(CAPTURES[2])))
        self.assertIn("a new file replaced this one", json.loads(seen[count])["note"]["text"])
        process.send_signal(signal.SIGINT)
        thread.join()
        err = process.stderr.read().decode()
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.wait(), 0, err)
        self.assertIn("it was replaced by a new file once", err)

    def wait_for(self, condition) -> None:
        for _ in range(SECONDS * 20):
            if condition():
                return
            time.sleep(0.05)
        self.fail("timed out")

    def test_sentences(self) -> None:
        expected = {
            "pcap:nothing-of-the-kind": (69, "libpcap"),
            f"unix:{self.folder}/no/folder": (69, f"no such file or directory; make its folder first: mkdir -p {self.folder}/no"),
            f"unix:{ROOT / 'README.md'}": (69, "this name belongs to a file that is not a socket; choose another path"),
            "tcp:127.0.0.1:1": (69, "nothing answers"),
            "tcp:host:0": (64, "1 to 65535"),
            f"tty:{self.folder}/line": (69, "no such file or directory; plug it in and look for its name: ls /dev/ttyACM*"),
            "tty:/dev/null": (69, "this is not a serial line"),
            "tty:/dev/null@1": (64, "speed"),
            f"{self.folder}/nothing": (66, "no such file or directory; sources are monitor, hciN"),
            "tyt:/dev/ttyACM0": (66, "tty:DEVICE[@SPEED]"),
            "hcix": (66, "sources are monitor, hciN"),
            str(ROOT / "README.md"): (65, "is not a capture"),
        }
        if not Path("/sys/class/bluetooth").exists():
            expected["monitor"] = (69, "no Bluetooth")
        for source, (status, words) in expected.items():
            with self.subTest(source):
                ended = Live(source=source).end()
                self.assertEqual(ended[0], status, ended[2])
                self.assertIn(words, ended[2])
                if status != 64:
                    self.assertEqual(len(re.findall("\n", ended[2])), 1, ended[2])

    def test_sentences_on_options(self) -> None:
        nowhere = f"{self.folder}/no/folder"
        expected = {
            ("--count", "0"): (64, "a whole number, 1 or more"),
            ("--duration", "nan"): (64, "seconds, more than 0"),
            ("-w", "x.btsnoop", "--rotate", "999"): (64, "at least 1000 bytes, as in 100M"),
            ("-w", "x.txt"): (64, "expected .btsnoop"),
            ("--as", "pcap"): (64, "--as is about the file of -w"),
            ("-w", "-", "--rotate", "1k"): (64, "standard output cannot be continued in another file"),
            ("-w", f"{nowhere}/x.btsnoop"): (74, f"make its folder first: mkdir -p {nowhere}"),
            ("--mark-from", f"{nowhere}/x"): (66, f"make the pipe first: mkfifo {nowhere}/x"),
        }
        for arguments, (status, words) in expected.items():
            with self.subTest(arguments):
                ended = Live(*arguments, source=f"unix:{self.folder / 'socket'}").end()
                self.assertEqual(ended[0], status, ended[2])
                self.assertIn(words, ended[2])

    def test_list(self) -> None:
        text = subprocess.run([GATTSCOPE, "live", "--list"], check=True, capture_output=True, text=True).stdout
        for name in ("monitor", "unix:PATH", "tcp:HOST", "tty:DEVICE"):
            self.assertRegex(text, f"(?m)^{name}")
        document = json.loads(subprocess.run([GATTSCOPE, "live", "--list", "--json"], check=True, capture_output=True).stdout)
        self.assertEqual([source["source"] for source in document["sources"]], re.findall(r"(?m)^(\S+)", text))


if __name__ == "__main__":
    unittest.main()
