"""A process that has imported torch already and answers questions about Python files, each in a fork of itself.

    python -m tensorscope own serve

So every question runs in a process in which no other file has run, and waits for no import. Lines from the program
(app/own_file/own_process.h): the path of a request, see _own_file.py. Lines to it: `ready`, a question may come;
`began PID`, of the process group that answers; `ended CODE`, its exit code, or 128 plus its signal. It ends with its
input, and with the program.
"""

import contextlib
import ctypes
import faulthandler
import importlib
import json
import os
import signal
import sys
import traceback

from . import _library, _own_file

PACKAGE_FAILED = 70  # as app/own_file/own_file.cpp knows it

_kept = []  # files that are written to from C
_tried = set()  # modules that were imported for later questions, or could not be


def _end_with_parent(parent):
    """The program may be killed; what it started must not go on (PR_SET_PDEATHSIG)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))
    if os.getppid() != parent:  # it ended before that
        os._exit(1)


def _tell_where(path):
    """Has Python's lines written to a file where a signal ends this process: one of the program's, that has waited long
    enough, or a fault. Python itself need not run for that."""
    file = open(path, "wb", 0)  # noqa: SIM115: as long as the process lives
    _kept.append(file)
    faulthandler.enable(file, all_threads=False)
    faulthandler.register(signal.SIGTERM, file, all_threads=False, chain=True)
    os.register_at_fork(after_in_child=lambda: faulthandler.unregister(signal.SIGTERM))


def _answer(path, log, lines):
    """In the fork, to its end. Output of the user's code goes to the log."""
    os.setpgid(0, 0)
    _tell_where(lines)
    # A file that is saved twice in a second with the same size would be taken for the first one.
    sys.dont_write_bytecode = True
    for number in (1, 2):
        os.dup2(log, number)
    code = PACKAGE_FAILED
    try:
        code = _own_file.answer(path)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # of this package; what the user's code raises is answered
        traceback.print_exc()
    # Neither threads nor handlers of the user's code are waited for.
    os._exit(code)


def _ask_in_fork(path, asked, say):
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    lines = request["log"] + ".lines"
    here = os.getpid()
    child = os.fork()
    if child == 0:
        _end_with_parent(here)
        for pipe in (asked, say):  # no code of the user's talks to the program
            pipe.close()
        _answer(path, log, lines)
    os.close(log)
    with contextlib.suppress(OSError):  # the child has done it, or is gone
        os.setpgid(child, child)
    say.write(f"began {child}\n".encode())
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(OSError):  # what it started
        os.killpg(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(status)
    if code < 0 and not os.path.exists(request["answer"]):
        with contextlib.suppress(OSError):
            _own_file.answer_end(request, -code, lines)
    modules = []
    with contextlib.suppress(OSError, ValueError):
        with open(request["answer"], encoding="utf-8") as file:
            modules = json.load(file)["modules"]
    say.write(f"ended {code if code >= 0 else 128 - code}\n".encode())
    return modules


def _import_for_next(modules):
    """Modules of packages that a question imported; none of the user's own."""
    for name in modules:
        if name in sys.modules or name in _tried:
            continue
        _tried.add(name)
        with contextlib.suppress(BaseException):
            importlib.import_module(name)


def serve():
    """Until the input ends, and with it the process."""
    _end_with_parent(os.getppid())
    # Descriptors that no fork keeps and no library writes to.
    asked, say = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    with contextlib.suppress(_library.Unavailable):  # each answer says so
        _library.check_torch()
        from . import _recording  # noqa: F401
    line = b""
    say.write(b"ready\n")
    while True:
        more = asked.read(4096)
        if not more:
            os._exit(0)  # Python would take all that was imported apart, for most of a second
        line += more
        while b"\n" in line:
            path, _, line = line.partition(b"\n")
            _import_for_next(_ask_in_fork(os.fsdecode(path), asked, say))
            say.write(b"ready\n")
