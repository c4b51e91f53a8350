"""Keeps the recorder out of what torch.compile makes: with a recording a script compiles the graphs that it compiles
without one. Our own code is not compiled."""

import functools
import types

import torch


def _codes(code):
    """A code object and those in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


@functools.cache
def leave_alone():
    """torch.compile runs the functions of what is imported here as they stand."""
    from . import _library, _notes, _recording
    dynamo = torch._C._dynamo.eval_frame
    if not hasattr(dynamo, "set_code_exec_strategy"):
        return
    skip = dynamo._FrameExecStrategy(dynamo._FrameAction.SKIP, dynamo._FrameAction.DEFAULT)
    for module in (_library, _notes, _recording):
        names = [vars(module)] + [vars(one) for one in vars(module).values() if isinstance(one, type)]
        for value in (one for scope in names for one in scope.values()):
            if isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
                for code in _codes(value.__code__):
                    dynamo.set_code_exec_strategy(code, skip)


def leaves_out(optimizer):
    """Traced by torch.compile: whether the step of this optimizer stays one graph, in which our hooks do nothing.
    PyTorch's own leave the graph at the begin of a step by themselves."""
    if not type(optimizer).__module__.startswith("torch.optim."):
        return True
    torch._dynamo.graph_break()
    return False
