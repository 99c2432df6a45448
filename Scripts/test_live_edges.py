"""Tests unusual sources of `gattscope live` and `--follow`: an end within a record, a second client, a file that cannot
grow, missing names.
"""

import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import live_feeder as feeder
from test_live import CAPTURES, GATTSCOPE, SECONDS, Live

HEART_RATE = CAPTURES[0]


class Edge(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.records = feeder.read(HEART_RATE)
        self.packets = list(feeder.server_protocol(self.records))

    def wait_for(self, condition, what: str) -> None:
        for _ in range(SECONDS * 20):
            if condition():
                return
            time.sleep(0.05)
        self.fail(f"timed out waiting for {what}")

    def run_live(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        """Runs the program until it ends by itself."""
        command = [GATTSCOPE, "live", *arguments]
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.DEVNULL)
        return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, timeout=SECONDS, **options)


class EndTest(Edge):
    """An end from outside must be a success; its cost must be reported."""

    def interrupted(self, sent: bytes, lines: int) -> tuple[int, str]:
        """Returns the status and the messages for a socket's client that is interrupted after these bytes."""
        place = self.folder / "socket"
        live = Live("--json", source=f"unix:{place}")
        with feeder.connect(place) as client:
            client.sendall(sent)
            for _ in range(lines):
                self.assertTrue(live.process.stdout.readline())
            time.sleep(0.5)
            status, _, err = live.end(interrupts=True)
        return status, err

    def test_unfinished_record(self) -> None:
        status, err = self.interrupted(b"".join(self.packets[:3])[:-1], 2)
        self.assertEqual(status, 0, err)
        self.assertIn("the last record is incomplete: record 3 at byte 21: only 2 of 3 bytes are present", err)
        self.assertIn("2 records", err)

    def test_whole_records(self) -> None:
        status, err = self.interrupted(b"".join(self.packets[:3]), 3)
        self.assertEqual(status, 0, err)
        self.assertNotIn("not complete", err)

    def test_something_else(self) -> None:
        status, err = self.interrupted(b"GET / HTTP/1.0\r\n\r\n" * 50, 0)
        self.assertEqual(status, 0, err)
        self.assertIn("record 1 at byte 0: only 894 of 8239 bytes are present", err)
        self.assertIn("no whole record arrived", err)
        self.assertNotIn("nothing arrived", err)

    def test_unfinished_header(self) -> None:
        server, port = feeder.listen()
        live = Live(source=f"tcp:127.0.0.1:{port}")
        with server, server.accept()[0] as client:
            client.sendall(HEART_RATE.read_bytes()[:10])
            time.sleep(1)
            status, _, err = live.end(interrupts=True)
        self.assertEqual(status, 0, err)
        self.assertIn("its header ends early: only 10 of 16 bytes are present", err)

    def test_serial_line(self) -> None:
        here, there, name = feeder.pseudo_terminal()
        live = Live("--json", source=f"tty:{name}")
        self.wait_for(lambda: live.has_open(name), "the line")
        time.sleep(0.3)
        frames = list(feeder.serial_frames(self.records[:2]))
        feeder.write_all(here)(frames[0] + frames[1][:-2])
        self.assertTrue(live.process.stdout.readline())
        time.sleep(0.3)
        status, _, err = live.end(interrupts=True)
        os.close(here)
        os.close(there)
        self.assertEqual(status, 0, err)
        size = len(frames[1])
        self.assertIn(f"the last record is incomplete: only {size - 2} of {size} bytes are present", err)

    def test_recording_that_nobody_reads_has_a_summary(self) -> None:
        pipe = self.folder / "pipe.btsnoop"
        os.mkfifo(pipe)
        place = self.folder / "socket"
        live = Live("-w", str(pipe), source=f"unix:{place}")
        self.wait_for(place.exists, "the socket")
        with feeder.connect(place) as client:
            client.sendall(b"".join(self.packets[:3]))
            time.sleep(0.5)
            status, _, err = live.end(interrupts=True)
        self.assertEqual(status, 0, err)
        self.assertRegex(err, r"its reader is gone")
        self.assertRegex(err, r"3 records, .*; 0 written to ")

    def test_counts(self) -> None:
        """Markers must not count as records, for --count or the summary, but must be in the file."""
        pipe = self.folder / "marks"
        os.mkfifo(pipe)
        place = self.folder / "socket"
        copy = self.folder / "copy.btsnoop"
        live = Live("--json", "--count", "6", "--mark-from", str(pipe), "-w", str(copy), source=f"unix:{place}")
        with feeder.connect(place) as client:
            client.sendall(b"".join(self.packets[:3]))
            for _ in range(3):
                self.assertTrue(live.process.stdout.readline())
            pipe.write_text("one\ntwo\nthree\n")
            for _ in range(3):
                self.assertIn("Marker", live.process.stdout.readline().decode())
            time.sleep(0.3)
            self.assertIsNone(live.process.poll(), "markers counted as records")
            client.sendall(b"".join(self.packets[3:9]))
            status, out, err = live.end()
        self.assertEqual((status, len(out.splitlines())), (0, 3), err)
        self.assertRegex(err, r"6 records, .*, 3 markers; 9 written to ")

    def test_what_is_written_behind_the_end(self) -> None:
        place = self.folder / "socket"
        copy = self.folder / "copy.btsnoop"
        live = Live("--json", "--until-disconnect", "-w", str(copy), source=f"unix:{place}")
        with feeder.connect(place) as client:
            client.sendall(b"".join(self.packets + self.packets[:5]))
            status, out, err = live.end()
        self.assertEqual(status, 0, err)
        printed = len(out.splitlines())
        written = int(re.search(r"(\d+) written", err)[1])
        self.assertEqual(printed, len(self.packets), err)
        if written > printed:
            self.assertIn(f"{written - printed} of them after what was printed", err)


