#!/usr/bin/env python3
"""Tests what comes from elsewhere and how packages are checked: Debian's packages, those from the Python index, and what
`make dist` and `make deb` refuse and sign.
"""

import bz2
import contextlib
import lzma
import os
import pty
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tested_program import IN_CI, PROGRAM, ROOT

SCRIPTS = ROOT / "Scripts"
REQUIREMENTS = SCRIPTS / "requirements"
SECONDS = 60


def needs(*tools: str):
    """Skips a test without these tools, which is a failure in continuous integration."""
    missing = [tool for tool in tools if not shutil.which(tool)]
    return unittest.skipUnless(IN_CI or not missing, f"{', '.join(missing)} not installed")


@contextlib.contextmanager
def throwaway_key() -> Iterator[dict[str, str]]:
    """Yields the environment in which gpg has a key of packager@example.org."""
    # gpg's agent listens on a socket, whose path must be short.
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        environment = {"GNUPGHOME": home}
        options = {"check": True, "capture_output": True, "timeout": SECONDS, "env": os.environ | environment}
        try:
            subprocess.run(
                ["gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", "", "--quick-generate-key", "packager@example.org",
                 "ed25519", "sign"], **options)
            yield environment
        finally:
            subprocess.run(["gpgconf", "--kill", "gpg-agent"], **options)


def is_signed(file: Path, environment: dict[str, str]) -> bool:
    command = ["gpg", "--batch", "--verify", f"{file}.asc", file]
    return subprocess.run(command, check=False, capture_output=True, env=os.environ | environment).returncode == 0


