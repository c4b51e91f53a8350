"""A model of Hugging Face's transformers from its config.json, as a file with `def build(...)` would have it.

For models that the program's own language model cannot express. The weights are new, nothing is fetched, and code that a
config names (auto_map) is not run.
"""

import inspect
import os
import typing

import torch

from . import Unavailable

# Classes whose loss is that of tokens, or that of one class for each input; by the ends of their names.
TOKENS = ("ForCausalLM", "LMHeadModel", "ForMaskedLM", "ForConditionalGeneration", "ForPreTraining")
CLASSES = ("ForSequenceClassification", "ForImageClassification")
MODES = ("training", "forward", "prefill", "generate")
OPTIMIZERS = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}


def _transformers():
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        import transformers
    except ImportError as problem:
        raise Unavailable(f"a model of this config.json needs transformers ({problem}): pip install transformers") from None
    return transformers


def _know_that_nothing_is_packed(transformers):
    """Whether positions are those of one sequence is asked of their numbers, which a tensor without data has not.
    Nothing here is packed."""
    masks = transformers.masking_utils
    ask = masks.find_packed_sequence_indices

    def answer(position_ids):
        if not position_ids.is_meta:
            return ask(position_ids)
        truth = torch.Tensor.__bool__
        torch.Tensor.__bool__ = lambda tensor: True  # all positions follow one another
        try:
            return ask(position_ids)
        finally:
            torch.Tensor.__bool__ = truth

    masks.find_packed_sequence_indices = answer


def _model_class(transformers, config):
    """The class that the file names, else the one that predicts the next token."""
    names = [name for name in config.architectures or () if hasattr(transformers, name)]
    if names:
        return getattr(transformers, names[0])
    mapping = transformers.AutoModelForCausalLM._model_mapping
    if type(config) in mapping:
        named = (config.architectures or ["ForCausalLM"])[0]
        if named.endswith(("ForCausalLM", "LMHeadModel")):
            return mapping[type(config)]
        raise ValueError(f"transformers {transformers.__version__} has no class {named}")
    raise ValueError(f"transformers {transformers.__version__} has no class for {config.model_type}")


def _inputs(model, config, B, T, dtype, device):
    """The arguments of a forward."""
    if model.main_input_name == "input_ids":
        return {"input_ids": torch.randint(config.get_text_config().vocab_size, (B, T), device=device)}
    if model.main_input_name == "pixel_values" and hasattr(config, "image_size"):
        side = config.image_size if isinstance(config.image_size, int) else config.image_size[0]
        shape = (B, getattr(config, "num_channels", 3), side, side)
        return {"pixel_values": torch.randn(shape, device=device, dtype=dtype)}
    raise ValueError(f"{type(model).__name__} wants {model.main_input_name}, which is not made here")


def _labels(model, inputs, config, B, device):
    """Targets of the model's own loss; none where it has none."""
    name, takes = type(model).__name__, inspect.signature(model.forward).parameters
    if "labels" not in takes:
        return {}
    if name.endswith(TOKENS) and "input_ids" in inputs:
        return {"labels": inputs["input_ids"]}
    if name.endswith(CLASSES):
        return {"labels": torch.randint(config.num_labels, (B,), device=device)}
    return {}


def _loss(output):
    """The model's own, else the mean of its first output."""
    loss = getattr(output, "loss", None)
    return loss if loss is not None else output[0].float().mean()


def _generates(model, inputs, transformers, config):
    """A step that makes one more token of each sequence, after the keys and values of their tokens were made. A layer
    with a sliding window keeps those that it sees."""
    if "past_key_values" not in inspect.signature(model.forward).parameters or "input_ids" not in inputs:
        raise ValueError(f"{type(model).__name__} keeps no keys and values, so it has no mode generate")
    kept = transformers.DynamicCache(config=config)
    with torch.no_grad():
        model(**inputs, past_key_values=kept)
    token = inputs["input_ids"][:, :1].clone()

    @torch.no_grad()
    def generate():
        model(input_ids=token, past_key_values=kept, use_cache=True)

    return generate


def build_of(path):
    """The function for a config.json."""
    transformers = _transformers()
    _know_that_nothing_is_packed(transformers)
    config = transformers.AutoConfig.from_pretrained(path, trust_remote_code=False)
    if getattr(config, "quantization_config", None):
        raise ValueError("its weights are quantized, and new weights are not: take quantization_config out of the file to "
                         "see it with weights that are not")
    model_class = _model_class(transformers, config)
    longest = getattr(config.get_text_config(), "max_position_embeddings", None)
    kernels = ("sdpa", "eager") if getattr(model_class, "_supports_sdpa", False) else ("eager",)

    def build(B=1, T=min(512, longest or 512), device="cpu", dtype=torch.float32, mode="training",
              attention=kernels[0], optimizer="adamw", checkpointing=False):
        config._attn_implementation = attention
        usual = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        try:
            with torch.device(device):
                model = model_class(config)
        finally:
            torch.set_default_dtype(usual)
        model.train(mode == "training")
        if checkpointing:
            model.gradient_checkpointing_enable()
        inputs = _inputs(model, config, B, T, dtype, device)
        takes = inspect.signature(model.forward).parameters
        if "use_cache" in takes:
            inputs["use_cache"] = mode in ("prefill", "generate")
        if mode != "training":
            if mode != "forward" and "logits_to_keep" in takes:
                inputs["logits_to_keep"] = 1
            if mode == "generate":
                return _generates(model, inputs, transformers, config)

            @torch.no_grad()
            def forward():
                model(**inputs)

            return forward
        inputs.update(_labels(model, inputs, config, B, device))
        update = OPTIMIZERS[optimizer](model.parameters(), lr=1e-5)

        def train():
            update.zero_grad()
            _loss(model(**inputs)).backward()
            update.step()

        return train

    whole = typing.Annotated[int, range(1, longest + 1)] if longest else int
    build.__annotations__.update(B=int, T=whole, mode=typing.Literal[MODES], checkpointing=bool,
                                 attention=typing.Literal[kernels],
                                 optimizer=typing.Literal[tuple(OPTIMIZERS)])
    build.__doc__ = f"{model_class.__name__} of transformers {transformers.__version__}, with new weights"
    return build