class SourceTest(Edge):
    def test_second_client(self) -> None:
        place = self.folder / "socket"
        live = Live("--json", source=f"unix:{place}")
        with feeder.connect(place) as first, feeder.connect(place) as second:
            second.sendall(b"".join(self.packets))
            first.sendall(b"".join(self.packets[:3]))
            first.close()
            status, out, err = live.end()
        self.assertEqual((status, len(out.splitlines())), (0, 3), err)
        self.assertIn("1 further client has sent data that was not read", err)
        self.assertIn("--reconnect", err)

    def test_note_where_it_was_opened_again(self) -> None:
        """The output and the file must explain why the clock goes back."""
        server, port = feeder.listen()
        copy = self.folder / "copy.btsnoop"
        live = Live("--json", "--reconnect", "-w", str(copy), "--count", "41", source=f"tcp:127.0.0.1:{port}")
        stream = list(feeder.btsnoop(self.records[:20], feeder.MONITOR))
        with server:
            for _ in range(2):
                with server.accept()[0] as client:
                    feeder.send(stream, 4096, client.sendall)
            status, out, err = live.end()
        self.assertEqual(status, 0, err)
        found = [json.loads(line) for line in out.splitlines()]
        notes = [line["packet"] for line in found if "what happened here is not known" in json.dumps(line)]
        self.assertEqual(notes, [21])
        info = subprocess.run([GATTSCOPE, "info", str(copy)], check=True, capture_output=True, text=True).stdout
        self.assertNotIn("clock goes back", info)
        # As in the file, without the note.
        cat = self.folder / "cat.btsnoop"
        cat.write_bytes(b"".join(stream) + b"".join(stream)[16:])
        info = subprocess.run([GATTSCOPE, "info", str(cat)], check=True, capture_output=True, text=True).stdout
        self.assertIn("clock goes back", info)

    def test_nobody_listens_behind_adb(self) -> None:
        server, port = feeder.listen()
        live = Live(source=f"tcp:127.0.0.1:{port}")
        with server:
            server.accept()[0].close()
            status, _, err = live.end()
        self.assertEqual(status, 69, err)
        self.assertIn("adb forward does so if nothing listens on the phone", err)

    def test_reconnecting_to_what_was_never_there(self) -> None:
        ended = self.run_live("-i", "tcp:127.0.0.1:1", "--reconnect")
        self.assertEqual(ended.returncode, 69, ended.stderr)
        self.assertIn("--reconnect waits for a source that was open", ended.stderr)

    def test_rubbish_on_a_line(self) -> None:
        """Rubbish between two records is not a loss; at the beginning, the likely cause must be reported soon."""
        here, there, name = feeder.pseudo_terminal()
        live = Live(source=f"tty:{name}")
        self.wait_for(lambda: live.has_open(name), "the line")
        time.sleep(0.3)
        write = feeder.write_all(here)
        write(b"[00:00:00.123,000] <inf> bt_hci_core: HW Platform: Nordic\r\n" * 6)
        said = live.process.stdout.readline() + live.process.stdout.readline()
        self.assertIn(b"256 bytes belong to no record and were skipped so far: another speed", said)
        frames = list(feeder.serial_frames(self.records[:4]))
        write(frames[0] + frames[1] + b"panic\r\n" + frames[2] + frames[3])
        time.sleep(0.5)
        status, out, err = live.end(interrupts=True)
        os.close(here)
        os.close(there)
        self.assertEqual(status, 0, err)
        self.assertIn(b"7 bytes belong to no record and were skipped", out)
        self.assertNotIn(b"lost", out)
        self.assertIn("none lost", err)

    @unittest.skipIf(Path("/sys/class/bluetooth").exists(), "the kernel has Bluetooth")
    def test_no_bluetooth_for_libpcap(self) -> None:
        listed = subprocess.run([GATTSCOPE, "live", "--list", "--json"], check=True, capture_output=True).stdout
        devices = [source for source in json.loads(listed)["sources"] if source["source"].startswith("pcap:")]
        for device in devices:
            self.assertIn("the kernel offers no Bluetooth here", device["needs"])
            ended = self.run_live("-i", device["source"])
            self.assertEqual(ended.returncode, 69, ended.stderr)
            self.assertIn("the kernel offers no Bluetooth here; load it (modprobe bluetooth)", ended.stderr)

    def test_view_without_a_sign_of_life(self) -> None:
        live = Live("--view", "explain", source=f"unix:{self.folder / 'socket'}")
        self.assertRegex(live.process.stderr.readline().decode(), "^gattscope: unix:.*: watching; each problem is printed")
        self.assertEqual(live.end(interrupts=True)[0], 0)


