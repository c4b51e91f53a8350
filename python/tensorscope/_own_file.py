"""A file with `def build(B, T, device, ...): return step`, for the program: its arguments, a run, a prediction.
The config.json of a model of transformers is such a file, too (_config.py).

A request is a JSON file, and so is its answer (_own_serve.py takes it, app/own_file/ reads it). Whatever the user's
code does, the answer is one sentence with file, line and the last frames; a process that writes none was killed. The
request: what (describe, record, time, predict, export), file, function, settings (name to text), steps,
compute_capability (0: the rules of this machine's CPU), multiprocessors, out, answer, log; of time: sides (the settings
of each) and the numbers of core/run/protocol.h.
"""

import contextlib
import enum
import fractions
import functools
import hashlib
import importlib.util
import inspect
import json
import math
import os
import re
import signal
import statistics
import sys
import time
import traceback
import types
import typing

from . import Unavailable, _library, _own_place

MOST_FRAMES = 5
MOST_LINES = 2**16  # characters of faulthandler's
SIZES = {"B": 4, "T": 64}  # where the file gives no default
COUNTS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}  # of a number


class Wrong(Exception):
    """Why the file cannot be used: the name of a sentence and what stands in it."""

    def __init__(self, kind, **words):
        super().__init__(kind)
        self.kind, self.words, self.frames = kind, words, []


def main(word=None):
    """`own serve` answers questions; `own` alone says which Python and torch these are."""
    if word == "serve":
        from . import _own_serve
        return _own_serve.serve()
    from ._program import torch_here
    print(f"Python {sys.version.split()[0]}, torch {torch_here()[1] or 'none'}")
    return 0


def answer(path):
    """Answers one request. 0 if it could be done."""
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    before = set(sys.modules)
    try:
        minor = _library.check_torch()
        told = {"ok": True, "torch_minor": minor, **ACTIONS[request["what"]](request)}
    except Wrong as wrong:
        told = {"ok": False, "kind": wrong.kind, "words": wrong.words, "frames": wrong.frames}
    except Unavailable as why_not:
        told = {"ok": False, "kind": "unavailable", "words": {"reason": str(why_not)}, "frames": []}
    told["files"], told["modules"] = _loaded(before, request["file"])
    _write(request, told)
    return 0 if told["ok"] else 1


def answer_end(request, number, lines):
    """The answer for a process that a signal ended, from the lines that faulthandler wrote; none without lines."""
    with open(lines, encoding="utf-8", errors="replace") as file:
        found = re.findall(r'^  File "(.*)", line (\d+) in (.*)$', file.read(MOST_LINES), re.MULTILINE)
    frames = [traceback.FrameSummary(path, int(line), name, lookup_line=False) for path, line, name in reversed(found)]
    told = _told_frames(frames, _foreign())
    if told:
        words = {"signal": signal.Signals(number).name, "file": os.path.basename(request["file"])}
        _write(request, {"ok": False, "kind": "killed_at", "words": words, "frames": told, "files": {}, "modules": []})


def _write(request, told):
    with open(request["answer"] + ".part", "w", encoding="utf-8") as file:
        json.dump(told, file)
    os.replace(request["answer"] + ".part", request["answer"])


# The user's code: everything that runs it goes through calling().

def _foreign():
    return tuple(_own_place.foreign_folders())


def _is_own(path, foreign):
    return os.path.isabs(path) and not path.startswith(foreign)


def _told_frames(frames, foreign):
    """Those of the user's own files, the innermost last; of other packages than torch where there are none."""
    import torch
    never = (os.path.dirname(torch.__file__), os.path.dirname(__file__), "<")
    shown = ([one for one in frames if _is_own(one.filename, foreign)]
             or [one for one in frames if not one.filename.startswith(never)])
    return [f"{os.path.basename(one.filename)}:{one.lineno} in {one.name}" for one in shown[-MOST_FRAMES:]]


