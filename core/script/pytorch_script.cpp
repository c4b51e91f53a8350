#include "core/script/pytorch_script.h"

#include <optional>

#include "core/script/pytorch_lines.h"
#include "core/spec/masking.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::script {
namespace {

const char* torch_type(spec::DataType type) {
  switch (type) {
    case spec::DataType::bf16:
      return "torch.bfloat16";
    case spec::DataType::fp16:
      return "torch.float16";
    default:
      return "torch.float32";
  }
}

// A setting whose value PyTorch's Python has nothing for, if there is one.
std::optional<spec::Field> not_in_python(const WorkloadSpec& spec) {
  using F = spec::Field;
  switch (spec.workload) {
    case WorkloadKind::attention:
    case WorkloadKind::mlp:
    case WorkloadKind::block:
    case WorkloadKind::lm:
    case WorkloadKind::toy:
    case WorkloadKind::vit:
    case WorkloadKind::vlm:
      break;
    default:
      return F::workload;
  }
  const auto backend = spec.backend;
  const bool ours =
      backend == spec::AttentionBackend::tiled || backend == spec::AttentionBackend::own;
  if (attends(spec) && ours) return F::backend;
  if (spec.pass == spec::Pass::generate) return F::pass;
  if (spec.kernels == spec::Kernels::own && spec::field_applies(spec, F::kernels))
    return F::kernels;
  if (!spec.corpus.empty() && looks_tokens_up(spec)) return F::corpus;
  if (spec::habit(spec) != spec::Habit::none) return F::habit;
  if (spec::captures_step(spec)) return F::cuda_graph;
  const bool updates = spec.pass == spec::Pass::full_step;
  if (updates && spec.optimizer == spec::OptimizerKind::adamw_8bit) return F::optimizer;
  const auto geglu = [&](spec::Field field) {
    return spec::field_applies(spec, field) && spec::field_text(spec, field) == "geglu";
  };
  if (geglu(F::ffn)) return F::ffn;
  if (geglu(F::mlp)) return F::mlp;
  // Forms of attention and experts that have no lines here.
  for (const F field : {F::head_width, F::qkv_bias, F::qk_norm, F::kv_rank, F::expert_ff,
                        F::shared_ff, F::dense_layers, F::expert_every, F::expert_weights,
                        F::expert_scale, F::rope_width, F::full_every, F::block_form, F::post_norm,
                        F::head_bias, F::softcap, F::logit_softcap, F::max_positions}) {
    const bool set = spec::field_text(spec, field) != spec::field_text(WorkloadSpec(), field);
    if (set && spec::field_applies(spec, field)) return field;
  }
  const bool part = spec::checkpointing(spec) == spec::Checkpoint::attention;
  if (part) return F::checkpoint;
  return std::nullopt;
}

// All of the script but the model.
class Script : public Lines {
 public:
  explicit Script(const WorkloadSpec& spec)
      : spec_(spec),
        written_(spec::writing(spec)),
        trains_(spec.pass == spec::Pass::full_step),
        backward_(spec.pass != spec::Pass::forward) {}

  std::string write() {
    head();
    constants();
    add(pytorch_model(spec_));
    batch();
    if (trains_) optimizer();
    step();
    main();
    return take();
  }

 private:
  [[nodiscard]] bool wide() const {
    return trains_ && spec_.dtype != spec::DataType::fp32 && spec_.dtype != spec::DataType::tf32 &&
           spec::optimizer_state(spec_) != spec::OptimizerState::parameter;
  }
  [[nodiscard]] bool checkpoints() const {
    return spec::checkpointing(spec_) == spec::Checkpoint::blocks;
  }
  [[nodiscard]] std::int64_t kv_heads() const { return spec::kv_head_count(spec_); }

