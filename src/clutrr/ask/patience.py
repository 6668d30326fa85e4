"""Waiting before the next try: longer each time, and at least as long as the service asks."""

import random
import threading
import time

_FIRST, _MOST, _LONGEST_ASKED = 0.5, 60.0, 600.0  # seconds


def delay(attempt: int, asked: float | None, drawn: random.Random) -> float:
    """Return the seconds before the next try, after this many. asked: by the service (Retry-After)."""
    own = min(_MOST, _FIRST * 2.0**attempt) * drawn.uniform(0.5, 1.0)
    return own if asked is None else min(max(asked, 0.1 * own), _LONGEST_ASKED)


class Gate:
    """Holds back all requests until the time that a service asked for."""

    def __init__(self) -> None:
        self._until = 0.0
        self._lock = threading.Lock()
        self.stopped = threading.Event()
        self.trouble = ""  # why a request was last tried again

    def shut(self, seconds: float) -> None:
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)

    def pass_through(self) -> bool:
        """Wait until it is open; False if the run is to stop."""
        while not self.stopped.is_set():
            left = self._until - time.monotonic()
            if left <= 0:
                return True
            self.stopped.wait(left)
        return False

    def sleep(self, seconds: float) -> None:
        self.stopped.wait(seconds)
