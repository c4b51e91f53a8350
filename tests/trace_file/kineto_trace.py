"""kineto_trace.py FILE [--events N] [--style 2021|2023|2026|amd|list] [--stacks] [--seed N]

Writes a trace as torch.profiler would have: two host threads, two streams, operators with their
launches and kernels, flows, steps, annotations, memory events, names of threads. The same arguments
give the same file. 132,000 events with --stacks are 55 MB.
"""

import argparse
import gzip
import json
import random

KERNELS = [
    "ampere_sgemm_128x64_tn",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "at::detail::Array<char*, 3>>(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
    "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false>"
    "(float*, float const*, int, int, int)",
    "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT",
    'triton_poi_fused_add_mul_"quoted"_0',
    "k\u00e9rnel_\U0001F642",
]
OPERATORS = ["aten::mm", "aten::add", "aten::_softmax", "aten::linear", "triton_op", "aten::copy_"]
NAMES = {  # category names by style
    "2021": {"op": "Operator", "kernel": "Kernel", "copy": "Memcpy", "fill": "Memset",
             "runtime": "Runtime", "flow": "async"},
    "2023": {"op": "cpu_op", "kernel": "kernel", "copy": "gpu_memcpy", "fill": "gpu_memset",
             "runtime": "cuda_runtime", "flow": "ac2g"},
    "amd": {"op": "cpu_op", "kernel": "kernel", "copy": "gpu_memcpy", "fill": "gpu_memset",
            "runtime": "hip_runtime", "flow": "ac2g"},
}
NAMES["2026"] = NAMES["list"] = NAMES["2023"]
LAUNCH = {"amd": "hipLaunchKernel"}


