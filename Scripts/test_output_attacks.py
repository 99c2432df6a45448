"""Tests strings that attack the reader of the output, in every place of a capture, with every verb and output format.

A terminal must get no control characters except line ends and the program's own colours. A record must stay on one
line. Readers of JSON and CSV must return the capture's strings. No CSV cell may be a formula. Markdown may only have
the program's own markup. The capture's harmless twin shows how a string changes the lines.
"""

import codecs
import csv
import io
import json
import os
import re
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Iterator

from test_environment import run
from traffic import files, hostile

COLOURS = re.compile("\x1b\\[[0-9;]*m")
# Unicode's Cc, Cf, Zl and Zp: characters that control, turn or hide text or end lines, except the line feed.
INVISIBLE = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")
KEPT_LINES = "rows"  # the same number of lines as for the harmless twin
FACES = (["--color", "always"], ["--color", "never", "--width", "60"], ["--ascii"])
# LOG, OTHER and MAP are replaced by files of the capture's twin; any path may contain a name with escapes.
VERBS = {
    "show": (["show"], KEPT_LINES),
    "show -v": (["show", "-v"], KEPT_LINES),
    "show -v -x": (["show", "-v", "-x", "--time", "utc"], None),  # trailing zeros take no lines of hexadecimal
    "show --brief": (["show", "--brief"], KEPT_LINES),
    "show --text": (["show", "--text", "e", "--errors"], None),
    "devices": (["devices"], KEPT_LINES),
    "map": (["map"], KEPT_LINES),
    "map --map": (["map", "--map", "MAP"], None),
    "values": (["values"], KEPT_LINES),
    "values --all": (["values", "--all"], KEPT_LINES),
    "info": (["info"], KEPT_LINES),
    "explain": (["explain"], None),  # sentences are wrapped at full lines
    "explain --full": (["explain", "--full"], None),
    "trace": (["trace"], KEPT_LINES),
    "trace --as android": (["trace", "--as", "android", "--duplicates"], KEPT_LINES),
    "trace --app-log": (["trace", "--app-log", "LOG"], KEPT_LINES),
    "diff": (["diff", "--all", "OTHER"], None),
    "diff --stat": (["diff", "--stat", "OTHER"], None),
    "profiles match": (["profiles", "match"], KEPT_LINES),
    "profiles learn": (["profiles", "learn", "--uuid", "2a37"], KEPT_LINES),
    "values --positions": (["values", "--positions"], None),  # a line for each run of constant bytes
    "live": (["live", "-i"], KEPT_LINES),
    "live --view values": (["live", "--view", "values", "-i"], None),
    "live --view devices": (["live", "--view", "devices", "-i"], None),
    "live --view explain": (["live", "--view", "explain", "-i"], None),
}
DOCUMENTS = {
    "show": ["show", "--json"],
    "show --raw": ["show", "--json", "--raw"],
    "devices": ["devices", "--json"],
    "map": ["map", "--json"],
    "values": ["values", "--json"],
    "info": ["info", "--json"],
    "explain": ["explain", "--json"],
    "trace": ["trace", "--json", "--app-log", "LOG"],
    "diff": ["diff", "--json", "--all", "OTHER"],
    "profiles match": ["profiles", "match", "--json"],
    "profiles learn": ["profiles", "learn", "--json"],
    "values --positions": ["values", "--positions", "--json"],
    "live": ["live", "--json", "-i"],
}
NO_FACES = ("profiles match",)  # only --ascii
EVIL_NAME = "evil\x1b[31m\u202e\n"


def one_by_one(error: UnicodeError) -> tuple[str, int]:
    """Replaces each byte that is not UTF-8 by its own sign."""
    return "\ufffd", error.start + 1


codecs.register_error("one by one", one_by_one)


