"""The specifications that tests/kernels/parity.py compares."""

import pathlib

GPT2 = {"norm": "layernorm", "positions": "learned", "ffn": "gelu", "bias": True, "tied": True,
        "fused_qkv": True}
DEFAULTS = {"B": 2, "T": 48, "heads": 3, "kv_heads": 0, "T_kv": 0, "d_head": 16, "d_model": 48,
            "d_ff": 80, "layers": 2, "vocab": 101, "seed": 7, "dtype": "fp32", "backend": "naive",
            "causal": True, "norm": "rmsnorm", "positions": "rope", "ffn": "swiglu", "bias": False,
            "tied": False, "projections": False, "fused_qkv": False, "mlp": "gelu",
            "autocast": "off", "grad_scaler": False, "init_scale": 65536, "growth_interval": 2000,
            "optimizer": "adamw_fused", "lr": 3e-4, "min_lr": 3e-5, "weight_decay": 0.1,
            "momentum": 0.0, "schedule": "constant", "warmup_steps": 200, "cycle_steps": 10000,
            "clip": 0.0, "zero_grad": "none", "accumulate": 1, "checkpoint": "off",
            "checkpoint_every": 1, "tile_q": 64, "tile_k": 64, "corpus": "", "tokenizer": "byte",
            "softmax": "fused", "silu": "fused", "cross_entropy": "fused", "mask": "shared",
            "products": "matmul", "rope_fp32": False, "lora_rank": 0, "lora_on": "qv",
            "lora_alpha": 16.0, "lora_merged": False, "window": 0, "packed": 0, "padding": 0,
            "attn_dropout": 0.0, "dropout": 0.0, "experts": 0, "experts_per_token": 2, "capacity": 1.25,
            "head_width": 0, "qkv_bias": False, "qk_norm": False, "expert_ff": 0, "shared_ff": 0,
            "shared_gate": False, "dense_layers": 0, "expert_every": 1,
            "expert_weights": "normalised", "expert_scale": 1.0, "kv_rank": 0, "q_rank": 0,
            "rope_width": 0, "v_width": 0, "full_every": 0, "block_form": "serial",
            "post_norm": False, "head_bias": False, "softcap": 0.0, "logit_softcap": 0.0, "max_positions": 0,
            "image": 20, "patch": 6, "patches": "conv",
            "stem_norm": False, "pool": "class", "image_tokens": 4, "images": 1,
            "encoder_width": 36, "encoder_heads": 3, "encoder_layers": 2, "encoder_ff": 60,
            "projector": "mlp", "frozen": "none", "frozen_layers": 0,
            "optimizer_state": "parameter", "new_tokens": 24, "kv_cache": True, "temperature": 1.0, "top_k": 0}


VIT = {"norm": "layernorm", "positions": "learned", "ffn": "gelu", "bias": True}


