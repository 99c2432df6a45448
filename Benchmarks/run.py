#!/usr/bin/env python3
"""Measures gattscope, tshark and btmon in one run and on the same bytes.

usage: run.py GATTSCOPE [--quick] [--rounds N] [--from FOLDER]...

Output goes to /dev/null. The programs take turns, and the median of the rounds counts. The time for a capture of one
record is subtracted before rates are computed, so that a slow start is not counted against a program. Exit status 1: a
target was missed. `--quick` uses fewer records; its figures are only rough. After the ratios it prints the lines of
README.md that they give.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent

SHOW_TO_BTMON, SHOW_TO_TSHARK, JSON_TO_EK = 20, 20, 50  # times as fast
LONG_TO_TSHARK, LONG_TO_EK = 50, 100  # the same for a million records, whole runs
GROWTH = 0.10  # the most that the cost of a record may grow in a capture ten times as long
PEAK_MB = 48
PEAK_NOISE_MB = 2  # peak memory does not depend on the capture's length, but the kernel does not count pages exactly
FIRST_LINE_MS = 30
DEVICE = "C0:FF:EE:C0:FF:EE"  # in at most one packet of a hundred
SELECTION = 0.10  # the most that a selection may cost
DECODING = 0.5  # the least speed with decoded values, relative to that without
MIXES = {"": "spine", ", layers": "mixed-layers"}  # suffixes in the table
# These print what they gathered at the end; `values --json` prints at once.
SUMMARIES = (["map"], ["devices"], ["values"], ["values", "--json"])
WORKING = "working"  # a mix without failed pairings: for a failed one, explain searches for the passkey
RECORDS = {False: (1_000_000, 200_000, 50_000), True: (200_000, 50_000, 20_000)}  # of gattscope, tshark and its JSON; --quick
EXPLAINING = 0.05  # the most that explain may cost beyond map without failed pairings: the noise between runs


def for_readme(btmon: str, tshark: str, ek: str, day: str, quick: bool, processors: int) -> str:
    """Returns the rows of the comparison in README.md, and the sentence about them."""
    _, records, records_of_json = RECORDS[quick]
    command = "`Benchmarks/run.py --quick`" if quick else "`make bench`"
    return (
        f"| time for text, packet by packet | 1 | {btmon} | {tshark} |\n"
        f"| time for JSON | 1 | – | {ek} |\n\n"
        f"The ratios are of one run of {command} on {day}, side by side on the same captures, with {processors} processors and one thread "
        f"each. btmon read commands and events only, tshark {records:,} records ({records_of_json:,} for JSON).\n")


class Run(NamedTuple):
    seconds: float
    peak_mb: float


def run(*command: str) -> Run:
    """Runs a command. The peak is never below this process's own (see README)."""
    null = os.open(os.devnull, os.O_RDWR)
    redirect = [(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)]
    started = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=redirect)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    os.close(null)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    return Run(seconds, usage.ru_maxrss / 1024)


def first_line_ms(*command: str) -> float:
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        line = child.stdout.readline()
        milliseconds = (time.perf_counter() - started) * 1000
        child.stdout.read()
    if not line:
        sys.exit(f"{' '.join(command)} printed nothing")
    return milliseconds