class FileTest(Edge):
    @unittest.skipIf("TSAN_OPTIONS" in os.environ, "the thread sanitizer needs larger files itself")
    def test_file_that_may_not_grow(self) -> None:
        copy = self.folder / "copy.btsnoop"
        size = 2000
        ended = self.run_live(
            "-i", str(HEART_RATE), "-w", str(copy), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        self.assertEqual(ended.returncode, 74, ended.stderr)
        self.assertIn("cannot be written: file too large; watching continues", ended.stderr)
        self.assertIn(f"{len(self.records)} records", ended.stderr)
        self.assertLessEqual(copy.stat().st_size, size)
        self.assertEqual(subprocess.run([GATTSCOPE, "show", str(copy)], capture_output=True, check=False).returncode, 0)

    def test_recording_into_the_output(self) -> None:
        copy = self.folder / "copy.btsnoop"
        for stream in ("stdout", "stderr"):
            with self.subTest(stream), copy.open("wb") as file:
                command = [GATTSCOPE, "live", "-i", str(HEART_RATE), "-w", str(copy)]
                streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE} | {stream: file}
                ended = subprocess.run(command, stdin=subprocess.DEVNULL, check=False, **streams)
                self.assertEqual(ended.returncode, 64)
                said = ended.stderr if stream == "stdout" else copy.read_bytes()
                self.assertIn(b"is where standard ", said)
        with copy.open("wb") as file:
            file.write(HEART_RATE.read_bytes())
        with copy.open("rb") as file:
            ended = self.run_live("-i", "-", "-w", str(copy), stdin=file)
        self.assertEqual(ended.returncode, 64, ended.stderr)
        self.assertEqual(copy.read_bytes(), HEART_RATE.read_bytes(), "the source was overwritten")

    def test_rotation_tells_what_it_removed(self) -> None:
        copy = self.folder / "copy.btsnoop"
        ended = self.run_live("-i", str(HEART_RATE), "-w", str(copy), "--rotate", "2k:2")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        files = sorted(self.folder.glob("copy*"))
        left = sum(len(feeder.read(file)) for file in files)
        self.assertEqual(len(files), 2)
        told = re.search(
            r"(\d+) written to \S+ and the 1 file before it, (\d+) of them still there: (\d+) older files with (\d+) records were removed",
            ended.stderr)
        self.assertTrue(told, ended.stderr)
        written, there, removed, lost = map(int, told.groups())
        self.assertEqual((written, there), (len(self.records), left), ended.stderr)
        self.assertEqual(written - there, lost)
        self.assertGreater(removed, 1)

    def followed(self, verb: str, *arguments: str, replace) -> tuple[list[bytes], str]:
        """Returns the output and messages for a file that is replaced while it is followed."""
        file = self.folder / "log"
        file.write_bytes(HEART_RATE.read_bytes())
        process = subprocess.Popen(
            [GATTSCOPE, verb, "--follow", *arguments, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines: list[bytes] = []
        thread = threading.Thread(target=lambda: lines.extend(process.stdout))
        thread.start()
        self.wait_for(lambda: len(lines) > 15, "lines")
        time.sleep(0.5)
        count = len(lines)
        replace(file)
        self.wait_for(lambda: len(lines) > count + 10, "lines of the new file")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        thread.join()
        err = process.stderr.read().decode()
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.wait(), 0, err)
        return lines, err

    def test_values_across_a_rename(self) -> None:
        def replace(file: Path) -> None:
            file.rename(self.folder / "log.last")
            file.write_bytes(HEART_RATE.read_bytes())

        for arguments in ((), ("--json",)):
            lines, err = self.followed("values", *arguments, replace=replace)
            self.assertIn("log: a new file replaced this one; reading continues there\n", err)
            if arguments:
                self.assertTrue(all(isinstance(json.loads(line), dict) for line in lines))

    def test_file_written_anew(self) -> None:
        """A longer file with other bytes, written between two reads, must be detected."""
        content = CAPTURES[2].read_bytes()
        content = content + content[16:] * 3
        self.assertGreater(len(content), HEART_RATE.stat().st_size)
        lines, err = self.followed("show", "--json", replace=lambda file: file.write_bytes(content))
        self.assertIn("it was emptied once", err)
        whole = self.folder / "whole.btsnoop"
        whole.write_bytes(content)
        self.assertEqual(len(lines), len(self.records) + 1 + len(feeder.read(whole)))


class NameTest(Edge):
    def test_names(self) -> None:
        terminal, there, name = feeder.pseudo_terminal()
        expected = {
            ("-i", ""): (64, "-i '': the source is missing"),
            ("-i", "unix:x", "--mark-from", ""): (64, "--mark-from: the name of the pipe is missing"),
            ("H",): (64, "gattscope live -i H"),
            ("-i", name): (65, f"-i tty:{name}"),
            ("-i", "/dev/ttyACM987"): (66, "a serial line is tty:/dev/ttyACM987"),
        }
        for arguments, (status, words) in expected.items():
            with self.subTest(arguments):
                ended = self.run_live(*arguments)
                self.assertEqual(ended.returncode, status, ended.stderr)
                self.assertIn(words, ended.stderr)
        os.close(terminal)
        os.close(there)

    def test_closed_standard_input(self) -> None:
        ended = self.run_live("-i", "-", stdin=None, preexec_fn=lambda: os.close(0))
        self.assertEqual(ended.returncode, 66, ended.stderr)
        self.assertIn("standard input: it is closed", ended.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become an unprivileged user")
    def test_missing_permission(self) -> None:
        """Each kind of source must have the same status."""
        closed = self.folder / "closed"
        closed.mkdir(mode=0o755)
        self.folder.chmod(0o755)
        pipe = closed / "pipe"
        os.mkfifo(pipe, 0o600)
        (closed / "file").write_bytes(HEART_RATE.read_bytes())
        (closed / "file").chmod(0o600)
        for source in (str(pipe), str(closed / "file"), f"unix:{closed / 'socket'}"):
            with self.subTest(source):
                ended = self.run_live("-i", source, user=65534, group=65534, extra_groups=[])
                self.assertEqual(ended.returncode, 77, ended.stderr)
                self.assertIn("permission denied", ended.stderr)

    def test_help_fits(self) -> None:
        text = subprocess.run([GATTSCOPE, "live", "--help"], check=True, capture_output=True, text=True).stdout
        sources = text.partition("Sources (-i):\n")[2].partition("\n\n")[0].splitlines()
        self.assertEqual(len(sources), 6, sources)
        for line in sources:
            self.assertRegex(line, "^  [a-z-]")


if __name__ == "__main__":
    unittest.main()