def image_specs():
    """Encoders of images, and language models behind them; and what of them is frozen."""
    for dtype in ("fp32", "bf16", "fp16"):
        # Biases begin at zero, and where their gradients are small, AdamW's first steps are signs.
        steps = {} if dtype == "fp32" else {"pass": "forward+backward"}
        for backend in ("naive", "math", "flash", "tiled", "own", "auto"):
            yield dict(VIT, **steps, workload="vit", dtype=dtype, backend=backend)
            yield dict(steps, workload="vlm", dtype=dtype, backend=backend)
    for workload in ("vit", "vlm"):
        base = dict(VIT, workload=workload) if workload == "vit" else {"workload": workload}
        for pool in ("class", "mean", "resampler"):
            for patches in ("conv", "linear"):
                yield dict(base, pool=pool, patches=patches, stem_norm=patches == "linear")
            yield dict(base, pool=pool, autocast="bf16")
        yield dict(base, kernels="own", accumulate=2)
        yield dict(base, checkpoint="blocks", checkpoint_every=2, lr=0.01)
        yield dict(base, checkpoint="attention", pool="resampler", image_tokens=9)
        yield dict(base, optimizer="sgd", momentum=0.9, clip=0.5, cross_entropy="written",
                   products="einsum")
    for on in ("qv", "qkvo", "all"):
        # Adapters of the language model alone are trained.
        lora = {"workload": "vlm", "lora_rank": 5, "lora_on": on, "lora_alpha": 8.0, "lr": 0.01}
        for checkpoint in ("off", "blocks", "attention"):
            yield dict(lora, checkpoint=checkpoint, pool="resampler", kv_heads=1)
        yield dict(lora, dtype="bf16")
        yield dict(lora, autocast="bf16", clip=0.5)
    yield {"workload": "vlm", "lora_rank": 5, "lora_on": "all", "kernels": "own", "accumulate": 2}
    yield {"workload": "vlm", "lora_rank": 5, "backend": "flash", "products": "einsum",
           "optimizer": "sgd", "frozen": "encoder"}
    yield dict(GPT2, workload="vlm", lora_rank=5, lora_on="all", checkpoint="blocks")
    yield {"workload": "vit"}
    yield dict(VIT, workload="vit", lora_rank=5, lora_on="all", checkpoint="blocks", lr=0.01)
    yield {"workload": "vlm", "images": 3, "projector": "linear", "accumulate": 2, "kv_heads": 1}
    yield dict(GPT2, workload="vlm", fused_qkv=False)
    for frozen in ("encoder", "language", "both"):
        for checkpoint in ("off", "blocks", "attention"):
            yield {"workload": "vlm", "frozen": frozen, "checkpoint": checkpoint, "lr": 0.01,
                   "pool": "resampler"}
        yield {"workload": "vlm", "frozen": frozen, "dtype": "bf16", "optimizer_state": "fp32"}
        yield {"workload": "vlm", "frozen": frozen, "autocast": "bf16", "clip": 0.5}
    for frozen_layers in (1, 2):
        for base in (dict(VIT, workload="vit"), {"workload": "lm"}, dict(GPT2, workload="lm")):
            yield dict(base, frozen_layers=frozen_layers, lr=0.01)
            yield dict(base, frozen_layers=frozen_layers, checkpoint="blocks", layers=4,
                       checkpoint_every=2)
            yield dict(base, frozen_layers=frozen_layers, autocast="bf16", accumulate=2)


