"""transformers_models.py FOLDER [--full] [NAME ...]: exports models of transformers, built from small configs
without weights, as FOLDER/NAME-ATTENTION.pt2, and says of each how long that took or why it cannot be exported.
--full: those of PUBLISHED, in the sizes of a published model.

For the tables in docs/own_models.md. Set-up with --tests brings transformers 5.23.0.
"""

import pathlib
import sys
import time
import warnings

import torch
import transformers

TEXT = dict(vocab_size=200, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
            num_attention_heads=4, max_position_embeddings=128)
GROUPED = dict(TEXT, num_key_value_heads=2)
GPT2 = dict(vocab_size=200, n_embd=64, n_layer=2, n_head=4, n_positions=128)
LATENT = dict(TEXT, num_key_value_heads=4, kv_lora_rank=16, q_lora_rank=None, qk_nope_head_dim=16,
              qk_rope_head_dim=8, v_head_dim=16, n_routed_experts=4, num_experts_per_tok=2,
              n_shared_experts=1, moe_intermediate_size=32, first_k_dense_replace=1, n_group=1,
              topk_group=1)
# Class of the config and of the model, settings.
CAUSAL = {
    "llama": ("Llama", GROUPED), "mistral": ("Mistral", GROUPED), "qwen2": ("Qwen2", GROUPED),
    "qwen3": ("Qwen3", dict(GROUPED, head_dim=16)), "gemma": ("Gemma", dict(GROUPED, head_dim=16)),
    "gemma2": ("Gemma2", dict(GROUPED, head_dim=16)), "gpt2": ("GPT2", GPT2),
    "gpt_neox": ("GPTNeoX", TEXT), "gptj": ("GPTJ", dict(GPT2, rotary_dim=8)),
    "gpt_neo": ("GPTNeo", dict(vocab_size=200, hidden_size=64, num_layers=2, num_heads=4,
                               attention_types=[[["global", "local"], 1]],
                               max_position_embeddings=128)),
    "opt": ("OPT", dict(vocab_size=200, hidden_size=64, ffn_dim=128, num_hidden_layers=2,
                        num_attention_heads=4, max_position_embeddings=128, word_embed_proj_dim=64)),
    "bloom": ("Bloom", dict(vocab_size=200, hidden_size=64, n_layer=2, n_head=4)),
    "falcon": ("Falcon", dict(vocab_size=200, hidden_size=64, num_hidden_layers=2,
                              num_attention_heads=4)),
    "phi": ("Phi", GROUPED), "phi3": ("Phi3", dict(GROUPED, pad_token_id=0)),
    "olmo2": ("Olmo2", GROUPED), "granite": ("Granite", GROUPED), "cohere": ("Cohere", GROUPED),
    "starcoder2": ("Starcoder2", GROUPED), "stablelm": ("StableLm", GROUPED),
    "mixtral": ("Mixtral", dict(GROUPED, num_local_experts=4, num_experts_per_tok=2)),
    "qwen3_moe": ("Qwen3Moe", dict(GROUPED, head_dim=16, num_experts=4, num_experts_per_tok=2,
                                   moe_intermediate_size=32)),
    "qwen2_moe": ("Qwen2Moe", dict(GROUPED, num_experts=4, num_experts_per_tok=2,
                                   moe_intermediate_size=32, shared_expert_intermediate_size=48)),
    "deepseek_v2": ("DeepseekV2", dict(LATENT, topk_method="greedy")),
    "deepseek_v3": ("DeepseekV3", dict(LATENT, q_lora_rank=24)),
    "smollm3": ("SmolLM3", dict(GROUPED, pad_token_id=0)),
}
MASKED = {
    "bert": ("Bert", TEXT), "roberta": ("Roberta", TEXT), "electra": ("Electra", TEXT),
    "distilbert": ("DistilBert", dict(vocab_size=200, dim=64, n_layers=2, n_heads=4, hidden_dim=128,
                                      max_position_embeddings=128)),
    "albert": ("Albert", dict(TEXT, embedding_size=32)),
    "modernbert": ("ModernBert", dict(TEXT, pad_token_id=0)),
}
IMAGES = {
    "vit": ("ViT", "ForImageClassification", dict(
        hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        image_size=32, patch_size=8)),
    "deit": ("DeiT", "ForImageClassification", dict(
        hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        image_size=32, patch_size=8)),
    "dinov2": ("Dinov2", "ForImageClassification", dict(
        hidden_size=64, mlp_ratio=2, num_hidden_layers=2, num_attention_heads=4, image_size=32,
        patch_size=8)),
    "resnet": ("ResNet", "ForImageClassification", dict(
        embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1])),
    "convnext": ("ConvNext", "ForImageClassification", dict(
        hidden_sizes=[16, 32, 48, 64], depths=[1, 1, 1, 1], image_size=32)),
}
# Published sizes of up to 1.4 billion parameters; what is not named is the default of the config's class.
SMALL_GPT = dict(hidden_size=768, num_hidden_layers=12, num_attention_heads=12)
PUBLISHED = {
    "albert": dict(embedding_size=128, hidden_size=768, num_attention_heads=12, intermediate_size=3072),  # base
    "bert": {},  # base
    "bloom": dict(vocab_size=250880, hidden_size=1024, n_layer=24, n_head=16),  # 560m
    "convnext": {},  # tiny
    "deit": {},  # base
    "dinov2": {},  # base
    "distilbert": {},  # base
    "electra": dict(SMALL_GPT, embedding_size=768, intermediate_size=3072),  # base
    "falcon": dict(vocab_size=50304, hidden_size=2048, num_hidden_layers=24, num_attention_heads=32, alibi=True,
                   new_decoder_architecture=False, multi_query=False, parallel_attn=False, bias=True),  # rw-1b
    "gpt2": {},  # 124M
    "gpt_neo": dict(hidden_size=768, num_layers=12, num_heads=12, attention_types=[[["global", "local"], 6]]),  # 125m
    "gpt_neox": dict(SMALL_GPT, vocab_size=50304, intermediate_size=3072),  # Pythia 160m
    "llama": dict(vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30,
                  num_attention_heads=9, num_key_value_heads=3, tie_word_embeddings=True),  # SmolLM2 135M
    "modernbert": {},  # base
    "opt": dict(SMALL_GPT, ffn_dim=3072, word_embed_proj_dim=768),  # 125m
    "qwen2": dict(vocab_size=151936, hidden_size=896, intermediate_size=4864, num_hidden_layers=24,
                  num_attention_heads=14, num_key_value_heads=2, tie_word_embeddings=True),  # 2.5 0.5B
    "qwen3": dict(vocab_size=151936, hidden_size=1024, intermediate_size=3072, num_hidden_layers=28,
                  num_attention_heads=16, num_key_value_heads=8, head_dim=128, tie_word_embeddings=True),  # 0.6B
    "resnet": {},  # 50
    "roberta": dict(vocab_size=50265, max_position_embeddings=514, type_vocab_size=1),  # base
    "t5": dict(d_model=768, d_ff=3072, num_layers=12, num_heads=12),  # base
    "vit": {},  # base
}
BATCH, TOKENS = 3, 24


