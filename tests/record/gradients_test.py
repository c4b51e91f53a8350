"""gradients_test.py: predictions of operators, whatever lies in the gradient that their loss gives them.

Every case of gradients.py is run on the CPU under the recorder and on "meta" by the rules of the CPU, and must have the
same events: bytes taken and let go of, by the same operator. By the rules of a card the copies of gradients of stride 0
are those of PyTorch's source. Without torch 2.11 in this Python the test is skipped (exit code 77).
"""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from references import torch_or_skip  # noqa: E402

torch_or_skip()
import gradients  # noqa: E402
from own_server import Served, in_order, taken_and_freed  # noqa: E402
from recording import Recording  # noqa: E402

FILE = HERE / "gradients.py"
# In bf16 these take scratch in fp32 that is not followed; LibTorch refuses the last ones without data.
UNKNOWN_IN_BF16 = {"avg_pool3d", "cos_sim", "cumprod", "index_add", "lrn", "scatter", "scatter_reduce"}
NOT_IN_BF16 = {"fft_fft", "rfft"}
# On a processor with AVX512-BF16 and without AMX oneDNN multiplies these in bf16, with scratch that is not followed.
MULTIPLIED_BY_ONEDNN = {"bmm_row", "attention", "attention_heads"}


def multiplies_bf16_by_onednn():
    words = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    return "avx512_bf16" in words and "amx_bf16" not in words


class Gradients(Served):
    python = (sys.executable,)

    def steps(self, what, names, **settings):
        """The events of each case."""
        answer = self.ask(what, FILE, steps=len(names), cases=" ".join(names), **settings)
        self.assertTrue(answer["ok"], answer)
        recording = Recording(self.folder / f"{what}.recording")
        return {name: taken_and_freed(recording, step) for step, name in enumerate(names)}

    def test_predictions_have_the_events_of_runs(self):
        # Cross entropy wants rows. oneDNN has convolutions of fp32 on every processor, those of bf16 on some; without it
        # not all have a form without data. Indices of bf16 are added through scratch of its own.
        rows = [name for name, (_, *sizes) in gradients.OPERATORS.items() if len(sizes[0]) > 1]
        double = [name for name in gradients.OPERATORS if not name.startswith("conv")]
        left_out = MULTIPLIED_BY_ONEDNN if multiplies_bf16_by_onednn() else set()
        if left_out:
            print(f"left out in bf16, whose scratch on this processor is not followed: {sorted(left_out)}")
        narrow = [name for name in double if name not in {"index_select"} | left_out]
        more = list(gradients.MORE)
        # oneDNN has a whole LSTM in fp32 and in one form of bf16.
        more_double = [name for name in more if not name.startswith(("conv", "lstm"))]
        more_narrow = [name for name in more_double if name not in UNKNOWN_IN_BF16 | NOT_IN_BF16]
        count = 0
        for loss, kind, names in (("sum", "fp32", list(gradients.OPERATORS)), ("mean", "fp32", list(gradients.OPERATORS)),
                                  ("rows", "fp32", rows), ("columns", "fp32", rows), ("cross_entropy", "fp32", rows),
                                  ("sum", "bf16", narrow), ("mean", "bf16", narrow), ("sum", "fp64", double),
                                  ("sum", "fp32", more), ("mean", "fp32", more), ("rows", "fp32", more),
                                  ("mean", "bf16", more_narrow), ("sum", "fp64", more_double)):
            ran, predicted = (self.steps(what, names, loss=loss, kind=kind) for what in ("record", "predict"))
            for name in names:
                with self.subTest(case=name, loss=loss, kind=kind):
                    # The threads of attention's backward make buffers.
                    own = {size for size, op, place in ran[name] if op == "aten::empty" and not place}
                    self.assertGreater(len(ran[name]), 4)
                    self.assertEqual(in_order(ran[name], own), in_order(predicted[name], own))
                    count += len(ran[name])
        print(f"{count} events agree")

    def test_operators_whose_blocks_are_unknown_say_so(self):
        for names, kind in ((gradients.UNKNOWN, "fp32"), (UNKNOWN_IN_BF16, "bf16")):
            for name in names:
                answer = self.ask("predict", FILE, steps=1, cases=name, loss="sum", kind=kind)
                self.assertEqual(answer.get("kind"), "not_on_meta", name)
                self.assertRegex(answer["words"]["error"], "^the blocks of aten::.* are not known$")
                self.assertRegex(answer["frames"][0], r"^gradients\.py:\d+$")

    def test_a_card_copies_what_its_kernels_do_not_read(self):
        """By PyTorch's source: cuBLAS takes a matrix with one stride of 1 (cuBlasCommonArgs.h) and is called once for a
        batch, cuDNN normalises images of fp32, and other kernels that say contiguous()."""
        out = 40 * 20 * 4
        expected = {"linear": [out, out], "linear_no_bias": [out, out], "linear_batched": [out, out],
                    "linear_one_output": [160, 160], "linear_one_row": [80, 80], "mm_small": [60, 60],
                    "bmm": [6 * out, 6 * out], "bmm_small": [480, 480], "matmul": [6 * out, 6 * out],
                    "einsum": [6 * out, 6 * out], "mv": [160], "outer": [], "gelu": [], "silu": [], "relu": [],
                    "softmax": [], "log_softmax": [4800], "layer_norm": [4800], "batch_norm": [6144],
                    "batch_norm_plain": [], "batch_norm_rows": [], "group_norm": [6144], "conv2d": [8192],
                    "max_pool": [1536], "avg_pool": [1536], "adaptive_avg_pool": [384], "adaptive_avg_pool_beside": [],
                    "embedding": [4800], "dropout": []}
        for loss, expected_of in (("sum", lambda name: expected[name]), ("mean", lambda name: [])):
            steps = self.steps("predict", list(expected), loss=loss, kind="fp32", compute_capability=90)
            for name, events in steps.items():
                with self.subTest(case=name, loss=loss):
                    # The weights' gradient keeps the layout of its weight.
                    copies = [size for size, op, _ in events if op == "aten::clone"]
                    self.assertEqual(copies, 2 * expected_of(name))
        # In 16 bits images are normalised by PyTorch's own kernel, which reads any strides.
        self.assertNotIn("aten::clone", {op for _, op, _ in self.steps(
            "predict", ["batch_norm"], loss="sum", kind="bf16", compute_capability=90)["batch_norm"]})


if __name__ == "__main__":
    unittest.main(verbosity=1)