def changed_specs():
    for dtype in ("fp32", "bf16", "fp16"):
        for backend in ("naive", "math", "flash", "tiled", "own", "auto"):
            for causal in (True, False):
                yield {"workload": "attention", "dtype": dtype, "backend": backend,
                       "causal": causal, "tile_q": 16, "tile_k": 20}
            yield {"workload": "block", "dtype": dtype, "backend": backend}
            yield {"workload": "lm", "dtype": dtype, "backend": backend}
        for workload in ("mlp", "weighted_sum", "toy"):
            yield {"workload": workload, "dtype": dtype}
        for workload in ("attention", "block", "lm", "weighted_sum", "toy"):
            yield {"workload": workload, "dtype": dtype, "kernels": "own"}
        yield {"workload": "lm", "dtype": dtype, "T": 200, "d_model": 192, "heads": 4, "d_ff": 512,
               "layers": 4, "vocab": 997}
        yield dict(GPT2, workload="lm", dtype=dtype)
    for backend in ("naive", "math", "flash", "tiled", "own"):
        yield {"workload": "attention", "backend": backend, "heads": 6, "kv_heads": 2}
        yield {"workload": "attention", "backend": backend, "T_kv": 70, "causal": False}
        yield {"workload": "attention", "backend": backend, "projections": True,
               "pass": "full_step", "lr": 0.01}
        yield {"workload": "attention", "backend": backend, "projections": True, "fused_qkv": True,
               "heads": 6, "kv_heads": 2, "causal": False}
        yield {"workload": "lm", "backend": backend, "kv_heads": 1}
        yield {"workload": "lm", "backend": backend, "checkpoint": "blocks", "checkpoint_every": 2}
        yield {"workload": "block", "backend": backend, "checkpoint": "attention"}
    # Adapters alone are trained, in fp32 beside whatever the weights are.
    lora = {"lora_rank": 5, "lora_alpha": 8.0, "lr": 0.01}
    for on in ("qv", "qkvo", "all"):
        for workload in ("block", "lm"):
            yield dict(lora, workload=workload, lora_on=on, kv_heads=1)
            yield dict(lora, workload=workload, lora_on=on, dtype="bf16")
            yield dict(lora, workload=workload, lora_on=on, autocast="bf16")
    for optimizer in ("adamw_foreach", "adamw_loop", "sgd"):
        yield dict(lora, workload="lm", lora_on="all", optimizer=optimizer, momentum=0.9, clip=0.5)
    yield dict(GPT2, **lora, workload="lm", lora_on="all", accumulate=2)
    yield dict(lora, workload="lm", lora_on="all", checkpoint="blocks", checkpoint_every=2)
    yield dict(lora, workload="lm", lora_on="all", kernels="own")
    yield dict(lora, workload="lm", backend="flash", autocast="fp16", grad_scaler=True, clip=1.0)
    yield dict(lora, workload="lm", lora_on="all", products="einsum")
    yield dict(lora, workload="lm", **{"pass": "generate"})
    yield from masked_specs()
    yield from expert_specs()
    yield from head_specs()
    yield {"workload": "mlp", "mlp": "swiglu"}
    # Written out or fused, the model is the same.
    written = {"softmax": "written", "silu": "written", "cross_entropy": "written", "products": "einsum"}
    for mask in ("layer", "head"):
        yield dict(written, workload="attention", mask=mask)
        yield dict(written, workload="lm", mask=mask, kv_heads=1)
    yield dict(written, workload="mlp", mlp="swiglu")
    yield dict(written, workload="lm", mask="head", checkpoint="blocks", dtype="bf16", rope_fp32=True)
    yield dict(written, workload="lm", mask="layer", autocast="bf16", rope_fp32=True)
    yield {"workload": "block", "positions": "none", "norm": "layernorm"}
    for optimizer in ("adamw_fused", "adamw_foreach", "adamw_loop", "adamw_out_of_place", "sgd"):
        yield {"workload": "lm", "optimizer": optimizer, "lr": 0.01, "momentum": 0.9, "clip": 0.5}
        yield {"workload": "lm", "optimizer": optimizer, "schedule": "cosine", "warmup_steps": 2,
               "cycle_steps": 6, "zero_grad": "zero"}
        yield {"workload": "lm", "optimizer": optimizer, "autocast": "fp16", "grad_scaler": True,
               "init_scale": 2 ** 26, "clip": 1.0}
        for state in ("fp32", "fp32+master"):
            yield {"workload": "lm", "dtype": "bf16", "optimizer": optimizer, "lr": 0.01,
                   "momentum": 0.9, "optimizer_state": state}
    yield {"workload": "lm", "dtype": "fp16", "optimizer_state": "fp32+master", "pass": "full_step"}
    yield {"workload": "lm", "accumulate": 3}
    yield {"workload": "lm", "autocast": "fp16", "grad_scaler": True, "growth_interval": 2,
           "init_scale": 1024}
    for autocast in ("bf16", "fp16"):
        for workload in ("attention", "mlp", "block", "lm", "toy"):
            yield {"workload": workload, "autocast": autocast}
        for workload in ("lm", "toy"):
            yield {"workload": workload, "autocast": autocast, "kernels": "own"}
        yield {"workload": "lm", "autocast": autocast, "checkpoint": "blocks"}
    text = str(pathlib.Path(__file__).resolve())
    yield {"workload": "lm", "corpus": text, "vocab": 256, "lr": 0.01}
    yield {"workload": "lm", "corpus": text, "tokenizer": "char", "vocab": 200, "accumulate": 2}
    for kv_cache in (True, False):
        for backend in ("naive", "math", "flash"):
            yield {"workload": "lm", "pass": "generate", "backend": backend, "kv_cache": kv_cache}
        yield dict(GPT2, workload="lm", **{"pass": "generate"}, kv_cache=kv_cache, temperature=0.7,
                   top_k=5)
        yield {"workload": "lm", "pass": "generate", "kv_cache": kv_cache, "temperature": 0.0,
               "kv_heads": 1}
        yield {"workload": "lm", "pass": "generate", "kv_cache": kv_cache, "T": 1, "B": 1,
               "corpus": text, "vocab": 256, "top_k": 50}


