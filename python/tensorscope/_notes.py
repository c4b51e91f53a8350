"""Notes of a script's recorder for the findings: graphs that stay alive, parts that no optimizer changes.

Numbers and names only; core/run/update.h says what they mean.
"""

import weakref

import torch

# Marks that live at once. A script that keeps so many graphs has been found out.
MOST_MARKS = 256
# Nodes that are walked to find out what an input comes from.
MOST_NODES = 20_000
# Scaling, dividing and averaging stand between what backward() is called on and the loss.
NODES_OF_LOSS = 4
# The result of torch.compile for a module has that module by this name.
COMPILED = "_orig_mod"


class _Mark:
    """Lies in a node of autograd's and dies with it."""

    __slots__ = ("__weakref__",)


class KeptGraphs:
    """How many earlier steps' losses still have their graph, at most at the end of a step."""

    def __init__(self):
        self._marks = []  # (weak reference, step)
        self.most = 0

    def mark(self, tensors, step):
        """Before backward() of these tensors."""
        for tensor in tensors:
            node = tensor.grad_fn if isinstance(tensor, torch.Tensor) else None
            for _ in range(NODES_OF_LOSS):
                if node is None or hasattr(node, "variable") or len(self._marks) >= MOST_MARKS:
                    break
                mark = node.metadata.setdefault("tensorscope", _Mark())
                self._marks.append((weakref.ref(mark), step))
                inner = [one for one, _ in node.next_functions if one is not None]
                node = inner[0] if len(inner) == 1 else None

    def end_step(self, step):
        self._marks = [one for one in self._marks if one[0]() is not None]
        earlier = {number for _, number in self._marks if number < step}
        if earlier - {step - 1}:  # the last step's loss alone may still have a name
            self.most = max(self.most, len(earlier))


def _leaves(tensors):
    """The tensors to which a backward through one of these adds gradients; None where the search takes too long."""
    nodes = [tensor.grad_fn for tensor in tensors if isinstance(tensor, torch.Tensor) and tensor.grad_fn is not None]
    seen = set(nodes)
    while nodes:
        node = nodes.pop()
        if len(seen) > MOST_NODES:
            yield None
            return
        if (leaf := getattr(node, "variable", None)) is not None:
            yield leaf
        inner = [one for one, _ in node.next_functions if one is not None and one not in seen]
        seen.update(inner)
        nodes += inner


def leads_to_parameter(tensors):
    """Whether a backward through one of the tensors reaches a parameter; True where that takes too long."""
    return any(leaf is None or isinstance(leaf, torch.nn.Parameter) for leaf in (*tensors, *_leaves(tensors)))


def parameters_of(tensors):
    """The parameters that a backward through the tensors reaches; a part of them where that takes too long."""
    return [leaf for leaf in _leaves(tensors) if isinstance(leaf, torch.nn.Parameter)]


def class_of(module):
    """The name of its class; of a module that torch.compile gave, that of the one in it."""
    inner = dict(module._modules.items()).get(COMPILED)  # that of torch.jit is no dict
    return type(module if inner is None else inner).__name__


def named_modules(root):
    """[(path, module)] of a module and all in it, each once. As Module.named_modules(), but modules of a script may
    be neither hashed nor compared, and what is in one that torch.compile gave has the path that it has uncompiled."""
    found, seen, waiting = [], set(), [("", root)]
    while waiting:
        path, module = waiting.pop()
        if module is None or id(module) in seen:
            continue
        seen.add(id(module))
        found.append((path, module))
        inner = list(module._modules.items())
        waiting += [(path if name == COMPILED else f"{path}.{name}" if path else name, one)
                    for name, one in reversed(inner)]
    return found


def named_parameters(modules):
    """[(path, parameter)] of such modules, each once."""
    found, seen = [], set()
    for path, module in modules:
        for name, parameter in module._parameters.items():
            if parameter is not None and id(parameter) not in seen:
                seen.add(id(parameter))
                found.append((f"{path}.{name}" if path else name, parameter))
    return found


def largest_parts(root, belongs):
    """{path: module} of those that have parameters, all of which `belongs` says yes to, and are in no other such."""
    found = {}
    for path, module in named_modules(root):
        parameters = [one for _, one in named_parameters(named_modules(module))]
        if parameters and all(map(belongs, parameters)) and not any(
                not outer or f"{path}.".startswith(outer + ".") for outer in found):
            found[path] = module
    return found


class Parts:
    """The models that were called, and those of their parts that no optimizer changes."""

    def __init__(self):
        self._roots = []    # (weak reference, its name, prefix of the names of its parts)
        self.frozen = {}     # id -> (weak reference, root, path): parts that have not run with a graph
        self._needless = {}  # (root, path) of those whose graph leads to no parameter
        self._found = []

    def add(self, root, name, prefix):
        self._roots.append((weakref.ref(root), name, prefix))
        for path, part in largest_parts(root, lambda parameter: not parameter.requires_grad).items():
            self.frozen[id(part)] = weakref.ref(part), len(self._roots) - 1, path

    def before(self, module, inputs):
        """Before a module runs: the first time that a frozen part keeps a graph tells why it does."""
        if id(module) not in self.frozen or not torch.is_grad_enabled():
            return
        reference, root, path = self.frozen.pop(id(module))
        tensors = [one for one in inputs if isinstance(one, torch.Tensor) and one.requires_grad]
        if reference() is module and tensors and not leads_to_parameter(tensors):
            self._needless[root, path] = True

    def end_step(self, gets_gradient, updated):
        """Looks at the models that are alive. Both say it of a parameter."""
        found = []
        for number, (reference, own, prefix) in enumerate(self._roots):
            root = reference()
            if root is None:
                continue
            idle = largest_parts(root, lambda one: gets_gradient(one) and not updated(one))
            found += [names_in(root, path, own, prefix, True) for path in idle]
            found += [names_in(root, path, own, prefix, False) for part, path in self._needless if part == number]
        if any(reference() is not None for reference, _, _ in self._roots):
            self._found = found

    def found(self):
        """[(path, names of all that is in it, whether its parameters get gradients)]"""
        return self._found


def names_in(root, path, own, prefix, gradients):
    inside = [prefix + one if one else own for one, _ in named_modules(root)
              if not path or one == path or one.startswith(path + ".")]
    if not path:
        inside += [prefix + one for one, _ in named_parameters([("", root)])]
    return prefix + path if path else own, inside, gradients
