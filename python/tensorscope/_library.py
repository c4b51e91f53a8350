"""libtensorscope_recorder.so in this process, by ctypes."""

import ctypes
import functools
import os
import pathlib

VERSION = 10
NAME = "libtensorscope_recorder.so"
# The minors of torch that libraries and engines are built for. A wheel has a folder for each (2.15/); a built tree has
# one library, for the first.
TORCH = ("2.11", "2.15")


class Unavailable(RuntimeError):
    """Why nothing can be recorded here or written there, in one sentence."""


def _folders():
    """Where the library may be: where the variable says, in the package (a wheel), in a built tree."""
    if chosen := os.environ.get("TENSORSCOPE_ENGINE_DIR"):
        return [pathlib.Path(chosen)]
    package = pathlib.Path(__file__).resolve().parent
    return [package, package.parents[1] / "build" / "release"]


def minor_of(version):
    """"2.15" of "2.15.0+cu132"."""
    return ".".join(version.split(".")[:2])


def minors_in(folder):
    """The minors that FOLDER has a folder for."""
    return [minor for minor in TORCH if (folder / minor / NAME).is_file()]


def in_words(minors, word="and"):
    return f" {word} ".join(minors)


def built_for():
    """The minors that there are libraries for; all, where there is no library at all."""
    for folder in _folders():
        if minors := minors_in(folder):
            return minors
        if (folder / NAME).is_file():
            return list(TORCH[:1])
    return list(TORCH)


def _file(name, minor):
    """The library for that minor; None where there is none."""
    for folder in _folders():
        places = [folder / minor / name, *([folder / name] if minor == TORCH[0] else [])]
        if found := next((place for place in places if place.is_file()), None):
            return found
    return None


def _function(library, name, result, *arguments):
    function = getattr(library, "tensorscope_record_" + name)
    function.restype, function.argtypes = result, arguments
    return function


class Library:
    """The functions of kernels/record/record_api.cpp. Those of every module call keep the
    interpreter's lock; the others let go of it, because they wait for a thread."""

    def __init__(self, path):
        text, number, word = ctypes.c_char_p, ctypes.c_int64, ctypes.c_uint32
        count = ctypes.c_int32
        numbers = ctypes.POINTER(number)
        quick, slow = ctypes.PyDLL(str(path)), ctypes.CDLL(str(path))
        version = _function(slow, "version", ctypes.c_int)()
        if version != VERSION:
            raise Unavailable(f"{path} is of another version ({version}, not {VERSION})")
        self.start = _function(slow, "start", text, text, number, text, count, count,
                               ctypes.c_int, text, ctypes.c_int)
        self.cuda = _function(slow, "cuda", None)
        self.remarks = _function(slow, "remarks", text)
        self.live = _function(slow, "live", text)
        self.finish = _function(slow, "finish", text, text, ctypes.c_int, text, text, numbers)
        self.abandon = _function(quick, "abandon", None)
        self.name = _function(quick, "name", word, text)
        self.enter = _function(quick, "enter", None, word)
        self.leave = _function(quick, "leave", None, word)
        # A function of Python; see kernels/record/module_calls.h.
        thing = ctypes.py_object
        self.module_calls = _function(quick, "module_calls", thing, thing, thing, thing, thing, thing)
        self.phase = _function(quick, "phase", None, ctypes.c_int, ctypes.c_int)
        self.step = _function(quick, "step", None)
        self.owners = _function(quick, "owners", None, ctypes.c_void_p, ctypes.c_void_p, number, ctypes.c_int)
        self.gradients = _function(quick, "gradients", None, ctypes.c_void_p, ctypes.c_void_p, number, ctypes.c_int,
                                   ctypes.c_void_p)
        self.idle_part = _function(quick, "idle_part", None, text, text, ctypes.c_int)
        self.kept_graphs = _function(quick, "kept_graphs", None, number)
        self.bytes = _function(slow, "bytes", text, number)
        if path.name != NAME:  # that of runs without data (_meta.py)
            self.meta = _function(quick, "meta", None)
            self.apart = _function(quick, "apart", number)
            self.unknown = _function(quick, "unknown", text)
            self.rules = _function(quick, "rules", None, count, count)
            self.autocast = _function(quick, "autocast", count, count)


def check_torch():
    """The minor of this Python's torch; Unavailable where it is none that the libraries are built for."""
    built = built_for()
    try:
        import torch
    except ModuleNotFoundError:
        raise Unavailable(f"torch {in_words(built, 'or')} is not installed in this Python") from None
    minor = minor_of(torch.__version__)
    if minor not in built:
        raise Unavailable(f"the recorder is built for torch {in_words(built)}, here is {torch.__version__}")
    return minor


@functools.cache
def load(name=NAME):
    """The library; Unavailable where there is none that fits this process."""
    path = _file(name, check_torch())
    if path is None:
        raise Unavailable(f"there is no {name} in " + " or ".join(map(str, _folders())))
    try:
        return Library(path)
    except OSError as problem:
        raise Unavailable(f"{path} cannot be loaded: {problem}") from None
