"""The errors of bleak."""


class BleakError(Exception):
    pass
