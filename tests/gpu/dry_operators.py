#!/usr/bin/env python3
"""dry_operators.py CAPABILITY MULTIPROCESSORS: what a dry run for such a card asks for in each case of operators.py,
as torch_operators.py has it. Prints one JSON document. Needs the package and TENSORSCOPE_ENGINE_DIR.
"""

import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "record"), str(HERE.parents[1] / "python")]
import operators
from recording import Recording
from tensorscope import _own_file

STEPS = 2


def dry(case, capability, multiprocessors, out):
    request = {"what": "predict", "file": str(HERE / "operators.py"), "function": "build", "settings": {"case": case},
               "steps": STEPS, "compute_capability": capability, "multiprocessors": multiprocessors, "out": str(out)}
    try:
        _own_file.predict(request)
    except _own_file.Wrong as wrong:
        return {"error": f"{wrong.kind}: {wrong.words.get('error')}"}
    return operators.events_of((size, event.address) for size, event in Recording(out).changes()
                               if event.step == STEPS - 1)


def main():
    capability, multiprocessors = map(int, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "own.recording"
        print(json.dumps({case: dry(case, capability, multiprocessors, out) for case in operators.PREDICTED}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
