"""Tests every verb in bad environments: closed or full descriptors, readers that close a pipe, files that cannot be
read or created or that change, no environment variables, a terminal of eight columns. Each must have its exit status
and one sentence.
"""

import contextlib
import fcntl
import os
import pty
import re
import resource
import struct
import subprocess
import tempfile
import termios
import unittest
from pathlib import Path
from typing import Callable, NamedTuple

from test_live import CAPTURES, GATTSCOPE, SECONDS

CAPTURE, OTHER = str(CAPTURES[0]), str(CAPTURES[2])
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": "/usr/bin:/bin", "PAGER": ""}
RED = "\x1b[31m"
NOT_WRITTEN = "(output could not|standard output cannot) be written:"

# The verbs that read captures and print: IN is replaced by the capture.
READERS = {
    "show": ["show", "IN"],
    "no verb": ["IN"],
    "show --json": ["show", "--json", "IN"],
    "show --device": ["show", "--device", "HRM*", "IN"],
    "devices": ["devices", "IN"],
    "devices --json": ["devices", "--json", "IN"],
    "map": ["map", "IN"],
    "map --json": ["map", "--json", "IN"],
    "values": ["values", "IN"],
    "values --all": ["values", "--all", "IN"],
    "values --csv": ["values", "--csv", "IN"],
    "values --json": ["values", "--json", "IN"],
    "values --distinct": ["values", "--distinct", "IN"],
    "values --changes": ["values", "--changes", "--csv", "--wide", "IN"],
    "values --messages": ["values", "--messages", "--csv", "IN"],
    "values --rate": ["values", "--rate", "IN"],
    "values --rate --json": ["values", "--rate", "--json", "IN"],
    "values --raw": ["values", "--uuid", "2a37", "--raw", "-", "IN"],
    "info": ["info", "IN"],
    "info --json": ["info", "--json", "IN"],
    "explain": ["explain", "IN"],
    "explain --markdown": ["explain", "--markdown", "IN"],
    "explain --json": ["explain", "--json", "IN"],
    "trace": ["trace", "IN"],
    "trace --as android": ["trace", "--as", "android", "--json", "IN"],
    "trace --as bleak": ["trace", "--as", "bleak", "IN"],
    "diff, left": ["diff", "IN", OTHER],
    "diff, right": ["diff", "--json", OTHER, "IN"],
    "convert": ["convert", "--as", "btsnoop", "IN", "-"],
    "convert --redact": ["convert", "--redact", "--as", "pcapng", "IN", "-"],
    "convert --merge": ["convert", "--merge", "--as", "pcapng", "IN", OTHER, "-"],
    "values --positions": ["values", "--positions", "IN"],
    "profiles match": ["profiles", "match", "IN"],
    "profiles learn": ["profiles", "learn", "--uuid", "2a37", "IN"],
    "profiles new": ["profiles", "new", "--uuid", "2a37", "IN"],
    "live": ["live", "-i", "IN"],
    "live --view values": ["live", "--view", "values", "-i", "IN"],
    "live --view explain": ["live", "--view", "explain", "-i", "IN"],
}
# Verbs that print what the program knows.
TELLERS = {
    "--help": ["--help"],
    "--version": ["--version"],
    "show --help": ["show", "--help"],
    "help live": ["help", "live"],
    "schema": ["schema"],
    **{f"completion {shell}": ["completion", shell] for shell in ("bash", "zsh", "fish")},
    "profiles list": ["profiles", "list"],
    "profiles show": ["profiles", "show", "heart_rate"],
    "profiles decode": ["profiles", "decode", "--uuid", "2a37", "16480003"],
    "explain --list-rules": ["explain", "--list-rules"],
    "convert --list-formats": ["convert", "--list-formats"],
    "live --list": ["live", "--list"],
}
# Verbs that write a file: OUT is replaced by it.
WRITERS = {
    "convert": ["convert", "IN", "OUT.pcapng"],
    "convert --redact": ["convert", "--redact", "IN", "OUT.btsnoop"],
    "convert --comments": ["convert", "--comments", "IN", "OUT.pcapng"],
    "values --raw": ["values", "--uuid", "2a37", "--raw", "OUT.bin", "IN"],
    "live -w": ["live", "-i", "IN", "-w", "OUT.btsnoop"],
}


PRINTERS = {name: [CAPTURE if each == "IN" else each for each in verb] for name, verb in {**READERS, **TELLERS}.items()}


