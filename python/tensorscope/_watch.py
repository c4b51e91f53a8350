"""watch(): the rest of a script is recorded, from a line of its own on."""

import atexit
import contextlib
import os
import sys


def default_path():
    """train.recording of train.py, in the current folder."""
    name = os.path.splitext(os.path.basename(sys.argv[0] or ""))[0]
    return os.path.abspath((name if name not in ("", "-c", "-m") else "script") + ".recording")


def start(record, path, memory_limit, device):
    """Begins `record` and ends it when Python does, with the error that ended it, if any."""
    path = os.path.abspath(path) if path else default_path()
    if not os.path.isdir(os.path.dirname(path)):
        from ._library import Unavailable
        raise Unavailable(f"there is no folder {os.path.dirname(path)}")
    open_recording = contextlib.ExitStack()
    open_recording.enter_context(record(path, memory_limit, device=device))
    before = getattr(sys, "last_value", None)

    def end():
        # Python keeps an error that nobody caught there; a number of sys.exit() it does not.
        problem = getattr(sys, "last_value", None)
        if problem is before:
            problem = None
        with contextlib.suppress(BaseException):  # it has been printed
            if problem is None:
                open_recording.close()
            else:
                open_recording.__exit__(type(problem), problem, problem.__traceback__)

    atexit.register(end)
    return path