def _frames(problem, foreign):
    return _told_frames(traceback.extract_tb(problem.__traceback__), foreign)


def place_in(frame):
    """The user's line that leads to a frame: "model.py:7 in attend"."""
    frames = _told_frames(traceback.extract_stack(frame), _foreign())
    return frames[-1] if frames else "?"


def _first_line(problem):
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return lines[0] if lines else ""


def calling(action, place="?"):
    """The action's result; Wrong with its place if an error or sys.exit() leaves it. `place`: where no frame is."""
    try:
        return action()
    except (Wrong, Unavailable):
        raise
    except SyntaxError as problem:  # the file itself, or an import of theirs
        place = f"{os.path.basename(problem.filename or '?')}:{problem.lineno}"
        raise Wrong("syntax", place=place, reason=problem.msg) from None
    except BaseException as problem:
        frames = _frames(problem, _foreign())
        place = frames[-1].split(" in ")[0] if frames else place
        if isinstance(problem, SystemExit):
            wrong = Wrong("exit", place=place, code=str(problem.code))
        elif isinstance(problem, KeyboardInterrupt):
            wrong = Wrong("interrupted", place=place)
        else:
            name, words = type(problem).__name__, _first_line(problem)
            wrong = Wrong("raised", place=place, error=f"{name}: {words}" if words else name)
        wrong.frames = frames
        raise wrong from None


def load_function(request):
    path = os.path.realpath(request["file"])
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as problem:
        raise Wrong("file", file=request["file"], reason=problem.strerror or str(problem)) from None
    if path.endswith(".json"):
        from . import _config
        return calling(lambda: _config.build_of(path), os.path.basename(path))
    calling(lambda: compile(source, path, "exec"))
    sys.path.insert(0, os.path.dirname(path))
    sys.argv = [path]
    stem = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(stem, module)
    calling(lambda: spec.loader.exec_module(module))
    function = getattr(module, request["function"], None)
    if function is None:
        raise Wrong("no_build", file=os.path.basename(path), function=request["function"])
    if not callable(function):
        raise Wrong("not_callable", file=os.path.basename(path), function=request["function"],
                    type=type(function).__name__)
    return function


def _hash_into(own, path):
    with contextlib.suppress(OSError), open(path, "rb") as file:
        own[path] = hashlib.sha256(file.read()).hexdigest()


def _loaded(before, asked):
    """(path -> SHA-256 of the user's own files, names of the packages' modules) that were loaded since; and of the
    file that was asked about, and of the one with torch's version: another one may answer otherwise."""
    own, modules = {}, []
    _hash_into(own, os.path.realpath(asked))
    if "torch" not in sys.modules:
        return own, modules
    foreign = _foreign()
    for name in set(sys.modules) - before:
        path = getattr(sys.modules[name], "__file__", None)
        if not isinstance(path, str):
            continue
        if path.startswith(foreign):
            modules.append(name)
            continue
        path = os.path.realpath(path)
        if not path.endswith(".py") or path.startswith(foreign):
            continue
        _hash_into(own, path)
    _hash_into(own, os.path.realpath(sys.modules["torch"].version.__file__))
    return own, sorted(modules)


# Arguments.