class Ended(NamedTuple):
    status: int
    out: bytes
    err: str

    @property
    def sentences(self) -> list[str]:
        """Returns the messages, except those that `live` prints at its start and end."""
        others = (" records, ", ": watching; ")
        return [line for line in self.err.splitlines() if not any(other in line for other in others)]


def with_names(arguments: list[str], capture: str, out: str = "OUT") -> list[str]:
    return [capture if each == "IN" else each.replace("OUT", out) for each in arguments]


def forced(arguments: list[str]) -> list[str]:
    """Returns the arguments for an existing file, with --force for verbs that would not replace it."""
    return [arguments[0], "--force", *arguments[1:]] if arguments[0] in ("convert", "live") else arguments


def run(arguments: list[str], **options) -> Ended:
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENVIRONMENT} | options
    ended = subprocess.run([GATTSCOPE, *arguments], check=False, timeout=SECONDS, **options)
    return Ended(ended.returncode, ended.stdout or b"", (ended.stderr or b"").decode())


def closing(*descriptors: int) -> Callable[[], None]:
    """Returns a function that closes these descriptors of a program that is about to start."""

    def close() -> None:
        for descriptor in descriptors:
            os.close(descriptor)

    return close


def in_order(out: bytes, arguments: list[str]) -> list[bytes]:
    """Returns the lines of an output, sorted if their order depends on how fast packets arrive."""
    lines = out.splitlines(keepends=True)
    return sorted(lines) if arguments[:3] == ["live", "--view", "explain"] else lines


class EnvironmentTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.folder.chmod(0o755)

    def check(self, ended: Ended, status: int, *sentences: str) -> None:
        """Checks the status, and that standard error has one line for each sentence."""
        self.assertEqual(ended.status, status, ended.err)
        self.assertEqual(len(ended.sentences), len(sentences), ended.err)
        for said, sentence in zip(ended.sentences, sentences):
            self.assertTrue(said.startswith("gattscope: "), said)
            self.assertRegex(said, sentence)

    def made(self, name: str = "made") -> Path:
        path = self.folder / name
        path.mkdir(exist_ok=True)
        return path


