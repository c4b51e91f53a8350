"""Python's side of a run without data: the recorder of the engine's library, and what LibTorch's "meta" lacks.

The library records what tensors on "meta" would allocate by the rules of a card or of this machine's CPU. Some of
PyTorch's Python decides by the name of the device; here it must decide as on the predicted one.
"""

import contextlib
import functools
import sys
import threading

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from . import _library

NAME = "libtensorscope_kernels.so"
# LibTorch's sentences where the numbers of a tensor decide the next step: item(), cpu(), a mask as an index.
DATA = ("has no number for item()", "out of meta tensor", "aten::nonzero", "aten::_unique", "aten::unique",
        "aten::masked_select", "aten::equal", "data-independent implementation")
# Where an operator may have a kernel that runs on meta.
ON_META = ("Meta", "CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
_KEPT = []  # what is registered for as long as the process lives


def asks_for_data(error):
    return any(words in error for words in DATA)


def load():
    return _library.load(NAME)


class _rules:
    card = False  # predictions are for one


def prepare(library, compute_capability, multiprocessors, place_of):
    """Returns a list that gets the places that called torch.compile, whose functions run as they are written."""
    _rules.card = compute_capability != 0
    library.rules(compute_capability, multiprocessors)
    library.meta()
    _only_what_is_missing()
    keep_parameters()
    _leave_large_parameters_unfilled()
    _meta_among("_get_fused_kernels_supported_devices")
    if compute_capability:
        _meta_among("_get_foreach_kernels_supported_devices")
    kind = functools.partial(_Autocast, library)
    torch.autocast = torch.amp.autocast = torch.amp.autocast_mode.autocast = kind
    return uncompiled(place_of)


def _only_what_is_missing():
    """Python's kernels for meta compute by many small operators what a device does in one. They stay where LibTorch
    and the library have none."""
    from torch import _meta_registrations as python
    from torch._decomp import global_decomposition_table as tables
    library = python._meta_lib_dont_use_me_use_register_meta
    names = {name.rsplit("/", 1)[0] for name in library._op_impls}
    library._destroy()
    kept = torch.library.Library("aten", "IMPL", "Meta")
    _KEPT.append(kept)
    for table in (tables["meta"], tables["post_autograd"], tables["pre_autograd"]):
        for op, function in table.items():
            name = op.name() if isinstance(op, torch._ops.OpOverload) else ""
            if name.replace("::", "/") not in names:
                continue
            names.discard(name.replace("::", "/"))
            runs = any(torch._C._dispatch_has_kernel_for_dispatch_key(name, key) for key in ON_META)
            if not runs:
                kept.impl(op, function)
    kept.impl("_grouped_mm", _grouped_mm)
    for kind in ("adam", "adamw", "sgd", "adagrad"):
        for overload in ("", ".tensor_lr"):
            name = f"_fused_{kind}_{overload}"
            if not torch._C._dispatch_has_kernel_for_dispatch_key("aten::" + name, "Meta"):
                kept.impl(name, _in_place)


def keep_parameters():
    """Module.to(device) keeps its parameters where both devices have numbers. Towards meta PyTorch makes new ones, one
    for each module: tied weights would come apart, and an optimizer that has the parameters would lose them."""
    plain = torch.nn.Module._apply
    inside = [False]

    @functools.wraps(plain)
    def apply(self, function, recurse=True):
        if inside[0]:
            return plain(self, function, recurse)
        places = {}
        for module in self.modules() if recurse else [self]:
            for name, parameter in module._parameters.items():
                if parameter is not None:
                    places.setdefault(parameter, []).append((module, name))
        made = {}

        def once(tensor):
            if id(tensor) not in made:
                made[id(tensor)] = (tensor, function(tensor))
            return made[id(tensor)][1]

        inside[0] = True
        try:
            plain(self, once, recurse)
        finally:
            inside[0] = False
        for before, modules in places.items():
            after = modules[0][0]._parameters[modules[0][1]]
            if after is not before:
                with contextlib.suppress(RuntimeError):  # something else holds the tensor
                    torch.utils.swap_tensors(before, after)
                    after = before
            for module, name in modules:
                module._parameters[name] = after
        return self

    torch.nn.Module._apply = apply


FILLS = ("uniform_", "normal_", "trunc_normal_", "constant_", "ones_", "zeros_", "xavier_uniform_", "xavier_normal_",
         "kaiming_uniform_", "kaiming_normal_", "orthogonal_")
# Blocks of this size come from the system as pages of zeros, which take no memory before they are written.
UNFILLED_BYTES = 64 << 20


def _leave_large_parameters_unfilled():
    """Modules that a file makes on the host and then moves would take the memory and the time of a real model there, for
    numbers that nobody reads. Small parameters, and all other tensors, get theirs."""
    def unless_large(fill):
        @functools.wraps(fill)
        def filled(tensor, *arguments, **named):
            if (isinstance(tensor, torch.nn.Parameter) and tensor.device.type == "cpu"
                    and tensor.nbytes >= UNFILLED_BYTES):
                return tensor
            return fill(tensor, *arguments, **named)
        return filled
    for name in FILLS:
        setattr(torch.nn.init, name, unless_large(getattr(torch.nn.init, name)))


def _grouped_mm(a, b, offs=None, bias=None, out_dtype=None):
    """The sizes of a product of groups, whose kernel for all devices reads where these end. On a card rows of the
    result begin at multiples of 16 bytes."""
    groups = (offs.shape[0],) if a.dim() == b.dim() == 2 else (a.shape[0],) if a.dim() == b.dim() == 3 else ()
    rows, columns = a.shape[-2], b.shape[-1]
    kind = out_dtype or a.dtype
    step = 16 // kind.itemsize if _rules.card else 1
    padded = -(-columns // step) * step
    strides = (rows * padded, padded, 1) if groups else (padded, 1)
    return torch.empty_strided((*groups, rows, columns), strides, dtype=kind, device=a.device)


def _in_place(*tensors, **settings):
    """A fused optimizer, which takes no memory, on the CPU or on a card."""


class _Kinds(list):
    """Names of devices, with meta for the one that is predicted."""

    def remove(self, kind):
        super().remove(kind)
        if kind == "cuda" and _rules.card:
            super().remove("meta")


def _meta_among(name):
    """Devices that optimizers have a form for: a card has the foreach one, which they take there unless they are told
    otherwise, and a card and the CPU have the fused one."""
    with contextlib.suppress(ImportError, AttributeError):
        import torch.optim
        from torch.utils import _foreach_utils
        kinds = getattr(_foreach_utils, name)
        for module in list(sys.modules.values()):
            if getattr(module, "__name__", "").startswith(("torch.optim", "torch.utils")) and hasattr(module, name):
                setattr(module, name, lambda: _Kinds([*kinds(), "meta"]))


def uncompiled(place_of):
    """torch.compile gives its function back. The places that call it."""
    places = {}

    def compile(model=None, **options):
        if model is None:  # @torch.compile(...)
            return functools.partial(compile, **options)
        places.setdefault(place_of(sys._getframe(1)))
        return model

    torch.compile = compile
    return places


class _Notes(TorchDispatchMode):
    """Notes the place of its thread once an operator there makes a tensor on meta, which the recorder does not see."""

    def __init__(self, place, places):
        super().__init__()
        self._place, self._places = place, places

    def __torch_dispatch__(self, function, types, inputs=(), named=None):
        made = function(*inputs, **(named or {}))
        if not self._places:
            tensors = torch.utils._pytree.tree_leaves(made)
            if any(isinstance(one, torch.Tensor) and one.is_meta for one in tensors):
                self._places.append(self._place)
        return made


def threads_with_tensors(place_of):
    """A list that gets the place which started a thread of the user's, once that thread makes tensors on meta."""
    places, start = [], threading.Thread.start

    def noting(self):
        run, place = self.run, place_of(sys._getframe(1))

        def noted():
            with _Notes(place, places):
                run()

        self.run = noted
        start(self)

    threading.Thread.start = noting
    return places


class _Autocast(contextlib.ContextDecorator):
    """torch.autocast for tensors on meta, whatever device it names."""

    depth = 0
    NUMBERS = {torch.bfloat16: 1, torch.float16: 2}

    def __init__(self, library, device_type, dtype=None, enabled=True, cache_enabled=None):
        self._library, self._enabled = library, enabled
        default = torch.float16 if device_type == "cuda" else torch.bfloat16
        self._number = self.NUMBERS.get(dtype or default, 0) if enabled else 0

    def __enter__(self):
        self._before = self._library.autocast(self._number)
        _Autocast.depth += 1
        return self

    def __exit__(self, *problem):
        _Autocast.depth -= 1
        self._library.autocast(self._before)
        if _Autocast.depth == 0:
            self._library.autocast(-1)
        return False
