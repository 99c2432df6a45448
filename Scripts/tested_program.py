"""The program that the scripts' tests run, $GATTSCOPE or the one of `make build`, the signals that it starts with, and
how much of the long sweeps runs.
"""

import os
import signal
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(os.environ.get("GATTSCOPE", ROOT / ".build" / "release" / "gattscope")).resolve()
# Continuous integration must not skip a test because something is missing.
IN_CI = bool(os.environ.get("CI"))
# `make test-all` runs the long sweeps in full, `make test` every third of their runs and, of captures that are not the
# project's own, every fifth capture: always the same.
FEW = 20  # files, of which none is left out
SWEEP_STEP, CAPTURE_STEP = (1, 1) if os.environ.get("SWEEPS") == "full" else (3, 5)

# A shell starts its background jobs with these ignored, and every program started here would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def sampled(captures: list[Path]) -> list[Path]:
    """Returns the project's own captures, and all of the others or every fifth."""
    own = [path for path in captures if ROOT / "captures" in path.resolve().parents]
    others = [path for path in captures if path not in own]
    if CAPTURE_STEP == 1 or len(others) < FEW:
        return own + others
    print(f"sampled: every fifth of {len(others)} more files")
    return own + others[::CAPTURE_STEP]
