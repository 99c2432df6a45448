"""Tests profiles that demand too much: whatever a file of the greatest size contains, reading it must cost time that grows
no faster than the file, and little memory. Growth is measured for every sixth attack (unless SWEEPS
is "full", for every eighteenth), since valgrind is slow.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

from cost import ENVIRONMENT, LAUNCHER, instructions
from test_live import CAPTURES, GATTSCOPE
from tested_program import IN_CI, SWEEP_STEP

MOST_BYTES = 256 << 10  # of a profile's file
PEAK_MB = 64  # the most memory above that for a small profile
MEASURED_STEP = 6  # growth, and other verbs than check, are measured for every sixth attack
# Instructions for a file four times as long, as a multiple, without those of the start.
SIZES, GROWTH = (16 << 10, 64 << 10), 6
CAPTURE = str(CAPTURES[0])
HEAD = "profile: p\n"
DEFINITION = 'characteristics:\n- uuid: "2a37"\n  name: N\n  fields:\n'
PROTOCOL = "applies_to: [{characteristic: fff1}]\nframe: {command: {at: 0, type: u16}}\nmessages:\n"


def repeated(start: str, piece: Callable[[int], str], end: str = "") -> Callable[[int], str]:
    """Returns a function of a size, which repeats a piece with its number between a start and an end."""

    def text(size: int) -> str:
        parts, length = [start], len(start) + len(end)
        for number in count():
            part = piece(number)
            length += len(part.encode())
            if length > size:
                return "".join(parts) + end
            parts.append(part)
        return ""

    return text


def names() -> Iterator[str]:
    return (f"n{number:x}" for number in count())


def cases(field: str) -> str:
    return f"  - {{name: kind, type: u32}}\n  - choose: {field}\n    cases:\n"


def enumeration(words: Callable[[int], str], uses: str) -> Callable[[int], str]:
    """A definition whose fields use an enumeration, which takes up nearly all of the file."""
    return repeated(f"{HEAD}{uses}enumerations:\n  e:\n", words)


def structure(start: str, piece: Callable[[int], str], most: int = 250, end: str = "") -> Callable[[int], str]:
    """Definitions that all use one structure, which has nearly as many fields as a definition may have."""

    def text(size: int) -> str:
        field = structure_fields(size)
        use = repeated(f"{HEAD}structures:\n  s:\n{field}characteristics:\n",
                       lambda n: f'- {{uuid: "{n:04x}", name: N, fields: [{{layout: s}}]}}\n' if n < 2000 else "#\n")
        return use(size)

    def structure_fields(size: int) -> str:
        found, length = start, 0
        for number in range(most):
            part = piece(number)
            length += len(part)
            if length > size * 3 // 4:
                break
            found += part
        return found + end

    return text


def bomb(size: int) -> str:
    """Aliases of aliases, with text of the given size at the bottom."""
    lines = [HEAD + f"a0: &a0 [{'x' * (size - 2000)}]\n"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 30)]
    return "".join(lines)


BITS = ", ".join(f"{{bit: {bit}, name: b{bit}}}" for bit in range(64))
MANY = "&& ".join(f"a != {number} " for number in range(15))
SUM = " + ".join("a" for _ in range(32))
FIRST = "  - {name: a, type: u8}\n"
FIELDS = "".join(f"- {{name: f{number}, type: u8}}\n    " for number in range(250))

ATTACKS: dict[str, Callable[[int], str]] = {
    # YAML
    "depth": lambda size: HEAD + "x: " + "{a: " * (size // 5),
    "depth of lists": lambda size: HEAD + "x: " + "[" * (size - 20),
    "half the depth": repeated(HEAD + "x:\n", lambda n: "- " + "[" * 30 + "]" * 30 + "\n"),
    "a long key": lambda size: f"? {'k' * (size // 2)}\n: {{{', '.join(f'a{n}: 1' for n in range(size // 30))}}}\n",
    "keys": repeated(HEAD, lambda n: f"k{n}: 1\n"),
    "empty keys": repeated(HEAD + "x: [", lambda n: ":,", "]\n"),
    "long keys around others": repeated(HEAD + "x:\n", lambda n: f"  {'k' * 50}{n}: {{a: {{b: {{c: {{d: 1}}}}}}}}\n"),
    "elements": repeated(HEAD + "x: [", lambda n: "1,", "]\n"),
    "lines": repeated(HEAD + "x:\n", lambda n: "- 1\n"),
    "aliases": repeated(HEAD + "x: &x {a: 1, b: 2, c: 3, d: 4}\ny: [", lambda n: "*x,", "]\n"),
    "aliases of a text": repeated(HEAD + f"x: &x {'t' * 500}\ny: [", lambda n: "*x,", "]\n"),
    "aliases of aliases": lambda size: bomb(min(size, 3000)),
    "aliases of a long text": bomb,
    "anchors": repeated(HEAD + "y:\n", lambda n: f"- &a{n} 1\n"),
    "long anchors": repeated(HEAD + "y:\n", lambda n: f"- &{'a' * 2000}{n} 1\n"),
    "merge keys": repeated(HEAD + "x: &x {a: 1}\ny:\n", lambda n: "- {<<: *x, b: 1}\n"),
    "a long text": lambda size: HEAD + "title: " + "t" * (size - 20),
    "folded lines": repeated(HEAD + "title: >\n", lambda n: "  a\n"),
    "quoted lines": repeated(HEAD + 'title: "', lambda n: "a\\n\\\n\n", '"\n'),
    "marks on one letter": repeated(HEAD + "profil: e", lambda n: "\u0301"),
    "comments": repeated(HEAD, lambda n: "#\n"),
    "documents": repeated(HEAD, lambda n: "---\na: 1\n"),
    "tabs": repeated(HEAD + "x:\n", lambda n: "\t- 1\n"),
    # Numbers, bytes and texts
    "dashes of a range": lambda size: HEAD + DEFINITION + "  - {name: a, type: u8, values: {? " + "-" * (size - 200) + " : a}}\n",
    "dashes of a range to compare": lambda size: (
        HEAD + DEFINITION + f"  - {{name: a, type: u8, quiet: ['{'0x1-' * (size // 4 - 60)}']}}\n"),
    "digits": lambda size: HEAD + DEFINITION + f"  - {{name: a, type: u8, equals: {'1' * (size - 200)}}}\n",
    "digits of a fraction": lambda size: (
        HEAD + DEFINITION + f"  - {{name: a, type: u8, scale: {{multiply: 0.{'0' * (size - 200)}1}}}}\n"),
    "bytes to match": lambda size: HEAD + DEFINITION + "    []\n  match: " + "a5" * (size // 2 - 100),
    "a long end": lambda size: HEAD + DEFINITION + f"  - {{name: a, type: bytes, terminator: \"{'00' * (size // 2 - 100)}\"}}\n",
    # Definitions
    "definitions": repeated(HEAD + "characteristics:\n", lambda n: f'- {{uuid: "{n:04x}", name: N, fields: []}}\n' if n < 2000 else "#\n"),
    "definitions of one characteristic": repeated(
        HEAD + "characteristics:\n", lambda n: f'- {{uuid: "2a37", match: "{n:06x}", name: N, fields: []}}\n' if n < 2000 else "#\n"),
    "equal definitions": repeated(HEAD + "characteristics:\n- &d {uuid: 2a37, name: N, fields: []}\n", lambda n: "- *d\n"),
    "definitions of devices": repeated(
        HEAD + "characteristics:\n", lambda n: f'- {{uuid: "2a37", device: "*a*b*{n}*", name: N, fields: []}}\n' if n < 2000 else "#\n"),
    "long names": repeated(
        HEAD + f"x: &n {'N' * 500}\ncharacteristics:\n", lambda n: f'- {{uuid: "{n:04x}", name: *n, fields: []}}\n'),
    "services": repeated(HEAD + "services:\n", lambda n: f'- {{uuid: "{n:04x}", name: S, errors: {{0x80: e}}}}\n' if n < 2000 else "#\n"),
    "advertisements": repeated(HEAD + "advertisements:\n", lambda n: f'- {{company: "{n:04x}", name: A, fields: []}}\n' if n < 2000 else "#\n"),
    "faulty definitions": repeated(HEAD + "characteristics:\n", lambda n: "- {uuid: 2a37, nome: N, fieldz: []}\n"),
    "definitions that lack a field": repeated(
        HEAD + "characteristics:\n", lambda n: f"- {{uuid: 2a37, name: N, fields: [{{name: a, type: u8, when: fielt{n}}}]}}\n"),
    # Fields
    "fields": repeated(HEAD + DEFINITION, lambda n: f"  - {{name: f{n}, type: u8}}\n"),
    "definitions with fields": repeated(
        HEAD + "characteristics:\n", lambda n: f'- uuid: "{n:04x}"\n  name: N\n  fields:\n    {FIELDS}\n'),
    "aliases of fields": repeated(
        HEAD + f"x: &f\n    {FIELDS}\ncharacteristics:\n", lambda n: f'- {{uuid: "{n:04x}", name: N, fields: *f}}\n'),
    "a structure": structure("", lambda n: f"  - {{name: f{n}, type: u8}}\n"),
    "labels and units": structure("", lambda n: f"  - {{name: f{n}, type: u8, label: {n:050}, unit: u{n}}}\n"),
    "long labels": structure("", lambda n: f"  - {{name: f{n}, type: u8, label: {n:0500}}}\n"),
    "an empty structure": repeated(HEAD + "structures:\n  s: []\n" + DEFINITION, lambda n: "  - {layout: s}\n"),
    "structures": repeated(
        HEAD + DEFINITION + "  - {layout: s0}\nstructures:\n", lambda n: f"  s{n}: [{{layout: s{n + 1}}}]\n"),
    "structures to guess": repeated(
        HEAD + DEFINITION + "  - {layout: structure}\nstructures:\n", lambda n: f"  structur{n}: []\n"),
    "structures to guess in definitions": lambda size: (
        HEAD + "structures:\n" + "".join(f"  structur{n}: []\n" for n in range(size // 40)) + "characteristics:\n"
        + "".join(f"- {{uuid: 2a37, name: N, fields: [{{layout: structure}}]}}\n" for n in range(size // 200))),
    "standard characteristics": repeated(
        HEAD + "characteristics:\n", lambda n: f'- {{uuid: "ff{n:02x}", name: N, fields: [{{name: g, layout: "2acd"}}]}}\n'),
    "bits": structure("", lambda n: f"  - {{name: f{n}, type: u64, bits: [{BITS}]}}\n".replace("name: b", f"name: b{n}_"), 15),
    "groups": structure("", lambda n: f"  - {{name: g{n}, fields: [{{name: a, type: u8}}]}}\n", 120),
    "groups in groups": structure(
        "", lambda n: "  - " + "{fields: [" * 6 + f"{{name: f{n}, type: u8}}" + "]}" * 6 + "\n", 35),
    "secret groups in groups": structure(
        "", lambda n: "  - " + "{secret: true, fields: [" * 6 + f"{{name: f{n}, type: u8}}" + "]}" * 6 + "\n", 35),
    "fields that take the rest": structure(FIRST, lambda n: f"  - {{name: f{n}, type: bytes, when: a == {n}}}\n"),
    "lists that take the rest": structure(
        FIRST, lambda n: f"  - {{name: f{n}, type: u8, repeat: rest, when: a == {n}}}\n"),
    "conditions on one name": structure(FIRST, lambda n: f"  - {{name: f, type: u8, when: a == {n}}}\n"),
    "conditions on many numbers": structure(
        "".join(f"  - {{name: a{n}, type: u8}}\n" for n in range(100)),
        lambda n: f"  - {{name: f, type: u8, when: '{'&&'.join(f'a{m} < 9' for m in range(14))} && a99 == {n}'}}\n", 140),
    "long conditions on one name": structure(
        FIRST, lambda n: f"  - {{name: f, type: u8, when: '{SUM[:60]} == {n} || {SUM[:50]} == {n}'}}\n"),
    "conditions around others": structure(
        FIRST, lambda n: "  - " + f"{{when: '{MANY}', fields: [" * 3 + f"{{name: f, type: u8, when: a == {n + 20}}}" + "]}" * 3
        + "\n", 60),
    # Choices
    "cases": structure(cases("kind"), lambda n: f"      {n}: []\n", 1000),
    "descending cases": structure(cases("kind"), lambda n: f"      {100_000 - 2 * n}: []\n", 1000),
    "too many cases": repeated(HEAD + DEFINITION + cases("kind"), lambda n: f"      {n}: []\n"),
    "cases with one name": structure(cases("kind"), lambda n: f"      {2 * n}: [{{name: a, type: u8}}]\n"),
    "a range over cases": structure(
        cases("kind"), lambda n: f"      '{2 * n}': []\n", 900, "      '0-5000': [{name: a, type: u8}]\n      other: [{name: a, type: u16}]\n"),
    "fields beside many cases": structure(
        cases("kind"), lambda n: f"      '{2 * n}': []\n", 700,
        f"      other: [{', '.join(f'{{name: a, type: u8, when: kind == {2 * n + 1}}}' for n in range(200))}]\n"),
    "choices": structure(
        FIRST, lambda n: f"  - {{choose: a, cases: {{1: [{{name: f{n}, type: u8}}], other: [{{name: f{n}, type: u16}}]}}}}\n", 80),
    # Words
    "an enumeration": enumeration(lambda n: f"    {n}: w{n}\n", DEFINITION + "  - {name: a, type: u32, values: e}\n"),
    "a descending enumeration": enumeration(
        lambda n: f"    {1_000_000 - n * 2}: w{n}\n", DEFINITION + "  - {name: a, type: u32, values: e}\n"),
    "an enumeration in fields": enumeration(
        lambda n: f"    {n}: w{n}\n",
        DEFINITION + "".join(f"  - {{name: a{n}, type: u32, values: e}}\n" for n in range(60))),
    "an enumeration in lists": enumeration(
        lambda n: f"    {n}: w{n}\n", DEFINITION + "  - {name: a, type: u16, values: e, repeat: rest}\n"),
    "a faulty enumeration": enumeration(
        lambda n: f"    {n}: w{n}\n" if n % 1000 != 999 else f"    0x{n - 1:x}: w\n",
        "characteristics:\n" + "".join(
            f'- {{uuid: "{n:04x}", name: N, fields: [{{name: a, type: u32, values: e}}]}}\n' for n in range(60))),
    "enumerations to guess": repeated(
        HEAD + DEFINITION + "  - {name: a, type: u8, values: enumeration}\nenumerations:\n",
        lambda n: f"  enumeratio{n}: {{}}\n"),
    "quiet numbers": repeated(HEAD + DEFINITION + "  - {name: a, type: u32, quiet: [", lambda n: f"{n},", "]}\n"),
    # Expressions and texts
    "operands": repeated(HEAD + DEFINITION + "  - {name: a, type: u8, when: '1", lambda n: "+1", "'}\n"),
    "parentheses": lambda size: HEAD + DEFINITION + f"  - {{name: a, type: u8, when: '{'(' * (size - 200)}'}}\n",
    "signs": lambda size: HEAD + DEFINITION + f"  - {{name: a, type: u8, when: '{'-' * (size - 200)}1'}}\n",
    "dots": lambda size: HEAD + DEFINITION + f"  - {{name: a, type: u8, when: 'a{'.a' * (size // 2 - 100)}'}}\n",
    "a long name": lambda size: HEAD + DEFINITION + f"  - {{name: a, type: u8, when: '{'a' * (size - 200)}'}}\n",
    "expressions": repeated(
        HEAD + DEFINITION + "  - {name: a, type: u8}\n",
        lambda n: f"  - {{name: f{n}, compute: '{MANY}', when: '{MANY}'}}\n"),
    "other characteristics": repeated(
        HEAD + DEFINITION, lambda n: f"  - {{name: f{n}, compute: '@{n:04x}.a + @{n:04x}.b + @{n:04x}.c'}}\n"),
    "other characteristics of one field": repeated(
        HEAD + "characteristics:\n", lambda n: f"- {{uuid: '{n:04x}', name: N, fields: [{{name: a, compute: "
        + f"'{' + '.join(f'@{(n * 30 + m) % 65536:04x}.a' for m in range(30))}'}}]}}\n"),
    "pieces of a text": repeated(
        HEAD + DEFINITION + "  - {name: a, type: u8}\n  text: '", lambda n: "{a}", "'\n"),
    "texts": repeated(
        HEAD + "x: &t '" + "[{a}]" * 90 + "'\ncharacteristics:\n",
        lambda n: f'- {{uuid: "{n:04x}", name: N, fields: [{{name: a, type: u8}}], text: *t}}\n'),
    # Protocols
    "messages with one command": repeated(HEAD + PROTOCOL, lambda n: f"- {{command: 1, name: m{n}}}\n" if n < 2000 else "#\n"),
    "aliases of a message": repeated(HEAD + PROTOCOL + "- &m {command: 1, name: m, direction: request}\n", lambda n: "- *m\n"),
    "messages with one range": repeated(HEAD + PROTOCOL, lambda n: f"- {{command: '{n}-60000', name: m{n}}}\n" if n < 2000 else "#\n"),
    "messages": repeated(HEAD + PROTOCOL, lambda n: f"- {{command: {n}, name: m{n}}}\n" if n < 2000 else "#\n"),
    "messages for others": repeated(HEAD + PROTOCOL, lambda n: "- {command: other, name: m}\n"),
    "messages with headers": repeated(
        HEAD + PROTOCOL.replace("u16}", "u16}, header: [" + ", ".join(f"{{name: h{n}, type: u8}}" for n in range(200)) + "]"),
        lambda n: f"- {{command: {n}, name: m{n}}}\n"),
    "claims": repeated(
        HEAD + "messages: [{command: other, name: m}]\napplies_to:\n", lambda n: f"- {{device: '*a*{n}', characteristic: fff1}}\n"),
    "channels": repeated(
        HEAD + "messages: [{command: other, name: m}]\napplies_to: [{characteristic: fff1}]\nchannels:\n  requests:\n",
        lambda n: f"  - {n:04x}\n"),
    # Examples
    "examples": repeated(
        HEAD + DEFINITION + "  - {name: a, type: u8}\n  examples:\n", lambda n: '  - {hex: "00", fields: {a: 0}}\n'),
    "wrong examples": repeated(
        HEAD + DEFINITION + "  - {name: a, type: u8}\n  examples:\n", lambda n: '  - {hex: "00", fields: {a: 1, b: [2]}}\n'),
    "examples of lists": repeated(
        HEAD + DEFINITION + "  - {name: a, repeat: rest, fields: [{name: b, type: u8}]}\n  examples:\n  - &e {hex: \"" + "00" * 350
        + '", fields: {a: []}}\n', lambda n: "  - *e\n" if n < 1023 else "#\n"),
    "long examples of lists": repeated(
        HEAD + DEFINITION + "  - {name: a, repeat: rest, fields: [{name: b, type: u8}]}\n  examples:\n  - &e {hex: \"" + "00" * 1000
        + '", fields: {a: []}}\n', lambda n: "  - *e\n"),
    "examples of long texts": repeated(
        HEAD + DEFINITION + "  - {name: a, type: utf8, expand: {0: " + "t" * 32 + '}}\n  examples:\n  - &e {hex: "' + "00" * 500
        + '", text: t}\n', lambda n: "  - *e\n" if n < 1000 else "#\n"),
    "examples with turns": repeated(
        HEAD + DEFINITION + '  - {name: a, repeat: 1000, fields: [{choose: "1", cases: {1: []}}]}\n  examples:\n',
        lambda n: '  - {hex: ""}\n' if n < 1024 else "#\n"),
    "examples with checksums": repeated(
        HEAD + DEFINITION + "  - {name: a, type: bytes, size: 3000}\n  - {name: b, type: u32, repeat: rest, checksum: crc32}\n"
        + '  examples:\n  - &e {hex: "' + "00" * 6000 + '", problems: [bad_checksum]}\n', lambda n: "  - *e\n" if n < 80 else "#\n"),
}


def run(arguments: list[str]) -> tuple[int, int, str]:
    """Returns the status, the peak in kB and what is on standard error."""
    command = ["python3", "-I", "-S", "-c", LAUNCHER, str(GATTSCOPE), *arguments]
    result = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, errors="replace", check=True)
    status, peak = map(int, result.stdout.split())
    return status, peak, result.stderr


class ProfileAttackTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, size: int) -> str:
        path = self.folder / f"{name}-{size}.yaml"
        path.write_text(ATTACKS[name](size), encoding="utf-8")
        self.assertLessEqual(path.stat().st_size, size, name)
        return str(path)

    def commands(self, profile: str) -> dict[str, list[str]]:
        return {
            "check": ["profiles", "check", profile],
            "list": ["profiles", "list", "--profile", profile],
            "match": ["profiles", "match", "--profile", profile, CAPTURE],
            "show": ["show", "--profile", profile, CAPTURE],
        }

    def test_memory(self) -> None:
        small = self.folder / "small.yaml"
        small.write_text(HEAD, encoding="utf-8")
        usual = {name: run(command)[1] for name, command in self.commands(str(small)).items()}
        measured = list(ATTACKS)[::MEASURED_STEP]

        def complaints(name: str) -> list[str]:
            found = []
            for verb, command in self.commands(self.write(name, MOST_BYTES)).items():
                if verb != "check" and name not in measured:
                    continue
                status, peak, errors = run(command)
                if status not in (0, 65):
                    found.append(f"{name}: {verb}: status {status}: {errors[:200]}")
                if len(errors) > 200_000:
                    found.append(f"{name}: {verb}: {len(errors)} bytes of errors")
                if peak - usual[verb] > PEAK_MB << 10:
                    found.append(f"{name}: {verb}: {(peak - usual[verb]) >> 10} MB more than for a small profile")
            return found

        self.check(complaints, list(ATTACKS))

    def test_growth(self) -> None:
        if not shutil.which("valgrind"):
            self.assertFalse(IN_CI, "valgrind is not installed")
            self.skipTest("valgrind is not installed")

        def count(path: str) -> int:
            return instructions([str(GATTSCOPE), "profiles", "check", path], self.folder)[0]

        start = count("/dev/null")

        def complaints(name: str) -> list[str]:
            short, long = (count(self.write(name, size)) - start for size in SIZES)
            if long <= GROWTH * max(short, start):
                return []
            return [f"{name}: {short:,} instructions, for a file four times as long {long:,}"]

        self.check(complaints, list(ATTACKS)[:: MEASURED_STEP * SWEEP_STEP])

    def check(self, complaints: Callable[[str], list[str]], attacks: list[str]) -> None:
        with ThreadPoolExecutor(os.cpu_count()) as workers:
            found = [line for lines in workers.map(complaints, attacks) for line in lines]
        self.assertEqual(found, [], "\n" + "\n".join(found))


if __name__ == "__main__":
    unittest.main()
