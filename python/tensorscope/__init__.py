"""Records what a PyTorch script does, for Tensorscope's window.

    python -m tensorscope record train.py           an unchanged script
    with tensorscope.record("train.recording"):     a part of one
        ...
    tensorscope.watch()                             all that a script does from this line on
    tensorscope.step()                              where a step ends, if optimizer.step() is not it
    with tensorscope.phase("loss"):                 forward, loss, backward, optimizer, or any name

In a notebook: %load_ext tensorscope, then %%tensorscope at the head of a cell.

What is written holds names, sizes and times: no tensor's numbers, no environment, no source but
names of files, functions and lines.
"""

import contextlib
import os
import signal
import sys
import traceback

from ._library import Unavailable

__all__ = ["Unavailable", "phase", "record", "step", "watch"]


class Ended(SystemExit):
    """A signal ended the script, at a place such as "train.py:12"."""

    def __init__(self, number, place):
        super().__init__(128 + number)
        self.number, self.place = number, place


_current = None  # the recording that goes on


def _ending(problem):
    """How the script ended: verdict, the error's class, where."""
    from . import _recording as r
    if problem is None or isinstance(problem, SystemExit) and not problem.code:
        return r.OK, "", ""
    if isinstance(problem, KeyboardInterrupt):
        return r.CANCELLED, "", ""
    if isinstance(problem, Ended):
        return r.FAILED, signal.Signals(problem.number).name, problem.place
    import torch
    frames = traceback.extract_tb(problem.__traceback__)
    place = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    refused = isinstance(problem, torch.OutOfMemoryError)
    return r.OUT_OF_MEMORY if refused else r.FAILED, type(problem).__name__, place


def _say(library, path, numbers, first):
    steps, recorded, peak, size, lost, lost_live, window_gone = numbers
    part = "" if recorded == steps else f", {recorded} of them recorded"
    words = (f"tensorscope: {steps} steps{part}, at most {library.bytes(peak).decode()} of tensors, "
             f"in {path} ({library.bytes(size).decode()})")
    if first and steps <= first:
        words += f"; step {first} never began"
    if lost:
        words += f"; it was full or too slow for {lost} records"
    if lost_live:
        words += f"; the window was too slow for {lost_live} more, which the file has"
    print(words, file=sys.stderr)
    if window_gone >= 0:
        whole = "" if lost else "; the file is whole"
        print(f"tensorscope: the window stopped showing it at step {window_gone}{whole}", file=sys.stderr)


def _say_unseen(recording):
    """The parts of the script that could not be looked at."""
    for remark in recording.remarks():
        print(f"tensorscope: {remark}", file=sys.stderr)
    if recording.failed_hooks:
        print(f"tensorscope: {recording.failed_hooks} calls of modules, backward or optimizers could not be looked at, the "
              f"first because of {recording.first_failure}; names and owners of memory may be missing", file=sys.stderr)
    if recording.steps_of_others:
        print(f"tensorscope: {recording.steps_of_others} more steps of optimizers ran in other threads; steps and phases "
              "are those of the thread that began the recording", file=sys.stderr)


def _say_findings(path):
    """The findings of the program in the recording, a line each."""
    from . import _program
    for line in _program.findings(path):
        print(f"tensorscope: {line}", file=sys.stderr)


def _checked_steps(steps):
    """First, and the one after the last or -1."""
    first, end = steps or (0, None)
    if first < 0 or end is not None and end <= first:
        raise ValueError(f"steps {first}:{'' if end is None else end} are none: count from 0, up to a larger number")
    return first, -1 if end is None else end


DEVICES = ("auto", "cpu", "cuda")


def _on_cuda(device):
    """Whether the memory of a GPU is recorded; does not start CUDA."""
    if device not in DEVICES:
        raise ValueError(f"{device!r} is no device: name one of {', '.join(DEVICES)}")
    import torch
    there = torch.version.cuda is not None and torch.cuda.device_count() > 0  # not one of AMD
    return device == "cuda" or device == "auto" and there


@contextlib.contextmanager
def record(path, memory_limit=0, script=None, steps=None, live=False, device="auto"):
    """Records what this thread runs, and what other threads allocate, until the end of the block.
    The file is written also when an exception leaves it. `memory_limit`: bytes of tensors that may
    live at once from now on, 0 for no limit; what is beyond raises torch.OutOfMemoryError.
    `steps`: (A, B) records the steps from A up to B, which is None for all; the others are counted.
    `live`: Tensorscope's open window shows it as it grows; without one only the file is written.
    `device`: whose memory is recorded, "cpu" or "cuda"; "auto" is the GPU where there is one.
    A process that is killed leaves PATH.part, which opens like the file."""
    global _current
    from . import _library
    _library.load()  # before what imports parts of torch that another version may lack
    from . import _recording
    name = os.path.basename(script or sys.argv[0] or "script")
    first, end = _checked_steps(steps)
    recording = _recording.Recording(name, memory_limit, (first, end), live, path, _on_cuda(device))
    recording.start()
    if why_not := recording.live_problem():
        print(f"tensorscope: {why_not}", file=sys.stderr)
    _current = recording
    owner, problem = os.getpid(), None
    try:
        yield recording
    except BaseException as raised:
        problem = raised
        raise
    finally:
        _current = None
        if os.getpid() == owner:  # not in a forked process
            try:
                _say(_library.load(), path, recording.finish(path, *_ending(problem)), first)
                _say_unseen(recording)
                _say_findings(path)
            except Unavailable as not_written:
                if problem is None:
                    raise
                print(f"tensorscope: {not_written}", file=sys.stderr)


def watch(path=None, memory_limit=0, device="auto"):
    """Records from here to the end of the process, also if an error ends it, into `path` or
    SCRIPT.recording; gives the path. Nothing where a recording goes on already, as under
    `python -m tensorscope record`: then it gives None. What a number of sys.exit() means is not
    known here: such a script counts as one that ended well. After os._exit or kill -9 there is PATH.part,
    with what was recorded up to the last tenth of a second."""
    if _current is not None:
        return None
    from . import _watch
    return _watch.start(record, path, memory_limit, device)


def step():
    """A step of the training ends here. Nothing without a recording."""
    if _current is not None:
        _current.step()


@contextlib.contextmanager
def phase(name):
    """A phase of the step (forward, loss, backward, optimizer), or a range of any other name."""
    import torch
    from . import _recording
    number = _recording.PHASES.get(name)
    if _current is None or number is None:
        with torch.profiler.record_function(name):
            yield
        return
    _current.phase(number)
    try:
        yield
    finally:
        if _current is not None:
            _current.phase(_recording.IDLE, False)


def load_ipython_extension(shell):
    """%load_ext tensorscope: see _notebook.py."""
    from . import _notebook
    _notebook.load(shell)
