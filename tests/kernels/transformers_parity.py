"""transformers_parity.py FOLDER: our language model's blocks compute what the modules of transformers do.

Small models of transformers (Qwen, DeepSeek, Gemma, Phi, GPT-NeoX) get random weights.
kernels/compiled/models.py, with which parity.py compares the engine, gets the same weights and must
have the same logits. FOLDER has transformers; without torch 2.11 in this Python the test is skipped
(exit code 77).
"""

import sys

from references import models, torch_or_skip

torch = torch_or_skip()
sys.path.insert(0, sys.argv[1])
import transformers  # noqa: E402

SIZES = dict(vocab_size=50, hidden_size=64, intermediate_size=96, num_hidden_layers=3,
             num_attention_heads=4, num_key_value_heads=2, rms_norm_eps=1e-5,
             tie_word_embeddings=False)
SHARED = dict(num_experts=6, num_experts_per_tok=2, moe_intermediate_size=20)
LATENT = dict(SIZES, num_key_value_heads=4, kv_lora_rank=20, qk_nope_head_dim=16, qk_rope_head_dim=8,
              v_head_dim=12, n_routed_experts=6, num_experts_per_tok=2, moe_intermediate_size=20,
              n_shared_experts=2, first_k_dense_replace=1, n_group=1, topk_group=1)
EXPERTS = {"experts": 6, "experts_per_token": 2}
OURS = dict(EXPERTS, head_width=24, kv_rank=20, rope_width=8)
ROPE = {"rope_type": "default", "rope_theta": 10000.0}
GEMMA = dict(head_dim=24, sliding_window=5, hidden_activation="gelu")
GEMMA_OURS = {"head_width": 24, "window": 5, "ffn": "geglu", "post_norm": True}
WITH_BIASES = dict(vocab_size=50, hidden_size=64, intermediate_size=96, num_hidden_layers=3,
                   num_attention_heads=4, layer_norm_eps=1e-5, hidden_act="gelu",
                   tie_word_embeddings=False)
BIASED_OURS = {"norm": "layernorm", "ffn": "gelu", "bias": True}
# Family, its config, our settings.
FAMILIES = [
    ("qwen2", SIZES, {}),
    ("qwen3", dict(SIZES, head_dim=24), {"head_width": 24}),
    ("qwen2_moe", dict(SIZES, **SHARED, shared_expert_intermediate_size=28, norm_topk_prob=False),
     dict(EXPERTS, expert_weights="softmax")),
    ("qwen3_moe", dict(SIZES, **SHARED, head_dim=24, norm_topk_prob=True, mlp_only_layers=[0]),
     dict(EXPERTS, head_width=24)),
    ("deepseek_v2", dict(LATENT, q_lora_rank=None, routed_scaling_factor=1.5, norm_topk_prob=False,
                         topk_method="greedy"),
     dict(OURS, expert_weights="softmax", expert_scale=1.5)),
    ("deepseek_v3", dict(LATENT, q_lora_rank=28, routed_scaling_factor=2.5, norm_topk_prob=True),
     dict(OURS, q_rank=28, expert_weights="sigmoid", expert_scale=2.5)),
    ("gemma2", dict(SIZES, **GEMMA, attn_logit_softcapping=2.0, final_logit_softcapping=3.0,
                    query_pre_attn_scalar=24, attn_implementation="eager"),
     dict(GEMMA_OURS, full_every=2, softcap=2.0, logit_softcap=3.0)),
    ("gemma3_text", dict(SIZES, **GEMMA, query_pre_attn_scalar=24,
                         layer_types=["sliding_attention", "sliding_attention", "full_attention"],
                         rope_parameters={"full_attention": ROPE, "sliding_attention": ROPE}),
     dict(GEMMA_OURS, full_every=3)),
    ("phi", dict(WITH_BIASES, num_key_value_heads=2, rope_parameters=dict(ROPE, partial_rotary_factor=0.5)),
     dict(BIASED_OURS, rope_width=8, block_form="shared_norm")),
    ("gpt_neox", dict(WITH_BIASES, rope_parameters=dict(ROPE, partial_rotary_factor=0.25)),
     dict(BIASED_OURS, rope_width=4, block_form="parallel", fused_qkv=True)),
]
ATTENTION = {"q_proj": "q_proj", "k_proj": "k_proj", "v_proj": "v_proj", "o_proj": "o_proj",
             "q_norm": "q_norm", "k_norm": "k_norm", "q_a_proj": "q_a_proj", "q_b_proj": "q_b_proj",
             "q_a_layernorm": "q_a_norm", "kv_a_proj_with_mqa": "kv_a_proj",
             "kv_a_layernorm": "kv_a_norm", "kv_b_proj": "kv_b_proj"}
