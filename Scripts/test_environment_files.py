"""Tests every verb with files that cannot be read or created, that end early, or that change while they are read."""

import os
import resource
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from test_environment import CAPTURE, ENVIRONMENT, GATTSCOPE, OTHER, READERS, WRITERS, EnvironmentTest, forced, run, with_names
from test_live import SECONDS
from traffic import attacks

IS_ROOT = os.geteuid() == 0
SOMEBODY = {"user": 65534, "group": 65534, "extra_groups": []} if IS_ROOT else {}
NEEDS_ROOT = "only root can become an unprivileged user"
# The verbs that have an option with the name of a small file.
READING = ["show IN", "map IN", "values IN", "explain IN", "trace IN", "live -i IN", "convert --as btsnoop IN -", "diff IN IN"]
FILE_OPTIONS = {
    "--profile": [*READING, "devices IN", "profiles match IN", "profiles list"],
    "--map": [*READING, "profiles match IN"],
    "--keys": [*READING, "devices IN"],
    "--app-log": ["trace IN"],
}


class InputTest(EnvironmentTest):
    def refused(self, capture: str, status: int, sentence: str, **options) -> None:
        for name, arguments in READERS.items():
            with self.subTest(name, capture=Path(capture).name):
                self.check(run(with_names(arguments, capture), **options), status, sentence)

    def test_folders_and_what_is_not_there(self) -> None:
        missing = str(self.folder / "missing")
        self.refused(missing, 66, "missing: no such file or directory")
        self.refused(f"{CAPTURE}/capture", 66, "not a directory")
        self.refused(str(self.folder / ("x" * 300)), 66, "file name too long")
        self.refused(str(self.folder), 66, "is a directory")

    def test_loop_of_links(self) -> None:
        loop = self.folder / "loop"
        loop.symlink_to(loop)
        self.refused(str(loop), 66, "too many levels of symbolic links")

    def test_permission(self) -> None:
        secret = self.folder / "secret.btsnoop"
        shutil.copy(CAPTURE, secret)
        secret.chmod(0)
        for name, arguments in READERS.items():
            with self.subTest(name):
                if IS_ROOT and not self.program_is_for_all():
                    self.skipTest("other users cannot run the program")
                # An unreadable live source has its own status.
                status = 77 if arguments[0] == "live" else 66
                self.check(run(with_names(arguments, str(secret)), **SOMEBODY), status, "permission denied")

    def program_is_for_all(self) -> bool:
        """Returns whether another user may start it."""
        try:
            return run(["--version"], **SOMEBODY).status == 0
        except PermissionError:
            return False

    def test_small_files(self) -> None:
        """A file named by an option must be read first, and the program must end if it cannot be."""
        secret = self.folder / "secret"
        secret.write_text("secret")
        secret.chmod(0)
        cases = {
            str(self.folder / "missing"): "no such file or directory",
            str(self.folder): "is a directory",
            "/dev/zero": "is larger than 64 MB",
        }
        if IS_ROOT and self.program_is_for_all():
            cases[str(secret)] = "permission denied"
        for option, verb in [(option, verb) for option, verbs in FILE_OPTIONS.items() for verb in verbs]:
            for path, words in cases.items():
                with self.subTest(verb, option=option, path=path):
                    who = SOMEBODY if path == str(secret) else {}
                    ended = run([*with_names(verb.split(), CAPTURE), option, path], **who)
                    self.check(ended, 66, f"{path} cannot be read: {words}")
                    self.assertEqual(ended.out, b"")

    def test_small_files_of_other_verbs(self) -> None:
        missing = str(self.folder / "missing")
        for path, words in ((missing, "no such file or directory"), (str(self.folder), "is a directory")):
            self.check(run(["profiles", "check", path]), 66, words)
            self.check(run(["profiles", "decode", "--profile", path, "--uuid", "2a37", "00"]), 66, words)
            self.check(run(["live", "-i", CAPTURE, "--mark-from", path]), 66, words)

    def test_writer_that_dies_within_a_record(self) -> None:
        """Tests a named pipe and standard input."""
        content = Path(CAPTURE).read_bytes()[:-3]
        for name, arguments in READERS.items():
            for capture in ("pipe", "-"):
                with self.subTest(name, capture=capture):
                    pipe = self.folder / "pipe"
                    os.mkfifo(pipe)
                    # Opened for both, so that neither waits for the other; the program has it open before the writer
                    # closes it.
                    writer = os.open(pipe, os.O_RDWR)
                    options = {"stdin": os.open(pipe, os.O_RDONLY)} if capture == "-" else {}
                    process = subprocess.Popen(
                        [GATTSCOPE, *with_names(arguments, "-" if options else str(pipe))], stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE, env=ENVIRONMENT, **options)
                    self.addCleanup(process.stdout.close)
                    os.write(writer, content)
                    self.wait_until(lambda: self.has_open(process, pipe))
                    os.close(writer)
                    _, err = process.communicate(timeout=SECONDS)
                    if options:
                        os.close(options["stdin"])
                    pipe.unlink()
                    self.assertEqual(process.returncode, 65, err)
                    said = [line for line in err.decode().splitlines() if "the capture ends early" in line]
                    self.assertEqual(len(said), 1, err)
                    self.assertRegex(said[0], r"record 166 at byte \d+: only \d+ of \d+ bytes are present")

    def has_open(self, process: subprocess.Popen, path: Path) -> bool:
        folder = Path(f"/proc/{process.pid}/fd")
        try:
            return any(os.readlink(link) == str(path) for link in folder.iterdir())
        except OSError:
            return False

    def wait_until(self, condition) -> None:
        end = time.monotonic() + SECONDS
        while not condition():
            self.assertLess(time.monotonic(), end, "timed out")
            time.sleep(0.005)


