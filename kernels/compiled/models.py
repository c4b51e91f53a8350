"""The workloads in PyTorch's Python, with the parameters and inputs of kernels/workloads.

What Inductor compiles (make_package.py), and what the tests compare the engine with. `p` maps names of
parameters to tensors, `inputs` are the engine's in its order, `spec` is a specification as JSON.
"""

THETA = 10000.0


def attention(torch, q, k, v, causal, spec):
    """softmax(q k^T / sqrt(d)) v, written out, as backend naive."""
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    scores = capped(torch, q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, spec.get("softcap", 0.0))
    if causal:
        ones = torch.ones(scores.shape[-2:], dtype=torch.bool)
        scores = scores.masked_fill(ones.triu(1), float("-inf"))
    scores = hide(torch, scores, spec)
    return dropout(torch, scores.softmax(-1), spec, "attn_dropout") @ v


def capped(torch, x, cap):
    return cap * torch.tanh(x / cap) if cap > 0 else x


def hide(torch, scores, spec):
    """The masks besides the causal one, key by key."""
    rows, _, queries, keys = scores.shape
    window, packed, padding = (spec.get(name, 0) for name in ("window", "packed", "padding"))
    if spec.get("pass") == "generate":
        packed = padding = 0
    if not (window or packed or padding):
        return scores
    hidden = torch.zeros((rows, 1, queries, keys), dtype=torch.bool)
    for row in range(rows):
        for query in range(queries):
            seen = range(query - window + 1, query + window) if window else range(keys)
            first = query // packed * packed if packed else 0
            seen = [key for key in seen if not packed or first <= key < first + packed]
            length = keys - padding * (row + 1) // rows
            seen = [key for key in seen if 0 <= key < length or key == query and queries == keys]
            hidden[row, 0, query] = True
            hidden[row, 0, query, seen] = False
    return scores.masked_fill(hidden, float("-inf"))


def dropout(torch, x, spec, name):
    """Where a graph is kept, as the engine draws: all of a tensor at once."""
    share = spec.get(name, 0.0)
    if share == 0 or spec["pass"] == "generate":
        return x
    keeps = spec["pass"] in ("forward+backward", "full_step") or spec.get("keep_graph", False)
    return torch.nn.functional.dropout(x, share) if keeps else x


def rotary_tables(torch, length, width, dtype):
    """Cosines and sines of rotary positions [length, width / 2]: made in fp32, kept in `dtype`."""
    exponents = torch.arange(0, width, 2, dtype=torch.float32) / -width
    angles = torch.outer(torch.arange(length, dtype=torch.float32), THETA ** exponents)
    return angles.cos().to(dtype), angles.sin().to(dtype)


def turn(torch, x, tables):
    cos, sin = tables
    x, rest = x[..., :2 * cos.shape[-1]], x[..., 2 * cos.shape[-1]:]
    even, odd = x.unflatten(-1, (-1, 2)).unbind(-1)
    turned = torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)
    return torch.cat((turned, rest), -1) if rest.shape[-1] else turned


