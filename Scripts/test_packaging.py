#!/usr/bin/env python3
"""Tests the installation and packages: `make install`, `uninstall`, `man`, `deb` and `dist`, and `--version`.

Builds nothing. Tests that need the release build, with Swift's libraries linked in, or a Debian root are skipped
without it.
"""

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from test_supply_chain import is_signed, throwaway_key
from tested_program import IN_CI, PROGRAM, ROOT

SCRIPTS = ROOT / "Scripts"
EXTCAP = "lib/wireshark/extcap"
EVERYWHERE = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"}
COMPLETIONS = {
    "bash": "share/bash-completion/completions/gattscope",
    "zsh": "share/zsh/site-functions/_gattscope",
    "fish": "share/fish/vendor_completions.d/gattscope.fish",
}


def run(*command: str | Path, **options) -> str:
    """Returns the output of a command; if it fails, raises an error with its output."""
    result = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def make(*words: str, **environment: str) -> str:
    return run("make", "--no-print-directory", *words, f"PROGRAM={PROGRAM}", cwd=ROOT, env=os.environ | environment)


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def needed() -> set[str]:
    """Returns the libraries that the program is linked with."""
    said = run("readelf", "-d", PROGRAM)
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", said))


def dead_links(documents: Path) -> list[str]:
    """Returns the links in documents to files that do not exist."""
    dead = []
    for page in sorted(documents.rglob("*.md")):
        for link in re.findall(r"\]\(([^)#]+)", re.sub(r"(?ms)^```.*?^```|`[^`\n]*`", "", page.read_text())):
            if not re.match(r"[a-z]+:", link) and not (page.parent / link).exists():
                dead.append(f"{page.relative_to(documents)}: {link}")
    return dead


def has(*tools: str) -> bool:
    """Returns whether the tools are installed, which they must be where tests must not be skipped."""
    return IN_CI or all(shutil.which(tool) for tool in tools)


@unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
class InstallTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        # A name with a space: no command may split it.
        cls.place = Path(cls.folder.name) / "a place"
        make("install", "PREFIX=/usr/local", f"EXTCAP=/usr/local/{EXTCAP}", f"DESTDIR={cls.place}")
        cls.prefix = cls.place / "usr" / "local"

    def test_everything_is_there(self) -> None:
        found = files(self.prefix)
        documents = {
            f"share/doc/gattscope/{folder}/{path.name}" for folder in ("docs", "captures") for path in (ROOT / folder).iterdir()}
        profiles = {path.relative_to(ROOT).as_posix() for path in (ROOT / "Profiles").glob("*/*.yaml")}
        fleet = {f"fleet/{name}" for name in ("load.sql", "questions.sql", "gattscope_fleet.py")}
        documents |= {
            f"share/doc/gattscope/{name}"
            for name in {"README.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "COPYRIGHT", "Benchmarks/README.md"} | profiles | fleet}
        self.assertEqual(
            found, {"bin/gattscope", f"{EXTCAP}/gattscope", "share/man/man1/gattscope.1", *COMPLETIONS.values(), *documents})
        for program in ("bin/gattscope", f"{EXTCAP}/gattscope"):
            self.assertTrue(os.access(self.prefix / program, os.X_OK), program)

    def test_extcap_finds_the_program_beside_it(self) -> None:
        said = run(self.prefix / EXTCAP / "gattscope", "--extcap-interfaces", env={"PATH": "/usr/bin:/bin"})
        self.assertIn("interface {value=gattscope-monitor}", said)

    @unittest.skipUnless(has("tshark"), "tshark is not installed")
    def test_extcap_goes_where_wireshark_looks(self) -> None:
        folders = run("tshark", "-G", "folders")
        self.assertIn(run("make", "--no-print-directory", "--eval=where: ; @echo $(EXTCAP)", "where", cwd=ROOT).strip(), re.findall(r"xtcap path:\s+(\S+)", folders))

    def test_links_of_documents_lead_somewhere(self) -> None:
        self.assertEqual(dead_links(self.prefix / "share/doc/gattscope"), [])

    def test_installed_program_runs(self) -> None:
        said = run(self.prefix / "bin" / "gattscope", "info", self.prefix / "share/doc/gattscope/captures/heart-rate.btsnoop")
        self.assertIn("HRM-7", said)

    def test_uninstall_leaves_nothing_but_what_others_put_there(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for prefix in ("/usr/local", ""):
                place = Path(folder)
                other = place / prefix.lstrip("/") / "share" / "man" / "man1" / "other.1"
                make("install", f"PREFIX={prefix}", f"DESTDIR={folder}")
                other.write_text("of another program\n")
                make("uninstall", f"PREFIX={prefix}", f"DESTDIR={folder}")
                self.assertEqual(files(place), {other.relative_to(place).as_posix()})
                self.assertEqual([path for path in place.rglob("*gattscope*")], [])
                other.unlink()

    @unittest.skipUnless(has("man"), "man is not installed")
    def test_manual_page_has_each_verb_and_option_and_no_warning(self) -> None:
        page = self.prefix / "share" / "man" / "man1" / "gattscope.1"
        result = subprocess.run(
            ["man", "--warnings=w", "-l", page], check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "200", "MANROFFOPT": "", "MANPAGER": "cat"})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        shown = result.stdout.replace("‐", "-").replace("−", "-")
        for line in run(PROGRAM, "--help").partition("SUBCOMMANDS:")[2].splitlines():
            if verb := re.match(r"  ([a-z]+)\b", line):
                self.assertIn(f"gattscope {verb[1]}", shown)
        for verb in ("show", "live", "convert", "profiles decode"):
            for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", run(PROGRAM, *verb.split(), "--help"))):
                self.assertIn(option, shown)
        self.assertIn("EXIT STATUS", shown)
        self.assertNotIn("\\", shown.replace("'\\n'", ""))

    @unittest.skipUnless(has("bash"), "bash is not installed")
    def test_bash_completes(self) -> None:
        script = (
            f'source "{self.prefix / COMPLETIONS["bash"]}"; set -u; complete -p gattscope; '
            "COMP_WORDS=(gattscope show --direction ''); COMP_CWORD=3; COMP_LINE='gattscope show --direction '; "
            "COMP_POINT=${#COMP_LINE}; COMPREPLY=(); _gattscope gattscope '' --direction; echo ${COMPREPLY[@]}")
        said = run("bash", "--norc", "-c", script, cwd=self.place).splitlines()
        self.assertIn("-F _gattscope gattscope", said[0])
        self.assertEqual(said[1:], ["sent received central peripheral"])

    @unittest.skipUnless(has("zsh"), "zsh is not installed")
    def test_zsh_loads_the_completion(self) -> None:
        script = (
            f'fpath=("{(self.prefix / COMPLETIONS["zsh"]).parent}" $fpath); autoload -Uz compinit; '
            f'compinit -u -d "{self.place}/dump"; print ${{_comps[gattscope]}}; autoload -Uz +X _gattscope && print loaded')
        self.assertEqual(run("zsh", "-f", "-c", script), "_gattscope\nloaded\n")
        run("zsh", "-f", "-n", self.prefix / COMPLETIONS["zsh"])

    @unittest.skipUnless(has("fish"), "fish is not installed")
    def test_fish_completes(self) -> None:
        script = f"source '{self.prefix / COMPLETIONS['fish']}'; complete -C 'gattscope show --direction '"
        path = f"{self.prefix / 'bin'}:{os.environ['PATH']}"
        said = run("fish", "--no-config", "-c", script, cwd=self.place, env=os.environ | {"PATH": path, "HOME": str(self.place)})
        self.assertEqual([line.partition("\t")[0] for line in said.splitlines()], ["sent", "received", "central", "peripheral"])


@unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
class VersionTests(unittest.TestCase):
    def test_version_tells_what_it_is_made_of(self) -> None:
        lines = run(PROGRAM, "--version").splitlines()
        number = re.search(r'static let number = "(.*)"', (ROOT / "Sources/gattscope/Version.swift").read_text())
        schema = re.search(r"static let number = (\d+)", (ROOT / "Sources/Reports/Shared/JSONSchema.swift").read_text())
        self.assertRegex(lines[0], rf"^gattscope {re.escape(number[1])}, commit (unknown|[0-9a-f]{{12}}(, changed)?), JSON schema {schema[1]}$")
        version = r"(unknown|\d+\.\d+\.\d+)"
        self.assertRegex(lines[1], f"^built with swift-argument-parser {version}, OpenSSL {version}, libyaml {version}$")
        self.assertRegex(lines[2], r"^libpcap (\d+\.\d+(\.\d+)?|is not installed: .*)$")
        self.assertEqual(len(lines), 3)
        self.assertEqual(run(PROGRAM, "show", "--version").splitlines(), lines)

    def test_libpcap_is_needed_for_pcap_alone(self) -> None:
        """An empty library acts as a missing one."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("libpcap.so.0.8", "libpcap.so.1"):
                (Path(folder) / name).touch()
            hidden = os.environ | {"LD_LIBRARY_PATH": folder}
            self.assertIn("libpcap is not installed", run(PROGRAM, "--version", env=hidden))
            for capture in ("heart-rate.btsnoop", "write-refused.pklg", "wristband.pcapng"):
                self.assertEqual(
                    run(PROGRAM, "show", ROOT / "captures" / capture, env=hidden), run(PROGRAM, "show", ROOT / "captures" / capture))
            result = subprocess.run(
                [PROGRAM, "show", ROOT / "captures" / "heart-rate.pcap"], env=hidden, check=False, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((result.returncode, result.stdout), (66, ""))
            self.assertIn("libpcap, which is not installed (Debian: libpcap0.8)", result.stderr)

    def test_commit_is_of_the_clone_of_the_archive_or_unknown(self) -> None:
        script = SCRIPTS / "write-build-facts.sh"
        with tempfile.TemporaryDirectory() as folder:
            package, made = Path(folder) / "package", Path(folder) / "made"
            package.mkdir()

            def facts(by: Path = script) -> str:
                run("sh", by, package, made)
                return re.search(r'commit = "(.*)"', (made / "BuildFacts.swift").read_text())[1]

            self.assertEqual(facts(), "unknown")
            self.assertIn('argumentParser = "unknown"', (made / "BuildFacts.swift").read_text())
            archived = Path(folder) / "archived.sh"
            archived.write_text(script.read_text().replace("$Format:%H$", "0123456789abcdef0123456789abcdef01234567"))
            self.assertEqual(facts(archived), "0123456789ab")
            # An unchanged file must not be written, so that nothing is built for it.
            written = (made / "BuildFacts.swift").stat().st_mtime_ns
            self.assertEqual(facts(archived), "0123456789ab")
            self.assertEqual((made / "BuildFacts.swift").stat().st_mtime_ns, written)
            git = ["git", "-C", package, "-c", "user.name=a", "-c", "user.email=a@b.c"]
            run(*git, "init", "-q")
            (package / "file").write_text("1")
            (package / "Package.resolved").write_text('{"pins" : [ {\n "identity" : "swift-argument-parser",\n "state" : {\n "version" : "6.2.2"\n}}]}')
            run(*git, "add", "file")
            run(*git, "commit", "-qm", "a file")
            head = run(*git, "rev-parse", "HEAD")[:12]
            self.assertEqual(facts(archived), head)
            self.assertIn('argumentParser = "6.2.2"', (made / "BuildFacts.swift").read_text())
            (package / "file").write_text("2")
            self.assertEqual(facts(), f"{head}, changed")


    @unittest.skipUnless((ROOT / ".git").exists(), "not a clone")
    def test_git_writes_the_commit_into_an_archive(self) -> None:
        head = run("git", "rev-parse", "HEAD", cwd=ROOT).strip()
        archive = subprocess.run(
            ["git", "archive", "HEAD", "Scripts/write-build-facts.sh"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
        script = run("tar", "-xO", "-f", "-", input=archive.decode("latin-1"), encoding="latin-1")
        self.assertIn(f"archived='{head}'", script)


@unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
class PackageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        # The library that writes the bill of materials comes from a package index.
        library = subprocess.run(
            ["make", "--no-print-directory", ".venv/bin/cyclonedx-made"], cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        if library.returncode != 0:
            if re.search(r"No matching distribution|NewConnectionError|Temporary failure|Could not find a version", library.stdout):
                raise unittest.SkipTest("could not reach the package index")
            raise AssertionError(library.stdout)

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        if PROGRAM.exists() and not needed() <= EVERYWHERE | {"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}:
            self.skipTest("not the release build: Swift's libraries are not linked in")

    def make(self, target: str) -> Path:
        """Makes a package twice and returns it: both must have the same bytes."""
        found = []
        for name in ("first", "second"):
            make(target, f"DIST={self.folder / name}", DEB_LEVEL="1", SOURCE_DATE_EPOCH="1790000000")
            found.append(next(path for path in sorted((self.folder / name).iterdir()) if path.suffix in (".deb", ".gz")))
        self.assertEqual(*(hashlib.sha256(path.read_bytes()).hexdigest() for path in found))
        return found[0]

    @unittest.skipUnless(has("dpkg-deb", "dpkg-shlibdeps", "lintian"), "dpkg-dev and lintian are not installed")
    def test_debian_package(self) -> None:
        package = self.make("deb")
        control = run("dpkg-deb", "-f", package)
        self.assertRegex(control, r"(?m)^Depends: libc6 \(.*\), libgcc-s1 \(.*\), libstdc\+\+6 \(.*\)$")
        self.assertRegex(control, r"(?m)^Recommends: libarchive13, libpcap0.8$")
        run("lintian", "--allow-root", "--fail-on", "error,warning", package)
        root = self.folder / "root"
        run("dpkg-deb", "-x", package, root)
        self.assertIn("HRM-7", run(root / "usr/bin/gattscope", "info", ROOT / "captures" / "heart-rate.btsnoop"))
        documents = root / "usr/share/doc/gattscope"
        self.assertEqual(dead_links(documents), [])
        self.assertEqual((documents / "copyright").read_bytes(), (SCRIPTS / "packaging" / "copyright").read_bytes())
        number = re.search(r"^Version: (.*)$", control, re.MULTILINE)[1]
        self.assertIn(f"gattscope ({number})", gzip.decompress((documents / "changelog.gz").read_bytes()).decode())
        self.assertTrue(run(PROGRAM, "--version").startswith(f"gattscope {number},"), "changelog and program differ")
        self.assertIn(".TH GATTSCOPE 1", gzip.decompress((root / "usr/share/man/man1/gattscope.1.gz").read_bytes()).decode())
        self.assertTrue((root / "usr/share/zsh/vendor-completions/_gattscope").exists())
        machine = run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
        extcap = root / "usr/lib" / machine / "wireshark/extcap/gattscope"
        self.assertIn("gattscope-monitor", run(extcap, "--extcap-interfaces", env={"PATH": "/usr/bin:/bin"}))

        bill = json.loads((documents / "gattscope.cdx.json").read_text())
        parts = {part["name"]: part["version"] for part in bill["components"]}
        expected = {
            package: run("dpkg-query", "-W", "-f=${Version}", package)
            for package in (
                "libarchive13", "libbz2-1.0", "libc6", "libgcc-s1", "liblzma5", "libpcap0.8", "libssl-dev", "libstdc++6",
                "libyaml-dev", "libzstd1", "zlib1g-dev")}
        _, made_of, _ = run(PROGRAM, "--version").splitlines()
        expected["swift-argument-parser"] = re.search(r"swift-argument-parser ([^,]*)", made_of)[1]
        expected["swift"] = re.search(r"Swift version (\S+)", run("swift", "--version"))[1]
        self.assertEqual(parts, expected, "the parts in the bill of materials")
        installed = (root / "usr/bin/gattscope").read_bytes()
        self.assertEqual(bill["metadata"]["component"]["hashes"][0]["content"], hashlib.sha256(installed).hexdigest())

    def test_archive(self) -> None:
        archive = self.make("dist")
        run("sha256sum", "--check", "--status", f"{archive.name}.sha256", cwd=archive.parent)
        with tarfile.open(archive) as tar:
            members = tar.getmembers()
            names = [member.name for member in members]
            self.assertEqual(names, sorted(names))
            self.assertEqual({(member.uid, member.gid, member.mtime) for member in members}, {(0, 0, 1790000000)})
            top = names[0]
            for name in ("bin/gattscope", f"{EXTCAP}/gattscope", "LICENSE", "COPYRIGHT", "share/man/man1/gattscope.1",
                         "share/doc/gattscope/gattscope.cdx.json"):
                self.assertIn(f"{top}/{name}", names)
        out = self.folder / "out"
        out.mkdir()
        run("tar", "-xf", archive, "-C", out)
        program = out / top / "bin" / "gattscope"
        self.assertNotIn(".symtab", run("readelf", "-S", program))
        self.assertIn("HRM-7", run(program, "info", ROOT / "captures" / "heart-rate.btsnoop"))

    @unittest.skipUnless(has("dpkg-deb", "dpkg-shlibdeps", "gpg"), "dpkg-dev and gpg are not installed")
    def test_both_are_signed(self) -> None:
        with throwaway_key() as keys:
            make("deb", "dist", f"DIST={self.folder}", "SIGN=packager@example.org", DEB_LEVEL="1", **keys)
            self.assertEqual([is_signed(next(self.folder.glob(name)), keys) for name in ("*.deb", "*.tar.gz")], [True, True])

    def test_both_in_a_bare_debian_root(self) -> None:
        make("deb", "dist", f"DIST={self.folder}", DEB_LEVEL="1")
        result = subprocess.run(
            [SCRIPTS / "check-bare-root.sh", next(self.folder.glob("*.tar.gz")), next(self.folder.glob("*.deb"))], check=False,
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if result.returncode == 77:
            self.skipTest(result.stdout.splitlines()[-1])
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 3)


@unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
class PictureTests(unittest.TestCase):
    def test_picture_shows_what_the_program_prints(self) -> None:
        result = subprocess.run(
            [sys.executable, SCRIPTS / "make-picture.py", PROGRAM, "--check"], check=False, text=True, stdout=subprocess.PIPE)
        self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    unittest.main()