class OutputTest(EnvironmentTest):
    """A file must be written completely or not at all, except by `live`, which writes whole records."""

    def nothing_is_left(self, folder: Path, *others: str) -> None:
        self.assertEqual(sorted(path.name for path in folder.iterdir()), sorted(others))

    def test_folder_that_may_not_be_written(self) -> None:
        if not IS_ROOT:
            self.skipTest(NEEDS_ROOT)
        folder = self.made("closed")
        for name, arguments in WRITERS.items():
            with self.subTest(name):
                self.check(run(with_names(arguments, CAPTURE, f"{folder}/out"), **SOMEBODY), 74, "out.* cannot be written: permission denied")
                self.nothing_is_left(folder)

    def test_file_that_may_not_be_written(self) -> None:
        if not IS_ROOT:
            self.skipTest(NEEDS_ROOT)
        folder = self.made("open")
        folder.chmod(0o777)
        for name, arguments in WRITERS.items():
            with self.subTest(name):
                given = forced(with_names(arguments, CAPTURE, f"{folder}/out"))
                path = Path(next(each for each in given if "/out" in each))
                path.write_text("precious")
                path.chmod(0o444)
                self.check(run(given, **SOMEBODY), 74, "out.* cannot be written: permission denied")
                self.assertEqual(path.read_text(), "precious")
                path.unlink()

    def test_folder_that_is_not_there(self) -> None:
        for name, arguments in WRITERS.items():
            with self.subTest(name):
                given = with_names(arguments, CAPTURE, f"{self.folder}/no/out")
                self.check(run(given), 74, "no/out.* cannot be written: no such file or directory; make its folder first")

    def test_disk_without_room(self) -> None:
        if not IS_ROOT:
            self.skipTest("only root can mount a small disk")
        disk = self.made("disk")
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)], check=False, capture_output=True)
        if mounted.returncode:
            self.skipTest("a small disk cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=True)
        self.small(disk)
        self.check(
            run(["convert", "--redact", "--as", "pcap", "-", str(self.folder / "x")], stdin=subprocess.DEVNULL, env=ENVIRONMENT | {"TMPDIR": str(disk)}),
            65, "is empty")

    def test_files_that_may_not_grow(self) -> None:
        self.small(self.made(), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, 65_536)))

    def small(self, folder: Path, **options) -> None:
        """Files that do not fit into 64 KB must not remain, except whole records that `live` wrote."""
        capture = self.folder / "large.btsnoop"
        capture.write_bytes(attacks.attack("values", 2000))
        for name, arguments in WRITERS.items():
            with self.subTest(name):
                # Undiscovered attributes have no UUID.
                arguments = [{"--uuid": "--handle", "2a37": "0x0010"}.get(each, each) for each in arguments]
                given = with_names(arguments, str(capture), f"{folder}/out")
                ended = run(given, stdout=subprocess.DEVNULL, **options)
                self.assertEqual(ended.status, 74, ended.err)
                self.assertRegex(ended.sentences[0], "(no space left on device|file too large)")
                if arguments[0] == "live":
                    kept = next(folder.iterdir())
                    self.assertEqual(run(["info", str(kept)]).status, 0)
                    kept.unlink()
                self.nothing_is_left(folder)

    def test_device_that_is_full(self) -> None:
        for name, arguments in WRITERS.items():
            with self.subTest(name):
                given = ["/dev/full" if "OUT" in each else each for each in with_names(arguments, CAPTURE, "OUT")]
                if arguments[0] == "convert":
                    given[1:1] = ["--as", "pcapng"]
                if arguments[0] == "live":
                    given[-1] = str(self.folder / "full.btsnoop")
                    os.symlink("/dev/full", given[-1])
                ended = run(given, stdout=subprocess.DEVNULL)
                self.assertEqual(ended.status, 74, ended.err)
                self.assertIn("no space left on device", ended.err)
                self.assertTrue(Path("/dev/full").is_char_device())

    def test_end_in_the_middle(self) -> None:
        """However the program ends, no partial file may remain, and an existing file must stay."""
        for name, arguments in WRITERS.items():
            if arguments[0] == "live":  # writes continuously, and ends after a record
                continue
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                with self.subTest(name, signal=number):
                    folder = self.made(f"{name} {number}")
                    given = forced(with_names(arguments, "-", f"{folder}/out"))
                    path = Path(next(each for each in given if "/out" in each))
                    path.write_text("precious")
                    process = subprocess.Popen(
                        [GATTSCOPE, *given], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                        env=ENVIRONMENT | {"TMPDIR": str(folder)})
                    # More than a pipe and a buffer can hold: when this returns, some of it has been processed.
                    process.stdin.write(attacks.attack("values", 3000))
                    process.stdin.flush()
                    process.send_signal(number)
                    _, err = process.communicate(timeout=SECONDS)
                    self.assertEqual((process.returncode, err), (-number, b""))
                    self.assertEqual(path.read_text(), "precious")
                    self.nothing_is_left(folder, path.name)


