"""loader_pairs.py TENSORSCOPE [ROUNDS [WORKERS [WORK ...]]]: our loader and PyTorch's DataLoader by turns.

Each round loads the same files, made by `tensorscope loader --make`, once by `tensorscope loader` and once by
torch.utils.data.DataLoader with as many workers, the same batch, prefetch of 2 and shuffling, in changing order, with
no pause for a step. Images are decoded to a smaller size where that is enough (libjpeg's scaled decoding on both sides;
Pillow calls it draft), resized by a triangle filter and normalised to fp32; tokens are bytes, padded to 1,024. Told are
samples a second after the first batch, and the median of the rounds' ratios with their range. Run it with a Python that
has torch 2.11 (third_party/.deps/torch_python) and Pillow (pip install --target DIR pillow; PILLOW=DIR). Not a test: it
judges nothing.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.append(os.environ.get("PILLOW", "."))

import torch
import torch.utils.data

BATCH = 16
BATCHES = 40
WORKS = {
    "images": ["samples=256", "image_width=640", "image_height=480", "side=224"],
    "tokens": ["samples=2048", "median=200", "spread=100", "context=1024"],
}
SIDE = 224
WIDTH = 1024


class Images(torch.utils.data.Dataset):
    def __init__(self, folder):
        self.files = sorted(folder.glob("*.jpg"))
        self.mean = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
        self.deviation = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        from PIL import Image
        image = Image.open(self.files[index])
        image.draft("RGB", (SIDE, SIDE))
        image = image.resize((SIDE, SIDE), Image.BILINEAR)
        pixels = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8).view(SIDE, SIDE, 3)
        return (pixels.permute(2, 0, 1).float().div_(255) - self.mean).div_(self.deviation)


class Tokens(torch.utils.data.Dataset):
    def __init__(self, folder):
        self.files = sorted(folder.glob("*.txt"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        words = bytearray(self.files[index].read_bytes()[:WIDTH])
        row = torch.zeros(WIDTH, dtype=torch.int32)
        row[:len(words)] = torch.frombuffer(words, dtype=torch.uint8)
        return row


def theirs(work, folder, workers):
    torch.set_num_threads(1)
    samples_of = {"images": Images, "tokens": Tokens}[work]
    loader = torch.utils.data.DataLoader(samples_of(folder), batch_size=BATCH, shuffle=True, num_workers=workers,
                                         prefetch_factor=2 if workers else None, persistent_workers=workers > 0,
                                         drop_last=True)
    taken, samples, begin = 0, 0, None
    while True:
        for batch in loader:
            if begin is None:
                begin = time.perf_counter()
            else:
                samples += len(batch)
            taken += 1
            if taken == BATCHES:
                return samples / (time.perf_counter() - begin)


def ours(program, work, folder, workers):
    done = subprocess.run([program, "loader", work, *WORKS[work], f"batch={BATCH}", f"batches={BATCHES}",
                           f"workers={workers}", "prefetch=2", "step_ms=0", "shuffle=4096", "--data", str(folder),
                           "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["points"][0]["figures"]["samples_a_second"]


def in_own_process(work, folder, workers):
    done = subprocess.run([sys.executable, "-B", __file__, "--theirs", work, str(folder), str(workers)],
                          capture_output=True, text=True, check=True)
    return float(done.stdout)


def compare(program, work, rounds, workers):
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "set"
        subprocess.run([program, "loader", work, *WORKS[work], "batches=2", "--make", str(made)], capture_output=True,
                       check=True)
        sides = [lambda: ours(program, work, made, workers), lambda: in_own_process(work, made, workers)]
        pairs = []
        for number in range(rounds):
            order = (0, 1) if number % 2 == 0 else (1, 0)
            pair = {side: sides[side]() for side in order}
            pairs.append((pair[0], pair[1]))
    ratios = sorted(a / b for a, b in pairs)
    print(f"{work}, {workers} workers: ours {statistics.median(a for a, _ in pairs):.0f} samples/s, DataLoader "
          f"{statistics.median(b for _, b in pairs):.0f}; ratio {statistics.median(ratios):.2f} "
          f"[{ratios[0]:.2f}, {ratios[-1]:.2f}] in {rounds} rounds")


def main(arguments):
    if arguments[0] == "--theirs":
        print(theirs(arguments[1], pathlib.Path(arguments[2]), int(arguments[3])))
        return
    rounds = int(arguments[1]) if len(arguments) > 1 else 5
    workers = int(arguments[2]) if len(arguments) > 2 else 2
    for work in arguments[3:] or WORKS:
        compare(arguments[0], work, rounds, workers)


if __name__ == "__main__":
    main(sys.argv[1:])
