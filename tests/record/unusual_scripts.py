"""unusual_scripts.py: a script that runs alone runs recorded, whatever its tensors and modules are.

Each script is run alone and recorded: both print the same, and the recorder says nothing but what it recorded.
Without torch 2.11 in this Python the test is skipped (exit code 77).
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from references import skip_without_torch  # noqa: E402

BEGIN = """
import copy, warnings
import torch
from torch import nn
from torch.func import functional_call, grad, hessian, stack_module_state, vmap
torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 4))
x = torch.ones(3, 4)
"""
GRADIENTS_OF_EACH = """
def loss(parameters, row):
    return functional_call(model, parameters, (row[None],)).square().mean()
made = vmap(grad(loss), in_dims=(None, 0))(dict(model.named_parameters()), x)
print({name: one.sum() for name, one in made.items()})
"""
HESSIAN = "print(hessian(lambda row: model(row).square().sum())(x[0]))"
ENSEMBLE = """
models = [nn.Linear(4, 2) for _ in range(3)]
base = copy.deepcopy(models[0]).to("meta")
parameters, buffers = stack_module_state(models)
print(vmap(lambda p, b: functional_call(base, (p, b), (x,)))(parameters, buffers))
"""
# Weights that a step computes: no warning may come of asking for their gradients.
INNER_STEP = """
warnings.simplefilter("error")
weights = dict(model.named_parameters())
inner = torch.autograd.grad(model(x).sum(), weights.values(), create_graph=True)
weights = {name: one - 0.1 * change for (name, one), change in zip(weights.items(), inner)}
functional_call(copy.deepcopy(model), weights, (x,)).sum().backward()
print(model[0].weight.grad)
"""
NOT_HASHED = """
class Odd(nn.Linear):
    __hash__ = None
    def __eq__(self, other):
        raise RuntimeError("never compared")
