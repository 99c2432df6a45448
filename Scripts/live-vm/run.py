#!/usr/bin/env python3
"""Tests `gattscope live` against a real kernel: Debian's, booted in an emulated machine, with BlueZ's emulated
controllers.

usage: run.py GATTSCOPE [SCENARIO]...

In the machine `gattscope live -w` and `tcpdump -i bluetooth-monitor` record the same traffic. They must agree on each
record, and to the microsecond if the kernel stamps the record. If KEEP names a folder, the machine's output is copied
to it. If the machine cannot boot at all (no qemu, no kernel available, another architecture), the script reports why
and exits with 0; any other problem gives 1.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from pathlib import Path

from recordings import Recording, compare

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gattscope-live"
# The kernel of Debian's own package: the testers and emulated controllers of this version match it.
KERNEL = "linux-image-amd64"
MODULES = """bluetooth hci_vhci virtio_pci virtio_blk algif_hash algif_skcipher cmac ecb ecdh_generic aes_generic ctr ccm
    hmac sha256_generic crc16""".split()
APPLETS = """sh mount cat cut echo sleep usleep modprobe insmod ls grep ip kill tar sync poweroff mknod timeout su test
    true false wc head tail""".split()
PROGRAMS = ["btvirt", "smp-tester", "l2cap-tester", "tcpdump", "setpriv"]
# What Wireshark's extcap needs, and where tshark looks for it.
EXTCAP = HERE.parent.parent / "Wireshark" / "gattscope"
EXTCAP_APPLETS = "dirname mktemp readlink rm sed".split()
EXTCAP_PROGRAMS = ["tshark", "dumpcap"]
BOOT_SECONDS = 300
DISK_BYTES = 256 << 20
SCENARIOS = ["late", "basic", "stopped", "extcap"]


class Unbootable(Exception):
    """The reason why no machine can run here."""


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def kernel_folder() -> Path:
    """Returns Debian's kernel, unpacked but not installed."""
    folder = CACHE / "kernel"
    if (folder / "boot").is_dir():
        return folder
    try:
        depends = output("apt-cache", "depends", KERNEL)
        package = re.search(r"Depends: (linux-image-\S+)", depends)
        if not package:
            raise Unbootable(f"Debian has no {KERNEL} here")
        with tempfile.TemporaryDirectory() as download:
            subprocess.run(
                ["apt-get", "download", "-qq", package[1]], cwd=download, check=True, capture_output=True
            )
            unpacked = CACHE / "unpacking"
            shutil.rmtree(unpacked, ignore_errors=True)
            subprocess.run(["dpkg-deb", "-x", next(Path(download).glob("*.deb")), unpacked], check=True)
            unpacked.rename(folder)
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        raise Unbootable(f"no kernel can be downloaded: {error}") from error
    return folder


class Image:
    """An initramfs under construction: a cpio archive of the kind that the kernel unpacks (newc)."""

    def __init__(self) -> None:
        self.entries: dict[str, tuple[int, bytes]] = {}

    def folder(self, path: str) -> None:
        while path not in ("", "/"):
            self.entries.setdefault(path, (0o040755, b""))
            path = path.rpartition("/")[0]

    def file(self, path: str, content: bytes, mode: int = 0o100644) -> None:
        self.folder(path.rpartition("/")[0])
        self.entries[path] = (mode, content)

    def link(self, path: str, target: str) -> None:
        self.file(path, target.encode(), 0o120777)

    def program(self, source: str | Path, path: str) -> None:
        """Adds a program, and the libraries that it needs, at the paths where it looks for them."""
        self.file(path, Path(source).read_bytes(), 0o100755)
        listed = subprocess.run(["ldd", source], capture_output=True, text=True, check=False)
        for library in re.findall(r"(/\S+) \(0x", listed.stdout):
            self.file(library, Path(library).read_bytes(), 0o100755)

    def bytes(self) -> bytes:
        archive = bytearray()
        entries = [(path, *self.entries[path]) for path in sorted(self.entries)]
        for number, (path, mode, content) in enumerate([*entries, ("/TRAILER!!!", 0, b"")], 1):
            name = path[1:].encode() + b"\0"
            fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0]
            archive += b"070701" + b"".join(b"%08x" % field for field in fields) + name
            archive += bytes(-len(archive) % 4) + content
            archive += bytes(-len(archive) % 4)
        return bytes(archive)


