#!/usr/bin/env python3
"""Counts what the program costs, and compares it with the recorded costs in Benchmarks/cost.tsv.

usage: cost.py PROGRAM [--record [--all]] [--only TEXT] [--build FLAGS]

valgrind counts the instructions of each verb over six captures of about 10,000 records, which are always the same, and
of the start. Each is also run by itself, for peak memory and the number of allocations. Unlike times, these numbers do
not depend on what else the machine does.

Exit status 1: a row rose by more than 2 %, or the table does not fit what is measured. `--record` writes the rows that
changed by more than 2 %; smaller changes stay, so that many of them add up until they are noticed. `--all` writes all
rows. `--only` measures the cells whose names contain a text. `--build` also builds everything anew with these flags, which
takes minutes, and measures the processor time of each module; only then its rows are compared.
"""

import argparse
import hashlib
import os
import platform
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import build_cost
from tested_program import IN_CI, ROOT
from traffic import costs

BENCHMARKS = ROOT / "Benchmarks"
TABLE, FUNCTIONS = BENCHMARKS / "cost.tsv", BENCHMARKS / "cost-functions.tsv"
ACCEPTED = 0.02  # the most that a row may rise
ACCEPTED_BUILD = 0.10  # the same for times, which are never exact
# More that peak memory may rise: machines map different numbers of neighbouring pages of files. The second is for a kernel
# that places memory at random and does not let a process switch that off.
NOISE_KB, RANDOM_NOISE_KB = 2048, 2560
LISTED = 10  # functions in the second table, for each cell
SHOWN = 3  # of those that grew
NAME = 120  # the longest part of a function's name that is kept
SMALLEST = 0.0005  # the least share of a function that is looked at
INSTRUCTIONS, PEAK, ALLOCATIONS, SIZE, DIGEST = "instructions", "kB at the peak", "allocations", "bytes", "sha256"
BUILD = "% of the processor time for swift-argument-parser"

# Of Benchmarks/make-traffic.py: sessions with all layers, and what is on the page.
MIXES = {"mixed": "mixed-layers", "page": "spine"}
SMALL = "heart-rate"
# The verbs with their options, and the captures over which they are counted.
MEASURED = {
    "show": ("mixed", "advertising", "frames", "commands", "page"),
    "show --json": ("mixed", "advertising", "frames", "commands", "connections"),
    "map": ("mixed", "frames", "connections"),
    "values": ("mixed", "frames", "connections"),
    "values --rate": ("mixed", "frames"),
    "values --csv --wide": ("mixed", "frames"),
    "devices": ("mixed", "advertising"),
    "info": ("mixed", "advertising", "commands", "connections"),
    "explain": ("mixed", "frames", "commands", "connections", "page"),
    "trace": ("mixed", "frames", "connections"),
    "trace --as bleak": ("mixed",),
    "table": ("mixed", "advertising", "frames", "connections"),
    "report": ("mixed", "connections", "page"),
    "diff": ("mixed", "connections"),
}
# `diff` compares with the same traffic without its last part, since it does not read a file twice.
SIBLING_RECORDS = 9_000
STATUSES = {"diff": (0, 1)}
# What changes the path through a program: the words of its errors, the zone, the order of hashes.
ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "SWIFT_DETERMINISTIC_HASHING": "1"}

# Starts a command and prints its status and peak. A process without modules: a child's peak is never below that of the
# process that started it.
LAUNCHER = """
import os, sys
out = os.open(os.devnull, os.O_RDWR)
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out, 0), (os.POSIX_SPAWN_DUP2, out, 1)])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def instructions(command: list[str], folder: Path, files: int = 1024) -> tuple[int, int, str]:
    """Returns the instructions of a command that may open some files, its status, and what is on standard error."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    with tempfile.NamedTemporaryFile(dir=folder) as out:
        counted = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", *command]
        result = subprocess.run(
            counted, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            errors="replace", check=False, preexec_fn=limit)
    return int(re.findall(r"Collected : (\d+)", result.stderr)[0]), result.returncode, result.stderr


