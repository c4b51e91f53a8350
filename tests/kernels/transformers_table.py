"""transformers_table.py EVENT_DUMP FOLDER: the rows of the table in docs/own_models.md.

For every .pt2 of FOLDER (transformers_models.py): a step with backward on the CPU and the same without
data. "equal" when both have the same allocator events, one after the other.
"""

import json
import pathlib
import subprocess
import sys
import tempfile


def outcome(dump):
    """Run, prediction, and why not."""
    error = dump.get("error", "")
    if "measured" not in dump:
        return "fails", "", error
    if error:
        return "runs", "", error
    key = [[(one["bytes"], one["op"]) for one in dump[which]] for which in ("measured", "predicted")]
    at = next((i for i, (a, b) in enumerate(zip(*key)) if a != b), None)
    if at is None and len(key[0]) == len(key[1]):
        return "runs", f"equal, {len(key[0]):,} events", ""
    at = min(map(len, key)) if at is None else at
    parted = [list_of[at] if at < len(list_of) else None for list_of in key]
    return "runs", f"{dump['predicted_peak'] / dump['measured_peak'] - 1:+.2%} peak", f"{at}: {parted}"


def main():
    event_dump, folder = sys.argv[1:]
    files = sorted(pathlib.Path(folder).glob("*.pt2"))
    specs = [{"workload": "own_model", "model": str(path.resolve()), "backend": "auto", "B": 3, "T": 24,
              "pass": "forward+backward"} for path in files]
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        (work / "specs.json").write_text(json.dumps(specs), encoding="utf-8")
        subprocess.run([event_dump, work / "specs.json", work], check=True)
        for i, path in enumerate(files):
            dump = json.loads((work / f"{i}.json").read_text(encoding="utf-8"))
            print(" | ".join([path.stem, *outcome(dump)]), flush=True)


if __name__ == "__main__":
    main()
