#include "core/script/pytorch_lines.h"
#include "core/spec/masking.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traffic.h"
#include "core/spec/workload_traits.h"

namespace ts::script {
namespace {

class Model : public Lines {
 public:
  explicit Model(const WorkloadSpec& spec)
      : spec_(spec),
        written_(spec::writing(spec)),
        masks_(spec::masking(spec)),
        dropped_(spec::dropping(spec)),
        experts_(spec::experts(spec)),
        rope_(has_blocks(spec) && spec.positions == spec::Positions::rope),
        checkpoints_(spec::checkpointing(spec) == spec::Checkpoint::blocks),
        adapts_(spec::trains_adapters(spec)),
        on_(spec::lora(spec).on) {}

  std::string write() {
    if (einsum()) linear();
    if (adapts_) adapter();
    if (written_.cross_entropy == spec::Form::written) cross_entropy();
    if (sees_images(spec_)) {
      add(pytorch_image_model(spec_));
      make_model();
      return take();
    }
    add(Model(spec_).blocks());
    model();
    return take();
  }

  std::string blocks() {
    if (attends(spec_)) attention();
    if (has_blocks(spec_)) layers();
    return take();
  }

 private:
  [[nodiscard]] std::int64_t kv_heads() const { return spec::kv_head_count(spec_); }
  [[nodiscard]] bool einsum() const { return written_.products == spec::ProductForm::einsum; }
  // The class of linear layers, with an adapter where `adapts` says so and there are adapters.
  [[nodiscard]] std::string linear_class(bool adapts = false) const {
    if (adapts && adapts_) return "Lora(";
    return einsum() ? "Linear(" : "nn.Linear(";
  }
  [[nodiscard]] bool adapts_all() const { return on_ != spec::LoraOn::qv; }
  [[nodiscard]] bool adapts_feed_forward() const { return on_ == spec::LoraOn::all; }

  void linear() {
    add(R"(

class Linear(nn.Linear):
    """By einsum, which multiplies a view of the weight."""

    def forward(self, x):
        y = torch.einsum("...i,oi->...o", x, self.weight)
        return y if self.bias is None else y + self.bias
)");
  }