def texts(value: object) -> Iterator[str]:
    """Yields every string of a document, including keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from texts(each)


def of_capture(text: bytes) -> str:
    """Returns a string as in JSON: without trailing zeros."""
    return text.rstrip(b"\0").decode("utf-8", "one by one")


class OutputAttackTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folders = {}
        for kind, change in ((EVIL_NAME, hostile.unchanged), ("harmless", hostile.harmless)):
            cls.folders[kind] = Path(folder.name) / kind
            cls.folders[kind].mkdir()
            for name, made in hostile.CAPTURES.items():
                (cls.folders[kind] / name).write_bytes(made(change))
            (cls.folders[kind] / "app.log").write_bytes(hostile.app_log(change))
            ended = run(["map", "--json", str(cls.folders[kind] / "air.btsnoop")])
            (cls.folders[kind] / "map.json").write_bytes(ended.out)

    def arguments(self, verb: list[str], kind: str, capture: str, face: list[str] = []) -> list[str]:
        folder = self.folders[kind]
        files = {"LOG": "app.log", "MAP": "map.json", "OTHER": "host.btsnoop" if capture == "air.btsnoop" else "air.btsnoop"}
        given = [str(folder / files[each]) if each in files else each for each in verb]
        at = 2 if given[0] == "profiles" else 1
        return [*given[:at], *face, *given[at:], str(folder / capture)]

    def together(self, check, *jobs: tuple) -> None:
        """Runs the jobs in parallel; each returns what is wrong."""
        with ThreadPoolExecutor(os.cpu_count()) as workers:
            found = [line for lines in workers.map(lambda job: check(*job), jobs) for line in lines]
        self.assertFalse(found, "\n" + "\n".join(found))

    def test_text(self) -> None:
        self.together(
            self.complaints_of_text,
            *((name, capture, face) for name in VERBS for capture in hostile.CAPTURES for face in FACES))

    def complaints_of_text(self, name: str, capture: str, face: list[str]) -> list[str]:
        verb, rows = VERBS[name]
        found, lines = [], []
        if name in NO_FACES:
            face = [each for each in face if each == "--ascii"]
        what = f"{name} {' '.join(face)} of {capture}"
        for kind in self.folders:
            ended = run(self.arguments(verb, kind, capture, face))
            if ended.status not in ((0, 1) if verb[0] == "diff" else (0,)):
                found.append(f"{what}: status {ended.status}: {ended.err[:300]}")
            text = ended.out.decode()
            if "always" in face:
                text = COLOURS.sub("", text)
            for place, written in (("output", text), ("error", ended.err)):
                if bad := INVISIBLE.findall(written):
                    found.append(f"{what}: {sorted(set(bad))!r} in standard {place}")
            if "--ascii" in face and not text.isascii():
                found.append(f"{what}: not ASCII")
            lines.append(text.count("\n"))
        # Narrow output wraps long lines.
        if rows and "--width" not in face and lines[0] != lines[1]:
            found.append(f"{what}: {lines[0]} lines, of the harmless twin {lines[1]}")
        return found

    def test_json(self) -> None:
        self.together(self.complaints_of_json, *((name, capture) for name in DOCUMENTS for capture in hostile.CAPTURES))

    def complaints_of_json(self, name: str, capture: str) -> list[str]:
        found, shapes = [], []
        for kind in self.folders:
            ended = run(self.arguments(DOCUMENTS[name], kind, capture))
            text = ended.out.decode()
            if bad := INVISIBLE.findall(text) + INVISIBLE.findall(ended.err):
                found.append(f"{name} of {capture}: {sorted(set(bad))!r}")
            documents = [json.loads(line) for line in text.splitlines()] if text.count("\n{") else [json.loads(text)]
            shapes.append(len(documents))
            if kind == EVIL_NAME and name in self.PLACES.get(capture, {}):
                strings = set(texts(documents))
                most = self.PLACES[capture][name]
                for title, string in hostile.STRINGS.items():
                    expected = of_capture(string[:most])
                    if not any(expected in each for each in strings):
                        found.append(f"{name} of {capture}: {title} did not come through: {expected!r}")
        if shapes[0] != shapes[1]:
            found.append(f"{name} of {capture}: {shapes[0]} documents, of the harmless twin {shapes[1]}")
        return found

    # The documents that must contain each string of each capture, and how many of its bytes.
    PLACES = {
        "air.btsnoop": dict.fromkeys(("show", "show --raw", "devices", "map", "values", "info", "live"), hostile.LONGEST_NAME),
        "host.btsnoop": {"show": hostile.LONGEST_NAME, "live": hostile.LONGEST_NAME},
        "air.pcapng": {"show": hostile.LONGEST_NAME, "devices": hostile.LONGEST_NAME},
        "air.pklg": {"show": hostile.LONGEST_NAME, "devices": hostile.LONGEST_NAME},
    }

    def test_csv(self) -> None:
        profile = self.folders[EVIL_NAME] / "own.yaml"
        profile.write_text(hostile.PROFILE)
        tables = []
        for kind in self.folders:
            for options in ([], ["--profile", str(profile)]):
                ended = run(["values", "--csv", *options, str(self.folders[kind] / "air.btsnoop")])
                self.assertEqual(ended.status, 0, ended.err)
                text = ended.out.decode()
                self.assertEqual(INVISIBLE.findall(text), [])
                rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
                self.assertEqual(len(rows), text.count("\n"))
                self.assertEqual({len(row) for row in rows}, {len(rows[0])})
                for row in rows:
                    for cell in row:
                        self.assertFalse(self.is_formula(cell), cell)
                tables.append(rows)
        hostile_rows, with_profile, harmless_rows, _ = tables
        self.assertEqual(len(hostile_rows), len(harmless_rows))
        cells = {cell for row in with_profile for cell in row}
        for guarded in ("'=cmd|' /C calc'!A0", "'=1+1", "'@SUM(1+1)"):
            self.assertTrue(any(cell.startswith(guarded) for cell in cells), guarded)
        value, decoded = (hostile_rows[0].index(name) for name in ("value", "decoded"))
        for string in hostile.STRINGS.values():
            rows = [row for row in hostile_rows if row[value] == string.hex(" ")]
            self.assertGreaterEqual(len(rows), 8, string)
            # In the form of text output.
            for row in rows:
                self.assertTrue(row[decoded] == "" or row[decoded].startswith('"'), row[decoded])

    def is_formula(self, cell: str) -> bool:
        """Returns whether a cell is a formula: a sign may only precede a number."""
        return cell.startswith(("=", "@", "\t", "\r")) or bool(re.match(r"[+-](?!\d+(\.\d+)?$)", cell))

    def test_markdown(self) -> None:
        """The markup must be that of the harmless twin, line by line."""
        for capture in hostile.CAPTURES:
            for full in ([], ["--full"]):
                with self.subTest(capture, full=full):
                    markup = []
                    for kind, folder in self.folders.items():
                        # The output has the file's name, so only the contents differ.
                        with (folder / capture).open("rb") as file:
                            ended = run(["explain", "--markdown", *full, "-"], stdin=file)
                        self.assertEqual(ended.status, 0, ended.err)
                        text = ended.out.decode()
                        self.assertEqual(set(INVISIBLE.findall(text)) - {"\u200b"}, set())
                        markup.append([self.markup(line) for line in text.split("\n")])
                    self.assertEqual(markup[0], markup[1])

    def markup(self, line: str) -> list[str]:
        """Returns what Markdown reads as markup: without escaped characters, and without packet numbers, which are
        code.
        """
        line = re.sub(r"\\[!-/:-@\[-`{-~]|`#[0-9–# ]+`|&lt;", "", line)
        return re.findall(r"[`|<>*_\[\]~]|&\w|#(?=\d)|@(?!\u200b)|://|www\.", line) + re.findall(r"^ *(?:[-+*>=#]+|\d+\.) ", line)

    def test_markdown_of_names(self) -> None:
        capture = self.folders[EVIL_NAME] / "air.btsnoop"
        first = run(["explain", "--markdown", str(capture)]).out.decode().split("\n")[0]
        self.assertTrue(first.startswith("### gattscope explain "), first)
        self.assertEqual(INVISIBLE.findall(first), [])
        self.assertIn(r"\x1b", first)

    def test_comments(self) -> None:
        """`convert --comments` must write what show prints for each packet."""
        for capture in hostile.CAPTURES:
            with self.subTest(capture):
                counts = []
                for folder in self.folders.values():
                    out = folder / "out.pcapng"
                    ended = run(["convert", "--force", "--comments", str(folder / capture), str(out)])
                    self.assertEqual(ended.status, 0, ended.err)
                    self.assertEqual(INVISIBLE.findall(ended.err), [])
                    comments = list(self.comments(out.read_bytes()))
                    counts.append(len(comments))
                    self.assertGreater(len(comments), 100)
                    if capture.endswith("pcapng"):
                        continue  # the file's own comments are kept unchanged
                    for comment in comments:
                        self.assertEqual(INVISIBLE.findall(comment), [])
                        self.assertNotIn("\n", comment)
                self.assertEqual(counts[0], counts[1])

    def comments(self, content: bytes) -> Iterator[str]:
        for order, kind, body in files.blocks(content):
            if kind != 6:
                continue
            captured = int.from_bytes(body[12:16], "little")
            at = 20 + captured + -captured % 4
            while at + 4 <= len(body):
                code, length = (int.from_bytes(body[at + each : at + each + 2], "little") for each in (0, 2))
                if code == 1:
                    yield body[at + 4 : at + 4 + length].decode(errors="replace")
                at += 4 + length + -length % 4

    def test_profile(self) -> None:
        """Users exchange profiles, too: strings that change a line's direction must be refused."""
        for text in ("\\e[31m", "\\n", "\\u202e", "\\u2028", "\\u200b"):
            for key in ("title: ", "characteristics: [{uuid: fff1, fields: [{name: a, type: u8}], name: "):
                with self.subTest(text, key=key):
                    profile = self.folders[EVIL_NAME] / "bad.yaml"
                    profile.write_text(f'profile: own\n{key}"{text}a"{"}]" if "[" in key else ""}\n')
                    ended = run(["profiles", "check", str(profile)])
                    self.assertEqual(ended.status, 65, ended.err)
                    self.assertIn("without control or invisible characters", ended.err)
                    self.assertEqual(INVISIBLE.findall(ended.err), [])


if __name__ == "__main__":
    unittest.main()
