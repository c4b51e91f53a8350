"""python -m tensorscope record [--out FILE] [--steps A:B] [--live] [--memory-limit SIZE] [--device D] SCRIPT ARGS...,
and all commands of the program"""

import argparse
import os
import re
import signal
import sys
import traceback
import types

from . import DEVICES, Ended, Unavailable, _own_place, _program, record

MOST_STEPS = 10**9
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def size(text):
    """Bytes of "2GiB"."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    if not found or found[2].upper() not in UNITS or not float(found[1]):
        raise argparse.ArgumentTypeError(f"{text!r} is no size such as 2GiB")
    return int(float(found[1]) * UNITS[found[2].upper()])


def steps_of(text):
    """(A, B) of "A:B", "A:" and ":B"."""
    found = re.fullmatch(r"(\d*):(\d*)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} are no steps such as 10:20")
    first, end = int(found[1] or 0), int(found[2]) if found[2] else None
    if max(first, end or 0) > MOST_STEPS:
        raise argparse.ArgumentTypeError(f"steps are counted up to {MOST_STEPS}")
    if end is not None and end <= first:
        raise argparse.ArgumentTypeError(f"no step is from {first} up to {end}: the last one does not count")
    return first, end


def parse(arguments):
    parser = argparse.ArgumentParser(prog="python -m tensorscope")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("record", help="record an unchanged script")
    one.add_argument("--out", metavar="FILE", help="the recording; SCRIPT.recording without it")
    one.add_argument("--steps", metavar="A:B", type=steps_of,
                     help="record step A (they count from 0) up to, not including, step B; count the others")
    one.add_argument("--live", action="store_true", help="show it in the open window as it grows")
    one.add_argument("--memory-limit", metavar="SIZE", type=size, default=0,
                     help="bytes of tensors that may live at once, such as 2GiB")
    one.add_argument("--device", choices=DEVICES, default="auto",
                     help="whose memory is recorded; auto is the GPU where there is one")
    one.add_argument("script", metavar="SCRIPT")
    one.add_argument("args", metavar="ARGS", nargs=argparse.REMAINDER)
    return parser.parse_args(arguments)


def main_module(path):
    """A module in which the script runs as it would alone."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=path, __builtins__=__builtins__, __spec__=None)
    sys.modules["__main__"] = module
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    return module


def end_at(number, frame):
    raise Ended(number, _own_place.own_place(frame))


def end_children_as_ever():
    """Forked processes, such as workers, are none that are recorded: SIGTERM ends them at once, whatever they wait for."""
    if signal.getsignal(signal.SIGTERM) is end_at:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def run(options):
    """The exit code of the script."""
    try:
        with open(options.script, "rb") as file:
            code = compile(file.read(), options.script, "exec")
    except (OSError, SyntaxError, ValueError) as problem:
        print(f"tensorscope: {options.script} cannot be run: {problem}", file=sys.stderr)
        return 2
    name = os.path.splitext(os.path.basename(options.script))[0]
    out = os.path.abspath(options.out or name + ".recording")
    if not os.path.isdir(os.path.dirname(out)):
        print(f"tensorscope: there is no folder {os.path.dirname(out)}", file=sys.stderr)
        return 2
    if os.path.exists(out) and os.path.samefile(out, options.script):
        print(f"tensorscope: {options.script} would be overwritten: name another file with --out", file=sys.stderr)
        return 2
    sys.argv = [options.script, *options.args]
    module = main_module(options.script)
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end_at)
        os.register_at_fork(after_in_child=end_children_as_ever)
    try:
        with record(out, options.memory_limit, options.script, options.steps, options.live, options.device):
            exec(code, module.__dict__)
    except Unavailable as problem:
        print(f"tensorscope: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Exception as problem:
        code = shown(problem)
        if wants_gpu(problem):
            print(NO_GPU, file=sys.stderr)
        return code
    return 0


NO_GPU = ("tensorscope: the script asks for a GPU and PyTorch finds none here: record it with device \"cpu\", or let it "
          "define build(B, T, device) and ask `tensorscope predict --model FILE.py --gpu NAME` for its memory on a card")


def wants_gpu(problem):
    """Whether it is PyTorch's error where there is no card."""
    cuda = sys.modules.get("torch.cuda")
    frames = traceback.extract_tb(problem.__traceback__)
    return bool(cuda and frames) and frames[-1].filename == cuda.__file__ and not cuda.is_available()


def shown(problem):
    """Prints an error of the script, without the frames around it."""
    frames = problem.__traceback__
    while frames is not None and os.path.dirname(frames.tb_frame.f_code.co_filename) == os.path.dirname(__file__):
        frames = frames.tb_next
    traceback.print_exception(type(problem), problem, frames or problem.__traceback__)
    return 1


def main():
    """`tensorscope COMMAND`: record and own are ours, all else the program's."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["record"]:
        return run(parse(arguments))
    if arguments[:1] == ["own"]:  # the program's own question
        from . import _own_file
        return _own_file.main(*arguments[1:])
    return _program.start(arguments)


if __name__ == "__main__":
    sys.exit(main())
