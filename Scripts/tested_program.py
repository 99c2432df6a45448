"""The program that the scripts' tests run, $GATTSCOPE or the one of `make build`, and the signals that it starts with.
"""

import os
import signal
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(os.environ.get("GATTSCOPE", ROOT / ".build" / "release" / "gattscope")).resolve()
# Continuous integration must not skip a test because something is missing.
IN_CI = bool(os.environ.get("CI"))

# A shell starts its background jobs with these ignored, and every program started here would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGQUIT) is signal.SIG_IGN:
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