def _written(function):
    """The function as it is written, without what functools put around it; of a class and of an object, the one that
    a call runs."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif inspect.isclass(function):
            return function.__init__
        else:
            return function if inspect.isroutine(function) else type(function).__call__


def _place_of(function):
    return _place_of_code(getattr(_written(function), "__code__", None))


def _place_of_code(code):
    return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}" if code else "?"


def _can_be(default, annotation):
    """Whether a control of this type can have the default."""
    if typing.get_origin(annotation) is typing.Literal:
        return default in typing.get_args(annotation)
    if annotation is float:
        return type(default) in (int, float) and math.isfinite(default)
    if annotation is int:
        return type(default) is int
    return isinstance(default, annotation)


def _described(name, annotation, default, place):
    """One argument, as a control of the window: kind, default, and its range or choices. Wrong where it can have none.
    """
    low = high = None
    step = 1
    if typing.get_origin(annotation) is typing.Annotated:
        annotation, *extra = typing.get_args(annotation)
        for one in extra:
            if isinstance(one, range) and len(one):
                low, high, step = min(one[0], one[-1]), max(one[0], one[-1]), abs(one.step)
    if annotation is inspect.Parameter.empty:
        if default is None or default is inspect.Parameter.empty:
            raise Wrong("no_annotation", argument=name, place=place)
        annotation = type(default)
    given = default is not inspect.Parameter.empty
    wrong = Wrong("annotation", argument=name, place=place,
                  annotation=getattr(annotation, "__name__", None) or str(annotation))
    literal = typing.get_origin(annotation) is typing.Literal
    is_enum = inspect.isclass(annotation) and issubclass(annotation, enum.Enum)
    if not (literal or is_enum or annotation in (bool, int, float, str)):
        raise wrong
    if given and not _can_be(default, annotation):
        raise wrong
    if literal:
        choices = [str(one) for one in typing.get_args(annotation)]
        if len(set(choices)) < len(choices):
            raise wrong
        return {"kind": "choice", "choices": choices, "default": str(default) if given else choices[0]}
    if is_enum:
        choices = [one.name for one in annotation]
        return {"kind": "choice", "choices": choices, "default": default.name if given else choices[0]}
    if annotation is bool:
        return {"kind": "bool", "default": str(bool(default) if given else False).lower()}
    if annotation in (int, float):
        value = default if given else SIZES.get(name, 1)
        if not given and low is not None:
            value = low + (min(max(value, low), high) - low) // step * step
        made = {"kind": annotation.__name__, "default": str(value)}
        if low is None:
            return made
        made.update(low=str(low), high=str(high))
        return {**made, "step": str(step)} if step > 1 and annotation is int else made
    return {"kind": "text", "default": default if given else ""}


def _hints(function, place):
    return calling(lambda: typing.get_type_hints(_written(function), include_extras=True), place)


def arguments_of(function):
    """(arguments of the function that are settings, in order; whether others are taken, too). One with a default that
    can have no control stays at it."""
    place = _place_of(function)
    signature = calling(lambda: inspect.signature(function), place)
    hints = _hints(function, place)
    described, others = [], False
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            others = True
        elif parameter.kind is parameter.VAR_POSITIONAL or name == "device":
            continue
        elif _is_dtype(parameter):
            names = list(_dtypes())
            if parameter.default is parameter.empty:
                described.append({"name": name, "kind": "choice", "choices": names, "default": names[0]})
            elif default := [one for one, dtype in _dtypes().items() if dtype == parameter.default]:
                described.append({"name": name, "kind": "choice", "choices": names, "default": default[0]})
        else:
            annotation = hints.get(name, parameter.annotation)
            if annotation is inspect.Parameter.empty and name in SIZES:
                annotation = int
            try:
                described.append({"name": name, **_described(name, annotation, parameter.default, place)})
            except Wrong:
                if parameter.default is parameter.empty:
                    raise
    return described, others


def _is_dtype(parameter):
    """Whether it takes a torch.dtype, as an argument dtype does whose default is nothing else."""
    import torch
    return parameter.name == "dtype" and (parameter.default is parameter.empty
                                          or isinstance(parameter.default, torch.dtype))


def _dtypes():
    import torch
    return {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def _whole(text):
    """As the program reads the numbers of its own settings: 2048, 2k, 1.5M, 2Ki."""
    found = re.fullmatch(r"\s*(-?(?:\d+\.?\d*|\.\d+))\s*([kKMG]?i?)\s*", text, re.ASCII)
    if not found or found[2] not in COUNTS:
        raise ValueError(text)
    number = fractions.Fraction(found[1]) * COUNTS[found[2]]
    if number.denominator != 1:
        raise ValueError(text)
    return int(number)


def _real(text):
    number = float(text)
    if not math.isfinite(number) or "_" in text:
        raise ValueError(text)
    return number


def _in_range(number, argument):
    """The number; Wrong where the file declares a range that it is not in."""
    low, high, step = argument.get("low"), argument.get("high"), argument.get("step")
    if low is not None and not float(low) <= number <= float(high):
        raise Wrong("value_range", argument=argument["name"], value=str(number), low=low, high=high)
    if step is not None and (number - int(low)) % int(step):
        raise Wrong("value_step", argument=argument["name"], value=str(number), low=low, high=high, step=step)
    return number


def _value(text, argument, annotation, parameter):
    """The setting as the function wants it."""
    kind, name, default = argument["kind"], argument["name"], parameter.default
    try:
        if _is_dtype(parameter):
            return _dtypes()[text]
        if kind in ("int", "float"):
            return _in_range((_whole if kind == "int" else _real)(text), argument)
        if kind == "bool":
            return {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}[text.lower()]
        if kind == "text":
            return text
        if isinstance(default, enum.Enum):
            return type(default)[text]
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            return annotation[text]
        literals = {str(one): one for one in typing.get_args(annotation)}
        return literals[text]
    except (KeyError, ValueError):
        raise Wrong("value_" + ("choice" if argument.get("choices") else kind), argument=name, value=text,
                    choices=", ".join(argument.get("choices", ()))) from None


def _free_value(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text.lower(), text)


def values_for(function, settings):
    """Every setting as the function wants it."""
    described, others = arguments_of(function)
    known = {one["name"]: one for one in described}
    signature = inspect.signature(function)
    for name in settings:
        if name == "device" or name not in signature.parameters and not others:
            raise Wrong("unknown", argument=name, known=", ".join(known))
        if name in signature.parameters and name not in known:
            raise Wrong("no_control", argument=name, place=_place_of(function))
    hints = typing.get_type_hints(_written(function))
    values = {}
    for name, argument in known.items():
        parameter = signature.parameters[name]
        if name in settings:
            values[name] = _value(settings[name], argument, hints.get(name), parameter)
        elif parameter.default is inspect.Parameter.empty:
            values[name] = _value(argument["default"], argument, hints.get(name), parameter)
    values.update((name, _free_value(text)) for name, text in settings.items() if name not in known)
    return values, signature


def built(function, settings, device):
    """The step that build() returns."""
    values, signature = values_for(function, settings)
    if "device" in signature.parameters:
        values["device"] = device
    first = [values.pop(name, one.default) for name, one in signature.parameters.items()
             if one.kind is one.POSITIONAL_ONLY]
    step = calling(lambda: function(*first, **values))
    if not callable(step):
        raise Wrong("no_step", function=_written(function).__name__, type=type(step).__name__,
                    place=_place_of(function))
    return lambda: _run(step)


def _run(step):
    """Calls it. Wrong where that has only made something that could run."""
    made = step()
    code = {types.GeneratorType: "gi_code", types.CoroutineType: "cr_code",
            types.AsyncGeneratorType: "ag_code"}.get(type(made))
    if code is None:
        return
    if isinstance(made, types.CoroutineType):
        made.close()  # Python would say that nobody waited for it
    raise Wrong("not_run", type=type(made).__name__, place=_place_of_code(getattr(made, code)))


# Actions.

def describe(request):
    import torch
    function = load_function(request)
    described, others = arguments_of(function)
    text = (inspect.getdoc(function) or "").strip().split("\n")[0]
    return {"arguments": described, "others": others, "about": text, "torch": torch.__version__}


def _record(request, device, library=None):
    """Set-up and steps of the file, recorded. What is told besides the recording."""
    import torch

    import tensorscope

    from . import _recording
    torch.manual_seed(0)
    recording = _recording.Recording(os.path.basename(request["file"]), library=library)
    recording.start()
    tensorscope._current = recording
    verdict, error, place = _recording.OK, "", ""
    try:
        step = built(load_function(request), request["settings"], device)
        recording.step()  # what came before is set-up
        for _ in range(request["steps"]):
            calling(step)
            recording.step()
        counts = recording.parameter_counts()
        step = None
    except Wrong as wrong:
        verdict, place = _recording.FAILED, wrong.words.get("place", "")
        error = wrong.words.get("error", wrong.kind).split(":")[0]
        raise
    finally:
        tensorscope._current = None
        numbers = recording.finish(request["out"], verdict, error, place)
    return {"steps": numbers[0], "peak_bytes": numbers[2], "lost": numbers[4], **counts}


def record(request):
    import torch
    compiled = {}
    if request.get("uncompiled"):  # for a prediction
        from . import _meta
        compiled = _meta.uncompiled(place_in)
    told = _record(request, torch.device("cpu"))
    return {"device": "cpu", "compiled": list(compiled), **told}


def _timed(step):
    begin = time.perf_counter_ns()
    calling(step)
    return time.perf_counter_ns() - begin


def _warmed_up(step, protocol):
    """(times of the steps until they settle, whether they did)."""
    times, begin = [], time.perf_counter()
    while True:
        times.append(_timed(step))
        spent = time.perf_counter() - begin
        if len(times) >= 10 and spent >= protocol["min_warmup_s"]:
            before, last = statistics.median(times[-10:-5]), statistics.median(times[-5:])
            if abs(last - before) <= 0.02 * before:
                return times, True
        if spent >= protocol["max_warmup_s"]:
            return times, False


def time_sides(request):
    """The times of plain steps, ns, of one or two settings on the CPU; two by turns: A B B A, which a drift of the
    machine cannot favour."""
    import torch
    function, protocol, steps = load_function(request), request["protocol"], []
    for settings in request["sides"]:
        torch.manual_seed(0)
        steps.append(built(function, settings, torch.device("cpu")))
    warm = [_warmed_up(step, protocol) for step in steps]
    timed, begin = [[] for _ in steps], time.perf_counter()
    while True:
        for side in (0, 1, 1, 0) if len(steps) == 2 else (0,):
            timed[side].append(_timed(steps[side]))
        count, spent = len(timed[0]), time.perf_counter() - begin
        if count >= protocol["max_samples"] or spent >= protocol["hard_budget_s"]:
            break
        if count >= protocol["min_samples"] and spent >= protocol["budget_s"]:
            break
    return {"device": "cpu", "sides": [{"warmup": times, "settled": settled, "timed": side}
                                       for (times, settled), side in zip(warm, timed)]}


def predict(request):
    """The blocks of a run without data. Where that cannot be done: why not, as an error of its own."""
    import torch

    from . import _meta
    library = _meta.load()
    compiled = _meta.prepare(library, request["compute_capability"], request["multiprocessors"], place_in)
    threads = _meta.threads_with_tensors(place_in)
    try:
        told = _record(request, torch.device("meta"), library)
        operator, _, place = library.unknown().decode().partition("\n")
        if operator:
            place = place.removeprefix("@ ")  # it has no module
            unknown = Wrong("not_on_meta", place=place or "?", error=f"the blocks of {operator} are not known")
            unknown.frames = [place] if place else []
            raise unknown
        if threads:
            unseen = Wrong("not_on_meta", place=threads[0], error="a thread of its own makes tensors")
            unseen.frames = threads[:1]
            raise unseen
        return {"device": "meta", "apart_bytes": library.apart(), "compiled": list(compiled), **told}
    except Wrong as wrong:
        if wrong.kind != "raised":
            raise
        data = _meta.asks_for_data(wrong.words["error"])
        told = Wrong("needs_data" if data else "not_on_meta", **wrong.words)
        told.frames = wrong.frames
        raise told from None


def export(request):
    from . import _export
    return _export.export(request)


ACTIONS = {"describe": describe, "record": record, "time": time_sides, "predict": predict, "export": export}