NORMS = {"input_layernorm": "norm1", "post_attention_layernorm": "norm2"}
GEMMA_NORMS = {"input_layernorm": "norm1", "post_attention_layernorm": "post_norm1",
               "pre_feedforward_layernorm": "norm2", "post_feedforward_layernorm": "post_norm2"}
FEED_FORWARD = {"gate_proj": "w1", "down_proj": "w2", "up_proj": "w3"}
# The norms of low ranks have an epsilon of their own in transformers.
TOLERANCE = 1e-5


def as_pairs(weight, heads, turned=None):
    """Rows of a head for positions that turn neighbours, where transformers turns two halves of it, or
    of its first `turned` rows."""
    width = weight.shape[0] // heads
    turned = turned or width
    order = torch.cat((torch.arange(turned).view(2, turned // 2).T.reshape(-1), torch.arange(turned, width)))
    return weight.view(heads, width, *weight.shape[1:])[:, order].reshape(weight.shape)


def attention_of(given, config, path, name):
    latent = hasattr(config, "kv_lora_rank")
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads, "q_norm": 1,
             "k_norm": 1}
    for theirs, ours in ATTENTION.items():
        for kind in ("weight", "bias"):
            weight = given.get(f"{path}.self_attn.{theirs}.{kind}")
            if weight is not None:
                turned = theirs in heads and not latent
                yield f"{name}.attn.{ours}.{kind}", as_pairs(weight, heads[theirs]) if turned else weight


def gated(given, path, name):
    for theirs, ours in FEED_FORWARD.items():
        if f"{path}.{theirs}.weight" in given:
            yield f"{name}.{ours}.weight", given[f"{path}.{theirs}.weight"]


def feed_forward_of(given, path, name):
    yield from gated(given, path, name)
    if f"{path}.gate.weight" not in given:
        return
    yield f"{name}.router.weight", given[f"{path}.gate.weight"]
    w1, w3 = given[f"{path}.experts.gate_up_proj"].chunk(2, 1)
    yield from ((f"{name}.w1", w1), (f"{name}.w3", w3))
    yield f"{name}.w2", given[f"{path}.experts.down_proj"]
    for shared in ("shared_experts", "shared_expert"):
        yield from gated(given, f"{path}.{shared}", f"{name}.shared")
    if f"{path}.shared_expert_gate.weight" in given:
        yield f"{name}.shared_gate.weight", given[f"{path}.shared_expert_gate.weight"]


def weights_of(model):
    """The parameters of a model of transformers under our names."""
    given = dict(model.named_parameters())
    made = {"embedding.weight": given["model.embed_tokens.weight"],
            "norm.weight": given["model.norm.weight"], "head.weight": given["lm_head.weight"]}
    gemma = "model.layers.0.pre_feedforward_layernorm.weight" in given
    norms = GEMMA_NORMS if gemma else NORMS
    for i in range(model.config.num_hidden_layers):
        path, name = f"model.layers.{i}", f"blocks.{i}"
        for theirs, ours in norms.items():
            made[f"{name}.{ours}.weight"] = given[f"{path}.{theirs}.weight"]
        made.update(attention_of(given, model.config, path, name))
        made.update(feed_forward_of(given, f"{path}.mlp", f"{name}.ffn"))
    if gemma:
        # Its norms multiply by 1 + weight, and its embeddings are scaled.
        made = {name: one + 1 if "norm" in name else one for name, one in made.items()}
        made["embedding.weight"] = made["embedding.weight"] * model.config.hidden_size ** 0.5
    return made


PHI = {"input_layernorm": "norm1", "self_attn.q_proj": "attn.q_proj", "self_attn.k_proj": "attn.k_proj",
       "self_attn.v_proj": "attn.v_proj", "self_attn.dense": "attn.o_proj", "mlp.fc1": "ffn.up",
       "mlp.fc2": "ffn.down"}
GPT_NEOX = {"input_layernorm": "norm1", "post_attention_layernorm": "norm2",
            "attention.query_key_value": "attn.qkv_proj", "attention.dense": "attn.o_proj",
            "mlp.dense_h_to_4h": "ffn.up", "mlp.dense_4h_to_h": "ffn.down"}


def renamed(model, names, layers, of_layer):
    """Weights and biases under our names: those of the model, and those of each layer in `layers`."""
    given, names = dict(model.named_parameters()), dict(names)
    for i in range(model.config.num_hidden_layers):
        names.update((f"{layers}.{i}.{theirs}", f"blocks.{i}.{ours}") for theirs, ours in of_layer.items())
    return {f"{ours}.{kind}": given[f"{theirs}.{kind}"] for theirs, ours in names.items()
            for kind in ("weight", "bias") if f"{theirs}.{kind}" in given}


def phi_weights_of(model):
    made = renamed(model, {"model.embed_tokens": "embedding", "model.final_layernorm": "norm",
                           "lm_head": "head"}, "model.layers", PHI)
    heads = {"q_proj": model.config.num_attention_heads, "k_proj": model.config.num_key_value_heads}
    for name in made:
        which = name.split(".")[-2]
        if which in heads:
            made[name] = as_pairs(made[name], heads[which], 8)
    return made


def gpt_neox_weights_of(model):
    made = renamed(model, {"gpt_neox.embed_in": "embedding", "gpt_neox.final_layer_norm": "norm",
                           "lm_head": "head"}, "gpt_neox.layers", GPT_NEOX)
    heads = model.config.num_attention_heads
    for name, one in made.items():
        if ".qkv_proj." in name:
            # Each head has its queries, keys and values one below the other.
            q, k, v = one.view(heads, 3, -1, *one.shape[1:]).unbind(1)
            q, k = (as_pairs(part.reshape(-1, *one.shape[1:]), heads, 4) for part in (q, k))
            made[name] = torch.cat((q, k, v.reshape(q.shape)))
    return made


def error_of(family, settings, ours):
    config = transformers.AutoConfig.for_model(family, **settings)
    model = transformers.AutoModelForCausalLM.from_config(
        config, attn_implementation="eager", experts_implementation="eager").double().eval()
    for parameter in model.parameters():
        vector = parameter.dim() == 1
        torch.nn.init.normal_(parameter, mean=1.0 if vector else 0.0, std=0.1 if vector else 0.2)
    weights = {"phi": phi_weights_of, "gpt_neox": gpt_neox_weights_of}.get(family, weights_of)(model)
    assert sum(one.numel() for one in weights.values()) == model.num_parameters(), family
    spec = dict({"workload": "lm", "heads": config.num_attention_heads, "fused_qkv": False,
                 "kv_heads": getattr(config, "num_key_value_heads", 0), "norm": "rmsnorm", "positions": "rope",
                 "causal": True, "ffn": "swiglu", "layers": config.num_hidden_layers, "tied": False,
                 "capacity": 0.0, "pass": "forward", "head_width": 0, "kv_rank": 0, "q_rank": 0},
                **ours)
    tokens = torch.randint(0, settings["vocab_size"], (2, 11))
    with torch.no_grad():
        expected = model(tokens).logits
        found, _ = models.Models(torch, spec).forward(weights, [tokens, tokens])
    return float((found - expected).norm() / expected.norm())


def main():
    torch.manual_seed(0)
    errors = {family: error_of(family, settings, ours) for family, settings, ours in FAMILIES}
    for family, error in errors.items():
        print(f"{family:<12} {error:.1e}")
    return max(errors.values()) > TOLERANCE


if __name__ == "__main__":
    sys.exit(main())