def add_modules(image: Image, kernel: Path, folder: Path) -> None:
    """Adds the modules that the guest loads, and their dependencies."""
    modules = next((kernel / "lib" / "modules").iterdir())
    files = {file.name.partition(".ko")[0].replace("-", "_"): file for file in modules.rglob("*.ko*")}
    chosen = folder / "modules" / "lib" / "modules" / modules.name
    chosen.mkdir(parents=True)
    wanted = list(MODULES)
    for name in wanted:
        # Missing modules are built into the kernel.
        file = files.get(name.replace("-", "_"))
        if file is None or (chosen / file.name).exists():
            continue
        shutil.copy(file, chosen)
        wanted += output("modinfo", "-F", "depends", str(file)).strip().split(",")
    for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        shutil.copy(modules / name, chosen)
    subprocess.run(["depmod", "-b", folder / "modules", modules.name], check=True)
    for file in chosen.iterdir():
        image.file(f"/lib/modules/{modules.name}/{file.name}", file.read_bytes())


def make_image(kernel: Path, program: str, scenario: str, folder: Path) -> Path:
    image = Image()
    for path in ("/proc", "/sys", "/dev", "/tmp", "/out", "/etc", "/run", "/usr/bin", "/sbin"):
        image.folder(path)
    image.program("/bin/busybox", "/bin/busybox")
    has_tshark = scenario == "extcap"
    for applet in APPLETS + EXTCAP_APPLETS * has_tshark:
        image.link(f"/bin/{applet}", "busybox")
    for name in PROGRAMS + EXTCAP_PROGRAMS * has_tshark:
        image.program(shutil.which(name), f"/usr/bin/{name}")
    if has_tshark:
        folders = output("tshark", "-G", "folders")
        place = re.search(r"(?m)^Global Extcap path:\s+(/\S+)$|^Extcap path:\s+(/usr/\S+)$", folders)
        image.file(f"{(place[1] or place[2]).rstrip('/')}/gattscope", EXTCAP.read_bytes(), 0o100755)
    image.program(program, "/usr/bin/gattscope")
    helper = folder / "manage"
    subprocess.run(["cc", "-O1", "-static", "-Wall", "-Werror", "-o", helper, HERE / "manage.c"], check=True)
    image.program(helper, "/usr/bin/manage")
    add_modules(image, kernel, folder)
    image.file("/etc/passwd", b"root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n")
    image.file("/etc/group", b"root:x:0:\nnogroup:x:65534:\n")
    image.file("/init", (HERE / "guest-init.sh").read_bytes(), 0o100755)
    image.file("/scenario.sh", (HERE / f"{scenario}.sh").read_bytes())
    path = folder / "initramfs"
    path.write_bytes(image.bytes())
    return path


def boot(kernel: Path, initramfs: Path, folder: Path) -> Path:
    """Runs the machine until it ends; returns its output."""
    disk = folder / "disk"
    with disk.open("wb") as file:
        file.truncate(DISK_BYTES)
    command = ["qemu-system-x86_64", "-M", "pc", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "1024"]
    command += ["-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-serial", "stdio"]
    command += ["-kernel", str(next((kernel / "boot").glob("vmlinuz-*"))), "-initrd", str(initramfs)]
    command += ["-append", "console=ttyS0 quiet panic=-1 mitigations=off nokaslr cryptomgr.notests random.trust_cpu=on tsc=reliable"]
    command += ["-drive", f"if=none,id=out,file={disk},format=raw,cache=unsafe", "-device", "virtio-blk-pci,drive=out"]
    try:
        console = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=BOOT_SECONDS, check=False
        )
    except FileNotFoundError as error:
        raise Unbootable("qemu-system-x86 is not installed") from error
    except subprocess.TimeoutExpired as error:
        if b"GUEST" not in (error.stdout or b""):
            raise Unbootable(f"the machine does not boot within {BOOT_SECONDS} s") from error
        sys.exit(f"the machine did not end within {BOOT_SECONDS} s:\n{(error.stdout or b'').decode(errors='replace')}")
    told = console.stdout.decode(errors="replace")
    for line in re.findall(r"GUEST .*", told):
        print(f"    {line.strip()}")
    left = folder / "out"
    left.mkdir()
    try:
        with tarfile.open(disk) as archive:
            # Not extractall: its filter is newer than Debian 12's Python, and newer Pythons warn without one.
            for member in filter(tarfile.TarInfo.isfile, archive):
                (left / Path(member.name).name).write_bytes(archive.extractfile(member).read())
    except tarfile.TarError:
        if "GUEST" not in told:
            raise Unbootable(f"the machine does not boot:\n{told[-2000:]}{console.stderr.decode()}") from None
        sys.exit(f"the machine left nothing:\n{told[-4000:]}")
    return left


class Check:
    """Prints and counts the results of checks."""

    def __init__(self) -> None:
        self.failures = 0

    def that(self, is_so: bool, what: str) -> None:
        print(f"    {'ok' if is_so else 'FAILED'}: {what}")
        self.failures += not is_so


