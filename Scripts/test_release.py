#!/usr/bin/env python3
"""Tests what is linked into the release program (`make test-release`); skipped for any other."""

import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tested_program import IN_CI, PROGRAM, ROOT

# The C and C++ libraries of every Debian.
EVERYWHERE = {
    "libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
MOST_BYTES = 27 << 20
# Bytes that the loader reads at every start to relocate the program: 1.6 MB unpacked, 2.3 MB with Foundation and ICU.
MOST_RELOCATION_BYTES = 64 << 10


def printed(*command: str | Path) -> str:
    return subprocess.run(command, check=True, text=True, errors="replace", stdout=subprocess.PIPE).stdout


class SourceTests(unittest.TestCase):
    def test_no_module_imports_foundation(self) -> None:
        found = [
            f"{file.relative_to(ROOT)}: {line}" for file in sorted((ROOT / "Sources").rglob("*.swift"))
            for line in re.findall(r"^.*\bimport Foundation\w*", file.read_text(encoding="utf-8"), re.MULTILINE)]
        self.assertEqual(found, [])


@unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
class LinkedTests(unittest.TestCase):
    def setUp(self) -> None:
        self.needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", printed("readelf", "-d", PROGRAM)))
        if any(name.startswith("libswift") for name in self.needed):
            self.skipTest("not the release build: Swift's libraries are not linked in")

    def test_neither_icu_nor_foundation_is_linked(self) -> None:
        names = printed("nm", "--defined-only", "--format=just-symbols", PROGRAM).split("\n")
        self.assertGreater(len(names), 10_000, "the program is stripped, so its symbols show nothing")
        icu = [name for name in names if re.search(r"icudt\d|^_?u(loc|cal|num|dat)_[a-z]+", name)]
        # Symbols of Swift's Foundation begin with $s10Foundation; 20FoundationEssentials is the part without ICU.
        foundation = [name for name in names if re.match(r"\$s10Foundation|\$s29FoundationInternationalization|CF[A-Z][a-z]+[A-Z]\w*$", name)]
        self.assertEqual((icu[:5], foundation[:5]), ([], []))

    def test_neither_essentials_nor_regular_expressions_are_linked(self) -> None:
        """Of swift-argument-parser's FoundationEssentials, the release has only Release/FoundationEssentials.swift."""
        names = printed("nm", "--defined-only", "--format=just-symbols", PROGRAM).split("\n")
        unwanted = r"\$s20FoundationEssentials4Date|\$s22_FoundationCollections|\$s12_RegexParser|\$sS.17_StringProcessing"
        self.assertEqual([name for name in names if re.match(unwanted, name)][:5], [])

    def test_the_help_as_json_is_as_foundation_writes_it(self) -> None:
        text = re.sub(r"([\[{])\n\n *([\]}])", r"\1\2", printed(PROGRAM, "--experimental-dump-help"))
        again = json.dumps(json.loads(text), indent=2, sort_keys=True, separators=(",", " : "), ensure_ascii=False)
        self.assertEqual(text, again.replace("/", "\\/") + "\n")

    def test_nothing_else_is_needed(self) -> None:
        self.assertLessEqual(self.needed, EVERYWHERE)

    def test_nothing_beside_it_is_loaded(self) -> None:
        ended = subprocess.run([ROOT / "Scripts" / "check-linking.sh", PROGRAM], check=False, text=True, stderr=subprocess.PIPE)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_it_is_small(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            stripped = Path(folder) / "gattscope"
            shutil.copy(PROGRAM, stripped)
            subprocess.run(["strip", stripped], check=True)
            size = stripped.stat().st_size
        self.assertLess(size, MOST_BYTES, f"stripped: {size / (1 << 20):.1f} MB")

    def test_a_start_reads_few_relocations(self) -> None:
        sizes = {
            name: int(size, 16)
            for name, size in re.findall(r"(\.rel[ar]\.dyn)\s+RELA?R?\s+\w+ \w+ (\w+)", printed("readelf", "-SW", PROGRAM))}
        self.assertEqual(set(sizes), {".rela.dyn", ".relr.dyn"}, "relative relocations are not packed")
        self.assertLess(sum(sizes.values()), MOST_RELOCATION_BYTES, f"{sizes}")


if __name__ == "__main__":
    unittest.main()
