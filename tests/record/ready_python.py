"""A Python that has imported torch already, for tests that start many: `python` of ReadyPython is a command that takes
what Python takes (-c CODE ARGS..., -m MODULE ARGS..., SCRIPT ARGS...).

One process waits. For each start it forks; the fork gets the arguments, the environment, the folder, the group and the
three open files of whoever started it, and does with them what Python does; it is killed when the command is. What
depends on the process that Python is (other signals to it alone, its limits, its options) needs sys.executable itself.

`python ready_python.py SOCKET MODULE ...`: the one that waits, until its input ends.
"""

import array
import contextlib
import importlib
import io
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import sys
import tempfile

IMPORTED = ("torch", "torch._dynamo")  # the second by every optimizer
# The command: it needs no package, and passes on how the fork ended.
START = """#!{python} -ISB
import array, json, os, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect({path!r})
told = dict(arguments=sys.argv[1:], environment=dict(os.environ), folder=os.getcwd(), group=os.getpgrp())
files = array.array("i", (0, 1, 2))
line.sendmsg([b"+"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
line.sendall(json.dumps(told).encode())
line.shutdown(socket.SHUT_WR)
for number in (0, 1, 2):
    os.close(number)
ended = int(line.makefile().read())
if ended < 0:
    os.kill(os.getpid(), -ended)
os._exit(ended)
"""


class ReadyPython:
    """A process of `executable` in this environment, with `modules` imported besides torch."""

    def __init__(self, *modules, executable=sys.executable, environment=None):
        self._folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self._folder.name)
        path = str(folder / "socket")
        # By -c, so that its frames are in no file, as those of Python itself.
        text = pathlib.Path(__file__).read_text(encoding="utf-8")
        self.python = folder / "python"
        self.python.write_text(START.format(python=sys.executable, path=path), encoding="utf-8")
        self.python.chmod(0o755)
        self._waiting = subprocess.Popen([executable, "-c", text, path, *IMPORTED, *modules], env=environment,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self._waiting.stdout.readline() != b"ready\n":
            raise AssertionError("no Python is ready")

    def end(self):
        self._waiting.communicate(timeout=60)
        self._folder.cleanup()


def _start(line, others):
    """In the fork: becomes what the command asked for. What it has to run."""
    _, ancillary, _, _ = line.recvmsg(1, socket.CMSG_SPACE(3 * array.array("i").itemsize))
    files = array.array("i", ancillary[0][2])
    told = json.loads(line.makefile().read())
    os.setpgid(0, told["group"])
    os.chdir(told["folder"])
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    line.close()
    for other in others:
        other.close()
    folders = [[one for one in variables.get("PYTHONPATH", "").split(os.pathsep) if one]
               for variables in (os.environ, told["environment"])]
    sys.path[1:1 + len(folders[0])] = folders[1]
    os.environ.clear()
    os.environ.update(told["environment"])
    at_once = bool(told["environment"].get("PYTHONUNBUFFERED"))
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(open(number, "wb", -1 if number == 1 and not at_once else 0, closefd=False), encoding="utf-8",
                         errors=errors, line_buffering=number == 2, write_through=at_once)
        for number, errors in ((1, "strict"), (2, "backslashreplace")))
    return told["arguments"]


def _wait(path):
    """Returns, in a fork, the request that it has to run; the process that waits ends here."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(16)
        os.write(1, b"ready\n")
        look = select.poll()
        look.register(0)
        look.register(listener, select.POLLIN)
        forks, lines = {}, {}  # process and line by what tells of its end; process by its line, which ends with the command
        while True:
            for one, _ in look.poll():
                if one == 0:
                    for child, _ in forks.values():
                        os.kill(child, signal.SIGKILL)
                    os._exit(0)
                elif one == listener.fileno():
                    line, _ = listener.accept()
                    child = os.fork()
                    if child == 0:
                        return _start(line, [listener, *(other for _, other in forks.values())])
                    end = os.pidfd_open(child)
                    forks[end], lines[line.fileno()] = (child, line), child
                    look.register(end, select.POLLIN)
                    look.register(line, 0)
                elif one in forks:
                    child, line = forks.pop(one)
                    del lines[line.fileno()]
                    look.unregister(one)
                    with contextlib.suppress(KeyError):
                        look.unregister(line)
                    os.close(one)
                    with contextlib.suppress(BrokenPipeError):
                        line.sendall(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
                    line.close()
                elif one in lines:
                    os.kill(lines[one], signal.SIGKILL)
                    look.unregister(one)


def _run(arguments):
    """As Python does with these arguments."""
    import runpy
    import types
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    module.__builtins__ = __builtins__
    option = arguments[0]
    if option == "-c":
        sys.argv, sys.path[0] = ["-c", *arguments[2:]], ""
        exec(compile(arguments[1], "<string>", "exec"), module.__dict__)
    elif option == "-m":
        sys.argv, sys.path[0] = ["-m", *arguments[2:]], os.getcwd()
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv, sys.path[0] = list(arguments), os.path.dirname(os.path.abspath(option))
        runpy.run_path(option, run_name="__main__")


def _end(action):
    """As Python does after this, without taking modules apart."""
    import atexit
    import threading
    code = 0
    try:
        action()
    except SystemExit as ended:
        code = ended.code
        if not isinstance(code, (int, type(None))):
            print(code, file=sys.stderr)
            code = 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit((code or 0) & 0xFF)


if __name__ == "__main__":
    for name in sys.argv[2:]:
        importlib.import_module(name)
    arguments = _wait(sys.argv[1])
    _end(lambda: _run(arguments))