class Maker:
    def __init__(self, options):
        self.random = random.Random(options.seed)
        self.style = options.style
        self.stacks = options.stacks
        self.names = NAMES[options.style]
        self.events = []
        self.correlation = 0
        self.external = 0
        self.base = 1_700_000_000_000_000 if options.style in ("2021", "2023") else 0

    def time(self, nanoseconds):
        """Microseconds: whole ones before 2023, with three decimals since."""
        if self.style == "2021":
            return self.base + nanoseconds // 1000
        return json.loads(f"{self.base + nanoseconds // 1000}.{nanoseconds % 1000:03d}")

    def span(self, nanoseconds):
        return nanoseconds // 1000 if self.style == "2021" else nanoseconds / 1000

    def add(self, phase, category, name, process, thread, begin, duration=None, args=None, **more):
        event = {"ph": phase, "cat": category, "name": name, "pid": process, "tid": thread,
                 "ts": self.time(begin)}
        if duration is not None:
            event["dur"] = self.span(duration)
        if args is not None:
            event["args"] = args
        event.update(more)
        self.events.append(event)

    def name_tracks(self):
        for process, name in ((4711, "python"), (0, "python")):
            self.events.append({"name": "process_name", "ph": "M", "ts": 0, "pid": process, "tid": 0,
                                "args": {"name": name}})
        for thread, name in ((4711, "thread 4711 (python)"), (4800, "thread 4800 (pt_autograd_0)")):
            self.events.append({"name": "thread_name", "ph": "M", "ts": 0, "pid": 4711,
                                "tid": thread, "args": {"name": name}})
        for stream in (7, 20):
            self.events.append({"name": "thread_name", "ph": "M", "ts": 0, "pid": 0,
                                "tid": self.stream(stream), "args": {"name": f"stream {stream} "}})

    def stream(self, number):
        return f"stream {number}" if self.style == "2021" else number

    def operator(self, at, thread):
        """An operator with another inside, its launch and its kernel; the time after it."""
        r = self.random
        self.external += 1
        self.correlation += 1
        kind = r.randrange(len(OPERATORS))
        length = r.randrange(8_000, 60_000)
        dims = [[r.choice([8, 64, 512]), 1024], [1024, 512], []]
        args = {"External id": self.external, "Record function id": 0, "Ev Idx": self.external,
                "Input Dims": dims, "Input type": ["float", "float", "Scalar"],
                "Concrete Inputs": ["", "", "1"], "Fwd thread id": 0,
                "Sequence number": self.external}
        if self.stacks:
            args["Call stack"] = "; ".join(
                f"/usr/lib/python3/site-packages/torch/nn/modules/module.py({1000 + i}): _call_impl"
                for i in range(r.randrange(8, 16)))
        self.add("X", self.names["op"], OPERATORS[kind], 4711, thread, at, length, args)
        self.add("X", self.names["op"], OPERATORS[-1], 4711, thread, at + 1_000, length // 3,
                 {"External id": self.external})
        launch = at + length // 2
        self.add("X", self.names["runtime"], LAUNCH.get(self.style, "cudaLaunchKernel"), 4711,
                 thread, launch, 3_500,
                 {"cbid": 211, "correlation": self.correlation, "External id": self.external})
        self.add("s", self.names["flow"], "ac2g", 4711, thread, launch, id=self.correlation)
        begin = launch + r.randrange(2_000, 40_000)
        stream = r.choice([7, 7, 7, 20])
        ran = r.randrange(1_500, 90_000)
        if r.random() < 0.1:
            self.add("X", self.names["copy"], "Memcpy HtoD (Pinned -> Device)", 0,
                     self.stream(stream), begin, ran,
                     {"External id": self.external, "device": 0, "context": 1, "stream": stream,
                      "correlation": self.correlation, "bytes": 4096, "memory bandwidth (GB/s)": 1.5})
        else:
            self.add("X", self.names["kernel"], KERNELS[r.randrange(len(KERNELS))], 0,
                     self.stream(stream), begin, ran,
                     {"External id": self.external, "queued": 0, "device": 0, "context": 1,
                      "stream": stream, "correlation": self.correlation,
                      "registers per thread": 40, "shared memory": 1024, "blocks per SM": 1.5,
                      "warps per SM": 12.5, "grid": [r.choice([64, 128]), 1, 1],
                      "block": [256, 1, 1], "est. achieved occupancy %": 31})
        self.add("f", self.names["flow"], "ac2g", 0, self.stream(stream), begin,
                 id=self.correlation, bp="e")
        self.events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]",
                            "pid": 4711, "tid": thread, "ts": self.time(at + 500),
                            "args": {"Total Reserved": 1 << 30, "Total Allocated": 1 << 20,
                                     "Bytes": r.choice([4096, -4096]), "Addr": 0x7F0000000000 + 4096,
                                     "Device Id": 0, "Device Type": 1}})
        return at + length + r.randrange(1_000, 9_000)

    def make(self, count):
        self.name_tracks()
        at, step = 1_000_000, 0
        while len(self.events) < count:
            step += 1
            begin = at
            for i in range(100):
                at = self.operator(at, 4711 if i % 3 else 4800)
                if len(self.events) >= count:
                    break
            self.add("X", "user_annotation" if self.style != "2021" else "Operator",
                     f"ProfilerStep#{step}", 4711, 4711, begin, at - begin,
                     {"External id": 1_000_000 + step})
        self.random.shuffle(self.events)
        return self.events


def document(options):
    events = Maker(options).make(options.events)
    if options.style == "list":
        return events
    properties = [{"id": 0, "name": "NVIDIA H100", "totalGlobalMem": 85_000_000_000}]
    whole = {"schemaVersion": 1, "deviceProperties": properties, "traceEvents": events,
             "traceName": "trace.json"}
    if options.style == "2026":
        whole.update(baseTimeNanoseconds=1_712_345_678_000_000_000, displayTimeUnit="ms",
                     distributedInfo={"backend": "nccl", "rank": 3, "world_size": 8})
    return whole


def options_of(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--style", choices=sorted(NAMES), default="2026")
    parser.add_argument("--stacks", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def write_file(options):
    text = json.dumps(document(options), indent=None)
    opener = gzip.open if options.file.endswith(".gz") else open
    with opener(options.file, "wt", encoding="utf-8") as file:
        file.write(text)


def write(path, arguments):
    write_file(options_of([*arguments, str(path)]))


if __name__ == "__main__":
    write_file(options_of())