  void adapter() {
    add("\n\nclass Lora(" + std::string(einsum() ? "Linear" : "nn.Linear") + "):\n");
    add(R"(    """A frozen layer with an adapter of low rank beside it, in fp32."""

    def __init__(self, inputs, outputs, bias):
        super().__init__(inputs, outputs, bias=bias)
        self.lora_A = nn.Linear(inputs, LORA_RANK, bias=False)
        self.lora_B = nn.Linear(LORA_RANK, outputs, bias=False)

    def forward(self, x):
        y = super().forward(x)
        wide = x.to(self.lora_A.weight.dtype)
        return (y + self.lora_B(self.lora_A(wide)) * LORA_SCALE).to(y.dtype)
)");
  }

  void cross_entropy() {
    add(R"(

def cross_entropy(logits, targets):
    shifted = logits - logits.max(-1, keepdim=True)[0]
    normaliser = torch.log(torch.exp(shifted).sum(-1))
    chosen = shifted.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return (normaliser - chosen).mean()
)");
  }

  // Scores of naive attention become probabilities that weigh v.
  void weigh() {
    if (written_.softmax == spec::Form::written) {
      line("    e = torch.exp(scores - scores.max(-1, keepdim=True)[0])");
      line("    weights = e / e.sum(-1, keepdim=True)");
    } else {
      line("    weights = scores.softmax(-1)");
    }
    if (dropped_.attention > 0) line("    weights = F.dropout(weights, ATTENTION_DROPOUT)");
    line(einsum() ? "    return torch.einsum(\"bhqk,bhkd->bhqd\", weights, v)"
                  : "    return weights @ v");
  }

  // Masks other than the causal one alone.
  void masks() {
    add(R"(

def hidden_keys(queries, keys):
    """True where a query must not look."""
    query = torch.arange(queries, device=DEVICE)[:, None]
    key = torch.arange(keys, device=DEVICE)[None, :]
    hidden = )" +
        std::string(masks_.causal ? "key > query" : "torch.zeros_like(key > query)") + "\n");
    if (masks_.window > 0) {
      line(std::string("    hidden = hidden | (") +
           (masks_.causal ? "query - key" : "(query - key).abs()") + " >= WINDOW)");
    }
    if (masks_.packed > 0) line("    hidden = hidden | (query // PACKED != key // PACKED)");
    if (masks_.padding > 0) {
      line("    rows = torch.arange(1, B + 1, device=DEVICE)[:, None, None, None]");
      line("    padded = key >= keys - PADDING * rows // B");
      const bool same = spec::kv_length(spec_) == spec_.seq_len;
      line(same ? "    hidden = hidden | (padded & (key != query))"
                : "    hidden = hidden | padded");
    }
    line("    return hidden");
    const std::string made = std::string("hidden_keys(T, ") + (masks_of_two() ? "T_KV)" : "T)");
    line("");
    line("");
    if (spec_.backend != spec::AttentionBackend::naive) {
      constant("VISIBLE", "~" + made);
    } else if (written_.mask == spec::CausalMask::shared) {
      constant("HIDDEN", made);
    }
  }
  // Queries and keys of two sequences, or at least with two lengths.
  [[nodiscard]] bool masks_of_two() const { return spec::kv_length(spec_) != spec_.seq_len; }

  void mask_scores() {
    const bool shared = written_.mask == spec::CausalMask::shared;
    if (shared && masks_.any()) {
      line("    scores = scores.masked_fill(HIDDEN, float(\"-inf\"))");
      return;
    }
    if (shared) {
      line("    ones = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device)");
      line("    scores = scores.masked_fill(ones.triu(1), float(\"-inf\"))");
      return;
    }
    if (masks_.any()) {
      line("    mask = hidden_keys(q.shape[-2], k.shape[-2])");
    } else {
      line("    position = torch.arange(T, device=q.device)");
      line("    mask = position[:, None] < position[None, :]");
    }
    if (written_.mask == spec::CausalMask::head)
      line("    mask = mask.expand(scores.shape).contiguous()");
    line("    scores = scores.masked_fill(mask, float(\"-inf\"))");
  }

  void attention() {
    if (masks_.any()) masks();
    add("\n\ndef attend(q, k, v):\n    \"\"\"[B, heads, T, d_head] of all three.\"\"\"\n");
    const bool grouped = kv_heads() != spec_.heads;
    const bool naive = spec_.backend == spec::AttentionBackend::naive;
    const bool repeats = grouped && (naive || masks_.any());
    if (repeats) {
      line("    k = k.repeat_interleave(q.shape[1] // k.shape[1], 1)");
      line("    v = v.repeat_interleave(q.shape[1] // v.shape[1], 1)");
    }
    if (naive) {
      line(einsum()
               ? "    scores = torch.einsum(\"bhqd,bhkd->bhqk\", q, k) / math.sqrt(q.shape[-1])"
               : "    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])");
      if (spec_.causal || masks_.any()) mask_scores();
      weigh();
      return;
    }
    const char* kernel = nullptr;
    if (spec_.backend == spec::AttentionBackend::math) kernel = "MATH";
    if (spec_.backend == spec::AttentionBackend::flash) kernel = "FLASH_ATTENTION";
    if (spec_.backend == spec::AttentionBackend::efficient) kernel = "EFFICIENT_ATTENTION";
    if (spec_.backend == spec::AttentionBackend::cudnn) kernel = "CUDNN_ATTENTION";
    const std::string mask =
        masks_.any() ? "attn_mask=VISIBLE" : std::string("is_causal=") + truth(spec_.causal);
    const std::string call = "return F.scaled_dot_product_attention(q, k, v, " + mask +
                             (dropped_.attention > 0 ? ", dropout_p=ATTENTION_DROPOUT" : "") +
                             (grouped && !repeats ? ", enable_gqa=True)" : ")");
    if (kernel == nullptr) {
      line("    " + call);
    } else {
      line(std::string("    with sdpa_kernel(SDPBackend.") + kernel + "):");
      line("        " + call);
    }
  }

  void rms_norm() {
    add(R"(

class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()
        scale = (wide.pow(2).mean(-1, keepdim=True) + 1e-5).rsqrt()
        return (wide * scale * self.weight).to(x.dtype)
)");
  }

  void rope() {
    add(R"(

class Rope(nn.Module):
    """Rotary positions of neighbouring pairs."""

    def __init__(self, width):
        super().__init__()
        exponents = torch.arange(0, width, 2, dtype=torch.float32) / -width
        angles = torch.outer(torch.arange(T, dtype=torch.float32), 10000.0 ** exponents)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
)");
    add(written_.rope_fp32 ? R"(
    def forward(self, x):
        pairs = x.float().unflatten(-1, (-1, 2))
        even, odd = pairs[..., 0], pairs[..., 1]
        turned = (even * self.cos - odd * self.sin, even * self.sin + odd * self.cos)
        return torch.stack(turned, -1).flatten(-2).to(x.dtype)

    def _apply(self, change, recurse=True):
        """The tables stay fp32 where the model becomes bf16 or fp16."""
        super()._apply(change, recurse)
        self.cos, self.sin = self.cos.float(), self.sin.float()
        return self
)"
                           : R"(
    def forward(self, x):
        pairs = x.unflatten(-1, (-1, 2))
        even, odd = pairs[..., 0], pairs[..., 1]
        turned = (even * self.cos - odd * self.sin, even * self.sin + odd * self.cos)
        return torch.stack(turned, -1).flatten(-2)
)");
  }

  // The projections that make q, k and v of x, in a module of the width `width`.
  void projections(const std::string& width, bool bias) {
    const std::string end = std::string(", bias=") + truth(bias) + ")";
    line("        self.kv_width = KV_HEADS * (" + width + " // HEADS)");
    if (spec_.fused_qkv) {
      line("        self.qkv_proj = " + linear_class(adapts_all()) + width + ", " + width +
           " + 2 * self.kv_width" + end);
      return;
    }
    const std::string to_kv = width + ", self.kv_width" + end;
    line("        self.q_proj = " + linear_class(true) + width + ", " + width + end);
    line("        self.k_proj = " + linear_class(adapts_all()) + to_kv);
    line("        self.v_proj = " + linear_class(true) + to_kv);
  }

  void project(const std::string& width) {
    if (spec_.fused_qkv) {
      line("        q, k, v = self.qkv_proj(x).split([" + width +
           ", self.kv_width, self.kv_width], -1)");
    } else {
      line("        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)");
    }
    line("        q = q.unflatten(-1, (HEADS, -1)).transpose(1, 2)");
    line("        k = k.unflatten(-1, (KV_HEADS, -1)).transpose(1, 2)");
    line("        v = v.unflatten(-1, (KV_HEADS, -1)).transpose(1, 2)");
  }

  void feed_forward(bool gelu, bool bias) {
    if (gelu) {
      const std::string end = std::string(", bias=") + truth(bias) + ")";
      add("\n\nclass FeedForward(nn.Module):\n    def __init__(self):\n        "
          "super().__init__()\n");
      const std::string made = linear_class(adapts_feed_forward());
      line("        self.up = " + made + "D_MODEL, D_FF" + end);
      line("        self.down = " + made + "D_FF, D_MODEL" + end);
      add("\n    def forward(self, x):\n        return self.down(F.gelu(self.up(x)))\n");
      return;
    }
    add(R"(

class FeedForward(nn.Module):
    """SwiGLU: w2(silu(w1 x) * w3 x)."""

    def __init__(self):
        super().__init__()
)");
    const std::string made = linear_class(adapts_feed_forward());
    line("        self.w1 = " + made + "D_MODEL, D_FF, bias=False)");
    line("        self.w2 = " + made + "D_FF, D_MODEL, bias=False)");
    line("        self.w3 = " + made + "D_MODEL, D_FF, bias=False)");
    add("\n    def forward(self, x):\n");
    if (written_.silu == spec::Form::written) {
      line("        gate = self.w1(x)");
      line("        return self.w2(gate * torch.sigmoid(gate) * self.w3(x))");
    } else {
      line("        return self.w2(F.silu(self.w1(x)) * self.w3(x))");
    }
  }

  // A router and experts with a fixed number of places each.
  void experts() {
    add(R"(

class FeedForward(nn.Module):
    """Experts, each a SwiGLU: every token goes to the best, as long as these have places."""

    def __init__(self):
        super().__init__()
)");
    line("        self.router = " + linear_class() + "D_MODEL, EXPERTS, bias=False)");
    add(R"(        self.w1 = nn.Parameter(torch.empty(EXPERTS, D_FF, D_MODEL))
        self.w2 = nn.Parameter(torch.empty(EXPERTS, D_MODEL, D_FF))
        self.w3 = nn.Parameter(torch.empty(EXPERTS, D_FF, D_MODEL))

    def places(self, chosen, room):
        choices = chosen.flatten()
        numbers = torch.arange(EXPERTS, device=chosen.device)
        so_far = (choices[:, None] == numbers).cumsum(0)
        place = so_far.gather(1, choices[:, None]).squeeze(1) - 1
        dropped = place >= room
        return (choices * room + place).masked_fill(dropped, EXPERTS * room), dropped

    def forward(self, x):
        tokens = x.flatten(0, -2)
        count, width = tokens.shape
)");
    // The places of an expert, for B T tokens.
    line("        room = " + number(experts_.room(spec_.batch * spec_.seq_len)));
    add(R"(        scores = self.router(tokens).softmax(-1, dtype=torch.float32)
        weights, chosen = scores.topk(EXPERTS_PER_TOKEN, -1)
        if EXPERTS_PER_TOKEN > 1:
            weights = weights / weights.sum(-1, keepdim=True)
        weights = weights.to(x.dtype)
        slots, dropped = self.places(chosen, room)
        inbox = torch.zeros(EXPERTS * room + 1, width, device=x.device, dtype=x.dtype)
        copies = tokens.unsqueeze(1).expand(-1, EXPERTS_PER_TOKEN, -1).reshape(-1, width)
        inbox = inbox.index_copy_(0, slots, copies)[:-1].view(EXPERTS, room, width)
        gate = torch.bmm(inbox, self.w1.transpose(1, 2))
)");
    line(written_.silu == spec::Form::written ? "        hidden = gate * torch.sigmoid(gate)"
                                              : "        hidden = F.silu(gate)");
    add(R"(        hidden = hidden * torch.bmm(inbox, self.w3.transpose(1, 2))
        made = torch.bmm(hidden, self.w2.transpose(1, 2)).flatten(0, 1)
        weights = weights.masked_fill(dropped.view(count, EXPERTS_PER_TOKEN), 0)
        back = made.index_select(0, slots.clamp_max(EXPERTS * room - 1))
        weighted = back.view(count, EXPERTS_PER_TOKEN, width) * weights.unsqueeze(-1)
        return weighted.sum(1).view(x.shape)
)");
  }

  void layers() {
    if (spec_.norm == spec::NormKind::rmsnorm) rms_norm();
    if (rope_) rope();
    add("\n\nclass Attention(nn.Module):\n    def __init__(self):\n        super().__init__()\n");
    projections("D_MODEL", spec_.bias);
    line("        self.o_proj = " + linear_class(adapts_all()) +
         "D_MODEL, D_MODEL, bias=" + truth(spec_.bias) + ")");
    add("\n    def forward(self, x, rope):\n");
    project("D_MODEL");
    if (rope_) line("        q, k = rope(q), rope(k)");
    line("        return self.o_proj(attend(q, k, v).transpose(1, 2).flatten(-2))");
    if (experts_.any()) {
      experts();
    } else {
      feed_forward(spec_.ffn == spec::FeedForward::gelu, spec_.bias);
    }
    add("\n\nclass Block(nn.Module):\n    def __init__(self):\n        super().__init__()\n");
    line("        self.norm1 = " + norm_of(spec_));
    line("        self.attn = Attention()");
    line("        self.norm2 = " + norm_of(spec_));
    add(R"(        self.ffn = FeedForward()

    def forward(self, x, rope):
)");
    const bool drops = dropped_.residual > 0;
    line(drops ? "        x = x + F.dropout(self.attn(self.norm1(x), rope), DROPOUT)"
               : "        x = x + self.attn(self.norm1(x), rope)");
    line(drops ? "        return x + F.dropout(self.ffn(self.norm2(x)), DROPOUT)"
               : "        return x + self.ffn(self.norm2(x))");
  }

  void begin_model() {
    add("\n\nclass Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n");
  }

  void language_model() {
    begin_model();
    line("        self.embedding = nn.Embedding(VOCAB, D_MODEL)");
    const bool learned = spec_.positions == spec::Positions::learned;
    if (learned) line("        self.positions = nn.Embedding(T, D_MODEL)");
    line(rope_ ? "        self.rope = Rope(D_MODEL // HEADS)" : "        self.rope = None");
    line("        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))");
    line("        self.norm = " + norm_of(spec_));
    if (!spec_.tied) line("        self.head = " + linear_class() + "D_MODEL, VOCAB, bias=False)");
    add(pytorch_run_method(spec_));
    add("\n    def forward(self, tokens):\n        x = self.embedding(tokens)\n");
    // Else a checkpoint whose input needs no gradient would give its adapters none.
    if (checkpoints_ && adapts_) line("        x.requires_grad_()");
    if (learned) line("        x = x + self.positions.weight");
    if (dropped_.residual > 0) line("        x = F.dropout(x, DROPOUT)");
    add(pytorch_block_loop(spec_));
    line(spec_.tied && einsum()
             ? "        return torch.einsum(\"...i,oi->...o\", self.norm(x), self.embedding.weight)"
         : spec_.tied ? "        return F.linear(self.norm(x), self.embedding.weight)"
                      : "        return self.head(self.norm(x))");
  }

  void model() {
    switch (spec_.workload) {
      case WorkloadKind::lm:
        language_model();
        break;
      case WorkloadKind::block:
        begin_model();
        line("        self.block = Block()");
        line(rope_ ? "        self.rope = Rope(D_MODEL // HEADS)" : "        self.rope = None");
        add("\n    def forward(self, x):\n");
        line(checkpoints_
                 ? "        return checkpoint(self.block, x, self.rope, use_reentrant=True)"
                 : "        return self.block(x, self.rope)");
        break;
      case WorkloadKind::mlp:
        if (spec_.mlp == spec::FeedForward::swiglu) {
          feed_forward(false, false);
          begin_model();
          add("        self.swiglu = FeedForward()\n\n    def forward(self, x):\n"
              "        return self.swiglu(x)\n");
        } else {
          begin_model();
          add(R"(        self.up = nn.Linear(D_MODEL, D_FF)
        self.down = nn.Linear(D_FF, D_MODEL)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))
)");
        }
        break;
      case WorkloadKind::toy:
        begin_model();
        add(R"(        self.fc1 = nn.Linear(D_MODEL, D_FF, bias=False)
        self.norm = nn.LayerNorm(D_FF)
        self.fc2 = nn.Linear(D_FF, VOCAB, bias=False)

    def forward(self, x):
        return self.fc2(self.norm(self.fc1(x).relu()))
)");
        break;
      default:
        attention_model();
    }
    make_model();
  }

  void attention_model() {
    if (spec_.projections) {
      add("\n\nclass Projections(nn.Module):\n    def __init__(self):\n"
          "        super().__init__()\n");
      projections("(HEADS * D_HEAD)", false);
      add("\n    def forward(self, x):\n");
      project("HEADS * D_HEAD");
      line("        return q, k, v");
    }
    begin_model();
    if (spec_.projections) line("        self.attention = Projections()");
    add(spec_.projections
            ? "\n    def forward(self, x):\n        return attend(*self.attention(x))\n"
            : "\n    def forward(self, q, k, v):\n        return attend(q, k, v)\n");
  }

  void make_model() {
    add("\n\ndef draw(model):\n    for name, p in model.named_parameters():\n" +
        std::string(adapts_ ? drawn_adapters() : ""));
    if (sees_images(spec_)) {
      line("        if name.endswith(\"class_token\"):");
      line("            nn.init.trunc_normal_(p, std=0.02, a=-0.06, b=0.06)");
      line("        elif p.dim() >= 2:");
      line("            std = math.sqrt(2 / (p.shape[0] + p[0].numel()))");
    } else {
      line("        if p.dim() == 2:\n            std = math.sqrt(2 / sum(p.shape))");
    }
    deviations();
    add(R"(            nn.init.trunc_normal_(p, std=std, a=-3 * std, b=3 * std)
        elif name.endswith(".bias"):
            nn.init.zeros_(p)


model = Model().to(DEVICE)
draw(model)
)");
    if (adapts_) {
      add(R"(for name, p in model.named_parameters():
    p.requires_grad_(".lora_" in name)
)");
    }
    freeze();
    add("model = model.to(DTYPE)\n");
    if (adapts_ && spec::bytes_of(spec_.dtype) == 2) {
      add(R"(for name, p in model.named_parameters():
    if ".lora_" in name:
        p.data = p.data.float()
)");
    }
    if (spec_.compile == spec::Compile::inductor) line("model = torch.compile(model)");
    if (spec_.compile == spec::Compile::max_autotune)
      line("model = torch.compile(model, mode=\"max-autotune\")");
  }

  // The deviations of tables of embeddings and positions, and of the queries of a resampler.
  void deviations() {
    const bool joins = joins_images(spec_);
    const std::string prefix = joins ? "language." : "";
    if (looks_tokens_up(spec_) || joins) {
      line("            if name == \"" + prefix + "embedding.weight\":");
      line(std::string("                std = ") + (spec_.tied ? "0.02" : "1.0"));
    }
    const bool learned = spec_.positions == spec::Positions::learned;
    if (sees_images(spec_)) {
      line("            if name.endswith((\"positions.weight\", \"queries\")):");
      line("                std = 0.02");
    } else if (looks_tokens_up(spec_) && learned) {
      line("            if name == \"positions.weight\":");
      line("                std = 0.02");
    }
  }

  // Frozen parameters have no gradients.
  void freeze() {
    if (adapts_) return;  // all but the adapters is
    const spec::FrozenParts parts = spec::frozen_parts(spec_);
    if (parts.encoder) line("model.encoder.requires_grad_(False)");
    if (parts.language) line("model.language.requires_grad_(False)");
    if (spec::frozen_layers(spec_) == 0) return;
    const bool images = sees_images(spec_);
    const bool learned = spec_.positions == spec::Positions::learned;
    line(images ? "model.patches.requires_grad_(False)" : "model.embedding.requires_grad_(False)");
    if (learned) line("model.positions.requires_grad_(False)");
    if (images && spec_.pool == spec::Pool::class_token)
      line("model.class_token.requires_grad_(False)");
    if (images && spec_.stem_norm) line("model.stem_norm.requires_grad_(False)");
    line("model.blocks[:FROZEN_LAYERS].requires_grad_(False)");
  }

  static const char* drawn_adapters() {
    return "        if \".lora_A.\" in name:\n"
           "            nn.init.kaiming_uniform_(p, a=math.sqrt(5))\n"
           "            continue\n"
           "        if \".lora_B.\" in name:\n"
           "            nn.init.zeros_(p)\n"
           "            continue\n";
  }

  WorkloadSpec spec_;
  spec::Writing written_;
  spec::Masking masks_;
  spec::Dropping dropped_;
  spec::Experts experts_;
  bool rope_;
  bool checkpoints_;
  bool adapts_;
  spec::LoraOn on_;
};

}  // namespace

std::string pytorch_blocks(const WorkloadSpec& spec) {
  return Model(spec).blocks();
}

std::string pytorch_model(const WorkloadSpec& spec) {
  return Model(spec).write();
}

}  // namespace ts::script