class ChangeTest(EnvironmentTest):
    """Tests a file that others write while it is read, with verbs that read it once and verbs that read it again."""

    COUNT = 20_000
    VERBS = {
        "show --device": ["show", "--device", "x*", "IN"],
        "devices": ["devices", "IN"],
        "map": ["map", "IN"],
        "values": ["values", "IN"],
        "explain": ["explain", "IN"],
        "trace": ["trace", "IN"],
        "diff": ["diff", "IN", OTHER],
        "convert": ["convert", "IN", "OUT.pcapng"],
        "convert --device": ["convert", "--device", "00:*", "--packets", "1-5000", "IN", "OUT.pcapng"],
        "convert --redact": ["convert", "--redact", "IN", "OUT.pcapng"],
        "convert --merge": ["convert", "--merge", "IN", OTHER, "OUT.pcapng"],
    }

    def changed(self, name: str, arguments: list[str], change) -> None:
        """Stops the program when it has read a part of its file, changes the file, lets it continue."""
        folder = self.made()
        capture = self.folder / "capture.btsnoop"
        capture.write_bytes(self.content)
        process = subprocess.Popen(
            [GATTSCOPE, *with_names(arguments, str(capture), f"{folder}/out")], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT)
        while process.poll() is None and not self.has_begun(process, capture):
            time.sleep(0.001)
        process.send_signal(signal.SIGSTOP)
        change(capture)
        process.send_signal(signal.SIGCONT)
        _, err = process.communicate(timeout=SECONDS)
        said = err.decode()
        self.assertIn(process.returncode, (0, 1, 64, 65, 66), said)
        for line in said.splitlines():
            self.assertTrue(line.startswith("gattscope: "), said)
        if process.returncode == 65:
            self.assertRegex(said, "bytes (of its header )?are present|of which \\d+ are present|its header ends early|is not a capture|is empty|exceeds")
        for path in folder.iterdir():
            self.assertEqual(path.name, "out.pcapng")
            self.assertEqual(run(["info", str(path)]).status, 0, f"{name}: half a file")
            path.unlink()

    def has_begun(self, process: subprocess.Popen, capture: Path) -> bool:
        folder = Path(f"/proc/{process.pid}/fd")
        try:
            number = next(link.name for link in folder.iterdir() if os.readlink(link) == str(capture))
            return not Path(f"/proc/{process.pid}/fdinfo/{number}").read_text().startswith("pos:\t0\n")
        except (OSError, StopIteration):
            return False

    def each(self, change) -> None:
        self.content = attacks.attack("devices", self.COUNT)
        for name, arguments in self.VERBS.items():
            with self.subTest(name):
                self.changed(name, arguments, change)

    def test_cut(self) -> None:
        self.each(lambda capture: os.truncate(capture, len(self.content) // 3))

    def test_emptied(self) -> None:
        self.each(lambda capture: os.truncate(capture, 0))

    def test_grown(self) -> None:
        def grow(capture: Path) -> None:
            with capture.open("ab") as file:
                file.write(self.content[16:])

        self.each(grow)

    def test_replaced(self) -> None:
        def replace(capture: Path) -> None:
            other = self.folder / "other"
            other.write_bytes(b"# notes\n" * 1000)
            other.replace(capture)

        self.each(replace)

    def test_overwritten(self) -> None:
        def overwrite(capture: Path) -> None:
            with capture.open("r+b") as file:
                file.seek(len(self.content) // 2)
                file.write(b"\xff" * (len(self.content) // 3))

        self.each(overwrite)

    def test_removed(self) -> None:
        self.each(lambda capture: capture.unlink())


if __name__ == "__main__":
    unittest.main()