class Row(NamedTuple):
    value: str
    note: str = ""


Key = tuple[str, str]  # a row's name and unit
Table = dict[Key, Row]
Profile = dict[str, int]  # the instructions of each function itself, without what it calls


class Cell(NamedTuple):
    name: str
    arguments: tuple[str, ...]


class Measured(NamedTuple):
    rows: Table
    profile: Profile


class Change(NamedTuple):
    key: Key
    before: int
    now: int

    @property
    def share(self) -> float:
        return (self.now - self.before) / max(self.before, 1)


# ------------------------------------------------------------------------------------------------ tables and comparison


def read_table(path: Path) -> Table:
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    fields = [(line + "\t\t\t").split("\t")[:4] for line in lines if line]
    return {(name, unit): Row(value, note) for name, value, unit, note in fields}


def write_table(path: Path, table: Table) -> None:
    lines = ["cell\tvalue\tunit\tnote"]
    lines += ["\t".join((name, row.value, unit, row.note)).rstrip("\t") for (name, unit), row in table.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_functions(path: Path) -> dict[str, Profile]:
    found: dict[str, Profile] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else []:
        cell, instructions, function = line.split("\t")
        found.setdefault(cell, {})[function] = int(instructions)
    return found


def write_functions(path: Path, functions: dict[str, Profile]) -> None:
    lines = ["cell\tinstructions\tfunction"]
    for cell, profile in functions.items():
        lines += [f"{cell}\t{instructions}\t{function}" for function, instructions in profile.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


class Comparison:
    """Compares what was measured with the table. A row that is only in one of them, or another capture, is wrong."""

    def __init__(self, table: Table, measured: Table, is_whole: bool, noise_kb: int = 0) -> None:
        self.grown: list[Change] = []
        self.shrunk: list[Change] = []
        self.wrong: list[str] = []
        for key, row in measured.items():
            name, unit = key
            before = table.get(key)
            if before is None:
                self.wrong.append(f"{name}: {unit} are not in the table")
            elif unit == DIGEST:
                if before.value != row.value:
                    self.wrong.append(f"{name} is not the one that was measured: its bytes differ")
            elif before.value != row.value:
                self._compare(Change(key, int(before.value), int(row.value)), noise_kb if unit == PEAK else 0)
        if is_whole:
            self.wrong += [f"{name}: {unit} are in the table but not measured" for name, unit in table if (name, unit) not in measured]

    def _compare(self, change: Change, noise: int) -> None:
        accepted = ACCEPTED_BUILD if change.key[1] == BUILD else ACCEPTED
        if change.now > change.before * (1 + accepted) + noise:
            self.grown.append(change)
        elif change.now < change.before * (1 - accepted) - noise:
            self.shrunk.append(change)

    @property
    def is_good(self) -> bool:
        return not self.grown and not self.wrong


def recorded(table: Table, measured: Table, is_whole: bool, everything: bool) -> Table:
    """Returns the table with the rows that changed, and with their notes; what is no longer measured goes."""
    compared = Comparison(table, measured, is_whole, NOISE_KB)
    changed = {change.key for change in (*compared.grown, *compared.shrunk)}
    result: Table = {}
    for key, row in (measured if is_whole else {**table, **measured}).items():
        before = table.get(key)
        if before and not everything and key[1] != DIGEST and key not in changed:
            result[key] = before
        else:
            result[key] = Row(row.value, before.note if before else "")
    return result


def largest(profile: Profile) -> Profile:
    """Returns the most expensive functions, in a fixed order."""
    ordered = sorted(profile.items(), key=lambda each: (-each[1], each[0]))
    return dict(ordered[:LISTED])


def growth(before: Profile, now: Profile) -> list[str]:
    """Returns a line for each of the functions that grew most. What was not among the most expensive ones cost at most
    as much as the least of these.
    """
    if not before:
        return []
    limit = min(before.values()) if len(before) >= LISTED else 0
    grown = sorted(((cost - before.get(name, limit), name) for name, cost in now.items()), key=lambda each: (-each[0], each[1]))
    lines = []
    for more, name in grown[:SHOWN]:
        if more > 0:
            earlier = f"{before[name]:,}" if name in before else f"at most {limit:,}"
            lines.append(f"{name}: {now[name]:,}, was {earlier}")
    return lines or [f"none of the {LISTED} most expensive functions grew: the rise is in many small ones"]


def sentence(change: Change) -> str:
    name, unit = change.key
    return f"{name}: {change.now:,} {unit}, recorded {change.before:,} ({change.share:+.1%})"


# ------------------------------------------------------------------------------------------------------------ profiles

RECURSION = re.compile(r"'\d+$")


def read_profile(lines: Iterable[str]) -> Profile:
    """Reads callgrind's format: the cost of a function itself, from the lines that do not follow a call."""
    names: dict[str, str] = {}
    profile: Counter[str] = Counter()
    function, after_call = "", False
    for line in lines:
        if line[:1].isdigit() or line[:1] in "+-*":
            if not after_call:
                profile[function] += int(line.split()[1])
            after_call = False
        elif line.startswith(("fn=", "cfn=")):
            number, _, name = line.rstrip("\n").partition("=")[2].partition(" ")
            if name:
                names[number] = RECURSION.sub("", name)
            if line.startswith("fn="):
                function = names[number]
        elif line.startswith("calls="):
            after_call = True
    return dict(profile)


def readable(profile: Profile) -> Profile:
    """Returns the functions that matter, with names as in the source if Swift is installed."""
    least = SMALLEST * sum(profile.values())
    names = [name for name, cost in profile.items() if cost >= least]
    found = names
    if shutil.which("swift"):
        command = ["swift", "demangle", "--simplified", "--compact"]
        result = subprocess.run(command, input="\n".join(names) + "\n", capture_output=True, text=True, check=False)
        lines = result.stdout.splitlines()
        found = lines if len(lines) == len(names) else names
    merged: Counter[str] = Counter()
    for name, plain in zip(names, found):
        merged[plain.replace("\t", " ")[:NAME]] += profile[name]
    return dict(merged)


# ----------------------------------------------------------------------------------------------------------- measuring


def cells() -> list[Cell]:
    small = f"{SMALL}.btsnoop"
    start = [Cell("start: --version", ("--version",))]
    start += [Cell(f"start: {verb} of a small capture", (verb, small)) for verb in ("info", "show")]
    found = []
    for verb, captures in MEASURED.items():
        for capture in captures:
            files = (f"{capture}.btsnoop", f"{capture}-less.btsnoop") if verb == "diff" else (f"{capture}.btsnoop",)
            found.append(Cell(f"{verb}, {capture}", (*verb.split(), *files)))
    return start + found


def write_captures(folder: Path) -> None:
    shutil.copy(ROOT / "captures" / f"{SMALL}.btsnoop", folder)
    for name, make in costs.CAPTURES.items():
        (folder / f"{name}.btsnoop").write_bytes(make())
    for name, mix in MIXES.items():
        write_mix(folder / f"{name}.btsnoop", mix, costs.RECORDS)
    for name in MEASURED["diff"]:
        content = (folder / f"{name}.btsnoop").read_bytes()
        (folder / f"{name}-less.btsnoop").write_bytes(costs.beginning(content, SIBLING_RECORDS))


def write_mix(path: Path, mix: str, records: int) -> None:
    """Writes a capture of this many records of a mix of make-traffic.py."""
    command = [sys.executable, BENCHMARKS / "make-traffic.py", path, str(records), "--mix", mix]
    subprocess.run(command, check=True)


def machine(program: Path) -> str:
    """Returns what the numbers depend on besides the program: the libraries, the compiler, the processor's functions
    that valgrind offers them.
    """
    release = platform.freedesktop_os_release()
    versions = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    swift = subprocess.run(["swift", "--version"], check=False, capture_output=True, text=True).stdout if shutil.which("swift") else ""
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    found = [
        f"{release['NAME'].split()[0]} {release.get('VERSION_ID', '')}".strip(),
        platform.machine() + (" with AVX2" if "avx2" in flags else ""),
        *(f"Swift {number}" for number in re.findall(r"Swift version (\d+\.\d+)", swift)),
        *re.findall(r"OpenSSL \d+\.\d+", versions),
    ]
    return ", ".join(found)


class Scale:
    """Measures in a folder with the program and the captures. Its path always has the same length, because a path is
    copied, compared and printed.
    """

    def __init__(self, program: Path, folder: Path) -> None:
        self.folder = folder
        shutil.copy(program, folder / "gattscope")
        write_captures(folder)
        self.environment = {**ENVIRONMENT, "TMPDIR": str(folder)}
        self.library = self._library()
        fixed = subprocess.run(["setarch", "-R", "true"], check=False, capture_output=True).returncode == 0
        self.prefix = ["/usr/bin/setarch", "-R"] if fixed else []
        self.noise_kb = NOISE_KB if fixed else RANDOM_NOISE_KB

    def _library(self) -> Path | None:
        """Returns the library that counts allocations, or None without a C compiler."""
        compiler = shutil.which("cc") or shutil.which("clang")
        library = self.folder / "malloc-count.so"
        if compiler is None:
            print("allocations are not counted: there is no C compiler")
            return None
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, BENCHMARKS / "malloc-count.c"], check=True)
        return library

    def program(self) -> Table:
        """Returns the size of the program, and which captures were read."""
        stripped = self.folder / "stripped"
        subprocess.run(["strip", "-o", stripped, self.folder / "gattscope"], check=True)
        rows = {("program, stripped", SIZE): Row(str(stripped.stat().st_size))}
        for path in sorted(self.folder.glob("*.btsnoop")):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
            rows[f"capture {path.stem}", DIGEST] = Row(digest)
        return rows

    def measure(self, cell: Cell) -> Measured:
        profile = self._count(cell)
        rows = {(cell.name, INSTRUCTIONS): Row(str(sum(profile.values())))}
        peak, allocations = self._run(cell)
        rows[cell.name, PEAK] = Row(str(peak))
        if self.library:
            rows[cell.name, ALLOCATIONS] = Row(str(allocations))
        return Measured(rows, profile)

    def _count(self, cell: Cell) -> Profile:
        """Counts the instructions of the program and of processes that it starts, as `table` does."""
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            command = ["valgrind", "-q", "--tool=callgrind", "--dump-line=no", "--trace-children=yes"]
            command += [f"--callgrind-out-file={out}/%p", "./gattscope", *cell.arguments]
            self._check(cell, subprocess.run(
                command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, text=True, errors="replace", check=False))
            profile: Counter[str] = Counter()
            for path in Path(out).iterdir():
                with open(path, encoding="utf-8", errors="replace") as lines:
                    profile.update(read_profile(lines))
        return dict(profile)

    def _run(self, cell: Cell) -> tuple[int, int]:
        """Returns the peak and the number of allocations; these of all processes."""
        environment = {**self.environment, **({"LD_PRELOAD": str(self.library)} if self.library else {})}
        assignments = [f"{name}={value}" for name, value in environment.items()]
        command = [sys.executable, "-I", "-S", "-c", LAUNCHER]
        command += ["/usr/bin/env", "-i", *assignments, *self.prefix, "./gattscope", *cell.arguments]
        result = subprocess.run(
            command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="replace", check=True)
        status, peak = map(int, result.stdout.split())
        self._check(cell, subprocess.CompletedProcess(command, status, "", result.stderr))
        counts = [int(line.split()[1]) for line in result.stderr.splitlines() if line.startswith("malloc-count ")]
        return peak, sum(counts)

    @staticmethod
    def _check(cell: Cell, result: subprocess.CompletedProcess) -> None:
        if result.returncode not in STATUSES.get(cell.arguments[0], (0,)):
            sys.exit(f"{cell.name}: status {result.returncode}: {result.stderr[:500]}")