def expert_specs():
    """Mixtures of experts, with places for all tokens and with too few. In fp32: where 16 bits make
    scores equal, the choice is anybody's."""
    for room in (0.0, 1.0, 0.5, 1.25):
        yield {"workload": "block", "experts": 4, "capacity": room}
        yield {"workload": "lm", "experts": 5, "experts_per_token": 3, "capacity": room}
    moe = {"workload": "lm", "experts": 4, "experts_per_token": 1}
    yield dict(moe, checkpoint="blocks", accumulate=2)
    yield dict(moe, silu="written", products="einsum")
    yield dict(moe, backend="flash", kv_heads=1, optimizer="sgd", lr=0.01)
    yield dict(moe, attn_dropout=0.1, dropout=0.1, window=9)
    yield dict(moe, lora_rank=5, lora_on="qkvo")
    yield dict(moe, capacity=0.0, **{"pass": "generate"})
    # As Qwen and DeepSeek have them.
    for weights in ("normalised", "softmax", "sigmoid"):
        yield dict(moe, experts_per_token=2, expert_weights=weights, expert_ff=24, shared_ff=36,
                   shared_gate=weights == "softmax", expert_scale=1.5, dense_layers=1, capacity=0.0)
    yield dict(moe, layers=4, expert_every=2, dense_layers=2, shared_ff=20, checkpoint="blocks")
    yield {"workload": "block", "experts": 4, "shared_ff": 20, "expert_weights": "sigmoid"}


LATENT = {"head_width": 24, "kv_rank": 20, "rope_width": 8, "v_width": 12}


def head_specs():
    """Heads of their own width, with biases and norms of their own, and latent attention."""
    for dtype in ("fp32", "bf16"):
        for own in ({"head_width": 20, "kv_heads": 1}, {"qkv_bias": True, "fused_qkv": True},
                    {"qk_norm": True, "head_width": 8}, {"ffn": "geglu"}, LATENT,
                    dict(LATENT, q_rank=28, v_width=0)):
            # Biases begin at zero, and where their gradients are small, AdamW's steps are signs.
            steps = {} if dtype == "fp32" else {"pass": "forward+backward"}
            yield dict(own, **steps, workload="lm", dtype=dtype)
    for workload in ("block", "lm"):
        yield dict(LATENT, workload=workload, q_rank=28, backend="math", autocast="bf16")
        yield dict(LATENT, workload=workload, backend="auto", checkpoint="attention", bias=True)
        yield {"workload": workload, "qk_norm": True, "norm": "layernorm", "kernels": "own"}
    yield {"workload": "mlp", "mlp": "geglu"}
    yield dict(LATENT, workload="lm", window=9, softmax="written", mask="layer", products="einsum")
    yield dict(LATENT, workload="lm", experts=4, dense_layers=1, shared_ff=20, positions="none")
    for cache in (True, False):
        generate = {"workload": "lm", "kv_cache": cache, "pass": "generate"}
        for backend in ("naive", "auto"):
            yield dict(LATENT, **generate, backend=backend)
            yield dict(LATENT, **generate, backend=backend, q_rank=28, B=3)
        yield dict(generate, head_width=20, kv_heads=1, qk_norm=True, qkv_bias=True)


GEMMA2 = {"window": 9, "full_every": 2, "post_norm": True, "softcap": 2.0, "logit_softcap": 1.5,
          "ffn": "geglu", "tied": True}
PHI = {"norm": "layernorm", "ffn": "gelu", "bias": True, "block_form": "shared_norm",
       "head_bias": True, "rope_width": 6}