def read(path: Path) -> str:
    return path.read_text(errors="replace").strip() if path.exists() else "(missing)"


def check_refusal(check: Check, left: Path, name: str, status: str, word: str) -> None:
    said = read(left / f"{name}.txt")
    check.that(read(left / f"{name}.status") == status, f"{name}: exit status {status}, got {read(left / f'{name}.status')}")
    check.that(word in said and said.count("\n") == 0, f"{name}: {said}")


def check_late(check: Check, left: Path, reference: Recording) -> None:
    check_refusal(check, left, "unprivileged", "77", "CAP_NET_RAW")
    one = Recording(left / "hci1.btsnoop")
    check.that(read(left / "hci1.status") == "0", "hci1: ends with 0")
    adapters = Counter(record.adapter for record in one.records)
    check.that(set(adapters) <= {1, 0xFFFF} and adapters[1] > 10, f"hci1: records of adapters {dict(adapters)}")
    through_pcap = Recording(left / "pcap.btsnoop")
    check.that(read(left / "pcap.status") == "0", "pcap: ends with 0")
    packets = reference.traffic()
    check.that(through_pcap.traffic() == packets, f"pcap: {len(through_pcap.traffic())} packets, tcpdump's {len(packets)}")
    check.that("bluetooth-monitor" in read(left / "list.txt"), "--list names bluetooth-monitor")
    lines = read(left / "live.txt").splitlines()
    before = [line.endswith("(from before)") for line in lines]
    indexes = sum(known and " New Index " in line for known, line in zip(before, lines))
    check.that(indexes == 2, f"the bind's replay is told apart, with {indexes} controllers")
    check.that(not any(known for known, line in zip(before, lines) if " MGMT " in line), "but no command is")


def check_stopped(check: Check, left: Path, reference: Recording) -> None:
    live = Recording(left / "live.btsnoop")
    lost = live.drops
    check.that(lost > 0, f"{lost} records were lost")
    check.that(len(live.records) + lost == len(reference.records), f"{len(live.records)} records and {lost} drops make tcpdump's {len(reference.records)}")
    check.that(str(lost) in read(left / "live.err"), f"the summary reports them: {read(left / 'live.err')}")


def check_extcap(check: Check, left: Path, reference: Recording) -> None:
    check.that(read(left / "tshark.status") == "0", f"tshark ends with 0, got {read(left / 'tshark.status')}: {read(left / 'tshark.err')}")
    # The kernel's records in a form that recordings.py reads.
    through = left / "extcap.pcap"
    subprocess.run(["tshark", "-r", left / "extcap.pcapng", "-w", through, "-F", "pcap"], check=True, capture_output=True)
    packets, expected = Recording(through).traffic(), reference.traffic()
    check.that(packets == expected and len(packets) > 10, f"tshark through the extcap: {len(packets)} packets, live's {len(expected)}")


def test(kernel: Path, program: str, scenario: str, check: Check) -> None:
    print(f"  {scenario}:")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        left = boot(kernel, make_image(kernel, program, scenario, folder), folder)
        if keep := os.environ.get("KEEP"):
            shutil.copytree(left, Path(keep) / scenario, dirs_exist_ok=True)
        check.that(read(left / "live.status") == "0", "gattscope live ends with 0")
        check_refusal(check, left, "no-bluetooth", "69", "Bluetooth")
        reference = Recording(left / "tcpdump.pcap")
        if scenario == "stopped":
            check_stopped(check, left, reference)
        else:
            same, words = compare(reference, Recording(left / "live.btsnoop"))
            check.that(same, words)
        if scenario == "late":
            check_late(check, left, reference)
        elif scenario == "extcap":
            check_extcap(check, left, Recording(left / "live.btsnoop"))
    print(f"    {time.monotonic() - started:.0f} s")


def main() -> int:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, *scenarios = sys.argv[1:]
    CACHE.mkdir(parents=True, exist_ok=True)
    check = Check()
    try:
        if os.uname().machine != "x86_64":
            raise Unbootable(f"the machine is for x86_64, not for {os.uname().machine}")
        if missing := [name for name in [*PROGRAMS, *EXTCAP_PROGRAMS, "qemu-system-x86_64", "modinfo", "depmod", "cc"] if not shutil.which(name)]:
            raise Unbootable(f"{', '.join(missing)} not installed")
        kernel = kernel_folder()
        for scenario in scenarios or SCENARIOS:
            test(kernel, program, scenario, check)
    except Unbootable as reason:
        print(f"SKIPPED: no virtual machine here: {reason}")
        return 0
    print(f"  {check.failures} failed" if check.failures else "  all passed")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
