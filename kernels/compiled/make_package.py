"""make_package.py REQUEST.json: compiles the step of a workload with PyTorch's Inductor.

The request, written by kernels/compiled, names the specification, every tensor that the step reads
(parameters, then inputs, in the engine's order, with shape, stride and dtype), and the package to
write. A step that trains becomes two models, "forward" (its first output is the loss, the others are
what the backward keeps) and "backward"; else there is one, "infer", whose output is the workload's.
All tensors are inputs, so that the engine owns every one. The package's metadata tell the engine
where the inputs of "backward" come from and to which tensors its outputs are the gradients of.

Errors end with one line on standard error that says what is wrong.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time


def example(torch, tensor, spec):
    dtype = getattr(torch, tensor["dtype"])
    made = torch.empty_strided(tensor["shape"], tensor["stride"], dtype=dtype)
    if dtype == torch.int64:
        made.random_(0, spec["vocab"])
    elif dtype == torch.bool:
        made.fill_(False)
    else:
        made.normal_()
    return made.requires_grad_() if tensor["requires_grad"] else made


def sdpa(torch, spec):
    """Attention as the spec's backend has it; written out for naive."""
    if spec["backend"] == "naive":
        return None
    kinds = torch.nn.attention.SDPBackend
    only = {"math": [kinds.MATH], "flash": [kinds.FLASH_ATTENTION]}.get(spec["backend"])

    def attend(q, k, v, causal):
        with torch.nn.attention.sdpa_kernel(only) if only else contextlib.nullcontext():
            return torch.nn.functional.scaled_dot_product_attention(
                q, k, v, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1])

    return attend


def make_step(torch, models, request):
    """A module whose parameters are those of the request and whose arguments are the inputs."""
    spec = request["spec"]
    parameters = [t for t in request["tensors"] if t["name"]]

    class Step(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for i, tensor in enumerate(parameters):
                made = example(torch, tensor, spec).detach()
                self.register_parameter(f"p{i}", torch.nn.Parameter(made))

        def forward(self, *inputs):
            p = {t["name"]: getattr(self, f"p{i}") for i, t in enumerate(parameters)}
            tables = [t for t in inputs[:-1] if t.dim() == 2 and t.is_floating_point()]
            model = models.Models(torch, spec, sdpa(torch, spec),
                                  (lambda *_: tables[-2:]) if len(tables) >= 2 else None)
            low = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(spec["autocast"])
            with torch.autocast("cpu", low, enabled=low is not None, cache_enabled=False):
                output, loss = model.forward(p, inputs)
            return loss if request["trains"] else output

    return Step()


def placeholders(graph):
    return [node for node in graph.graph.nodes if node.op == "placeholder"]


def set_outputs(graph, nodes):
    next(node for node in graph.graph.nodes if node.op == "output").args = (tuple(nodes),)
    graph.recompile()


def outputs(graph):
    return list(next(node for node in graph.graph.nodes if node.op == "output").args[0])


def trace_training(torch, step, inputs):
    """The graphs of forward and backward as torch.compile would cut them, and how they connect."""
    from torch._functorch.aot_autograd import (aot_compile_joint_with_descriptors,
                                               aot_export_joint_with_descriptors)
    from torch._functorch._aot_autograd.utils import make_boxed_func
    from torch._inductor.compile_fx import partition_fn
    from torch._inductor.decomposition import select_decomp_table

    graphs = {}

    def keep(name):
        def compiler(graph, _):
            graphs[name] = graph
            return make_boxed_func(graph.forward)
        return compiler

    with contextlib.ExitStack() as stack:
        joint = aot_export_joint_with_descriptors(stack, step, inputs,
                                                  decompositions=select_decomp_table())
        aot_compile_joint_with_descriptors(joint, partition_fn=partition_fn,
                                           fw_compiler=keep("forward"),
                                           bw_compiler=keep("backward"))
    forward, backward = graphs["forward"], graphs["backward"]
    given = {node.name: i for i, node in enumerate(placeholders(forward))}
    # The tensors that the backward keeps, except the inputs, which the engine has itself.
    made = [node for node in outputs(forward) if node.name not in given]
    set_outputs(forward, made)
    kept = {node.name: i for i, node in enumerate(made)}

    def source(name):
        if name in given:
            return ["input", given[name]]
        return ["kept", kept[name]] if name in kept else ["loss_gradient", 0]

    gradients = outputs(backward)
    connections = {
        "backward_inputs": json.dumps([source(node.name) for node in placeholders(backward)]),
        "gradients": json.dumps([i for i, node in enumerate(gradients) if node is not None])}
    set_outputs(backward, [node for node in gradients if node is not None])
    return graphs, connections


def trace_inference(torch, step, inputs):
    from torch.fx.experimental.proxy_tensor import make_fx

    names = [name for name, _ in step.named_parameters()]

    def run(*flat):
        parameters = dict(zip(names, flat))
        return (torch.func.functional_call(step, parameters, flat[len(names):]),)

    flat = [tensor.detach() for tensor in (*step.parameters(), *inputs)]
    with torch.no_grad():
        return {"infer": make_fx(run, tracing_mode="fake")(*flat)}


def examples(torch, graph):
    """Tensors as the graph's inputs are to be: their values are of no meaning."""
    values = [node.meta["val"] for node in placeholders(graph)]
    return tuple(torch.empty_strided(v.shape, v.stride(), dtype=v.dtype).zero_() for v in values)


def ask_the_compiler_only():
    """PyTorch tries each kind of vector instructions that the processor has by compiling a file and
    loading it in a new Python, which takes half a minute on busy cores. The processor runs what it
    says that it has: whether the compiler knows it is left to ask."""
    from torch._inductor.cpp_builder import get_cpp_compiler
    from torch._inductor.cpu_vec_isa import VecISA

    def knows(isa, _):
        command = [get_cpp_compiler(), *isa.build_arch_flags().split(), "-fsyntax-only", "-x", "c++"]
        return subprocess.run([*command, os.devnull], capture_output=True).returncode == 0

    VecISA.check_build = knows


def end_with_parent(parent, folder):
    """Where the program is killed, nobody is left to end this process and its compilers."""
    while os.getppid() == parent:
        time.sleep(1)
    shutil.rmtree(folder, ignore_errors=True)
    os.killpg(0, signal.SIGKILL)


def search_where_torch_is():
    """An isolated Python (-I) reads no variables. These two are where torch is and where Python keeps
    what it compiles of it; relative folders would mean the current one and do not count."""
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:0] = [folder for folder in folders if os.path.isabs(folder)]
    compiled = os.environ.get("PYTHONPYCACHEPREFIX", "")
    if os.path.isabs(compiled):
        sys.pycache_prefix = compiled