class DescriptorTest(EnvironmentTest):
    """Tests standard input, output and error."""

    def test_full_output(self) -> None:
        for name, arguments in PRINTERS.items():
            with self.subTest(name), open("/dev/full", "wb") as full:
                self.check(run(arguments, stdout=full), 74, f"{NOT_WRITTEN} no space left on device")

    def test_closed_output(self) -> None:
        for name, arguments in PRINTERS.items():
            with self.subTest(name):
                self.check(run(arguments, stdout=None, preexec_fn=closing(1)), 74, f"{NOT_WRITTEN} it is closed")

    def test_output_that_nobody_reads(self) -> None:
        for name, arguments in PRINTERS.items():
            with self.subTest(name):
                reader, writer = os.pipe()
                os.close(reader)
                ended = run(arguments, stdout=writer)
                os.close(writer)
                # Even unread differences are differences. The strap has no protocol with messages.
                sentences = ["no value is a message"] if name == "values --messages" else []
                self.check(ended, 1 if arguments[0] == "diff" else 0, *sentences)

    def test_closed_input(self) -> None:
        for name, arguments in READERS.items():
            with self.subTest(name):
                arguments = with_names(arguments, "-")
                self.check(run(arguments, stdin=None, preexec_fn=closing(0)), 66, "standard input: it is closed")
                with_nothing = run(arguments, stdin=None, stdout=None, stderr=None, preexec_fn=closing(0, 1, 2))
                self.assertEqual(with_nothing.status, 66)

    def test_input_that_is_a_folder(self) -> None:
        folder = os.open("/", os.O_RDONLY)
        self.addCleanup(os.close, folder)
        for name, arguments in READERS.items():
            with self.subTest(name):
                self.check(run(with_names(arguments, "-"), stdin=folder), 66, "standard input: is a directory")

    def test_closed_input_that_nobody_needs(self) -> None:
        for name, arguments in PRINTERS.items():
            with self.subTest(name):
                closed, open_ = run(arguments, stdin=None, preexec_fn=closing(0)), run(arguments)
                self.assertEqual((closed.status, closed.err), (open_.status, open_.err))
                if "redact" not in name:  # pseudonyms differ each time
                    self.assertEqual(closed.out, open_.out)

    def test_closed_error(self) -> None:
        """A message that cannot be printed must not change anything else."""
        cut = self.folder / "cut.btsnoop"
        cut.write_bytes(Path(CAPTURE).read_bytes()[:-3])
        for name, arguments in READERS.items():
            for capture in (CAPTURE, str(cut), "missing"):
                with self.subTest(name, capture=capture):
                    given = with_names(arguments, capture)
                    closed, open_ = run(given, stderr=None, preexec_fn=closing(2)), run(given)
                    self.assertEqual(closed.status, open_.status)
                    if "redact" not in name:
                        self.assertEqual(in_order(closed.out, arguments), in_order(open_.out, arguments))

    def test_sentences_do_not_get_into_files(self) -> None:
        """A file that is opened while standard error is closed must not receive the messages."""
        cut = self.folder / "cut.btsnoop"
        cut.write_bytes(Path(CAPTURE).read_bytes()[:-3])
        for name, arguments in WRITERS.items():
            for closed in ((2,), (1, 2), (0, 1, 2), (0, 2)):
                with self.subTest(name, closed=closed):
                    good, odd = (self.made(f"{kind} {name} {closed}") for kind in ("good", "odd"))
                    run(with_names(arguments, str(cut), f"{good}/out"))
                    kept = {number: None for number in closed}
                    options = {name: None for number, name in enumerate(("stdin", "stdout", "stderr")) if number in kept}
                    run(with_names(arguments, str(cut), f"{odd}/out"), preexec_fn=closing(*closed), **options)
                    self.assertEqual(self.contents(odd, arguments), self.contents(good, arguments))

    def contents(self, folder: Path, arguments: list[str]) -> dict[str, bytes | int]:
        """Returns the files in a folder; with pseudonyms, which differ each time, only their lengths."""
        contents = {path.name: path.read_bytes() for path in folder.iterdir()}
        self.assertEqual(len(contents), 1)
        return {name: len(each) if "--redact" in arguments else each for name, each in contents.items()}

    def test_values_of_standard_input(self) -> None:
        """`profiles decode` must read lines, not a capture."""
        decode = ["profiles", "decode", "--uuid", "2a37", "-"]
        self.check(run(decode, stdin=None, preexec_fn=closing(0)), 66, "standard input: it is closed")
        folder = os.open("/", os.O_RDONLY)
        self.addCleanup(os.close, folder)
        self.check(run(decode, stdin=folder), 66, "standard input: is a directory")
        with open("/dev/zero", "rb") as zeros:
            self.check(run(decode, stdin=zeros), 65, "standard input: line 1 is longer than 1 MB")