  void head() {
    add("\"\"\"A step as it was set in Tensorscope: ");
    add(spec::to_string(spec_.workload));
    add(R"(.

For PyTorch 2.11. Random inputs, parameters drawn as the program draws them, with other random
numbers. Run it with: python FILE [STEPS]
"""

import math
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn
)");
    const bool kernel = attends(spec_) && (spec_.backend == spec::AttentionBackend::math ||
                                           spec_.backend == spec::AttentionBackend::flash ||
                                           spec_.backend == spec::AttentionBackend::efficient ||
                                           spec_.backend == spec::AttentionBackend::cudnn);
    if (kernel) line("from torch.nn.attention import SDPBackend, sdpa_kernel");
    if (checkpoints()) line("from torch.utils.checkpoint import checkpoint");
    line("");
  }

  void constants() {
    constant("DEVICE", spec_.device == spec::DeviceKind::cuda ? "\"cuda\"" : "\"cpu\"");
    constant("DTYPE", torch_type(spec_.dtype));
    constant("B", number(spec_.batch));
    constant("T", number(joins_images(spec_) ? spec_.seq_len : spec::sequence_length(spec_)));
    if (spec_.workload == WorkloadKind::attention) {
      constant("D_HEAD", number(spec_.d_head));
      if (!spec_.projections) constant("T_KV", number(spec::kv_length(spec_)));
    } else {
      constant("D_MODEL", number(spec_.d_model));
      constant("D_FF", number(spec_.d_ff));
    }
    if (attends(spec_)) {
      constant("HEADS", number(spec_.heads));
      constant("KV_HEADS", number(kv_heads()));
    }
    mask_constants();
    if (looks_tokens_up(spec_) || sees_images(spec_)) constant("LAYERS", number(spec_.layers));
    if (spec::frozen_layers(spec_) > 0) constant("FROZEN_LAYERS", number(spec_.frozen_layers));
    if (classifies(spec_)) constant("VOCAB", number(spec_.vocab));
    if (spec::trains_adapters(spec_)) {
      constant("LORA_RANK", number(spec_.lora_rank));
      constant("LORA_SCALE", text::plain(spec_.lora_alpha) + " / LORA_RANK");
    }
    if (sees_images(spec_)) add(pytorch_image_constants(spec_));
    if (checkpoints() && (looks_tokens_up(spec_) || sees_images(spec_)))
      constant("BLOCKS_TOGETHER", number(spec_.checkpoint_every));
    if (trains_) {
      constant("LEARNING_RATE", text::plain(spec_.learning_rate));
      constant("WEIGHT_DECAY", text::plain(spec_.weight_decay));
    }
    if (backward_) constant("MICRO_BATCHES", number(spec::micro_batches(spec_)));
    line("");
    line("torch.manual_seed(" + std::to_string(spec_.seed) + ")");
    if (spec_.dtype == spec::DataType::tf32) line("torch.set_float32_matmul_precision(\"high\")");
  }

  void mask_constants() {
    const spec::Masking masks = spec::masking(spec_);
    if (masks.window > 0) constant("WINDOW", number(masks.window));
    if (masks.packed > 0) constant("PACKED", number(masks.packed));
    if (masks.padding > 0) constant("PADDING", number(masks.padding));
    const spec::Dropping dropped = spec::dropping(spec_);
    if (dropped.attention > 0) constant("ATTENTION_DROPOUT", text::plain(dropped.attention));
    if (dropped.residual > 0) constant("DROPOUT", text::plain(dropped.residual));
    const spec::Experts experts = spec::experts(spec_);
    if (!experts.any()) return;
    constant("EXPERTS", number(experts.count));
    constant("EXPERTS_PER_TOKEN", number(experts.per_token));
  }

  void batch() {
    add("\n\ndef make_batch():\n");
    if (looks_tokens_up(spec_)) {
      add("    tokens = torch.randint(VOCAB, (B, T), device=DEVICE)\n"
          "    targets = torch.randint(VOCAB, (B, T), device=DEVICE)\n"
          "    return tokens, targets\n");
      return;
    }
    if (sees_images(spec_)) {
      image_batch();
      return;
    }
    const std::string grad = std::string(", device=DEVICE, dtype=DTYPE, requires_grad=") +
                             truth(spec::keeps_graph(spec_)) + ")";
    if (spec_.workload == WorkloadKind::attention && !spec_.projections) {
      line("    q = torch.randn(B, HEADS, T, D_HEAD" + grad);
      line("    k = torch.randn(B, KV_HEADS, T_KV, D_HEAD" + grad);
      line("    v = torch.randn(B, KV_HEADS, T_KV, D_HEAD" + grad);
      line("    return q, k, v");
      return;
    }
    line(spec_.workload == WorkloadKind::attention
             ? "    x = torch.randn(B, T, HEADS * D_HEAD" + grad
             : "    x = torch.randn(B, T, D_MODEL" + grad);
    if (spec_.workload == WorkloadKind::toy) {
      line("    classes = torch.randint(VOCAB, (B, T), device=DEVICE)");
      line("    return x, classes");
    } else {
      line("    return (x,)");
    }
  }

  void image_batch() {
    const bool joins = joins_images(spec_);
    line(std::string("    images = torch.randn(") + (joins ? "B * IMAGES" : "B") +
         ", 3, IMAGE, IMAGE, device=DEVICE, dtype=DTYPE)");
    if (joins) {
      line("    text = torch.randint(VOCAB, (B, T), device=DEVICE)");
      line("    targets = torch.randint(VOCAB, (B, T), device=DEVICE)");
      line("    return images, text, targets");
    } else {
      line("    classes = torch.randint(VOCAB, (B,), device=DEVICE)");
      line("    return images, classes");
    }
  }

  void wide_optimizer() {
    const bool master = spec::optimizer_state(spec_) == spec::OptimizerState::fp32_master;
    add(R"(

class Wide:
    """An optimizer for each 16-bit parameter, on a copy in fp32: its state has 32 bits."""

    def __init__(self, parameters, make):
        self.parameters = list(parameters)
)");
    line(
        master
            ? "        self.copies = [p.detach().float().requires_grad_() for p in self.parameters]"
            : "        self.copies = [torch.empty(0, device=p.device, requires_grad=True) for p in "
              "self.parameters]");
    add(R"(        self.inner = [make([copy]) for copy in self.copies]
        self.param_groups = [group for one in self.inner for group in one.param_groups]

    def zero_grad(self, set_to_none=True):
        for p in self.parameters:
            if set_to_none:
                p.grad = None
            elif p.grad is not None:
                p.grad.zero_()

    def step(self):
        for p, copy, inner in zip(self.parameters, self.copies, self.inner):
            if p.grad is None:
                continue
)");
    if (!master) line("            copy.data = p.data.float()");
    add(R"(            copy.grad = p.grad.float()
            inner.step()
            p.data.copy_(copy.data)
            copy.grad = None
)");
    if (!master) line("            copy.data = copy.data.new_empty(0)");
  }

  void out_of_place_adamw() {
    add(R"(

class AdamW(torch.optim.Optimizer):
    """Every line of the algorithm makes new tensors."""

    def __init__(self, parameters, lr, weight_decay, betas=(0.9, 0.999), eps=1e-8):
        super().__init__(parameters, {"lr": lr, "decay": weight_decay, "betas": betas, "eps": eps})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            first, second = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state.update(t=0, m=torch.zeros_like(p), v=torch.zeros_like(p))
                t = state["t"] + 1
                m = first * state["m"] + (1 - first) * p.grad
                v = second * state["v"] + (1 - second) * p.grad ** 2
                rate = group["lr"] * math.sqrt(1 - second ** t) / (1 - first ** t)
                p -= rate * m / (torch.sqrt(v) + group["eps"])
                p -= group["lr"] * group["decay"] * p
                state.update(t=t, m=m, v=v)
)");
  }

  void optimizer() {
    if (wide()) wide_optimizer();
    if (spec_.optimizer == spec::OptimizerKind::adamw_out_of_place) out_of_place_adamw();
    std::string made =
        "torch.optim.AdamW(parameters, lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY, ";
    switch (spec_.optimizer) {
      case spec::OptimizerKind::adamw_fused:
        made += "fused=True)";
        break;
      case spec::OptimizerKind::adamw_foreach:
        made += "foreach=True)";
        break;
      case spec::OptimizerKind::adamw_loop:
        made += "foreach=False)";
        break;
      case spec::OptimizerKind::adamw_out_of_place:
        made = "AdamW(parameters, lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)";
        break;
      case spec::OptimizerKind::adamw_8bit:  // not in PyTorch
        break;
      case spec::OptimizerKind::sgd:
        made = "torch.optim.SGD(parameters, lr=LEARNING_RATE, momentum=" +
               text::plain(spec_.momentum) + ", weight_decay=WEIGHT_DECAY, foreach=False)";
        break;
    }
    add("\n\ndef make_optimizer(parameters):\n");
    line("    return " + made);
    line("");
    line("");
    const std::string trained = spec::freezes(spec_)
                                    ? "[p for p in model.parameters() if p.requires_grad]"
                                    : "model.parameters()";
    line(wide() ? "optimizer = Wide(" + trained + ", make_optimizer)"
                : "optimizer = make_optimizer(" + trained + ")");
    if (spec::scales_loss(spec_)) {
      line("scaler = torch.amp.GradScaler(DEVICE, init_scale=" +
           text::plain(static_cast<double>(spec_.init_scale)) +
           ", growth_interval=" + number(spec_.growth_interval) + ")");
    }
    if (spec_.schedule == spec::Schedule::cosine) schedule();
  }

  void schedule() {
    const std::string warmup = number(spec_.warmup_steps);
    const std::string cycle = number(spec_.cycle_steps);
    const std::string least = text::plain(spec_.min_learning_rate);
    add("\n\ndef learning_rate(number):\n");
    line("    if number < " + warmup + ":");
    line("        return LEARNING_RATE * number / " + warmup);
    line("    if number > " + cycle + ":");
    line("        return " + least);
    line("    way = (number - " + warmup + ") / (" + cycle + " - " + warmup + ")");
    line("    return " + least + " + 0.5 * (1 + math.cos(math.pi * way)) * (LEARNING_RATE - " +
         least + ")");
  }

  // The loss of one micro-batch, at the indentation of `indent`.
  void loss(const std::string& indent) {
    std::string inside = indent;
    if (spec_.autocast != spec::Autocast::off) {
      const char* const low =
          spec_.autocast == spec::Autocast::bf16 ? "torch.bfloat16" : "torch.float16";
      line(indent + "with torch.autocast(DEVICE, " + low + "):");
      inside += "    ";
    }
    if (classifies(spec_)) {
      line(inside + (joins_images(spec_) ? "*inputs, targets = batch" : "inputs, targets = batch"));
      // The output has no name, so that it goes when the loss is there.
      const std::string output = joins_images(spec_) ? "model(*inputs)" : "model(inputs)";
      line(inside +
           (written_.cross_entropy == spec::Form::written ? "loss = cross_entropy("
                                                          : "loss = F.cross_entropy(") +
           output +
           (spec_.workload == WorkloadKind::vit ? ", targets)"
                                                : ".flatten(0, 1), targets.flatten())"));
    } else {
      line(inside + "loss = model(*batch).square().mean()");
    }
  }

  void step() {
    add("\n\ndef train_step(number, batches):\n    \"\"\"The loss of a step on its "
        "micro-batches.\"\"\"\n");
    if (!backward_) {
      line(std::string("    with torch.set_grad_enabled(") + truth(spec::keeps_graph(spec_)) +
           "):");
      line("        batch = batches[0]");
      loss("        ");
      line("    return loss.detach()");
      return;
    }
    if (trains_) {
      if (spec_.schedule == spec::Schedule::cosine) {
        line("    for group in optimizer.param_groups:");
        line("        group[\"lr\"] = learning_rate(number)");
      }
      line(std::string("    optimizer.zero_grad(set_to_none=") +
           truth(spec_.zero_grad == spec::ZeroGrad::none) + ")");
    } else {
      line("    for p in model.parameters():");
      line("        p.grad = None");
    }
    line("    total = 0");
    line("    for batch in batches:");
    if (!looks_tokens_up(spec_)) {
      line("        for tensor in batch:");
      line("            tensor.grad = None");
    }
    loss("        ");
    line("        loss = loss / MICRO_BATCHES");
    line(trains_ && spec::scales_loss(spec_) ? "        scaler.scale(loss).backward()"
                                             : "        loss.backward()");
    line("        total = total + loss.detach()");
    if (trains_) update();
    line("    return total");
  }

  void update() {
    const bool scales = spec::scales_loss(spec_);
    if (spec::clips(spec_)) {
      if (scales) line("    scaler.unscale_(optimizer)");
      line("    nn.utils.clip_grad_norm_(model.parameters(), " + text::plain(spec_.clip) + ")");
    }
    line(scales ? "    scaler.step(optimizer)" : "    optimizer.step()");
    if (scales) line("    scaler.update()");
  }

  void main() {
    const char* const count = backward_ ? "MICRO_BATCHES" : "1";
    add("\n\ndef main():\n    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10\n");
    line(std::string("    batches = [make_batch() for _ in range(") + count + ")]");
    add(R"(    print(f"{sum(p.numel() for p in model.parameters()):,} parameters")
    for number in range(steps):
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        begin = time.perf_counter()
        loss = train_step(number, batches)
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        seconds = time.perf_counter() - begin
        print(f"step {number + 1}: loss {float(loss):.4f}, {1e3 * seconds:.2f} ms")
    if DEVICE == "cuda":
        print(f"peak {torch.cuda.max_memory_allocated() / 2**20:.2f} MiB")

if __name__ == "__main__":
    main()
)");
  }

  WorkloadSpec spec_;
  spec::Writing written_;
  bool trains_;
  bool backward_;
};

}  // namespace

base::Result<std::string> pytorch_script(const WorkloadSpec& spec) {
  if (const auto field = not_in_python(spec)) {
    return text::fail("script_error.setting", {{"setting", spec::field_name(*field)},
                                               {"value", spec::field_text(spec, *field)}});
  }
  return Script(spec).write();
}

}  // namespace ts::script
