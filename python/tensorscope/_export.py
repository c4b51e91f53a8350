"""The module that a file's step calls first, written by torch.export.

The step runs on "meta", where the weights need no memory, up to that call; its arguments are the example. Sizes that
equal B or T are left open as far as the module's code allows it. Checkpoints of Python's are left out, and told: what
torch.export would write of the older form has no gradients, and of the other one nothing.
"""

import contextlib
import inspect
import io
import os
import sys

import torch
import torch.utils.checkpoint

from . import _meta
from ._own_file import Wrong, built, calling, load_function, place_in, values_for

# Sizes that nothing else in a model is likely to have, where the request names none.
SIZES = {"B": "11", "T": "53"}


class _Called(BaseException):
    """Ends the step. Not an Exception, so that user code does not catch it."""

    def __init__(self, module, inputs, named):
        super().__init__()
        self.module, self.inputs, self.named = module, inputs, named


def _first_call(step):
    def stop(module, *inputs, **named):
        raise _Called(module, inputs, named)

    def run():
        try:
            step()
        except _Called as called:
            return called
        raise Wrong("no_module")

    before = torch.nn.Module.__call__
    torch.nn.Module.__call__ = stop
    try:
        return calling(run)
    finally:
        torch.nn.Module.__call__ = before


@contextlib.contextmanager
def _without_checkpoints():
    """Checkpointed functions run as any other; what is yielded gets the places that asked for it, in their order."""
    module, places = torch.utils.checkpoint, {}

    def noted():
        places.setdefault(place_in(sys._getframe(2)))

    class Plain:
        @staticmethod
        def apply(function, preserve, *inputs):
            noted()
            return function(*inputs)

    def around(*_, **__):
        noted()
        yield

    theirs = {"CheckpointFunction": Plain, "_checkpoint_without_reentrant_generator": around}
    before = {name: getattr(module, name) for name in theirs if hasattr(module, name)}
    for name in before:
        setattr(module, name, theirs[name])
    try:
        yield places
    finally:
        for name, kept in before.items():
            setattr(module, name, kept)


def _open_sizes(value, sizes):
    """Which dimensions are left open: those of the sizes B and T."""
    if isinstance(value, torch.Tensor):
        return {at: torch.export.Dim.AUTO for at, size in enumerate(value.shape) if size in sizes}
    if isinstance(value, (list, tuple)):
        return type(value)(_open_sizes(one, sizes) for one in value)
    if isinstance(value, dict):
        return {name: _open_sizes(one, sizes) for name, one in value.items()}
    return None


def _reason(problem):
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return f"{type(problem).__name__}: {lines[0]}" if lines else type(problem).__name__


def _exported(called, sizes):
    module = called.module
    bound = inspect.signature(module.forward).bind(*called.inputs, **called.named)
    open_sizes = {}
    for name, value in bound.arguments.items():
        open_sizes[name] = _open_sizes(value, sizes)
    try:
        return torch.export.export(module, called.inputs, called.named, dynamic_shapes=open_sizes), ""
    except Exception as first:
        try:
            return torch.export.export(module, called.inputs, called.named), _reason(first)
        except Exception as problem:
            raise Wrong("not_exported", module=type(module).__name__, reason=_reason(problem)) from None


def export(request):
    torch.manual_seed(0)
    function = load_function(request)
    names = inspect.signature(function).parameters
    settings = {**{name: size for name, size in SIZES.items() if name in names}, **request["settings"]}
    called = None
    _meta.keep_parameters()
    _meta.uncompiled(place_in)  # the module itself is exported, not a wrapper of it
    with _without_checkpoints() as checkpoints:
        for device in ("meta", "cpu"):
            try:
                called = _first_call(built(function, settings, torch.device(device)))
                break
            except Wrong as wrong:
                if device == "cpu" or wrong.kind != "raised":
                    raise
        values, _ = values_for(function, settings)
        sizes = {values[name] for name in SIZES if isinstance(values.get(name), int)}
        program, why_fixed = _exported(called, sizes - {1})
    out = os.path.realpath(request["out"])  # a link stays
    part = out + f".{os.getpid()}.pt2"
    try:
        whole = io.BytesIO()  # a file that could not be written to gives no reason there
        torch.export.save(program, whole)
        with open(part, "wb") as file:
            file.write(whole.getbuffer())
        os.replace(part, out)
    except OSError as problem:
        raise Wrong("file", file=request["out"], reason=problem.strerror or str(problem)) from None
    finally:
        if os.path.exists(part):
            os.remove(part)
    inputs = ", ".join(f"{spec.arg.name} {_shape(program, spec.arg.name)}" for spec in program.graph_signature.input_specs
                       if spec.kind.name == "USER_INPUT" and hasattr(spec.arg, "name"))
    about = f"{type(called.module).__name__}: {inputs}"
    return {"about": about + (f"; all sizes are fixed, because {why_fixed}" if why_fixed else ""),
            "checkpoints": list(checkpoints)}


def _shape(program, name):
    for node in program.graph.nodes:
        if node.name == name and hasattr(node.meta.get("val"), "shape"):
            return "[" + ", ".join("open" if not isinstance(size, int) else str(size)
                                   for size in node.meta["val"].shape) + "]"
    return "?"
