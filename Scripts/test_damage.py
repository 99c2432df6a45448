"""Damaged captures: whatever happens to a file, every verb ends with 0 or 65, tells what lies before the damage as before, and
needs no more than twice the time and the memory of the healthy file.

DAMAGE_ROUNDS says how much of each kind of damage a capture gets (1). With one round, captures of more than 200 kB, which take
most of the time, get every third damage only.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import damage
from test_live import CAPTURES, GATTSCOPE

ROUNDS = int(os.environ.get("DAMAGE_ROUNDS", "1"))
SECONDS = 20
LARGE = 200_000
# What a run may take besides twice the healthy one's: starting a program takes unlike times on a machine that does other work.
SLACK_SECONDS, SLACK_KB = 0.25, 4096
# Where a pairing's confirm value fits no passkey, all million are tried; a file's damage may make one such of a good one.
PASSKEY_SECONDS, PASSKEY_VERBS = 1.5, ("explain", "diff", "convert")
HEALTHY, DAMAGED = 0, 65
GOOD = HEALTHY, DAMAGED
DIFFERENT = 1  # diff's alone
NOT_WRITTEN = 74
OTHER = CAPTURES[0]
WHOLE_FILES = [
    folder
    for folder in (Path(CAPTURES[0]).parent, Path(__file__).resolve().parent.parent.parent / "shared" / "captures")
    if folder.is_dir()
]


IN = "IN"  # stands for the capture


def views(folder: Path) -> list[list[str]]:
    """The verbs with their arguments. The first is compared line by line."""
    return [
        ["show", "--json", IN],
        ["show", "-v", "-x", IN],
        ["info", "--json", IN],
        ["map", IN],
        ["devices", "--json", IN],
        ["values", "--json", IN],
        ["explain", "--json", IN],
        ["trace", "--as", "android", "--json", IN],
        ["trace", IN],
        ["diff", "--json", str(OTHER), IN],
        ["report", IN],
        ["convert", "--force", "--redact", IN, str(folder / "out.pcapng")],
    ]


class Run(NamedTuple):
    status: int
    output: bytes
    errors: str
    seconds: float
    peak_kb: int


class Launcher:
    """A small process that starts the program: a process's peak is never below that of the one it was started from, and this
    one holds whole outputs."""

    mine = threading.local()
    started: list["Launcher"] = []

    def __init__(self) -> None:
        command = [sys.executable, __file__, "--launch"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.started.append(self)

    @classmethod
    def end_all(cls) -> None:
        while cls.started:
            with cls.started.pop().process as process:
                process.stdin.close()

    @classmethod
    def of_this_thread(cls) -> "Launcher":
        if not hasattr(cls.mine, "launcher"):
            cls.mine.launcher = cls()
        return cls.mine.launcher

    def run(self, command: list[str], out: Path, err: Path) -> tuple[int, float, int]:
        """The status, the processor time in seconds, and the peak in kB."""
        print(json.dumps([command, str(out), str(err)]), file=self.process.stdin, flush=True)
        return tuple(json.loads(self.process.stdout.readline()))


def launch() -> None:
    """Starts what each line of standard input names, and prints what the kernel says that it took."""
    started = 0
    signal.signal(signal.SIGALRM, lambda *_: os.kill(started, signal.SIGKILL))
    for line in sys.stdin:
        command, out, err = json.loads(line)
        writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        files = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, out, writing, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, err, writing, 0o600)]
        started = os.posix_spawn(command[0], command, os.environ, file_actions=files)
        signal.alarm(SECONDS)
        _, status, usage = os.wait4(started, 0)
        signal.alarm(0)
        print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss]), flush=True)


def run(arguments: list[str], capture: Path, output: Path) -> Run:
    """One run with its output in a file, and what the kernel says that it took."""
    errors = Path(f"{output}.err")
    command = [GATTSCOPE, *(str(capture) if each == IN else each for each in arguments)]
    status, seconds, peak = Launcher.of_this_thread().run(command, output, errors)
    return Run(status, output.read_bytes(), errors.read_text(errors="replace"), seconds, peak)


def complaints(capture: Path, rounds: int) -> list[str]:
    """What is wrong with how one capture's damaged copies are told."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out, copy = folder / "out", folder / f"damaged{capture.suffix}"
        healthy = {tuple(view): run(view, capture, out) for view in views(folder)}
        for number, kind in enumerate(damage.damages(capture, rounds)):
            if rounds == 1 and capture.stat().st_size > LARGE and number % 3:
                continue
            copy.write_bytes(kind.data)
            # All verbs see each kind of damage, but not each verb every copy: there are too many.
            every = views(folder)
            chosen = [every[0], every[1 + number % (len(every) - 1)]]
            for view in chosen:
                what = f"{capture.name}, {kind.name}: {' '.join(view[:2])}"
                before = healthy[tuple(view)]
                now = run(view, copy, out)
                good = GOOD + (DIFFERENT,) * (view[0] == "diff")
                # A file with records is not replaced by one without any.
                good += (NOT_WRITTEN,) * ("stays as it is: there is no record" in now.errors)
                if now.status not in good:
                    found.append(f"{what}: status {now.status}, expected one of {good}: {now.errors[:300]}")
                if now.status == DAMAGED and not now.errors.startswith("gattscope: "):
                    found.append(f"{what}: status 65 without a sentence: {now.errors[:300]!r}")
                # What a file's damage makes of it may be longer than the file: records told several times.
                most = 2 * max(1, len(kind.data) / capture.stat().st_size)
                slack = SLACK_SECONDS + PASSKEY_SECONDS * (view[0] in PASSKEY_VERBS)
                for _ in range(3):
                    if now.seconds <= most * before.seconds + slack:
                        break
                    # What else a busy machine does adds time.
                    now = now._replace(seconds=min(now.seconds, run(view, copy, out).seconds))
                if now.seconds > most * before.seconds + slack:
                    found.append(f"{what}: {now.seconds:.2f} s, healthy {before.seconds:.2f} s")
                if now.peak_kb > most * before.peak_kb + SLACK_KB:
                    found.append(f"{what}: {now.peak_kb} kB, healthy {before.peak_kb} kB")
                # A PacketLogger file begins with no magic: its first records tell it, if they are whole.
                unknown = capture.suffix == ".pklg" and "is not a capture" in now.errors
                if view is every[0] and now.status in GOOD and not unknown:
                    expected = intact(before.output, capture, kind)
                    if not now.output.startswith(expected):
                        found.append(f"{what}: the {kind.intact} records before the damage are told otherwise")
    return found


def intact(output: bytes, capture: Path, kind: damage.Damage) -> bytes:
    """What the healthy file's lines say of the records before the damage."""
    data = capture.read_bytes()
    flags = damage.told(data, damage.record_ends(data))
    return b"".join(output.splitlines(keepends=True)[: sum(flags[: kind.intact])])


def captures() -> list[Path]:
    files = sorted(each for folder in WHOLE_FILES for each in folder.rglob("*") if each.is_file())
    return [each for each in files if len(damage.record_ends(each.read_bytes())) > 2]


class DamageTest(unittest.TestCase):
    def test_every_capture(self) -> None:
        files = captures()
        self.assertGreater(len(files), 20, "captures to damage")
        self.addCleanup(Launcher.end_all)
        with ThreadPoolExecutor(os.cpu_count()) as workers:
            results = workers.map(lambda each: complaints(each, ROUNDS), files)
            found = [line for lines in results for line in lines]
        self.assertEqual(found, [], "\n" + "\n".join(found[:40]))


if __name__ == "__main__":
    launch() if sys.argv[1:] == ["--launch"] else unittest.main()