def norm(torch, p, name, x, spec):
    weight, bias = p[f"{name}.weight"], p.get(f"{name}.bias")
    if spec["norm"] == "layernorm":
        return torch.nn.functional.layer_norm(x, weight.shape, weight, bias)
    wide = x if x.dtype == torch.float64 else x.float()
    return (wide * (wide.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt() * weight).to(x.dtype)


def linear(torch, p, name, x, spec):
    y = torch.nn.functional.linear(x, p[f"{name}.weight"], p.get(f"{name}.bias"))
    a = p.get(f"{name}.lora_A.weight")
    if a is None:
        return y
    low = torch.nn.functional.linear(x.to(a.dtype), a)
    added = torch.nn.functional.linear(low, p[f"{name}.lora_B.weight"])
    return (y + added * (spec["lora_alpha"] / spec["lora_rank"])).to(y.dtype)


def feed_forward(torch, p, name, h, kind, spec):
    if f"{name}.router.weight" in p:
        return experts(torch, p, name, h, spec)
    if kind == "gelu":
        h = torch.nn.functional.gelu(linear(torch, p, f"{name}.up", h, spec))
        return linear(torch, p, f"{name}.down", h, spec)
    act = torch.nn.functional.gelu if kind == "geglu" else torch.nn.functional.silu
    gate = act(linear(torch, p, f"{name}.w1", h, spec))
    return linear(torch, p, f"{name}.w2", gate * linear(torch, p, f"{name}.w3", h, spec), spec)


def experts(torch, p, name, h, spec):
    """Every expert on all tokens, weighted by what the router made of those that found a place; and
    the one that every token is sent to."""
    flat = h.flatten(0, -2)
    count, k, most = flat.shape[0], spec["experts_per_token"], spec["capacity"]
    room = count
    if most > 0:
        room = min(count, max(1, -int(-most * count * k // spec["experts"])))
    scores = linear(torch, p, f"{name}.router", flat, spec)
    wide = torch.float64 if h.dtype == torch.float64 else torch.float32
    how = spec.get("expert_weights", "normalised")
    scores = scores.to(wide).sigmoid() if how == "sigmoid" else scores.softmax(-1, dtype=wide)
    weights, chosen = scores.topk(k, -1)
    weights = weights / weights.sum(-1, keepdim=True) if k > 1 and how != "softmax" else weights
    weights = (weights * spec.get("expert_scale", 1.0)).to(h.dtype)
    taken, kept = [0] * spec["experts"], torch.zeros(weights.shape, dtype=weights.dtype)
    for token, choices in enumerate(chosen.tolist()):
        for place, expert in enumerate(choices):
            kept[token, place] = taken[expert] < room
            taken[expert] += 1
    total = 0
    for expert in range(spec["experts"]):
        w1, w2, w3 = (p[f"{name}.{which}"][expert] for which in ("w1", "w2", "w3"))
        share = (weights * kept * (chosen == expert)).sum(-1, keepdim=True)
        total = total + share * ((torch.nn.functional.silu(flat @ w1.T) * (flat @ w3.T)) @ w2.T)
    total = total.view(h.shape)
    if f"{name}.shared.w1.weight" not in p:
        return total
    shared = feed_forward(torch, p, f"{name}.shared", h, "swiglu", spec)
    if f"{name}.shared_gate.weight" in p:
        shared = shared * linear(torch, p, f"{name}.shared_gate", h, spec).sigmoid()
    return total + shared


def project(torch, p, name, x, spec):
    """Queries, keys and values of one input."""
    heads, kv_heads = spec["heads"], spec["kv_heads"] or spec["heads"]
    if spec["fused_qkv"]:
        width = spec.get("head_width", 0) or x.shape[-1] // heads
        parts = [heads * width, kv_heads * width, kv_heads * width]
        q, k, v = linear(torch, p, f"{name}.qkv_proj", x, spec).split(parts, -1)
    else:
        q, k, v = (linear(torch, p, f"{name}.{which}_proj", x, spec) for which in "qkv")
    q, k, v = (t.unflatten(-1, (n, -1)).transpose(1, 2)
               for t, n in ((q, heads), (k, kv_heads), (v, kv_heads)))
    if f"{name}.q_norm.weight" in p:
        q, k = norm(torch, p, f"{name}.q_norm", q, spec), norm(torch, p, f"{name}.k_norm", k, spec)
    return q, k, v


def project_latent(torch, p, name, x, spec, turned):
    """The same of latent attention, with positions in."""
    heads, rank = spec["heads"], spec["kv_rank"]
    width = spec["head_width"] or x.shape[-1] // heads
    rope = spec["rope_width"] or width // 2
    if spec["q_rank"]:
        low = norm(torch, p, f"{name}.q_a_norm", linear(torch, p, f"{name}.q_a_proj", x, spec), spec)
        q = linear(torch, p, f"{name}.q_b_proj", low, spec)
    else:
        q = linear(torch, p, f"{name}.q_proj", x, spec)
    q = q.unflatten(-1, (heads, -1)).transpose(1, 2)
    low, k_rope = linear(torch, p, f"{name}.kv_a_proj", x, spec).split([rank, rope], -1)
    low = norm(torch, p, f"{name}.kv_a_norm", low, spec)
    kv = linear(torch, p, f"{name}.kv_b_proj", low, spec).unflatten(-1, (heads, -1)).transpose(1, 2)
    k, v = kv[..., :width - rope], kv[..., width - rope:]
    k_rope = turned(k_rope.unsqueeze(1)).expand(-1, heads, -1, -1)
    q = torch.cat((q[..., :width - rope], turned(q[..., width - rope:])), -1)
    return q, torch.cat((k, k_rope), -1), v


def is_trained(spec, name):
    """Whether a parameter is not frozen."""
    if spec["lora_rank"] > 0 and not spec["lora_merged"]:
        return ".lora_" in name
    if spec["workload"] == "vlm":
        part = name.split(".")[0]
        return part not in {"none": (), "both": ("encoder", "language")}.get(spec["frozen"],
                                                                            (spec["frozen"],))
    frozen = spec["frozen_layers"] if spec["workload"] in ("lm", "vit") else 0
    if name.startswith("blocks."):
        return int(name.split(".")[1]) >= frozen
    before = ("embedding.", "positions.", "patches.", "class_token", "stem_norm.")
    return frozen == 0 or not name.startswith(before)


def encoder_spec(spec):
    """The encoder of a vision-language model as settings of vit."""
    return dict(spec, workload="vit", d_model=spec["encoder_width"], heads=spec["encoder_heads"],
                layers=spec["encoder_layers"], d_ff=spec["encoder_ff"], kv_heads=0, causal=False,
                norm="layernorm", ffn="gelu", positions="learned", bias=True, fused_qkv=False)


def patches(torch, images, size):
    """The numbers of each patch side by side, [N, patches, 3 size^2]."""
    side = images.shape[-1] // size
    images = images[:, :, :side * size, :side * size]
    cut = images.unflatten(3, (side, size)).unflatten(2, (side, size))
    return cut.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


def stem(torch, p, prefix, images, spec):
    weight, bias = p[f"{prefix}patches.weight"], p.get(f"{prefix}patches.bias")
    if spec["patches"] == "conv":
        x = torch.nn.functional.conv2d(images, weight, bias, stride=spec["patch"])
        x = x.flatten(2).transpose(1, 2)
    else:
        x = torch.nn.functional.linear(patches(torch, images, spec["patch"]), weight, bias)
    if f"{prefix}class_token" in p:
        x = torch.cat((p[f"{prefix}class_token"].expand(len(x), 1, -1), x), 1)
    if f"{prefix}positions.weight" in p:
        x = x + p[f"{prefix}positions.weight"]
    return norm(torch, p, f"{prefix}stem_norm", x, spec) if spec["stem_norm"] else x


class Models:
    """`attend(q, k, v, causal)` and `tables(length, width, dtype)` replace what is written out here."""

    def __init__(self, torch, spec, attend=None, tables=None):
        self.torch, self.spec = torch, spec
        self.attend = attend or (lambda q, k, v, causal: attention(torch, q, k, v, causal, spec))
        self.tables = tables or (lambda *shape: rotary_tables(torch, *shape))

    def attended(self, p, name, h):
        """Attention over the output of a norm."""
        torch, spec = self.torch, self.spec

        def turned(x):
            if spec["positions"] != "rope":
                return x
            # The engine keeps the tables in the type of the parameters; autocast rotates in fp32.
            weight = p[f"{name}.norm1.weight"]
            width = x.shape[-1]
            if spec.get("rope_width", 0) and not spec.get("kv_rank", 0):
                width = spec["rope_width"]
            return turn(torch, x, self.tables(x.shape[-2], width, weight.dtype))

        if spec.get("kv_rank", 0):
            q, k, v = project_latent(torch, p, f"{name}.attn", h, spec, turned)
        else:
            q, k, v = project(torch, p, f"{name}.attn", h, spec)
            q, k = turned(q), turned(k)
        a = self.attend(q, k, v, spec["causal"]).transpose(1, 2).flatten(-2)
        return linear(torch, p, f"{name}.attn.o_proj", a, spec)

    def block(self, p, name, x):
        torch, spec, form = self.torch, self.spec, self.spec.get("block_form", "serial")
        every = spec.get("full_every", 0)
        if every and spec["workload"] == "lm" and (int(name.split(".")[-1]) + 1) % every == 0:
            return Models(torch, dict(spec, window=0, full_every=0)).block(p, name, x)

        def finished(made, which):
            if f"{name}.post_{which}.weight" in p:
                made = norm(torch, p, f"{name}.post_{which}", made, spec)
            return dropout(torch, made, spec, "dropout")

        h = norm(torch, p, f"{name}.norm1", x, spec)
        a = finished(self.attended(p, name, h), "norm1")
        if form == "serial":
            x = x + a
        if form != "shared_norm":
            h = norm(torch, p, f"{name}.norm2", x, spec)
        f = finished(feed_forward(torch, p, f"{name}.ffn", h, spec["ffn"], spec), "norm2")
        return x + f if form == "serial" else x + (a + f)

    def encode(self, p, prefix, images):
        """The tokens that the encoder of vit makes of images."""
        x = stem(self.torch, p, prefix, images, self.spec)
        for i in range(self.spec["layers"]):
            x = self.block(p, f"{prefix}blocks.{i}", x)
        x = norm(self.torch, p, f"{prefix}norm", x, self.spec)
        return self.resample(p, f"{prefix}resampler", x) if self.spec["pool"] == "resampler" else x

    def resample(self, p, name, x):
        """Learned queries attend to the tokens."""
        torch, heads = self.torch, self.spec["heads"]
        queries = linear(torch, p, f"{name}.q_proj", p[f"{name}.queries"], self.spec)
        q = queries.expand(len(x), -1, -1)
        k, v = (linear(torch, p, f"{name}.{which}_proj", x, self.spec) for which in "kv")
        q, k, v = (t.unflatten(-1, (heads, -1)).transpose(1, 2) for t in (q, k, v))
        found = self.attend(q, k, v, False).transpose(1, 2).flatten(-2)
        return linear(torch, p, f"{name}.o_proj", found, self.spec)

    def classify(self, p, images):
        x = Models(self.torch, dict(self.spec, causal=False), self.attend,
                   self.tables).encode(p, "", images)
        x = x[:, 0] if self.spec["pool"] == "class" else x.mean(1)
        return linear(self.torch, p, "head", x, self.spec)

    def image_tokens(self, p, images):
        """Tokens of a vision-language model's images, [B, images x tokens, d_model]."""
        torch, spec = self.torch, self.spec
        x = Models(torch, encoder_spec(spec), self.attend, self.tables).encode(p, "encoder.", images)
        if spec["pool"] == "class":
            x = x[:, 1:]
        elif spec["pool"] == "mean":
            side, made = spec["image"] // spec["patch"], round(spec["image_tokens"] ** 0.5)
            grid = x.transpose(1, 2).unflatten(2, (side, side))
            x = torch.nn.functional.adaptive_avg_pool2d(grid, made).flatten(2).transpose(1, 2)
        if spec["projector"] == "mlp":
            x = torch.nn.functional.gelu(linear(torch, p, "projector.up", x, spec))
            x = linear(torch, p, "projector.down", x, spec)
        else:
            x = linear(torch, p, "projector.linear", x, spec)
        return x.unflatten(0, (-1, spec["images"])).flatten(1, 2)

    def read(self, p, images, text):
        """Logits of the text behind images."""
        torch, spec = self.torch, self.spec
        tokens = self.image_tokens(p, images)
        x = torch.cat((tokens, torch.nn.functional.embedding(text, p["language.embedding.weight"])), 1)
        if "language.positions.weight" in p:
            x = x + p["language.positions.weight"]
        for i in range(spec["layers"]):
            x = self.block(p, f"language.blocks.{i}", x)
        x = norm(torch, p, "language.norm", x[:, tokens.shape[1]:], spec)
        head = p["language.embedding.weight"] if spec["tied"] else p["language.head.weight"]
        return torch.nn.functional.linear(x, head)

    def forward(self, p, inputs):
        """(output, loss) of the workload."""
        torch, spec, kind = self.torch, self.spec, self.spec["workload"]
        cross_entropy = torch.nn.functional.cross_entropy
        if kind == "attention":
            given = not spec["projections"]
            qkv = inputs[:3] if given else project(torch, p, "attention", inputs[0], spec)
            output = self.attend(*qkv, spec["causal"])
        elif kind == "mlp" and spec["mlp"] == "gelu":
            h = torch.nn.functional.gelu(linear(torch, p, "up", inputs[-1], spec))
            output = linear(torch, p, "down", h, spec)
        elif kind == "mlp":
            output = feed_forward(torch, p, "swiglu", inputs[-1], spec["mlp"], spec)
        elif kind == "weighted_sum":
            output = (inputs[-1] * p["weight"]).sum(-1)
        elif kind == "toy":
            h = linear(torch, p, "fc1", inputs[0], spec).relu()
            h = torch.nn.functional.layer_norm(h, h.shape[-1:], p["norm.weight"], p["norm.bias"])
            output = linear(torch, p, "fc2", h, spec)
            return output, cross_entropy(output.flatten(0, 1), inputs[1].flatten())
        elif kind == "vit":
            output = self.classify(p, inputs[-2])
            return output, cross_entropy(output, inputs[-1])
        elif kind == "vlm":
            output = self.read(p, *inputs[-3:-1])
            return output, cross_entropy(output.flatten(0, 1), inputs[-1].flatten())
        elif kind == "block":
            output = self.block(p, "block", inputs[-1])
        else:
            tokens, targets = inputs[-2:]
            x = torch.nn.functional.embedding(tokens, p["embedding.weight"])
            if "positions.weight" in p:
                x = x + p["positions.weight"][: x.shape[1]]
            x = dropout(torch, x, spec, "dropout")
            for i in range(spec["layers"]):
                x = self.block(p, f"blocks.{i}", x)
            head = p["embedding.weight"] if spec["tied"] else p["head.weight"]
            output = torch.nn.functional.linear(norm(torch, p, "norm", x, spec), head, p.get("head.bias"))
            output = capped(torch, output, spec.get("logit_softcap", 0.0))
            return output, cross_entropy(output.flatten(0, 1), targets.flatten())
        return output, output.square().mean()
