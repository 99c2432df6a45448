#!/usr/bin/env python3
"""Prints the bill of materials of a program, with the libraries that it links and loads, as CycloneDX. usage:
make-sbom.py PROGRAM

The cyclonedx library writes and validates the document. No tool can detect what a linker put into a program, so this
script lists the static parts and searches the program for each: the bill lists only those that are found. Versions are
those of the packages on this machine, so run it where the program was built. Reads SOURCE_DATE_EPOCH; its output is
reproducible.
"""

import hashlib
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

SWIFT = "Apache-2.0 WITH Swift-exception"
# A Debian package whose archive is linked in, its licence, and a text that only a program with it contains.
STATIC = (
    ("libssl-dev", "Apache-2.0", rb"OpenSSL \d+\.\d+\.\d+"),
    ("libyaml-dev", "MIT", rb"did not find expected <document start>"),
    ("zlib1g-dev", "Zlib", rb"inflate \d+\.\d+\.\d+ Copyright"),
)
# Loaded on demand, if installed.
OPTIONAL = (
    ("libarchive13", "BSD-2-Clause", rb"libarchive\.so\.13"),
    ("libbz2-1.0", "bzip2-1.0.6", rb"libbz2\.so\.1\.0"),
    ("liblzma5", "LicenseRef-public-domain", rb"liblzma\.so\.5"),
    ("libzstd1", "BSD-3-Clause", rb"libzstd\.so\.1"),
    ("libpcap0.8", "BSD-3-Clause", rb"libpcap\.so\.0\.8"),
)
LICENSES = {"libc6": "LGPL-2.1-or-later", "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
            "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1"}


def printed(*command: str | Path) -> str:
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def version(package: str) -> str:
    return printed("dpkg-query", "-W", "-f=${Version}", package)


def component(name: str, number: str, license: str, linked: str, url: PackageURL, **more) -> Component:
    return Component(
        name=name, version=number, type=ComponentType.LIBRARY, licenses=[LicenseExpression(license)], purl=url,
        bom_ref=str(url), properties=[Property(name="gattscope:linked", value=linked)], **more)


def of_debian(package: str, license: str, linked: str, **more) -> Component:
    number = version(package)
    return component(package, number, license, linked, PackageURL("deb", "debian", package, number), **more)


def dynamic(program: Path) -> Iterator[str]:
    """Yields the packages of the libraries that the loader needs."""
    for place in re.findall(r"(?:=> )?(/\S+) \(0x", printed("ldd", program)):
        # dpkg knows a library by its path from before /lib became a link.
        for path in (place, os.path.realpath(place), place.removeprefix("/usr"), "/usr" + place):
            found = subprocess.run(
                ["dpkg-query", "-S", path], check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if found.returncode == 0:
                yield found.stdout.split(":")[0]
                break


def components(program: Path) -> Iterator[Component]:
    content = program.read_bytes()
    _, versions, _ = printed(program, "--version").splitlines()
    parser = re.search(r"swift-argument-parser (\S+?),", versions)[1]
    swift = re.search(r"Swift version (\S+)", printed("swift", "--version"))[1]
    yield component(
        "swift-argument-parser", parser, SWIFT, "static",
        PackageURL("swift", "github.com/apple", "swift-argument-parser", parser))
    yield component("swift", swift, SWIFT, "static", PackageURL("swift", "github.com/swiftlang", "swift", swift))
    for package, license, mark in STATIC:
        if re.search(mark, content):
            yield of_debian(package, license, "static")
    for package, license, mark in OPTIONAL:
        if re.search(mark, content):
            yield of_debian(package, license, "loaded when needed", scope=ComponentScope.OPTIONAL)
    for package in sorted(set(dynamic(program))):
        yield of_debian(package, LICENSES.get(package, "NOASSERTION"), "dynamic")


def main(program: Path) -> None:
    number = re.match(r"gattscope (\S+),", printed(program, "--version"))[1]
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    itself = Component(
        name="gattscope", version=number, type=ComponentType.APPLICATION, licenses=[LicenseExpression("Apache-2.0")],
        bom_ref="gattscope", hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)])
    bom = Bom(components=components(program), serial_number=uuid.uuid5(uuid.NAMESPACE_URL, digest))
    bom.metadata.component = itself
    bom.metadata.timestamp = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), timezone.utc)
    bom.register_dependency(itself, bom.components)
    document = JsonV1Dot6(bom).output_as_string(indent=2)
    if problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(document):
        sys.exit(f"the bill of materials is not valid: {problem}")
    print(document)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
