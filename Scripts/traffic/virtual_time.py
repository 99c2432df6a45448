"""An event loop that advances time only when nothing is left to do, and then at once.

Timers fire in order without any waiting, so a session of minutes is simulated in an instant and is the same on every
run.
"""

import asyncio
import selectors


class _JumpingSelector(selectors.SelectSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout=None):
        if timeout is None:
            raise RuntimeError("the simulation waits for something that never happens")
        self.now += timeout
        return super().select(0)


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now
