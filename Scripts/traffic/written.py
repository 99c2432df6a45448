"""All captures that are written byte by byte, and so need no virtual devices."""

from pathlib import Path

from . import advertising, classic, handmade, link, management, pairing, phone

CAPTURES = {
    "advertising-types": advertising.advertising_types,
    "android-phone": phone.android_phone,
    "classic": classic.classic,
    "enhanced-connection": handmade.enhanced_connection,
    "link-control": link.link_control,
    "management": management.management,
    "monitor": handmade.monitor,
    "pairing-all-keys": pairing.pairing_all_keys,
    "periodic": advertising.periodic,
}


def make_all(folder: Path) -> None:
    for name, made in CAPTURES.items():
        (folder / f"{name}.btsnoop").write_bytes(made())