class SurroundingsTest(EnvironmentTest):
    """Tests variables, terminals, folders and limits."""

    def test_no_variables(self) -> None:
        good = {name: run(arguments) for name, arguments in PRINTERS.items()}
        homes = [{}, {"HOME": ""}, {"HOME": "/nowhere"}, {"HOME": "/dev/null"}, {"XDG_CONFIG_HOME": "\x1b[31m"}, {"TZ": "x" * 9000}]
        for variables in homes:
            for name, arguments in PRINTERS.items():
                with self.subTest(name, variables=str(variables)[:40]):
                    ended = run(arguments, env=variables)
                    self.assertEqual((ended.status, ended.err), (good[name].status, good[name].err))
                    if "redact" not in name:
                        self.assertEqual(ended.out, good[name].out)

    def test_ascii(self) -> None:
        for locale in ("C", "POSIX", "de_DE.ISO-8859-1"):
            for name, arguments in READERS.items():
                with self.subTest(name, locale=locale):
                    ended = run(with_names(arguments, CAPTURE), env={"LC_ALL": locale})
                    self.assertEqual(ended.status, 1 if arguments[0] == "diff" else 0, ended.err)
                    # Output for programs is UTF-8 everywhere.
                    if not {"--raw", "--json", "--csv", "convert"} & set(arguments):
                        self.assertTrue(ended.out.isascii())

    def on_terminal(self, arguments: list[str]) -> tuple[int, str]:
        """Returns the output to a terminal of eight columns."""
        window, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 8, 0, 0))
        process = subprocess.Popen(
            [GATTSCOPE, *arguments], stdin=subprocess.DEVNULL, stdout=terminal, stderr=subprocess.PIPE, env=ENVIRONMENT | {"TERM": "xterm"})
        os.close(terminal)
        written = bytearray()
        with contextlib.suppress(OSError):  # the end of a terminal
            while piece := os.read(window, 65_536):
                written += piece
        os.close(window)
        process.communicate(timeout=SECONDS)
        return process.returncode, written.decode().replace("\r\n", "\n")

    def test_terminal_of_eight_columns(self) -> None:
        """Lines must not be cut to nothing; help must keep its words."""
        # Scripts of bleak are for files.
        plain = ("values --raw", "convert", "profiles match", "profiles learn", "profiles new", "live --view values", "trace --as bleak")
        for name, given in PRINTERS.items():
            if name.startswith(plain):
                continue
            with self.subTest(name):
                colours = ["--color", "always"] if name in READERS else []
                verb = given[:1] if name != "no verb" else []
                redirected = run([*verb, *colours, *given[len(verb) :]])
                status, text = self.on_terminal(given)
                self.assertEqual(status, redirected.status)
                if "help" in name:
                    self.assertEqual("".join(text.split()), "".join(redirected.out.decode().split()))
                else:
                    self.assertEqual(text, redirected.out.decode())

    def test_table_on_a_terminal_of_eight_columns(self) -> None:
        status, text = self.on_terminal(["live", "--view", "values", "-i", CAPTURE])
        self.assertEqual(status, 0)
        for line in text.splitlines():
            self.assertLessEqual(len(re.sub("\x1b\\[[0-9]*[a-zA-Z]|\r", "", line)), 8, line)
        self.assertIn("180d", text)

    def test_width(self) -> None:
        for name, arguments in READERS.items():
            if "--raw" in arguments or name.startswith(("convert", "profiles", "no verb")):
                continue
            with self.subTest(name):
                ended = run([arguments[0], "--width", "8", *with_names(arguments, CAPTURE)[1:]])
                self.assertEqual(ended.status, 64)
                self.assertIn("expected 0, or 20 columns and more", ended.err)

    def test_folder_that_is_gone(self) -> None:
        gone = self.made("gone")
        within = f"cd {gone} && rmdir {gone} && exec {GATTSCOPE} "
        cases = {
            f"show {CAPTURE}": (0,),
            "show capture.btsnoop": (66, "capture.btsnoop: no such file or directory"),
            f"convert {CAPTURE} out.pcapng": (74, "out.pcapng cannot be written: "),
            f"values --uuid 2a37 --raw out {CAPTURE}": (74, "out cannot be written: "),
        }
        for arguments, (status, *sentences) in cases.items():
            with self.subTest(arguments):
                self.made("gone")
                ended = subprocess.run(["sh", "-c", within + arguments], capture_output=True, check=False, timeout=SECONDS)
                self.check(Ended(ended.returncode, ended.stdout, ended.stderr.decode()), status, *sentences)

    def test_no_descriptors_left(self) -> None:
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))
        out = self.folder / "out.pcapng"
        self.check(run(["convert", CAPTURE, str(out)], preexec_fn=few), 74, "cannot be written: too many open files")
        self.check(run(["diff", CAPTURE, OTHER], preexec_fn=few), 1)

    def test_arguments_that_are_no_text(self) -> None:
        """A name that is not UTF-8 must not be converted to text: that would name no file, or another one."""
        name = os.fsencode(self.folder) + b"/caf\xe9.btsnoop"
        Path(os.fsdecode(name)).write_bytes(Path(CAPTURE).read_bytes())
        for arguments in ([b"show", name], [name], [b"convert", CAPTURE.encode(), name + b".pcapng"]):
            with self.subTest(arguments):
                self.check(run(arguments), 64, r"caf\\xe9.btsnoop")
        self.assertEqual(len(list(self.folder.iterdir())), 1)

    def test_arguments_that_are_no_options(self) -> None:
        """The argument parser's messages must not print arguments unescaped on a terminal."""
        for arguments in (
            *(["show", f"--colour{RED}", "x"], ["show", "--color", RED, "x"], ["show", "--layer", f"{RED}\u202e", "x"]),
            *(["completion", RED], ["profiles", RED], ["convert", "a", f"b{RED}"], ["live", "--count", RED], ["live", "-w", RED]),
        ):
            with self.subTest(arguments):
                ended = run(arguments)
                self.assertEqual(ended.status, 64, ended.err)
                self.assertTrue(all(each == "\n" or each.isprintable() for each in ended.err), ended.err)
                self.assertIn(r"\x1b[31m", ended.err)


if __name__ == "__main__":
    unittest.main()
