"""All captures that are written byte by byte and need no virtual devices."""

from pathlib import Path

from . import advertising, air, classic, handmade, lamp, link, lost_links, management, pairing, phone, secret_values, serial

CAPTURES = {
    "advertising-types": advertising.advertising_types,
    "android-phone": phone.android_phone,
    "classic": classic.classic,
    "connecting-fails": lost_links.connecting_fails,
    "enhanced-connection": handmade.enhanced_connection,
    "lamp": lamp.lamp,
    "link-control": link.link_control,
    "management": management.management,
    "monitor": handmade.monitor,
    "pairing-all-keys": pairing.pairing_all_keys,
    "periodic": advertising.periodic,
    "secret-values": secret_values.secret_values,
    "serial": serial.serial,
}

# Secrets that must not be printed unless requested: keys, and typed digits.
SECRETS = {
    "advertising-types": [
        *(b"INVENTED-C-192!!", b"INVENTED-R-192!!", b"INVENTED-C-256!!", b"INVENTED-R-256!!"),
        *(b"INVENTED-TK-VAL!", b"SC-CONFIRMATION!", b"SC-RANDOM-VALUE!", b"INVENTED-CODE-01"),
    ],
    "android-phone": [b"INVENTED-IRK-ONE", b"INVENTED-IRK-TWO", b"INVENTED-LTK-001"],
    "classic": [b"INVENTED-LINK-KY", b"INVENTED-IRK-(A)", b"INVENTED-IRK-(B)", b"INVENTED-CSRK-A."],
    "connecting-fails": lost_links.SECRETS,
    "link-control": [b"AN-INVENTED-KEY!"],
    "management": management.SECRETS,
    "pairing-all-keys": pairing.SECRETS,
    "periodic": [b"INVENTED-CODE-02"],
    "secret-values": secret_values.SECRETS,
    "sniffed-bond": air.SECRETS,
    "sniffed-pairing": air.SECRETS,
    "write-refused": [bytes(range(16))],  # in the configuration record of its PacketLogger file
}
PASSKEYS = {"management": management.PASSKEYS}


def make_all(folder: Path) -> None:
    for name, made in CAPTURES.items():
        (folder / f"{name}.btsnoop").write_bytes(made())
