"""step_cost.py [--one-thread] [TURNS [NET...]]: what recording adds to a step of a script, beside torch.profiler;
run by hand.

NET: those of `NETS`, all without one. Four processes of a net take turns, STEPS steps at a time: the training loop
alone, recorded by the package, recorded with --live for a listener in this process, and under
torch.profiler(record_shapes=True, profile_memory=True). A process tells the mean of its steps in processor time of
all its threads, the recorder's own included: other programs on the machine do not count. Computed on one
thread; another one waits, as in scripts that compute on several or load data beside, since libc's allocator locks
as soon as there is a second one. --one-thread: without that one, so that what the recorder's own thread makes libc
lock counts as its cost. Printed: the medians of the turns, what each adds to a step in the turns' median, and its share of what the
profiler adds. The first turn is left out. That has no end: the profiler makes its events into objects, the package
writes its file. So the processor time from the first step to the end of the process is told, too, for a step.
TENSORSCOPE_ENGINE_DIR says where the recorder is.
"""

import os
import pathlib
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
STEPS = 20
KINDS = ("alone", "recorded", "live", "profiled")


def cs336():
    """The small Transformer of a course, with an AdamW of its own."""
    import cs336 as script
    return lambda: script.train(10**9)


def convolutional():
    """A residual net with batch norm; SGD with momentum."""
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.first, self.second = (nn.Conv2d(width, width, 3, padding=1, bias=False) for _ in range(2))
            self.norm1, self.norm2 = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

        def forward(self, x):
            inner = torch.relu(self.norm1(self.first(x)))
            return torch.relu(x + self.norm2(self.second(inner)))

    def train():
        model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), *(Block(16) for _ in range(8)),
                              nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        images, classes = torch.randn(2, 3, 16, 16), torch.randint(10, (2,))
        while True:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images), classes).backward()
            optimizer.step()
    return train


def nanogpt():
    """The loop of nanoGPT: fused attention, AdamW, clipped gradients, the loss read in every step."""
    import torch
    from torch import nn
    from torch.nn import functional

    class Layer(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
            self.dropout = nn.Dropout(0.1)

        def forward(self, x):
            b, t, c = x.shape
            q, k, v = (one.view(b, t, self.heads, c // self.heads).transpose(1, 2)
                       for one in self.qkv(self.norm1(x)).split(c, 2))
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.dropout(self.out(mixed.transpose(1, 2).reshape(b, t, c)))
            return x + self.dropout(self.mlp(self.norm2(x)))

    class Model(nn.Module):
        def __init__(self, vocabulary=65, width=64, heads=4, layers=6, length=32):
            super().__init__()
            self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
            self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

        def forward(self, tokens, targets):
            x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1]))
            for layer in self.layers:
                x = layer(x)
            return functional.cross_entropy(self.head(self.norm(x)).flatten(0, 1), targets.flatten())

    def train():
        model = Model()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        data = torch.randint(65, (10_000,))
        while True:
            places = torch.randint(len(data) - 33, (4,))
            tokens = torch.stack([data[i:i + 32] for i in places])
            targets = torch.stack([data[i + 1:i + 33] for i in places])
            loss = model(tokens, targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            loss.item()
    return train


NETS = {function.__name__: function for function in (cs336, convolutional, nanogpt)}


def steps(kind, net, threads):
    """Waits for a line, makes STEPS steps, tells their mean, until there is no line."""
    sys.path.insert(0, str(HERE))
    if threads != "one":
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    import torch
    from torch.optim import optimizer
    torch.set_num_threads(1)
    torch.manual_seed(1)
    left, begin = 0, 0.0

    def note(*_):
        nonlocal left, begin
        left -= 1
        if left > 0:
            return
        now = time.process_time()
        print("mean", 1e3 * (now - begin) / STEPS, now, flush=True)
        if not sys.stdin.readline():
            raise SystemExit
        left, begin = STEPS, time.process_time()
    optimizer.register_optimizer_step_post_hook(note)
    train = NETS[net]()
    if kind == "profiled":
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                                    record_shapes=True, profile_memory=True):
            train()
    else:
        train()


def listen(folder):
    """Takes what scripts send, as a window would, and throws it away."""
    os.makedirs(f"{folder}/tensorscope", mode=0o700)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{folder}/tensorscope/window-{os.getpid()}")
    listener.listen()

    def take():
        while True:
            script, _ = listener.accept()
            while script.recv(1 << 20):
                pass
    threading.Thread(target=take, daemon=True).start()


def started(kind, net, threads, folder):
    from recording import environment
    recorded = ["-m", "tensorscope", "record", "--out", f"{folder}/{kind}.recording"]
    words = {"recorded": recorded, "live": [*recorded, "--live"]}.get(kind, [])
    command = [sys.executable, *words, __file__, "--steps", kind, net, threads]
    errors = subprocess.STDOUT if kind == "live" else None
    return subprocess.Popen(command, env={**environment(), "XDG_RUNTIME_DIR": folder}, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=errors, text=True)


def told(process):
    """The next mean of a process, and its processor time since its beginning."""
    for line in process.stdout:
        if "no open window" in line:
            raise RuntimeError("the listener was not found")
        if line.startswith("mean "):
            return tuple(map(float, line.split()[1:]))
    raise RuntimeError(f"a process ended with {process.wait()}")


def ended(process):
    """Its processor time, with that of what it started."""
    process.stdin.close()
    for _ in process.stdout:
        pass
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def compare(net, turns, threads, folder):
    processes = {kind: started(kind, net, threads, folder) for kind in KINDS}
    found = {kind: [] for kind in KINDS}
    begun = {kind: told(process)[1] for kind, process in processes.items()}  # after the first step
    for turn in range(turns + 1):
        for kind, process in processes.items():
            print("go", file=process.stdin, flush=True)
            mean, _ = told(process)
            if turn:
                found[kind].append(mean)
    count = STEPS * (turns + 1)
    whole = {kind: 1e3 * (ended(process) - begun[kind]) / count for kind, process in processes.items()}
    added = {kind: statistics.median(one - alone for one, alone in zip(times, found["alone"]))
             for kind, times in found.items()}
    for kind, times in found.items():
        share = added[kind] / added["profiled"]
        all_share = (whole[kind] - whole["alone"]) / (whole["profiled"] - whole["alone"])
        print(f"{net} {kind}: {statistics.median(times):.2f} ms a step, adds {added[kind]:.2f} ms, {share:.2f} of what "
              f"the profiler adds; to its end {whole[kind]:.2f} ms for a step, {all_share:.2f}", flush=True)


def main(turns, nets, threads):
    with tempfile.TemporaryDirectory() as folder:
        listen(folder)
        for net in nets or NETS:
            compare(net, turns, threads, folder)


if __name__ == "__main__":
    if "--steps" in sys.argv:
        steps(*sys.argv[-3:])
    else:
        words = [word for word in sys.argv[1:] if word != "--one-thread"]
        main(int(words[0]) if words else 20, words[1:], "one" if "--one-thread" in sys.argv else "two")