def form_specs():
    """Blocks and heads as Gemma, Phi and GPT-NeoX have them; windows in some of the blocks."""
    for dtype in ("fp32", "bf16"):
        # Biases begin at zero, and where their gradients are small, AdamW's steps are signs.
        steps = {} if dtype == "fp32" else {"pass": "forward+backward"}
        for own in (GEMMA2, PHI, dict(PHI, block_form="parallel", fused_qkv=True, head_bias=False)):
            yield dict(own, **steps, workload="lm", dtype=dtype)
    yield dict(GPT2, workload="lm", max_positions=60)
    yield dict(GEMMA2, workload="lm", backend="auto", layers=3, checkpoint="blocks", softcap=0.0)
    yield dict(GEMMA2, workload="lm", kernels="own", mask="layer", qk_norm=True, head_width=20)
    # Biases of keys that no position turns have no gradient but rounding, of which AdamW makes steps.
    steps = {"pass": "forward+backward"}
    yield dict(PHI, **steps, workload="lm", autocast="bf16", backend="flash", accumulate=2)
    yield dict(PHI, **steps, workload="lm", tied=True, post_norm=True, products="einsum", kernels="own")
    for form in ("parallel", "shared_norm"):
        yield {"workload": "block", "block_form": form, "post_norm": True, "softcap": 1.0}
        yield {"workload": "lm", "block_form": form, "experts": 4, "dropout": 0.1}
    for cache in (True, False):
        generate = {"workload": "lm", "kv_cache": cache, "pass": "generate"}
        for window in (5, 48, 60):
            yield dict(generate, window=window, layers=3, full_every=2, backend="auto")
            yield dict(generate, window=window, B=3)
        yield dict(generate, **GEMMA2)
        yield dict(generate, **PHI)
        yield dict(generate, **LATENT, window=11)


def masked_specs():
    """Windows, packed and padded sequences, dropout."""
    masks = ({"window": 7}, {"window": 7, "causal": False}, {"packed": 20}, {"padding": 31},
             {"window": 9, "packed": 20, "padding": 31}, {"packed": 20, "padding": 31, "causal": False})
    for mask in masks:
        for backend in ("naive", "math", "flash", "tiled", "auto"):
            yield dict(mask, workload="attention", backend=backend, tile_q=16, tile_k=20)
        yield dict(mask, workload="attention", dtype="bf16", backend="flash")
        yield dict(mask, workload="lm", kv_heads=1, B=3)
    for backend in ("naive", "math", "flash", "tiled"):
        yield {"workload": "attention", "backend": backend, "T_kv": 70, "causal": False, "padding": 50}
    for how in ("layer", "head"):
        yield {"workload": "lm", "mask": how, "window": 9, "padding": 31, "softmax": "written"}
    yield {"workload": "lm", "backend": "auto", "packed": 20, "checkpoint": "blocks", "autocast": "bf16"}
    drops = {"attn_dropout": 0.2, "dropout": 0.1}
    for backend in ("naive", "math", "auto"):
        yield {"workload": "attention", "backend": backend, "attn_dropout": 0.3, "kv_heads": 1}
        yield {"workload": "attention", "backend": backend, "attn_dropout": 0.3, "projections": True,
               "fused_qkv": True, "causal": False, "pass": "full_step", "lr": 0.01}
        yield dict(drops, workload="lm", backend=backend)
        yield dict(drops, workload="lm", backend=backend, window=7, padding=31)
    for checkpoint in ("blocks", "attention"):
        yield dict(drops, workload="lm", checkpoint=checkpoint, accumulate=2)
    yield dict(drops, workload="block", dtype="bf16")
    yield dict(drops, workload="lm", autocast="fp16", grad_scaler=True, init_scale=1024)
    yield dict(GPT2, **drops, workload="lm", optimizer="sgd", momentum=0.9, lr=0.01)
    yield dict(drops, workload="lm", kernels="own")
    yield dict(drops, workload="lm", lora_rank=5, lora_on="all", checkpoint="blocks")


def every_change():
    yield from changed_specs()
    yield from form_specs()
    yield from image_specs()


def all_specs():
    """(what differs from the defaults, the whole specification) of each."""
    for changes in every_change():
        spec = dict(DEFAULTS, **changes)
        # AdamW in plain fp16 divides by second moments that vanished.
        trains = spec["workload"] != "attention" and spec["dtype"] != "fp16"
        spec.setdefault("pass", "full_step" if trains else "forward+backward")
        yield changes, spec