class Bench:
    def __init__(self, program: str, folder: Path, arguments) -> None:
        self.program, self.folder = program, folder
        self.rounds, self.quick = arguments.rounds, arguments.quick
        self.sources = [option for source in arguments.folders or [] for option in ("--from", source)]
        self.missed = 0

    def traffic(self, count: int, hci_only: bool = False, mix: str = "spine") -> str:
        out = self.folder / f"{count}-{mix}{'-hci' if hci_only else ''}.btsnoop"
        if not out.exists():
            # A separate process: its memory must not count as this one's.
            sources = self.sources or ["--mix", mix]
            command = [sys.executable, str(HERE / "make-traffic.py"), str(out), str(count), *sources]
            subprocess.run(command + ["--hci-only"] * hci_only, check=True)
        return str(out)

    def verdict(self, what: str, measured: str, target: str, good: bool) -> None:
        self.missed += not good
        print(f"  {'ok    ' if good else 'MISSED'}  {what:46} {measured:>14}   target {target}", flush=True)

    # Each part prints its results.

    def speed(self) -> None:
        ours, tshark, ek = RECORDS[self.quick]
        spine = {"mix": "spine"}
        layers = {"mix": "mixed-layers"}
        jobs = {
            "gattscope show": (ours, spine, [self.program, "show"]),
            "gattscope show --json": (ours, spine, [self.program, "show", "--json"]),
            "gattscope show, HCI only": (ours, {"hci_only": True}, [self.program, "show"]),
            "gattscope show, layers": (ours, layers, [self.program, "show"]),
            "gattscope show --json, layers": (ours, layers, [self.program, "show", "--json"]),
        }
        if shutil.which("tshark"):
            jobs["tshark -n -r"] = (tshark, spine, ["tshark", "-n", "-r"])
            jobs["tshark -T ek -n -r"] = (ek, spine, ["tshark", "-T", "ek", "-n", "-r"])
            jobs["tshark -n -r, layers"] = (tshark, layers, ["tshark", "-n", "-r"])
            jobs["tshark -T ek -n -r, layers"] = (ek, layers, ["tshark", "-T", "ek", "-n", "-r"])
        if shutil.which("btmon"):
            jobs["btmon -r, HCI only"] = (ours, {"hci_only": True}, ["btmon", "-r"])

        for verb in ("map", "devices"):
            jobs[f"gattscope {verb}"] = (ours, spine, [self.program, verb])

        runs: dict[str, list[Run]] = {name: [] for name in jobs}
        starts: dict[str, list[float]] = {name: [] for name in jobs}
        for _ in range(self.rounds):
            for name, (count, traffic, command) in jobs.items():
                starts[name].append(run(*command, self.traffic(1, **traffic)).seconds)
                runs[name].append(run(*command, self.traffic(count, **traffic)))

        print(f"\n{'':36} {'records':>10} {'seconds':>9} {'records/s':>11} {'peak MB':>8}")
        rates = {}
        for name, (count, _, _) in jobs.items():
            seconds = statistics.median(each.seconds for each in runs[name])
            rates[name] = count / max(seconds - statistics.median(starts[name]), 1e-6)
            peak = statistics.median(each.peak_mb for each in runs[name])
            print(f"{name:36} {count:10} {seconds:9.2f} {rates[name]:11.0f} {peak:8.1f}")
        print()
        for left, right, least in (
            ("gattscope show, HCI only", "btmon -r, HCI only", SHOW_TO_BTMON),
            ("gattscope show", "tshark -n -r", SHOW_TO_TSHARK),
            ("gattscope show --json", "tshark -T ek -n -r", JSON_TO_EK),
            ("gattscope show, layers", "tshark -n -r, layers", SHOW_TO_TSHARK),
            ("gattscope show --json, layers", "tshark -T ek -n -r, layers", JSON_TO_EK),
        ):
            if right not in rates:
                print(f"  {'-':6}  {right.split()[0]} is not installed: nothing to compare {left} with")
                continue
            ratio = rates[left] / rates[right]
            self.verdict(f"{left} : {right}", f"{ratio:.1f} x", f"{least} x", ratio >= least)

        def times(left: str, right: str) -> str:
            return f"{rates[left] / rates[right]:.0f} times" if right in rates else "–"

        print("\nREADME.md:\n" + for_readme(
            times("gattscope show, HCI only", "btmon -r, HCI only"), times("gattscope show", "tshark -n -r"),
            times("gattscope show --json", "tshark -T ek -n -r"), time.strftime("%Y-%m-%d", time.gmtime()), self.quick, os.cpu_count() or 1))

    def million(self) -> None:
        """Compares whole runs on the same million records: tshark's time per record grows with them. Only once, because
        it is slow.
        """
        if self.quick or not shutil.which("tshark"):
            print(f"  {'-':6}  tshark on a million records: {'not with --quick' if self.quick else 'it is not installed'}")
            return
        capture = self.traffic(1_000_000)
        for arguments, options, least in ((["show"], [], LONG_TO_TSHARK), (["show", "--json"], ["-T", "ek"], LONG_TO_EK)):
            ours = statistics.median(run(self.program, *arguments, capture).seconds for _ in range(self.rounds))
            theirs = run("tshark", *options, "-n", "-r", capture).seconds
            what = f"{' '.join(arguments)} : {' '.join(['tshark', *options])}, 1 M records"
            print(f"  {'':6}  {what}: {ours:.2f} s, {theirs:.0f} s")
            self.verdict(what, f"{theirs / ours:.0f} x", f"{least} x", theirs / ours >= least)

    def growth(self) -> None:
        short, long = 100_000, 1_000_000
        for arguments in (["show"], ["show", "--json"]):
            costs: dict[int, list[float]] = {short: [], long: []}
            # A short run is noisier and cheap, so there are more of these.
            for _ in range(self.rounds):
                for count, times in ((short, 3), (long, 1)):
                    for _ in range(times):
                        spent = run(self.program, *arguments, self.traffic(count)).seconds
                        costs[count].append(spent / count)
            ratio = statistics.median(costs[long]) / statistics.median(costs[short])
            what = f"{' '.join(arguments)}: a record's time, 1 M : 100 k"
            self.verdict(what, f"{ratio:.2f}", f"at most {1 + GROWTH:.2f}", ratio <= 1 + GROWTH)

    def selection(self) -> None:
        """Compares selecting one device with a packet number that does not exist: both read everything."""
        choices = {
            "nothing": ["--packets", "999999999"],
            "one device by address": ["--device", DEVICE],
            "one UUID": ["--uuid", "2a1e"],
        }
        capture = self.traffic(200_000 if self.quick else 1_000_000)
        seconds: dict[str, list[float]] = {name: [] for name in choices}
        for _ in range(self.rounds):
            for name, options in choices.items():
                seconds[name].append(run(self.program, "show", *options, capture).seconds)
        least = statistics.median(seconds.pop("nothing"))
        for name, all_seconds in seconds.items():
            ratio = statistics.median(all_seconds) / least
            self.verdict(f"show, {name} : nothing", f"{ratio:.2f}", f"at most {1 + SELECTION:.2f}", ratio <= 1 + SELECTION)

    def summaries(self) -> None:
        """Compares the other verbs with `show`: they read the same and print less."""
        count = 200_000 if self.quick else 1_000_000
        for suffix, mix in MIXES.items():
            capture = self.traffic(count, mix=mix)
            seconds: dict[str, list[float]] = {" ".join(arguments): [] for arguments in (["show"], *SUMMARIES)}
            for _ in range(self.rounds):
                for name, all_seconds in seconds.items():
                    all_seconds.append(run(self.program, *name.split(), capture).seconds)
            show = statistics.median(seconds.pop("show"))
            for name, all_seconds in seconds.items():
                ratio = statistics.median(all_seconds) / show
                self.verdict(f"{name}{suffix} : show, seconds", f"{ratio:.2f}", "at most 1.00", ratio <= 1)
        capture = self.traffic(count, mix=WORKING)
        explain, map_ = ([run(self.program, verb, capture).seconds for _ in range(self.rounds)] for verb in ("explain", "map"))
        ratio = statistics.median(explain) / statistics.median(map_)
        most = 1 + EXPLAINING
        self.verdict("explain, nothing failed : map, seconds", f"{ratio:.2f}", f"at most {most:.2f}", ratio <= most)

    def decoding(self) -> None:
        """Compares the same notifications of a decoded characteristic and of one that is not decoded."""
        count = 200_000 if self.quick else 1_000_000
        captures = {}
        for uuid in ("2a37", "2b9d"):
            captures[uuid] = str(self.folder / f"notifications-{uuid}.btsnoop")
            command = [sys.executable, str(HERE / "make-traffic.py"), captures[uuid], str(count), "--notifications", uuid]
            subprocess.run(command, check=True)
        for arguments in (["show"], ["show", "--json"]):
            seconds: dict[str, list[float]] = {uuid: [] for uuid in captures}
            for _ in range(self.rounds):
                for uuid, capture in captures.items():
                    seconds[uuid].append(run(self.program, *arguments, capture).seconds)
            ratio = statistics.median(seconds["2b9d"]) / statistics.median(seconds["2a37"])
            what = f"{' '.join(arguments)}, decoded : not, records/s"
            self.verdict(what, f"{ratio:.2f}", f"{DECODING:.2f}", ratio >= DECODING)
        for capture in captures.values():
            os.remove(capture)

    def memory(self) -> None:
        """Measures peak memory. `explain` remembers a thousand connections, so the shorter capture has that many, too.
        """
        many = 1_000_000 if self.quick else 10_000_000
        for suffix, mix in MIXES.items():
            for arguments in (["show"], ["show", "--json"], *SUMMARIES, ["explain"]):
                few = many // 10 if arguments == ["explain"] else 10_000
                small, large = (run(self.program, *arguments, self.traffic(count, mix=mix)).peak_mb for count in (few, many))
                what = f"{' '.join(arguments)}{suffix}"
                peak = f"{what}: peak memory, {many // 1_000_000} M records"
                self.verdict(peak, f"{large:.1f} MB", f"at most {PEAK_MB} MB", large <= PEAK_MB)
                self.verdict(
                    f"{what}: the same, {few // 1000} k records",
                    f"{small:.1f} MB",
                    f"equal within {PEAK_NOISE_MB} MB",
                    abs(large - small) <= PEAK_NOISE_MB,
                )
            os.remove(self.traffic(many, mix=mix))  # by far the largest, and not needed again

    def start(self) -> None:
        measured = statistics.median(first_line_ms(self.program, "show", self.traffic(100)) for _ in range(21))
        self.verdict("from start to the first line", f"{measured:.1f} ms", f"{FIRST_LINE_MS} ms", measured <= FIRST_LINE_MS)

    def allocations(self) -> None:
        """Reports allocations, without a target. The difference of two runs excludes the start."""
        library = self.folder / "malloc-count.so"
        compiler = shutil.which("cc") or shutil.which("clang")
        if compiler is None:
            print("  -       allocations: there is no C compiler")
            return
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, HERE / "malloc-count.c"], check=True)
        for suffix, mix in MIXES.items():
            for arguments in (["show"], ["show", "--json"]):
                counts = [self._allocations(library, arguments, count, mix) for count in (100_000, 200_000)]
                if None in counts:
                    print("  -       allocations: not counted (is the program linked to glibc statically?)")
                    return
                what = f"{' '.join(arguments)}{suffix}: allocations per 100 000 records"
                print(f"  -       {what:54} {counts[1] - counts[0]:>14}")

    def _allocations(self, library: Path, arguments: list[str], count: int, mix: str) -> int | None:
        environment = dict(os.environ, LD_PRELOAD=str(library))
        command = [self.program, *arguments, self.traffic(count, mix=mix)]
        result = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, check=True, text=True
        )
        counted = [line.split()[1] for line in result.stderr.splitlines() if line.startswith("malloc-count ")]
        return int(counted[-1]) if counted else None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--from", dest="folders", action="append")
    arguments = parser.parse_args()
    program = str(Path(arguments.program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, Path(folder), arguments)
        bench.speed()
        bench.million()
        bench.growth()
        bench.selection()
        bench.summaries()
        bench.decoding()
        bench.memory()
        bench.start()
        bench.allocations()
    print(f"\n{'all targets are met' if not bench.missed else f'{bench.missed} missed'}")
    return 1 if bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