def measure(scale: Scale, chosen: list[Cell], table: Table) -> dict[str, Measured]:
    """Measures as many cells at a time as there are processors, the most expensive ones first."""
    expected = {name: int(row.value) for (name, unit), row in table.items() if unit == INSTRUCTIONS}
    ordered = sorted(chosen, key=lambda cell: -expected.get(cell.name, 0))
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        found = dict(zip((cell.name for cell in ordered), workers.map(scale.measure, ordered)))
    return {cell.name: found[cell.name] for cell in chosen}


def build_rows(flags: list[str], folder: Path) -> Table:
    modules = sorted(path.name for path in (ROOT / "Sources").iterdir() if any(path.rglob("*.swift")))
    times = build_cost.build(flags, folder)
    return {(f"build of {name}", BUILD): Row(str(value)) for name, value in build_cost.ratios(times, modules).items()}


# ------------------------------------------------------------------------------------------------------------ the whole


def report(compared: Comparison, functions: dict[str, Profile], measured: dict[str, Measured]) -> None:
    for line in compared.wrong:
        print(line)
    for change in compared.grown:
        print(f"ROSE  {sentence(change)}")
        name, unit = change.key
        if unit == INSTRUCTIONS:
            for line in growth(functions.get(name, {}), readable(measured[name].profile)):
                print(f"        {line}")
    for change in compared.shrunk:
        print(f"fell  {sentence(change)}: record it")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--build", metavar="FLAGS")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        print("valgrind is not installed: costs are not measured")
        return 1 if IN_CI or arguments.record else 0
    table, functions = read_table(TABLE), read_functions(FUNCTIONS)
    built = {} if arguments.build else {key: table.pop(key) for key in list(table) if key[1] == BUILD}
    here = machine(arguments.program)
    there = table.pop(("machine", ""), Row("")).value
    chosen = [cell for cell in cells() if arguments.only in cell.name]
    is_whole = not arguments.only
    with tempfile.TemporaryDirectory(prefix="cost-", dir="/tmp") as folder:
        scale = Scale(arguments.program.resolve(), Path(folder))
        rows = scale.program() if is_whole else {}
        measured = measure(scale, chosen, table)
        for each in measured.values():
            rows |= each.rows
        if arguments.build:
            rows |= build_rows(shlex.split(arguments.build), Path(folder))
        compared = Comparison(table, rows, is_whole, scale.noise_kb)
    if arguments.record:
        new = recorded(table, rows, is_whole, arguments.all or here != there)
        changed = {name for name, unit in new if unit == INSTRUCTIONS and new.get((name, unit)) != table.get((name, unit))}
        for name in changed | {name for name in measured if name not in functions}:
            functions[name] = largest(readable(measured[name].profile))
        names = [cell.name for cell in cells() if cell.name in functions]
        write_table(TABLE, {("machine", ""): Row(here), **new, **built})
        write_functions(FUNCTIONS, {name: functions[name] for name in names})
        print(f"{sum(new.get(key) != table.get(key) for key in new)} of {len(new)} rows written to {TABLE.relative_to(ROOT)}")
        return 0
    report(compared, functions, measured)
    print(f"{len(measured)} cells: {len(compared.grown)} rows rose by more than {ACCEPTED:.0%}, {len(compared.shrunk)} fell")
    if here != there:
        print(f"This is not a failure, because the table was recorded on another system ({there or 'unknown'}; this one: {here}).")
        return 0
    if not compared.is_good:
        print("Make it as cheap as it was, or run make cost-record and give the reason in the commit.")
    return 0 if compared.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
