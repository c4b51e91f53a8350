"""Looks at snapshot files with Python's own means. Exit code 0: good, 1: not, 77: cannot look.

snapshot_check.py same A.pickle B.json         both hold the same
snapshot_check.py equal A.pickle B.pickle      both hold the same, tuples as tuples
snapshot_check.py again A.pickle B.pickle N    writes A anew as B in pickle protocol N
snapshot_check.py viewer A.pickle VIZ.py       PyTorch's _memory_viz.py prints what A holds
"""

import importlib.util
import json
import pickle
import sys


class DataOnly(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} in a snapshot")


def load(path):
    with open(path, "rb") as file:
        return DataOnly(file).load()


def same(pickled, text):
    data = load(pickled)
    with open(text, encoding="utf-8") as file:
        return json.load(file) == json.loads(json.dumps(data))


def equal(one, other):
    return load(one) == load(other)


def again(source, target, protocol):
    with open(target, "wb") as file:
        pickle.dump(load(source), file, protocol=int(protocol))
    return True


def viewer(path, script):
    spec = importlib.util.spec_from_file_location("memory_viz", script)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (ImportError, OSError) as error:
        print(f"{script} cannot be imported: {error}")
        sys.exit(77)
    data = load(path)
    log = module.trace(data)
    entries = sum(len(trace) for trace in data["device_traces"])
    summary = module.segsum(data)
    print(log[:2000], summary)
    # Flame graphs, without the script that draws them.
    graphs = [draw(data, format_flamegraph=lambda lines: lines)
              for draw in (module.segments, module.memory)]
    return (log.count(" entries\n") == sum(bool(trace) for trace in data["device_traces"])
            and len(log.splitlines()) >= entries
            and f"segments: {len(data['segments'])}\n" in summary
            and all(graphs)
            and bool(module.trace_plot(data)))


if __name__ == "__main__":
    commands = {"same": same, "equal": equal, "again": again, "viewer": viewer}
    sys.exit(0 if commands[sys.argv[1]](*sys.argv[2:]) else 1)
