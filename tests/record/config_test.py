"""config_test.py TENSORSCOPE FOLDER: models of transformers from their config.json.

Small models of families that the program's own language model has not, made by the transformers of FOLDER: a step on
the CPU under the recorder, and on "meta" by the rules of the CPU, must have the same events. Then configs that are
wrong, and a Python without transformers. Without torch 2.11 in this Python the test is skipped (exit code 77).
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kernels"))
from references import skip_without_torch  # noqa: E402

skip_without_torch()
from own_server import Served, in_order, taken_and_freed  # noqa: E402
from ready_python import ReadyPython  # noqa: E402
from recording import Recording, environment  # noqa: E402

SIZES = dict(hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             vocab_size=100, max_position_embeddings=256, pad_token_id=0, eos_token_id=1, bos_token_id=2)
CONFIGS = {
    "gpt_oss": dict(SIZES, architectures=["GptOssForCausalLM"], head_dim=16, num_local_experts=4,
                    num_experts_per_tok=2, sliding_window=16),
    "olmo2": dict(SIZES, architectures=["Olmo2ForCausalLM"]),
    "falcon": dict(architectures=["FalconForCausalLM"], hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                   vocab_size=100, bos_token_id=2, eos_token_id=1),
    "bert": dict(SIZES, architectures=["BertForMaskedLM"]),
    "t5": dict(architectures=["T5ForConditionalGeneration"], d_model=64, d_kv=16, d_ff=96, num_layers=2, num_heads=4,
               vocab_size=100, decoder_start_token_id=0, pad_token_id=0),
    "vit": dict(architectures=["ViTForImageClassification"], hidden_size=64, intermediate_size=96,
                num_hidden_layers=2, num_attention_heads=4, image_size=32, patch_size=8),
    "swin": dict(architectures=["SwinForImageClassification"], image_size=32, patch_size=2, embed_dim=16, depths=[2, 2],
                 num_heads=[2, 4], window_size=4),
}
# Beside training as the file has it.
OTHERS = (("olmo2", {"mode": "prefill", "dtype": "bf16"}), ("olmo2", {"mode": "generate"}),
          ("gpt_oss", {"mode": "generate", "dtype": "bf16"}), ("gpt_oss", {"mode": "forward", "dtype": "bf16"}),
          ("olmo2", {"attention": "eager", "checkpointing": "true", "optimizer": "sgd"}))


class Config(Served):
    """The program asks `ready`, a Python with transformers that is imported already."""

    def config(self, family, **changes):
        path = self.folder / "config.json"
        path.write_text(json.dumps(dict(CONFIGS.get(family, SIZES), model_type=family, **changes)), encoding="utf-8")
        return path

    def test_predictions_have_the_events_of_runs(self):
        for family, settings in (*((family, {}) for family in CONFIGS), *OTHERS):
            with self.subTest(family=family, settings=settings):
                path = self.config(family)
                answers = [self.ask(what, path, B="2", T="24", **settings) for what in ("record", "predict")]
                self.assertTrue(all(one["ok"] for one in answers), answers)
                self.assertEqual(answers[0]["parameters"], answers[1]["parameters"])
                self.assertEqual(answers[1]["device"], "meta")
                self.assertLessEqual(abs(answers[0]["peak_bytes"] - answers[1]["peak_bytes"]),
                                     answers[1]["apart_bytes"])
                one, other = (taken_and_freed(Recording(self.folder / f"{what}.recording"))
                              for what in ("record", "predict"))
                self.assertGreater(len(one), 50)
                if "num_local_experts" in CONFIGS[family]:  # sorted, and multiplied group by group, on the CPU
                    continue
                # The threads of attention's backward make buffers.
                own = {size for size, op, place in one if not place}
                self.assertEqual(in_order(one, own), in_order(other, own))

    def test_windows_that_transformers_takes(self):
        """core/spec/model_config.cpp depends on this for sliding_window: null alone means that there is none."""
        asked = [(family, changes) for family in ("mistral", "mixtral")
                 for changes in ({}, {"sliding_window": None}, *({"sliding_window": wrong} for wrong in (0, -1, "eight")))]
        code = ("import json, sys, torch, transformers\n"
                "for one in json.load(open(sys.argv[1])):\n"
                "  try:\n"
                "    c = transformers.AutoConfig.for_model(**one)\n"
                "    transformers.AutoModelForCausalLM.from_config(c)(torch.arange(24).view(1, 24))\n"
                "    print(c.sliding_window)\n"
                "  except Exception:\n"
                "    print('refused')\n")
        path = self.folder / "configs.json"
        path.write_text(json.dumps([dict(SIZES, model_type=family, **changes) for family, changes in asked]),
                        encoding="utf-8")
        done = subprocess.run([self.python[0], "-c", code, path], env=environment(), capture_output=True, text=True,
                              timeout=300, check=True)
        refused = ["refused"] * 3
        self.assertEqual(done.stdout.split(), ["4096", "None", *refused, "None", "None", *refused])

    def test_arguments(self):
        described = self.ask("describe", self.config("olmo2"))
        self.assertEqual([one["name"] for one in described["arguments"]],
                         ["B", "T", "dtype", "mode", "attention", "optimizer", "checkpointing"])
        self.assertEqual(described["arguments"][1]["high"], "256")
        self.assertIn("Olmo2ForCausalLM", described["about"])
        kernels = self.ask("describe", self.config("gpt_oss"))["arguments"][4]["choices"]
        self.assertEqual(kernels, ["eager"])

    def program(self, *arguments, python=None):
        variables = {**environment(), "TENSORSCOPE_PYTHON": python or self.ready,
                     "XDG_CACHE_HOME": str(self.folder / "cache"), "XDG_CONFIG_HOME": str(self.folder / "config")}
        return subprocess.run([PROGRAM, *map(str, arguments)], env=variables, capture_output=True, text=True,
                              timeout=600, check=False)

    def test_the_program(self):
        path = self.config("olmo2")
        asked = ("predict", "--model", path, "--set", "B=2", "--set", "T=24", "--json", "--cpu")
        told = json.loads(self.program(*asked).stdout)
        ran = self.ask("record", path, B="2", T="24")
        self.assertLessEqual(abs(told["peak_allocated"] - ran["peak_bytes"]), told["apart"])
        # A family that has a counterpart here is ours, unless transformers is asked for.
        ours = self.folder / "ours.json"
        ours.write_text(json.dumps(dict(SIZES, model_type="llama", hidden_act="silu")), encoding="utf-8")
        told = json.loads(self.program("predict", "--model", ours, "--cpu", "--json").stdout)
        self.assertEqual(told["spec"]["workload"], "lm")
        theirs = self.program("predict", "--model", f"{ours}:transformers", "--cpu", "--json")
        self.assertEqual(theirs.returncode, 0, theirs.stderr)
        self.assertTrue(json.loads(theirs.stdout)["without_data"])
        out = self.folder / "model.pt2"
        done = self.program("export", path, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        again = self.program("predict", "--model", out, "--set", "B=2", "--set", "T=24", "--cpu", "--json")
        self.assertEqual(json.loads(again.stdout)["spec"]["T"], 24, again.stderr)

    def test_other_heads_and_missing_sizes_are_of_transformers(self):
        """Which has other weights than a model that predicts the next token, and sizes that a file leaves out."""
        llama = dict(SIZES, architectures=["LlamaForCausalLM"])
        told = {}
        for name, changes in (("lm", {}), ("body", {"architectures": ["LlamaModel"]}),
                              ("classes", {"architectures": ["LlamaForSequenceClassification"]})):
            path = self.folder / "config.json"
            path.write_text(json.dumps(dict(llama, model_type="llama", **changes)), encoding="utf-8")
            done = self.program("predict", "--model", path, "--cpu", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            told[name] = json.loads(done.stdout)
        head = SIZES["hidden_size"] * SIZES["vocab_size"]
        self.assertEqual(told["lm"]["spec"]["workload"], "lm")
        self.assertEqual(told["body"]["parameters"], told["lm"]["parameters"] - head)
        self.assertEqual(told["classes"]["parameters"], told["body"]["parameters"] + 2 * SIZES["hidden_size"])
        # 11008 by its default.
        few = {name: size for name, size in SIZES.items() if name != "intermediate_size"}
        path.write_text(json.dumps(dict(few, model_type="llama")), encoding="utf-8")
        done = self.program("predict", "--model", path, "--cpu", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        wide = 3 * SIZES["hidden_size"] * (11008 - SIZES["intermediate_size"]) * SIZES["num_hidden_layers"]
        self.assertEqual(json.loads(done.stdout)["parameters"], told["lm"]["parameters"] + wide)
        self.refused("its intermediate_size is missing", path, python=sys.executable)
        self.refused("pip install transformers", path, python=sys.executable)
        path.write_text(json.dumps(dict(llama, model_type="llama", architectures=["LlamaOfTheirs"])), encoding="utf-8")
        self.refused("has no class LlamaOfTheirs", path)

    def refused(self, words, path, python=None):
        ended = self.program("predict", "--model", path, python=python)
        self.assertIn(ended.returncode, (1, 2), ended.stderr)
        self.assertIn(words, ended.stderr)
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)

    def test_configs_that_are_wrong(self):
        self.refused("no_such_model", self.config("no_such_model"))
        # Code that a config names is not run.
        named = self.config("of_theirs", auto_map={"AutoConfig": "code.Config"})
        (self.folder / "code.py").write_text(f"open({str(self.folder / 'ran')!r}, 'w')", encoding="utf-8")
        self.refused("custom code", named)
        self.assertFalse((self.folder / "ran").exists())
        self.refused("hidden_size", self.config("olmo2", hidden_size="wide"))
        # New weights would not be quantized; ours are not, either.
        fp8 = {"quant_method": "fp8", "activation_scheme": "dynamic"}
        self.refused("quantization_config", self.config("olmo2", quantization_config=fp8))
        self.refused("quantized (fp8)", self.config("llama", quantization_config=fp8))
        self.refused("float64", self.config("llama", dtype="float64"))
        self.refused("pip install transformers", self.config("olmo2"), python=sys.executable)
        hunted = self.program("hunt", "--model", self.config("olmo2"), "--axis", "B=1:8")
        self.assertEqual(hunted.returncode, 0, hunted.stderr)
        self.assertIn("B = 8", hunted.stdout)


def python_with(folder, path, python=sys.executable):
    """A Python that finds transformers, too."""
    path.write_text(f'#!/bin/sh\nPYTHONPATH={folder}:$PYTHONPATH exec {python} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return str(path)


if __name__ == "__main__":
    import tempfile
    PROGRAM, TRANSFORMERS = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        python = python_with(TRANSFORMERS, folder / "python")
        Config.python = (python,)
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        # As the package sets it before it imports transformers.
        ready = ReadyPython("transformers", executable=python, environment={**environment(), "HF_HUB_OFFLINE": "1"})
        Config.ready = python_with(TRANSFORMERS, folder / "ready", ready.python)
        ended = unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1, exit=False)
        ready.end()
    sys.exit(not ended.result.wasSuccessful())
