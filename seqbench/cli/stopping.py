"""Signals that end a command leave by an exception, so that temporary files are removed on the way."""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

AGAIN = 0.05  # seconds until an interrupt is raised again


@contextlib.contextmanager
def stoppable() -> Iterator[list[int]]:
    """While a command runs, signals leave by an exception; the list holds a number once there was an interrupt.

    Libraries below may turn the exception into one of their own, or lose it where none can be raised: there it is
    raised again. Afterwards all is as it was before; left in place, it would keep processes that are forked later from
    being ended.

    Example:
        >>> with stoppable() as interrupted:
        ...     bool(interrupted)
        False
    """
    heard: list[int] = []

    def interrupt(number: int, _: object) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    handlers: dict[int, Any] = {signal.SIGTERM: _end}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else a shell has said that none is heard
        handlers[signal.SIGINT] = interrupt
    if threading.current_thread() is not threading.main_thread():  # signals reach that one only
        yield heard
        return
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    hook = sys.unraisablehook
    sys.unraisablehook = lambda lost: _again() if lost.exc_type is KeyboardInterrupt else hook(lost)
    try:
        yield heard
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def _again() -> None:
    """An interrupt in code that cannot raise, such as a finaliser, is raised again once that is over."""
    again = threading.Timer(AGAIN, signal.raise_signal, [signal.SIGINT])
    again.daemon = True
    again.start()
