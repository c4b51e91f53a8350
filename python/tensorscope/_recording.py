"""Passes the actions of a script to the recorder: modules, phases, steps, and who owns which memory.

Operators and allocations are seen by the library itself. Everything here uses hooks that PyTorch
offers, but for torch.autograd.backward, which is wrapped while a recording goes on. No error of
these hooks reaches the script: it is counted, and told at the end.
"""

import array
import ctypes
import functools
import operator
import os
import weakref
from threading import get_ident

import torch
from torch import _tensor_str
from torch._C import _functorch as functorch
from torch.nn.modules import module as nn_module
from torch.optim import optimizer as torch_optimizer

from . import _compile, _library, _notes, _own_place

# Numbers of base::Phase, memory::Category and run::Verdict.
FORWARD, LOSS, BACKWARD, OPTIMIZER, IDLE = 1, 2, 3, 4, 5
PHASES = {"forward": FORWARD, "loss": LOSS, "backward": BACKWARD, "optimizer": OPTIMIZER}
PARAMETER, OPTIMIZER_STATE, GRADIENT, INPUT = 0, 1, 2, 3
OK, OUT_OF_MEMORY, CANCELLED, FAILED = 0, 1, 2, 3
ASKED = 2  # of kernels::Gradient
PRINTED = "Tensor.__repr__"  # core/findings/seen_operators.cpp looks for it
_PLAIN = frozenset((torch.Tensor, torch.nn.Parameter))
_CALL = "_compiled_call_impl"  # PyTorch calls a module by it, where it is not None


def _not_compiled(module):
    """torch.compile finds this, as without a recording: a compiled module has operators alone."""
    return None


def _keep_compiled(module, call):
    vars(module)[_CALL] = call


def _forget_compiled(module):
    del vars(module)[_CALL]


def _inner(tensor):
    """The tensor with memory in one that torch.func wraps (vmap, grad)."""
    while functorch.is_functorch_wrapped_tensor(tensor):
        tensor = functorch.get_unwrapped(tensor)
    return tensor


class _Owners:
    """Addresses of tensors with names, for one call of the library."""

    def __init__(self, on_cuda=False):
        self.addresses, self.names = [], []
        self._on_cuda = on_cuda

    def add(self, tensor, name):
        # For every gradient in every step: the quickest questions.
        if type(tensor) not in _PLAIN:
            return
        try:
            if tensor.is_cuda if self._on_cuda else tensor.is_cpu:
                address = tensor.data_ptr()
                if not address:
                    return
                if offset := tensor.storage_offset():
                    address -= offset * tensor.element_size()
            elif tensor.is_meta:  # its storage stands for the block, see kernels/record/meta_recorder.h
                address = tensor.untyped_storage()._cdata + 1
            else:
                return
        except RuntimeError:  # it has no storage: sparse, or wrapped
            inner = _inner(tensor)
            if inner is not tensor:
                self.add(inner, name)
            return
        self.addresses.append(address)
        self.names.append(name)

    def tell(self, library, category):
        count = len(self.addresses)
        if count:
            addresses, names = array.array("Q", self.addresses), array.array("I", self.names)
            library.owners(addresses.buffer_info()[0], names.buffer_info()[0], count, category)