def main(path):
    with open(path, encoding="utf-8") as file:
        request = json.load(file)
    search_where_torch_is()
    threading.Thread(target=end_with_parent, args=(os.getppid(), request["scripts"]),
                     daemon=True).start()
    import torch
    import torch._inductor
    from torch._inductor.package import package_aoti

    # These PyTorch functions are private, and the package is for the engine's LibTorch.
    if not torch.__version__.startswith(request["torch"] + "."):
        sys.exit(f"This Python has torch {torch.__version__}, and {request['torch']}.* is needed")
    sys.path.insert(0, request["scripts"])
    import models

    torch.set_num_threads(request["threads"])
    ask_the_compiler_only()
    step = make_step(torch, models, request)
    inputs = tuple(example(torch, t, request["spec"]) for t in request["tensors"] if not t["name"])
    metadata = {"key": request["key"]}
    if request["trains"]:
        graphs, connections = trace_training(torch, step, inputs)
        metadata.update(connections)
    else:
        graphs = trace_inference(torch, step, inputs)
    options = {"aot_inductor.package": True, "aot_inductor.link_libtorch": False,
               "aot_inductor.precompile_headers": False,
               # Optimisation of the code that calls the kernels; the kernels themselves are always
               # optimised.
               "aot_inductor.compile_wrapper_opt_level": "O0", "cpp.enable_kernel_profile": True,
               "cpp.descriptive_names": "original_aten", "aot_inductor.metadata": metadata,
               "max_autotune": request["spec"]["compile"] == "max-autotune"}
    files = {}
    with torch.no_grad():
        for name, graph in graphs.items():
            files[name] = torch._inductor.aot_compile(graph, examples(torch, graph),
                                                      options=dict(options))
    package_aoti(request["package"], files)


if __name__ == "__main__":
    main(sys.argv[1])