print(nn.Sequential(Odd(4, 4), Odd(4, 4))(x).sum())
"""
NESTED = """
rows = torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 4)], layout=torch.jagged)
print(model(rows).values().sum())
rows = torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 4)])
print(nn.Linear(4, 4)(rows).size(0))
"""
OWN_TENSORS = """
class Wrapped(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
    def __init__(self, inner):
        self.inner = inner
    @classmethod
    def __torch_dispatch__(cls, op, types, arguments=(), named=None):
        print(op)
        plain = [one.inner if isinstance(one, Wrapped) else one for one in arguments]
        return cls(op(*plain, **(named or {})))
print(nn.ReLU()(Wrapped(x)).inner)
"""
READ_ONCE = """
losses = [model(x).sum(), model(x).square().sum()]
torch.autograd.backward(iter(losses))
print(model[0].weight.grad)
"""
FAKE = """
from torch._subclasses.fake_tensor import FakeTensorMode
with FakeTensorMode():
    made = nn.Linear(3, 3)
    made(torch.ones(2, 3)).sum().backward()
print(made.weight.grad.shape)
"""
# An error of the recorder's own: what it asks of a module breaks.
BROKEN = """
import sys
if "tensorscope" in sys.modules:
    from tensorscope import _notes
    def broken(root):
        raise LookupError("no modules today")
    _notes.named_modules = broken
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
print(model(x))
"""
THREADS = """
import threading
def train():
    mine = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(mine.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        mine(x).sum().backward()
        optimizer.step()
threads = [threading.Thread(target=train) for _ in range(2)]
for one in threads: one.start()
for one in threads: one.join()
"""
# A graph of its own for every part, or one for the whole; its optimizer may be compiled, too.
COMPILED = """
import logging
logging.disable(logging.WARNING)  # they have the time
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
    def forward(self, x):
        {between}
        return x + self.inner(x).tanh()
model = nn.Sequential(Block(), Block())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
{hook}
if {whole_module}:
    model.compile(backend="eager", fullgraph={whole})
    compiled = model
else:
    compiled = torch.compile(model, backend="eager", fullgraph={whole})
step = torch.compile(optimizer.step, backend="eager") if {optimizer} else optimizer.step
losses = []
for _ in range(5):
    optimizer.zero_grad()
    loss = compiled(x).square().mean()
    loss.backward()
    step()
    losses.append(loss.detach())
print(losses)
from torch._dynamo.utils import counters
print(counters["stats"]["unique_graphs"])
"""
# Other ways to run a module, or to look at its members.
SEEN_BY_OTHERS = """
import logging, pickle
logging.disable(logging.WARNING)  # they have the time
class Block(nn.Module):
    def forward(self, x):
        return x.sin()
    def __getstate__(self):
        return dict(vars(self))
ours = nn.Sequential(Block(), nn.Linear(4, 4))
for other in (torch.jit.script(ours), torch.jit.trace(ours, x), torch.fx.symbolic_trace(ours), copy.deepcopy(ours),
              pickle.loads(pickle.dumps(ours))):
    print(other(x).sum(), list(vars(ours[1])))
ours[1].compile(backend="eager")
print(ours(x).sum(), "_compiled_call_impl" in vars(ours[1]))
ours[1]._compiled_call_impl = None
print(ours(x).sum())
del ours[1]._compiled_call_impl
print(ours(x).sum(), "_compiled_call_impl" in vars(ours[1]), nn.Module._compiled_call_impl)
try:
    ours(x[0, :3])
except RuntimeError as problem:
    print(problem)
"""
# No hook sees these steps.
BY_HAND = """
for _ in range(5):
    model.zero_grad()
    model(x).square().mean().backward()
    with torch.no_grad():
        for one in model.parameters():
            one -= 0.1 * one.grad
print(model(x))
"""
# Modules end inside an operator, or not at all.
LEFT_OPEN = """
class Stop(BaseException):
    pass
class Stopping(nn.Module):
    def forward(self, x):
        raise Stop
inner = nn.Sequential(nn.Tanh(), Stopping())
@torch.library.custom_op("unusual::run", mutates_args=())
def run(x: torch.Tensor) -> torch.Tensor:
    return inner(x)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    try:
        run(x)
    except Stop:
        print("stopped")
    model(x).sum().backward()
    optimizer.step()
"""
# A module where one of another class was that is gone.
ONE_AFTER_ANOTHER = """
class First(nn.Module):
    def forward(self, x):
        return x.cos()
class Second(nn.Module):
    def forward(self, x):
        return x.sin()
class Around(nn.Module):
    def forward(self, x):
        gone = set()
        for _ in range(1000):
            first = First()
            x = first(x)
            gone.add(id(first))
            del first
            second = Second()
            x = second(x)
            if id(second) in gone:
                print("at the same place")
                return x
            del second
Around()(torch.zeros(4))
"""


class Unusual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ready = ReadyPython(environment=environment())
        cls.addClassCleanup(cls.ready.end)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script, self.out = (pathlib.Path(folder.name) / name for name in ("one.py", "one.recording"))

    def recorded(self, text):
        """The lines that the recorder adds to what the script says by itself."""
        self.script.write_text(BEGIN + text, encoding="utf-8")
        alone = subprocess.run([self.ready.python, self.script], env=environment(), capture_output=True, text=True,
                               timeout=300, check=False)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        ended = record(self.script, self.out, python=self.ready.python)
        self.assertEqual((ended.returncode, ended.stdout), (0, alone.stdout), ended.stderr)
        self.said = ended.stdout
        self.assertTrue(ended.stderr.startswith(alone.stderr), ended.stderr)
        return ended.stderr[len(alone.stderr):].splitlines()

    def test_they_run_as_they_do_alone(self):
        scripts = (GRADIENTS_OF_EACH, HESSIAN, ENSEMBLE, INNER_STEP, NOT_HASHED, NESTED, OWN_TENSORS, READ_ONCE, FAKE)
        # One after the other in one process, which says where it is.
        said = self.recorded(f"""
for text in {scripts!r}:
    print(text, flush=True)
    model.zero_grad()
    with warnings.catch_warnings():
        exec(text, dict(globals()))
""")
        self.assertEqual(len(said), 1, said)

    def test_weights_in_a_transform_are_parameters(self):
        self.recorded(GRADIENTS_OF_EACH)
        owners = {(one.category, one.module) for one in Recording(self.out).memory if one.action == OWNER}
        self.assertLessEqual({("parameter", f"{part}.{name}") for part in (0, 2) for name in ("weight", "bias")}, owners)

    def test_an_error_of_the_recorder(self):
        said = self.recorded(BROKEN)
        # The step in which a hook fails may not be known as one.
        self.assertRegex(said[0], "[34] steps, ")
        told = [line for line in said if "could not be looked at" in line]
        self.assertEqual(len(told), 1, said)
        self.assertIn("LookupError: no modules today", told[0])

    def test_steps_of_other_threads(self):
        said = self.recorded(THREADS)
        self.assertIn("0 steps", said[0])
        self.assertIn("10 more steps of optimizers ran in other threads", said[1])

    def depths(self):
        """The largest of every recorded step, one that ended for each of its threads."""
        found = Recording(self.out)
        steps = sorted((one for one in found.slices if one.name.startswith("step ")), key=lambda one: one.begin)
        return [max(one.depth for one in found.slices if step.begin <= one.begin and one.end <= step.end)
                for step in steps]

    def test_modules_at_the_place_of_others(self):
        self.recorded(ONE_AFTER_ANOTHER)
        self.assertIn("at the same place", self.said)
        modules = {(one.name, one.module.split(" ")[0]) for one in Recording(self.out).slices
                   if one.name in ("aten::cos", "aten::sin")}
        self.assertEqual(modules, {("aten::cos", "First"), ("aten::sin", "Second")})

    def test_what_else_runs_modules(self):
        said = self.recorded(SEEN_BY_OTHERS)
        self.assertEqual(len(said), 1, said)

    def test_compiled_models(self):
        # torch.compile traces the call of a module that has a hook of its own.
        hook = "model[0].inner.register_forward_hook(lambda module, inputs, output: output * 2)"
        for between, whole, optimizer, whole_module in (
                ("pass", True, False, False), ("print('between')", False, False, False), ("pass", False, True, False),
                ("pass", True, False, True), ("print('between')", False, False, True)):
            text = COMPILED.format(between=between, whole=whole, optimizer=optimizer, whole_module=whole_module,
                                   hook="pass" if optimizer else hook)
            said = self.recorded(text)
            self.assertEqual(len(said), 1, said)
            self.assertIn("5 steps", said[0])
            self.assertEqual(len(set(self.depths()[1:])), 1, self.depths())
            modules = {one.name for one in Recording(self.out).slices}
            self.assertIn("Sequential", modules)
            self.assertFalse(modules & {"<lambda>", "OptimizedModule"}, modules)
            owners = {one.module for one in Recording(self.out).memory if (one.action, one.category) == (OWNER, "parameter")}
            self.assertLessEqual({"0.inner.weight", "1.inner.bias"}, owners)

    def test_steps_that_no_optimizer_ends(self):
        said = self.recorded(BY_HAND)
        self.assertIn("5 steps", said[0])

    def test_modules_that_never_end(self):
        said = self.recorded(LEFT_OPEN)
        self.assertEqual(len(said), 1, said)
        self.assertEqual(len(set(self.depths())), 1, self.depths())


if __name__ == "__main__":
    skip_without_torch()
    from ready_python import ReadyPython  # noqa: E402
    from recording import OWNER, Recording, environment, record  # noqa: E402
    unittest.main(argv=sys.argv[:1], verbosity=1)