class Recording:
    """One recording of this process, from start() to finish(), on the thread that starts it.
    `steps`: those that are recorded, first and the one after the last; the others are counted.
    `live`: the open window shows it as it grows. `path`: where it will be written; what is recorded
    so far lies beside it. `on_cuda`: the memory of a GPU is recorded instead of the CPU's. `library`:
    that of a run without data (_meta.py)."""

    def __init__(self, script, memory_limit=0, steps=(0, -1), live=False, path="", on_cuda=False, library=None):
        self._library = library or _library.load()
        self._path, self._on_cuda = path, on_cuda
        self._script, self._limit, self._steps, self._live = script, memory_limit, steps, live
        self._thread = get_ident()
        self._phase = None
        self._open = []  # ids of the modules that run in this thread
        self._in_optimizer = False  # in its step(), which may call a closure with a forward and a backward
        self._own_steps = False  # the script says where its steps end
        self._just_ended = False  # an optimizer ended a step, and nothing ran since
        self._modules = {}       # id -> (weak reference, name)
        self._parameters = {}    # id -> (weak reference, name)
        self._listed = None      # the parameters as _own_gradients hands them to the library; None: not up to date
        self._with_gradient = set()  # ids of parameters
        self._updated = set()        # ids of those that an optimizer has
        self._of_optimizers = {}     # id of an optimizer -> ids of its parameters
        self._states = {}            # id of an optimizer -> weak references to the tensors of its state
        self._roots = {}         # name of a class -> [(weak reference, prefix)] of modules called from outside
        self._unprefixed = False  # a root has it whose parts have no prefix
        self._watched = None      # (weak reference, version) of a parameter when the last backward ended
        self._steps_ended = 0
        self._graphs, self._parts = _notes.KeptGraphs(), _notes.Parts()
        self._handles = []
        self.failed_hooks, self.first_failure = 0, ""  # calls of ours that raised, and the first one's error
        self.steps_of_others = 0  # steps of optimizers in other threads
        self.profiled = False     # torch.profiler ran at once

    def start(self):
        problem = self._library.start(self._script.encode(), self._limit,
                                      "\n".join(_own_place.foreign_folders()).encode(), *self._steps, self._live,
                                      os.fsencode(os.path.abspath(self._path) if self._path else ""), self._on_cuda)
        if problem:
            raise _library.Unavailable(problem.decode())
        _compile.leave_alone()
        self._backward = torch.autograd.backward
        torch.autograd.backward = self._wrapped_backward()
        self._text = _tensor_str._str
        _tensor_str._str = self._wrapped_text()
        self._call = vars(nn_module.Module)[_CALL]
        setattr(nn_module.Module, _CALL, self._module_calls())
        self._handles = [
            torch_optimizer.register_optimizer_step_pre_hook(self._before_optimizer),
            torch_optimizer.register_optimizer_step_post_hook(self._after_optimizer)]
        os.register_at_fork(after_in_child=self._abandon)
        if self._on_cuda:
            torch.cuda._lazy_call(self._cuda_started)  # at once where it has started

    def _cuda_started(self):
        # It stays in the list of what CUDA's start calls, also when this recording has ended.
        if self._handles:
            self._safely(self._library.cuda)

    def live_problem(self):
        """Why no window shows it; "" if one does, or if that was not asked for."""
        problem = self._library.live()
        return problem.decode() if problem else ""

    def finish(self, path, verdict=OK, error="", place=""):
        """Writes the file. (steps, those recorded, peak bytes, bytes of the file, lost records,
        those that only the window lost, the step at whose end the window was gone or -1)"""
        self._leave()
        self._safely(self._end_unseen_step)
        self._library.kept_graphs(self._graphs.most)
        self._safely(self._tell_parts)
        numbers = (ctypes.c_int64 * 7)()
        problem = self._library.finish(os.fsencode(path), verdict, error.encode(), place.encode(),
                                       numbers)
        if problem:
            raise _library.Unavailable(problem.decode())
        return tuple(numbers)

    def _tell_parts(self):
        for part, inside, gradients in self._parts.found():
            self._library.idle_part(part.encode(), "\n".join(inside).encode(), gradients)

    def _safely(self, action, *arguments):
        """Does it; the script never sees that it could not be done."""
        try:
            action(*arguments)
        except Exception as problem:
            self._fail(problem)

    def _fail(self, problem):
        if not self.failed_hooks:
            self.first_failure = f"{type(problem).__name__}: {problem}".partition("\n")[0]
        self.failed_hooks += 1

    def remarks(self):
        """The gaps of the recording, and the files beside it; after finish()."""
        found = self._library.remarks().decode().splitlines()
        if self.profiled and self._on_cuda:
            found.append("torch.profiler ran at once, and CUPTI serves one of the two: kernels may be missing from then on")
        return found

    def parameter_counts(self):
        """Numbers of the parameters that were seen, and of those that get a gradient."""
        alive = [one for one in (reference() for reference, _ in self._parameters.values()) if one is not None]
        return {"parameters": sum(one.numel() for one in alive),
                "trained": sum(one.numel() for one in alive if one.requires_grad)}

    def phase(self, phase, graph_kept=None):
        """Ends the phase that is open and begins another."""
        if get_ident() != self._thread:
            return
        self._phase, self._just_ended = phase, False
        self._library.phase(phase, torch.is_grad_enabled() if graph_kept is None else graph_kept)

    def step(self):
        """A step ends here, if optimizer.step() has not just ended it. From now on no other place ends one."""
        if get_ident() == self._thread:
            self._own_steps = True
            if not self._just_ended:
                self._end_step()
            self._just_ended = False

    def _leave(self):
        for handle in self._handles:
            handle.remove()
        if self._handles:
            torch.autograd.backward = self._backward
            _tensor_str._str = self._text
            setattr(nn_module.Module, _CALL, self._call)
        self._handles = []

    def _abandon(self):
        if self._handles:  # else the recording had ended before the fork
            self._leave()
            self._library.abandon()

    def _end_step(self):
        self._phase, self._watched = IDLE, None
        self._library.step()
        self._safely(self._look_at_step)

    def _look_at_step(self):
        self._steps_ended += 1
        self.profiled = self.profiled or torch.autograd._profiler_enabled()
        self._graphs.end_step(self._steps_ended - 1)
        # Seldom, because every part is looked at: after step 2, 4, 8, ...
        if self._updated and self._steps_ended > 1 and not self._steps_ended & (self._steps_ended - 1):
            self._parts.end_step(lambda one: id(one) in self._with_gradient, lambda one: id(one) in self._updated)

    # Modules. The path of a part is that of its module in the first one that is called from outside
    # any other, "layers.0.attn"; a module called so has its class as its name, with a number where another
    # one that is alive has it: "Linear#2".

    def _name(self, module):
        known = self._modules.get(id(module))
        if known is not None and known[0]() is module:
            return known[1]
        if get_ident() == self._thread and not self._open:
            self._name_parts(module)
        else:
            self._remember(module, type(module).__name__)
        return self._modules[id(module)][1]

    def _remember(self, module, path):
        self._modules[id(module)] = weakref.ref(module), self._library.name(path.encode())

    def _name_parts(self, root):
        parts = _notes.named_modules(root)
        own, prefix = self._root_name(root, len({path for path, _ in parts}) > 1)
        for path, module in parts:
            self._remember(module, prefix + path if path else own)
        owners = _Owners(self._on_cuda)
        for path, parameter in _notes.named_parameters(parts):
            parameter = _inner(parameter)
            if not parameter.is_leaf:  # computed, for torch.func.functional_call
                continue
            name = self._library.name((prefix + path).encode())
            self._parameters[id(parameter)] = weakref.ref(parameter), name
            self._listed = None
            owners.add(parameter, name)
        owners.tell(self._library, PARAMETER)
        self._parts.add(root, own, prefix)

    def _root_name(self, root, has_parts):
        """Its name, and what stands before those of its parts. One that is gone leaves both to the next of its class."""
        own = _notes.class_of(root)
        known = self._roots.setdefault(own, [])
        number = next((at for at, (reference, _) in enumerate(known) if reference() is None), len(known))
        name = f"{own}#{number + 1}" if number else own
        if number == len(known):
            known.append((None, "" if has_parts and not self._unprefixed else f"{name}."))
            self._unprefixed |= has_parts
        known[number] = weakref.ref(root), known[number][1]
        return name, known[number][1]

    def _module_calls(self):
        """Stands for Module._compiled_call_impl; the library calls the module, see kernels/record/module_calls.h."""
        find = self._library.module_calls(self._modules, self._open, self._parts.frozen, self._before_module,
                                          self._after_module)
        return type("ModuleCalls", (property,), {"__get__": find})(_not_compiled, _keep_compiled, _forget_compiled)

    def _before_module(self, module, inputs):
        own = get_ident() == self._thread
        try:
            name = self._name(module)
            if own:
                self._parts.before(module, inputs)
                if not self._open and not (self._in_optimizer and isinstance(module, torch.fx.GraphModule)):
                    self._begin_forward(inputs)  # else: what torch.compile made of the optimizer
        except Exception as problem:
            self._fail(problem)
            name = self._known_name(module)
        if own:
            self._open.append(id(module))
        self._library.enter(name)

    def _known_name(self, module):
        """0 of a module that could not be looked at, or that ran before the recording began."""
        known = self._modules.get(id(module))
        return known[1] if known is not None else 0

    def _after_module(self, module):
        if get_ident() != self._thread:
            self._library.leave(self._known_name(module))
            return
        # One side alone is called where torch.compile runs a part of a call as it stands.
        if id(module) not in self._open:
            return
        while self._open.pop() != id(module):
            pass
        self._library.leave(self._known_name(module))
        if not self._open and self._phase == FORWARD and not torch.is_grad_enabled():
            self.phase(IDLE, False)

    def _begin_forward(self, inputs):
        if self._phase in (FORWARD, BACKWARD):  # a second model; a checkpoint runs again
            return
        self._end_unseen_step()
        self.phase(FORWARD)
        owners = _Owners(self._on_cuda)
        for tensor in inputs:
            if type(tensor) in _PLAIN and tensor.grad_fn is None:
                owners.add(tensor, 0)
        owners.tell(self._library, INPUT)

    # Backward and optimizer.

    def _wrapped_backward(self):
        @functools.wraps(self._backward)
        def backward(*arguments, **named):
            if torch.compiler.is_dynamo_compiling() or get_ident() != self._thread or self._phase == BACKWARD:
                return self._backward(*arguments, **named)
            tensors = arguments[0] if arguments else named.get("tensors", ())
            self._safely(self._before_backward, tensors)
            self.phase(BACKWARD, False)
            try:
                return self._backward(*arguments, **named)
            finally:
                self._safely(self._own_gradients)
                self.phase(OPTIMIZER if self._in_optimizer else IDLE, False)
        return backward

    def _wrapped_text(self):
        """print() of a tensor calls this: the numbers that it reads are kept apart from others."""
        @functools.wraps(self._text)
        def text(*arguments, **named):
            with torch.autograd.profiler.record_function(PRINTED):
                return self._text(*arguments, **named)
        return text

    def _before_backward(self, tensors):
        self._end_unseen_step()
        if isinstance(tensors, torch.Tensor):
            tensors = (tensors,)
        if not isinstance(tensors, (list, tuple)):  # others can be read only once
            return
        self._graphs.mark(tensors, self._steps_ended)
        if not self._parameters:  # torch.compile has all modules
            self._add_parameters(_notes.parameters_of(tensors))

    def _end_unseen_step(self):
        """Ends a step whose optimizer torch.compile has, or which has none: a parameter changed after the backward."""
        if self._watched is None or self._own_steps:
            return
        reference, version = self._watched
        parameter = reference()
        if parameter is not None and parameter._version != version:
            self._end_step()

    def _own_gradients(self):
        # In every step: the library looks at all of them in one call.
        if self._listed is None:
            self._listed = _Listed(self._parameters.values())
        listed = self._listed
        alive = [reference() for reference in listed.references]
        addresses = array.array("Q", [0 if one is None else one._cdata for one in alive])
        count = len(alive)
        self._library.gradients(addresses.buffer_info()[0], listed.names.buffer_info()[0], count, self._on_cuda,
                                listed.found.buffer_info()[0])
        found = listed.found.tobytes()
        if found != listed.before:
            listed.before = found
            self._with_gradient.update(id(one) for one, state in zip(alive, found) if state)
        if ASKED in found:
            owners = _Owners(self._on_cuda)
            for one, state, name in zip(alive, found, listed.names):
                if state == ASKED:
                    owners.add(one.grad, name)
            owners.tell(self._library, GRADIENT)
        if not self._updated and (some := len(found.rstrip(b"\0"))):
            last = alive[some - 1]
            self._watched = weakref.ref(last), last._version

    def _before_optimizer(self, optimizer, arguments, named):
        if torch.compiler.is_dynamo_compiling() and _compile.leaves_out(optimizer) or get_ident() != self._thread:
            return
        self._safely(self._own_parameters, optimizer)
        self._in_optimizer, self._watched = True, None
        self.phase(OPTIMIZER, False)

    def _own_parameters(self, optimizer):
        parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        ids = list(map(id, parameters))
        if self._of_optimizers.get(id(optimizer)) != ids:
            self._of_optimizers[id(optimizer)] = ids
            self._updated.update(ids)
            self._add_parameters(parameters)

    def _add_parameters(self, parameters):
        owners = _Owners(self._on_cuda)
        for parameter in parameters:
            if id(parameter) not in self._parameters:
                self._parameters[id(parameter)] = weakref.ref(parameter), 0
                self._listed = None
                owners.add(parameter, 0)
        owners.tell(self._library, PARAMETER)

    def _after_optimizer(self, optimizer, arguments, named):
        if torch.compiler.is_dynamo_compiling() and _compile.leaves_out(optimizer):
            return
        if get_ident() != self._thread:
            self.steps_of_others += 1
            return
        self._in_optimizer = False
        self._safely(self._own_state, optimizer)
        if self._own_steps:
            self.phase(IDLE, False)
        else:
            self._end_step()
            self._just_ended = True

    def _own_state(self, optimizer):
        # Most stay where they are from one step to the next. Before the first recorded step nobody listens.
        states = optimizer.state
        values = [one for state in states.values() if isinstance(state, dict) for one in state.values()
                  if type(one) in _PLAIN]
        told = self._states.get(id(optimizer), ()) if self._steps_ended > self._steps[0] + 1 else ()
        if len(told) == len(values) and all(map(operator.is_, [reference() for reference in told], values)):
            return
        owners, known = _Owners(self._on_cuda), {id(one): one for one in (reference() for reference in told)}
        for parameter, state in states.items():
            for one in state.values() if isinstance(state, dict) else ():
                if type(one) in _PLAIN and known.get(id(one)) is not one:
                    owners.add(one, self._parameters.get(id(parameter), (None, 0))[1])
        self._states[id(optimizer)] = list(map(weakref.ref, values))
        owners.tell(self._library, OPTIMIZER_STATE)


class _Listed:
    """The parameters side by side, for one call of the library."""

    def __init__(self, parameters):
        self.references = [reference for reference, _ in parameters]
        self.names = array.array("I", [name for _, name in parameters])
        self.found = array.array("B", bytes(len(self.names)))  # numbers of kernels::Gradient
        self.before = b""  # those of the last step