class Logits(torch.nn.Module):
    """A model of transformers as a function from its input to its logits."""

    def __init__(self, model, argument, settings):
        super().__init__()
        self.model, self.argument, self.settings = model, argument, settings

    def forward(self, x):
        return self.model(**{self.argument: x}, **self.settings).logits


def models():
    """Name to what makes it: config, class of the model, example input."""
    made = {}
    for name, (family, settings) in CAUSAL.items():
        made[name] = (family, "LMHeadModel" if family == "GPT2" else "ForCausalLM", settings)
    for name, (family, settings) in MASKED.items():
        made[name] = (family, "ForMaskedLM", settings)
    made["t5"] = ("T5", "EncoderModel", dict(vocab_size=200, d_model=64, d_kv=16, d_ff=128,
                                             num_layers=2, num_heads=4))
    made.update(IMAGES)
    return made


def build(name, attention, full=False):
    """The module, its example input and its open dimensions."""
    family, kind, settings = models()[name]
    if full:
        settings = PUBLISHED[name]
    config = getattr(transformers, family + "Config")(**settings)
    if hasattr(config, "use_cache"):
        config.use_cache = False
    config._attn_implementation = attention
    # Weights are gathered for every token: grouped products are an operator that Python defines.
    config._experts_implementation = "batched_mm"
    torch.manual_seed(0)
    model = getattr(transformers, family + kind)._from_config(config).train()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    b = torch.export.Dim("B", min=2, max=64)
    if name in IMAGES:
        side = getattr(config, "image_size", 224) if full else 32
        return Logits(model, "pixel_values", {}), torch.zeros(BATCH, 3, side, side), {0: b}
    t = torch.export.Dim.AUTO  # where the code fixes the length, it stays fixed
    settings = {"use_cache": False} if name in CAUSAL else {}
    if name == "t5":
        return Hidden(model), torch.zeros(BATCH, TOKENS, dtype=torch.long), {0: b, 1: t}
    return Logits(model, "input_ids", settings), torch.zeros(BATCH, TOKENS, dtype=torch.long), {0: b, 1: t}


class Hidden(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(input_ids=x).last_hidden_state


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    full = "--full" in sys.argv
    names = [name for name in sys.argv[2:] if name != "--full"]
    for name in names or (PUBLISHED if full else models()):
        for attention in ("sdpa", "eager"):
            begin = time.monotonic()
            try:
                module, example, dimensions = build(name, attention, full)
                parameters = sum(one.numel() for one in module.parameters())
                program = torch.export.export(module, (example,), dynamic_shapes=(dimensions,))
                torch.export.save(program, str(folder / f"{name}-{attention}.pt2"))
                print(f"{name} {attention}: {parameters:,} parameters, {time.monotonic() - begin:.1f} s", flush=True)
            except Exception as error:  # each is one row of the table
                print(f"{name} {attention}: {type(error).__name__} {str(error).splitlines()[0][:200]}",
                      flush=True)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main()