class InstallPackagesTests(unittest.TestCase):
    """Runs install-packages.sh with stand-ins for the tools that it starts."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for tool in ("sh", "env"):
            (self.folder / tool).symlink_to(shutil.which(tool))
        self.write("dpkg-query", '[ "$3" = there ] && echo "install ok installed"')
        self.write("apt-get", f'echo "apt-get $*" >> {self.folder}/log')
        self.write("sudo", f'echo "sudo $*" >> {self.folder}/log; exec "$@"')

    def write(self, name: str, script: str) -> None:
        (self.folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.folder / name).chmod(0o755)

    def install(self, *packages: str, user: int, answer: str | None = None, **environment: str) -> tuple[int, str, list[str]]:
        """Returns the exit status, what was printed, and the commands that were run. With an answer, there is a terminal."""
        self.write("id", f"echo {user}")
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "timeout": SECONDS, "text": True, "check": False,
                   "env": {"PATH": str(self.folder)} | environment}
        command = [SCRIPTS / "install-packages.sh", *packages]
        if answer is None:
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, **options)
        else:
            keyboard, terminal = pty.openpty()
            try:
                os.write(keyboard, answer.encode())
                ended = subprocess.run(command, stdin=terminal, **options)
            finally:
                os.close(keyboard)
                os.close(terminal)
        log = self.folder / "log"
        run = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return ended.returncode, ended.stdout, run

    INSTALLED = "apt-get install -y -q --no-install-recommends lacking"

    def test_nothing_is_done_if_nothing_is_missing(self) -> None:
        self.assertEqual(self.install("there", user=1000), (0, "", []))

    def test_asks_on_a_terminal(self) -> None:
        for user in (0, 1000):
            for answer, is_installed in (("\n", True), ("y\n", True), ("n\n", False), ("\x04", False), ("what\n", False)):
                with self.subTest(user=user, answer=answer):
                    status, said, run = self.install("there", "lacking", user=user, answer=answer)
                    self.assertIn("These packages are needed: lacking\n", said)
                    self.assertEqual(status == 0, is_installed)
                    self.assertEqual(run[-1:], [self.INSTALLED] if is_installed else [])

    def test_does_not_ask_in_continuous_integration_or_if_told(self) -> None:
        for settings in ({"CI": "1"}, {"ASSUME_YES": "1"}):
            for answer in (None, "n\n"):
                status, said, run = self.install("lacking", user=1000, answer=answer, **settings)
                self.assertEqual((status, said), (0, "installing: lacking\n"))
                self.assertEqual(run, [f"sudo env DEBIAN_FRONTEND=noninteractive {self.INSTALLED}", self.INSTALLED])

    def test_without_a_terminal_only_root_installs(self) -> None:
        self.assertEqual(self.install("lacking", user=0), (0, "installing: lacking\n", [self.INSTALLED]))
        status, said, run = self.install("lacking", user=1000)
        self.assertEqual((status, run), (1, []))
        self.assertIn("ASSUME_YES=1", said)

    def test_continuous_integration_is_not_asked(self) -> None:
        self.assertRegex((ROOT / ".ci" / "run").read_text(), r"(?m)^export CI=1\b")


class PythonPackagesTests(unittest.TestCase):
    """`make packages` where the Python packages cannot be had, with stand-ins for Python and for the installer of Debian's."""

    def packages(self, python: str, **environment: str) -> tuple[int, str, list[str]]:
        """Returns the exit status, what was reported, and the beginnings and ends of the calls of a Python."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shutil.copy(ROOT / "Makefile", folder)
            (folder / "docs").mkdir()
            (folder / "docs" / "schema.json").touch()
            (folder / "Scripts").mkdir()
            shutil.copytree(REQUIREMENTS, folder / "Scripts" / "requirements")
            for path, script in (("Scripts/install-packages.sh", "exit 0"), ("python", python)):
                (folder / path).write_text(f"#!/bin/sh\n{script}\n")
                (folder / path).chmod(0o755)
            variables = {key: value for key, value in os.environ.items() if key not in ("CI", "MAKEFLAGS", "MAKELEVEL")}
            run = subprocess.run(
                ["make", "-j4", "packages", f"PYTHON={folder}/python"], cwd=folder, env=variables | environment, text=True, capture_output=True, check=False)
            calls = folder / "calls"
            return run.returncode, run.stderr, calls.read_text().splitlines() if calls.exists() else []

    def test_what_cannot_be_had_is_an_error_in_continuous_integration_only(self) -> None:
        for variables, status in (({}, 0), ({"CI": "1"}, 2)):
            code, said, _ = self.packages("exit 1", **variables)
            self.assertEqual(code, status, said)
            self.assertIn("bumble and bleak cannot be installed into .venv: the tests that run scripts of trace --as bleak need them", said)

    def test_lists_are_installed_one_after_the_other(self) -> None:
        pip = "mkdir -p .venv/bin; printf '#!/bin/sh\\necho begin >>calls; sleep 0.2; echo end >>calls\\n' >.venv/bin/pip; chmod +x .venv/bin/pip"
        code, said, calls = self.packages(pip, CI="1")
        self.assertEqual((code, calls), (0, ["begin", "end"] * 4), said)


class RequirementsTests(unittest.TestCase):
    def test_pip_always_checks_digests(self) -> None:
        files = [ROOT / "Makefile", ROOT / ".ci" / "run", *(path for path in SCRIPTS.rglob("*") if path.suffix in (".sh", ".py"))]
        installs = [
            (path.name, line) for path in files if path != Path(__file__).resolve()
            for line in path.read_text(encoding="utf-8").splitlines()
            if re.search(r"\bpip3? install (?!duckdb\|)", line)]
        self.assertEqual([name for name, _ in installs], ["Makefile"])
        self.assertIn("--require-hashes --no-build-isolation", installs[0][1])

    def test_every_package_is_pinned_with_digests(self) -> None:
        lists = sorted(REQUIREMENTS.glob("*.txt"))
        self.assertEqual([path.stem for path in lists], sorted(path.stem for path in REQUIREMENTS.glob("*.in")))
        self.assertGreater(len(lists), 3)
        for path in lists:
            # A requirement with its digests is one line in several pieces.
            lines = path.read_text().replace("\\\n", "").splitlines()
            for line in lines:
                self.assertRegex(line, r"^[\w.-]+==(\d+!)?[\w.]+( ; [\w\s.'<>=!()]+?)?\s+--hash=sha256:[0-9a-f]{64}(\s+--hash=sha256:[0-9a-f]{64})*$", path.name)
            pinned = {line.split()[0] for line in lines}
            wanted = {
                re.sub(r"\[.*\]", "", line) for line in path.with_suffix(".in").read_text().splitlines() if not line.startswith("#")}
            self.assertLessEqual(wanted, pinned, f"{path.name} is older than {path.stem}.in: make requirements")

    def test_debootstrap_checks_signatures(self) -> None:
        script = (SCRIPTS / "check-bare-root.sh").read_text()
        self.assertIn("--force-check-gpg --keyring=", script)
        self.assertNotIn("--no-check-gpg", script)


@needs("cc", "readelf")
class LinkingTests(unittest.TestCase):
    """Tests what `make deb` and `make dist` refuse, and their signatures, with a program of one line."""

    GOOD = ("-Wl,-z,now", "-Wl,-z,relro", "-pie", "-fPIE")

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.tree = self.folder / "tree"
        documents = self.tree / "share/doc/gattscope"
        documents.mkdir(parents=True)
        (self.tree / "bin").mkdir()
        for name in ("LICENSE", "COPYRIGHT"):
            (documents / name).write_text("text\n")

    def program(self, *options: str) -> Path:
        source, program = self.folder / "program.c", self.tree / "bin" / "gattscope"
        source.write_text("int main(void) { return 0; }\n")
        subprocess.run(["cc", source, "-o", program, *options], check=True)
        return program

    def check(self, program: Path) -> subprocess.CompletedProcess:
        return subprocess.run([SCRIPTS / "check-linking.sh", program], check=False, text=True, capture_output=True)

    def dist(self, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [SCRIPTS / "make-dist.sh", self.tree, self.folder / "out", "1.2.3"], check=False, text=True, capture_output=True,
            env=os.environ | {"SOURCE_DATE_EPOCH": "1790000000"} | environment)

    def test_good_program_is_accepted(self) -> None:
        ended = self.check(self.program(*self.GOOD))
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_program_that_loads_libraries_from_elsewhere_is_refused(self) -> None:
        for tags in ("--enable-new-dtags", "--disable-new-dtags"):
            ended = self.check(self.program(*self.GOOD, f"-Wl,{tags},-rpath,$ORIGIN"))
            self.assertEqual(ended.returncode, 1)
            self.assertIn("RUNPATH", ended.stderr)

    def test_program_whose_functions_can_be_redirected_is_refused(self) -> None:
        ended = self.check(self.program("-Wl,-z,lazy", "-Wl,-z,relro"))
        self.assertEqual(ended.returncode, 1)
        self.assertIn("BIND_NOW", ended.stderr)
        ended = self.check(self.program("-Wl,-z,now", "-Wl,-z,norelro"))
        self.assertEqual(ended.returncode, 1)
        self.assertIn("GNU_RELRO", ended.stderr)

    def test_both_packages_are_checked(self) -> None:
        self.program(*self.GOOD, "-Wl,-rpath,$ORIGIN")
        ended = self.dist()
        self.assertEqual(ended.returncode, 1)
        self.assertIn("RUNPATH", ended.stderr)
        self.assertFalse((self.folder / "out").exists())
        self.tree.rename(self.folder / "usr")
        self.tree.mkdir()
        (self.folder / "usr").rename(self.tree / "usr")
        ended = subprocess.run(
            [SCRIPTS / "make-deb.sh", self.tree, self.folder / "out"], check=False, text=True, capture_output=True)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("RUNPATH", ended.stderr)
        self.assertFalse((self.folder / "out").exists())

    @needs("gpg")
    def test_archive_is_signed_with_a_key(self) -> None:
        self.program(*self.GOOD)
        self.assertEqual(self.dist().returncode, 0)
        self.assertEqual(sorted(path.suffix for path in (self.folder / "out").iterdir()), [".gz", ".sha256"])
        with throwaway_key() as keys:
            ended = self.dist(SIGN="packager@example.org", **keys)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            archive = Path(ended.stdout.strip())
            self.assertTrue(is_signed(archive, keys))
            with archive.open("ab") as file:
                file.write(b"changed")
            self.assertFalse(is_signed(archive, keys))
            self.assertNotEqual(self.dist(SIGN="stranger@example.org", **keys).returncode, 0)


@needs("cc")
@unittest.skipUnless(PROGRAM.exists() or IN_CI, f"there is no {PROGRAM}")
class PlantedLibraryTests(unittest.TestCase):
    """Puts a library beside the program and into the current folder, in place of each one that it loads."""

    LIBRARIES = ("libarchive.so.13", "libpcap.so.0.8", "libpcap.so.1", "liblzma.so.5", "libzstd.so.1", "libbz2.so.1.0", "libbz2.so.1")

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        source = self.folder / "planted.c"
        source.write_text(
            '#include <unistd.h>\n__attribute__((constructor)) static void run(void) { if (write(2, "PLANTED\\n", 8) != 8) _exit(1); }\n')
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", self.folder / self.LIBRARIES[0]], check=True)
        for name in self.LIBRARIES[1:]:
            shutil.copy(self.folder / self.LIBRARIES[0], self.folder / name)
        self.program = self.folder / "gattscope"
        shutil.copy(PROGRAM, self.program)
        capture = (ROOT / "captures" / "heart-rate.btsnoop").read_bytes()
        (self.folder / "log.xz").write_bytes(lzma.compress(capture))
        (self.folder / "log.bz2").write_bytes(bz2.compress(capture))
        # An empty frame.
        (self.folder / "log.zst").write_bytes(bytes.fromhex("28b52ffd2000010000"))
        shutil.copy(ROOT / "captures" / "heart-rate.pcap", self.folder / "log.pcap")
        with zipfile.ZipFile(self.folder / "log.zip", "w") as archive:
            archive.writestr("FS/data/misc/bluetooth/logs/btsnoop_hci.log", capture)

    def planted(self, **environment: str) -> list[str]:
        """Returns the inputs for which a planted library ran."""
        found = []
        for capture in sorted(self.folder.glob("log.*")):
            ended = subprocess.run(
                [self.program, "info", capture.name], cwd=self.folder, env=os.environ | environment, check=False, capture_output=True,
                timeout=SECONDS)
            if b"PLANTED" in ended.stderr:
                found.append(capture.suffix)
        return found

    def test_library_beside_the_program_is_not_loaded(self) -> None:
        self.assertEqual(self.planted(), [])
        # It would run if the loader found it.
        self.assertIn(".pcap", self.planted(LD_LIBRARY_PATH=str(self.folder)))


if __name__ == "__main__":
    unittest.main()
