"""power_sgd_parity.py ENGINE_DUMP: ranks with PowerSGD compute what PyTorch's powerSGD_hook does.

engine_dump trains as each of two ranks, with gradients as factors of several ranks; two processes of PyTorch's Python
do the same steps under DistributedDataParallel with powerSGD_hook, from the same parameters and inputs and with the
same random numbers. Losses and parameters after five steps must agree, and so must the number of elements that
travel. Without torch 2.11 in this Python the test is skipped (exit code 77).
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import types

from parity import read_dump, relative_error
from parity_specs import DEFAULTS
from rank_parity import free_port, run_worlds, world_of
from references import STEPS, Reference, make_optimizer, torch_or_skip

RANKS = 2
TRAINED = DEFAULTS | {"pass": "full_step", "threads": 1, "T": 16, "B": 4, "heads": 4, "d_head": 8, "d_model": 32}
SPECS = [
    TRAINED | {"workload": "lm", "vocab": 64, "optimizer": "sgd", "lr": 0.1},
    TRAINED | {"workload": "lm", "vocab": 64, "bias": True, "ffn": "gelu", "norm": "layernorm"},
    TRAINED | {"workload": "mlp", "optimizer": "sgd", "lr": 0.1},
    TRAINED | {"workload": "block"},
]
# Gram-Schmidt for one and two columns, QR for more.
FACTOR_RANKS = (1, 2, 4)
# All gradients in one bucket: with more, Python's hook issues its all-reduces from callbacks of Gloo's threads, in an
# order that differs between ranks, and Gloo ends with "Received data size doesn't match expected size".
ONE_BUCKET, MANY_BUCKETS = 25, 0  # MiB
TOLERANCE = 2e-5
PLAIN = 2  # exchanges without factors


class Seeds:
    """In place of the hook's generator of seeds: 0, 1, 2 ..."""

    def __init__(self):
        self.next = -1

    def randint(self, _):
        self.next += 1
        return self.next


def reference(torch, folders, rank, port):
    """A rank of PyTorch's Python: a folder of dumps for each number of factors, one after the other."""
    # The hook wants numpy for its seeds alone, which it gets from here. What wants more of it comes first.
    import torch._dynamo
    import torch.distributed
    numpy = types.ModuleType("numpy")
    numpy.random = types.SimpleNamespace(RandomState=lambda _: Seeds())
    sys.modules.setdefault("numpy", numpy)
    from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", world_size=RANKS, rank=rank)
    for factor_rank, folder in zip(FACTOR_RANKS, folders):
        train(torch, powerSGD_hook, folder, factor_rank)


def train(torch, powerSGD_hook, folder, factor_rank):
    for index, spec in enumerate(SPECS):
        dump, _ = read_dump(torch, folder / str(index))
        found = Reference(torch, spec, dump, torch.float32)

        class Model(torch.nn.Module):
            def __init__(self, reference):
                super().__init__()
                self.reference = reference
                for name, tensor in reference.p.items():
                    reference.p[name] = torch.nn.Parameter(tensor)
                    self.register_parameter(name.replace(".", "_"), reference.p[name])

            def forward(self):
                return self.reference.run()[1]

        model = Model(found)
        ddp = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=ONE_BUCKET)
        state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=factor_rank,
                                            start_powerSGD_iter=PLAIN, orthogonalization_epsilon=1e-8)
        state.rng = Seeds()
        ddp.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
        optimizer = make_optimizer(torch, spec, found.p.values())
        losses = []
        for _ in range(STEPS):
            optimizer.zero_grad(set_to_none=True)
            loss = ddp()
            loss.backward()
            mean = loss.detach().clone()
            torch.distributed.all_reduce(mean)
            losses.append(float(mean) / RANKS)
            optimizer.step()
        torch.save({"losses": losses, "p": {name: one.detach() for name, one in found.p.items()},
                    "before": state.total_numel_before_compression // (STEPS - PLAIN),
                    "after": state.total_numel_after_compression // (STEPS - PLAIN)}, folder / f"{index}.pt")


def compare(torch, folders, index, spec):
    problems = []
    for folder in folders:
        expected = torch.load(folder / f"{index}.pt")
        dump, manifest = read_dump(torch, folder / str(index))
        losses = max(abs(a - b) / abs(b) for a, b in zip(manifest["losses"], expected["losses"]))
        updated = max(relative_error(torch, dump["updated"][name], tensor)
                      for name, tensor in expected["p"].items())
        sent = manifest["compression"]
        if [sent["elements"], sent["sent"]] != [expected["before"], expected["after"]]:
            problems.append(f"{sent}, but {expected['before']} and {expected['after']} elements in Python")
        if not 0 < sent["left_out"] < 1:
            problems.append(f"left out: {sent['left_out']}")
        if not max(losses, updated) <= TOLERANCE:
            problems.append(f"losses {losses:.1e}, parameters {updated:.1e} from those of Python")
        print(f"{spec['workload']}: losses {losses:.1e}, parameters {updated:.1e}, elements {sent['elements']} as "
              f"{sent['sent']}, left out {sent['left_out']:.3f}")
    return problems


def many_buckets(torch, folders, index):
    """A bucket for each gradient: all ranks have the same parameters, and the loss falls."""
    (first, manifest), (second, _) = (read_dump(torch, folder / str(index)) for folder in folders)
    problems = [f"{name} differs between ranks" for name, tensor in first["updated"].items()
                if not torch.equal(tensor, second["updated"][name])]
    if not manifest["losses"][-1] < manifest["losses"][0]:
        problems.append(f"losses {manifest['losses']}")
    return problems


def main():
    torch = torch_or_skip()
    if len(sys.argv) > 2:
        rank, port, *folders = sys.argv[2:]
        reference(torch, [pathlib.Path(folder) for folder in folders], int(rank), port)
        # At an orderly end the threads of PyTorch's process group may outlive it, which ends the process.
        os._exit(0)
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trained = [(factor_rank, ONE_BUCKET) for factor_rank in FACTOR_RANKS] + [(2, MANY_BUCKETS)]
        places = {one: [folder / f"{one[0]}-{one[1]}-{rank}" for rank in range(RANKS)] for one in trained}
        run_worlds(sys.argv[1], [world_of(SPECS, places[factor_rank, bucket_mib], {
            "compression": "powersgd", "factor_rank": factor_rank, "bucket_mib": bucket_mib, "sync_every": False})
                                 for factor_rank, bucket_mib in trained], folder)
        port = free_port()
        started = [subprocess.Popen([sys.executable, __file__, sys.argv[1], str(rank), str(port),
                                     *(str(places[one, ONE_BUCKET][rank]) for one in FACTOR_RANKS)])
                   for rank in range(RANKS)]
        if any([process.wait(timeout=300) for process in started]):
            raise RuntimeError("PyTorch's Python failed")
        for factor_rank in FACTOR_RANKS:
            for index, spec in enumerate(SPECS):
                problems += [f"rank {factor_rank}, specification {index}: {one}"
                             for one in compare(torch, places[factor_rank, ONE_BUCKET], index, spec)]
        for index in range(len(SPECS)):
            problems += [f"many buckets, specification {index}: {one}"
                         for one in many_buckets(torch, places[2, MANY_BUCKETS], index)]
    print("\n".join(problems) or "PowerSGD is PyTorch's")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
