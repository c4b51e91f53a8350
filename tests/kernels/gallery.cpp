#include "tests/kernels/gallery.h"

#include <algorithm>
#include <utility>

#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using spec::Field;

// Settings that change no tensor, and those that the bases go through themselves.
bool left_out(Field field) {
  switch (field) {
    case Field::workload:
    case Field::pass:
    case Field::dtype:
    case Field::device:
    case Field::seed:
    case Field::lr:
    case Field::schedule:
    case Field::cache:  // takes longer than a hundred others: see ColdCachesTakeNothing
      return true;
    default:
      return false;
  }
}

// Values of numbers: one token, remainders of tiles, groups, and what switches something on.
std::vector<std::string> values_of(Field field) {
  switch (field) {
    case Field::B:
      return {"1", "5"};
    case Field::T:
      return {"1", "77", "210"};
    case Field::kv_heads:
      return {"1"};
    case Field::T_kv:
      return {"40", "130"};
    case Field::tile_q:
    case Field::tile_k:
      return {"16", "100"};
    case Field::weight_decay:
    case Field::momentum:
      return {"0", "0.9"};
    case Field::clip:
      return {"1"};
    case Field::checkpoint_every:
    case Field::accumulate:
      return {"2"};
    case Field::threads:
      return {"1"};
    case Field::lora_rank:
      return {"5"};
    case Field::window:
      return {"1", "7", "1000"};
    case Field::packed:
      return {"9", "20"};
    case Field::padding:
      return {"1", "23"};
    case Field::experts:
      return {"1", "4"};
    case Field::kv_rank:
    case Field::head_width:
      return {"20"};
    case Field::rope_width:
      return {"6"};
    case Field::softcap:
    case Field::logit_softcap:
      return {"1.5"};
    case Field::attn_dropout:
    case Field::dropout:
      return {"0.1"};
    case Field::image:
      return {"6", "37"};
    case Field::patch:  // one pixel: see pairs()
      return {"20"};
    case Field::images:
      return {"3"};
    case Field::frozen_layers:
      return {"1", "2"};
    default:
      break;
  }
  std::vector<std::string> values;
  for (const char* const value : spec::field_choices(field)) values.emplace_back(value);
  return values;
}

using Settings = std::vector<std::pair<const char*, const char*>>;

const std::vector<Settings>& pairs() {
  static const std::vector<Settings> all = {
      {{"autocast", "bf16"}, {"backend", "math"}},
      {{"autocast", "bf16"}, {"backend", "flash"}},
      {{"autocast", "bf16"}, {"backend", "tiled"}},
      {{"autocast", "bf16"}, {"backend", "own"}},
      {{"autocast", "bf16"}, {"checkpoint", "blocks"}},
      {{"autocast", "bf16"}, {"checkpoint", "attention"}},
      {{"autocast", "bf16"}, {"accumulate", "2"}},
      {{"autocast", "bf16"}, {"tied", "true"}},
      {{"autocast", "bf16"}, {"norm", "layernorm"}},
      {{"autocast", "fp16"}, {"grad_scaler", "true"}},
      // A scale that no gradient overflows with: a step that is skipped is no step.
      {{"autocast", "fp16"},
       {"grad_scaler", "true"},
       {"init_scale", "1"},
       {"optimizer", "adamw_loop"}},
      {{"causal", "false"}, {"T_kv", "40"}},
      {{"causal", "false"}, {"T_kv", "40"}, {"backend", "flash"}},
      {{"causal", "false"}, {"T_kv", "130"}, {"backend", "math"}},
      {{"causal", "false"}, {"T_kv", "130"}, {"backend", "tiled"}},
      {{"causal", "false"}, {"T_kv", "130"}, {"backend", "own"}},
      {{"causal", "false"}, {"backend", "math"}},
      {{"causal", "false"}, {"backend", "flash"}},
      {{"kv_heads", "1"}, {"backend", "math"}},
      {{"kv_heads", "1"}, {"backend", "auto"}},
      {{"kv_heads", "1"}, {"backend", "tiled"}},
      {{"kv_heads", "1"}, {"backend", "own"}},
      {{"backend", "tiled"}, {"tile_q", "16"}, {"tile_k", "32"}},
      {{"backend", "own"}, {"tile_q", "48"}, {"tile_k", "20"}},
      {{"backend", "tiled"}, {"T", "210"}},
      {{"backend", "own"}, {"T", "210"}},
      {{"backend", "flash"}, {"T", "210"}},
      {{"norm", "layernorm"}, {"bias", "true"}, {"ffn", "gelu"}},
      {{"positions", "learned"}, {"tied", "true"}},
      {{"positions", "learned"}, {"max_positions", "300"}},
      {{"tied", "true"}, {"optimizer", "adamw_foreach"}},
      {{"clip", "1"}, {"optimizer", "adamw_foreach"}},
      {{"optimizer", "sgd"}, {"momentum", "0.9"}},
      {{"zero_grad", "zero"}, {"accumulate", "2"}},
      {{"zero_grad", "zero"}, {"checkpoint", "blocks"}},
      {{"softmax", "written"}, {"mask", "head"}, {"products", "einsum"}, {"autocast", "bf16"}},
      {{"softmax", "written"}, {"mask", "layer"}, {"kv_heads", "1"}, {"products", "einsum"}},
      {{"softmax", "written"}, {"silu", "written"}, {"checkpoint", "blocks"}},
      {{"silu", "written"}, {"products", "einsum"}, {"bias", "true"}},
      {{"autocast", "bf16"}, {"rope_fp32", "true"}, {"products", "einsum"}},
      {{"cross_entropy", "written"}, {"accumulate", "2"}},
      {{"lora_rank", "5"}, {"lora_on", "qkvo"}},
      {{"lora_rank", "5"}, {"lora_on", "all"}},
      {{"lora_rank", "5"}, {"lora_on", "all"}, {"autocast", "bf16"}},
      {{"lora_rank", "5"}, {"lora_on", "all"}, {"checkpoint", "blocks"}},
      {{"lora_rank", "5"}, {"checkpoint", "attention"}},
      {{"lora_rank", "5"}, {"kernels", "own"}},
      {{"lora_rank", "5"}, {"backend", "flash"}, {"kv_heads", "1"}},
      {{"lora_rank", "5"}, {"backend", "math"}, {"autocast", "bf16"}},
      {{"lora_rank", "5"}, {"backend", "own"}},
      {{"lora_rank", "5"}, {"lora_on", "all"}, {"products", "einsum"}, {"bias", "true"}},
      {{"lora_rank", "5"}, {"lora_on", "all"}, {"ffn", "gelu"}, {"fused_qkv", "true"}},
      {{"lora_rank", "5"}, {"optimizer", "adamw_foreach"}, {"clip", "1"}},
      {{"lora_rank", "5"}, {"accumulate", "2"}, {"zero_grad", "zero"}},
      {{"lora_rank", "5"}, {"lora_merged", "true"}},
      {{"window", "7"}, {"backend", "math"}},
      {{"window", "7"}, {"backend", "flash"}},
      {{"window", "7"}, {"backend", "tiled"}},
      {{"window", "7"}, {"padding", "23"}, {"mask", "layer"}},
      {{"packed", "9"}, {"padding", "23"}, {"mask", "head"}},
      {{"packed", "9"}, {"backend", "tiled"}, {"padding", "23"}},
      {{"packed", "9"}, {"backend", "flash"}, {"kv_heads", "1"}},
      {{"packed", "9"}, {"backend", "auto"}, {"checkpoint", "attention"}},
      {{"padding", "23"}, {"backend", "flash"}},
      {{"padding", "23"}, {"backend", "math"}, {"autocast", "bf16"}},
      {{"padding", "23"}, {"causal", "false"}, {"T_kv", "40"}},
      {{"padding", "23"}, {"causal", "false"}, {"T_kv", "40"}, {"backend", "flash"}},
      {{"attn_dropout", "0.1"}, {"backend", "math"}},
      {{"attn_dropout", "0.1"}, {"backend", "auto"}, {"kv_heads", "1"}},
      {{"attn_dropout", "0.1"}, {"kernels", "own"}},
      {{"attn_dropout", "0.1"}, {"softmax", "written"}, {"products", "einsum"}},
      {{"attn_dropout", "0.1"}, {"dropout", "0.1"}, {"autocast", "bf16"}},
      {{"attn_dropout", "0.1"}, {"dropout", "0.1"}, {"checkpoint", "blocks"}},
      {{"attn_dropout", "0.1"}, {"dropout", "0.1"}, {"accumulate", "2"}},
      {{"attn_dropout", "0.1"}, {"checkpoint", "attention"}, {"window", "7"}},
      {{"experts", "4"}, {"capacity", "0"}},
      {{"experts", "4"}, {"capacity", "0.5"}},
      {{"experts", "4"}, {"experts_per_token", "3"}},
      {{"experts", "4"}, {"checkpoint", "blocks"}},
      {{"experts", "4"}, {"autocast", "bf16"}},
      {{"experts", "4"}, {"accumulate", "2"}},
      {{"experts", "4"}, {"silu", "written"}},
      {{"experts", "4"}, {"lora_rank", "5"}},
      {{"experts", "4"}, {"expert_ff", "24"}, {"dense_layers", "1"}},
      {{"experts", "4"}, {"expert_every", "2"}, {"checkpoint", "blocks"}},
      {{"experts", "4"}, {"shared_ff", "20"}, {"expert_weights", "softmax"}},
      {{"experts", "4"}, {"shared_ff", "20"}, {"shared_gate", "true"}, {"autocast", "bf16"}},
      {{"experts", "4"}, {"expert_weights", "sigmoid"}, {"expert_scale", "2.5"}},
      {{"head_width", "20"}, {"kv_heads", "1"}, {"backend", "flash"}},
      {{"head_width", "20"}, {"fused_qkv", "true"}, {"lora_rank", "5"}},
      {{"qk_norm", "true"}, {"qkv_bias", "true"}, {"autocast", "bf16"}},
      {{"qk_norm", "true"}, {"fused_qkv", "true"}, {"checkpoint", "blocks"}},
      {{"kv_rank", "20"}, {"backend", "math"}},
      {{"kv_rank", "20"}, {"backend", "auto"}, {"v_width", "12"}, {"autocast", "bf16"}},
      {{"kv_rank", "20"}, {"q_rank", "28"}, {"head_width", "24"}, {"rope_width", "8"}},
      {{"kv_rank", "20"}, {"v_width", "12"}, {"checkpoint", "attention"}},
      {{"kv_rank", "20"}, {"v_width", "12"}, {"window", "7"}, {"products", "einsum"}},
      {{"window", "7"}, {"full_every", "2"}},
      {{"window", "7"}, {"full_every", "2"}, {"backend", "flash"}},
      {{"window", "7"}, {"full_every", "2"}, {"checkpoint", "blocks"}, {"padding", "23"}},
      {{"block_form", "parallel"}, {"autocast", "bf16"}},
      {{"block_form", "shared_norm"}, {"head_bias", "true"}, {"norm", "layernorm"}},
      {{"block_form", "shared_norm"}, {"post_norm", "true"}, {"checkpoint", "blocks"}},
      {{"post_norm", "true"}, {"dropout", "0.1"}, {"kernels", "own"}},
      {{"softcap", "1.5"}, {"logit_softcap", "1.5"}, {"autocast", "bf16"}},
      {{"softcap", "1.5"}, {"checkpoint", "attention"}, {"attn_dropout", "0.1"}},
      {{"head_bias", "true"}, {"tied", "true"}, {"kernels", "own"}},
      {{"rope_width", "6"}, {"positions", "rope"}, {"autocast", "bf16"}},
      {{"rope_width", "6"}, {"positions", "rope"}, {"rope_fp32", "true"}, {"dtype", "bf16"}},
      {{"pool", "mean"}, {"patches", "linear"}, {"autocast", "bf16"}},
      {{"pool", "resampler"}, {"stem_norm", "true"}, {"backend", "flash"}},
      {{"pool", "resampler"}, {"image_tokens", "7"}, {"checkpoint", "attention"}},
      {{"pool", "mean"}, {"accumulate", "2"}},
      {{"patches", "linear"}, {"checkpoint", "blocks"}},
      {{"patch", "1"}, {"image", "6"}},
      {{"frozen", "encoder"}, {"checkpoint", "blocks"}},
      {{"frozen", "language"}, {"checkpoint", "blocks"}, {"pool", "resampler"}},
      {{"frozen", "both"}, {"autocast", "bf16"}},
      {{"frozen", "both"}, {"optimizer", "adamw_foreach"}, {"clip", "1"}},
      {{"frozen", "encoder"}, {"images", "3"}, {"kernels", "own"}},
      {{"frozen_layers", "1"}, {"checkpoint", "blocks"}, {"accumulate", "2"}},
      {{"frozen_layers", "1"}, {"autocast", "bf16"}, {"positions", "learned"}},
      {{"frozen_layers", "2"}, {"tied", "true"}},
      {{"habit", "no_zero_grad"}},
      {{"habit", "no_zero_grad"}, {"accumulate", "2"}},
      {{"habit", "kept_graph"}},
      {{"habit", "kept_graph"}, {"checkpoint", "blocks"}},
      {{"habit", "kept_output"}},
      {{"habit", "rebuild"}},
      {{"clip", "1"}, {"habit", "clip_after_step"}},
      {{"checkpoint", "blocks"}, {"checkpoint_every", "2"}},
      {{"checkpoint", "blocks"}, {"accumulate", "2"}},
      {{"fused_qkv", "true"}, {"kv_heads", "1"}},
      {{"fused_qkv", "true"}, {"backend", "flash"}},
  };
  return all;
}

class Collector {
 public:
  explicit Collector(const spec::WorkloadSpec& base) : base_(base) {
    name_ = std::string(to_string(base.workload)) + " " + to_string(base.pass) + " " +
            to_string(base.dtype);
  }

  void add(const Settings& settings) {
    Exhibit exhibit{name_, base_};
    for (const auto& [key, value] : settings) {
      const auto field = spec::field_from_name(key);
      if (!field || !spec::field_applies(exhibit.spec, *field)) return;
      if (!spec::set_field(exhibit.spec, key, value)) return;
      exhibit.name += std::string(" ") + key + "=" + value;
    }
    const auto same = [&exhibit](const Exhibit& one) { return one.spec == exhibit.spec; };
    if (std::ranges::any_of(all, same)) return;
    if (spec::validate(exhibit.spec).empty()) all.push_back(std::move(exhibit));
  }

  std::vector<Exhibit> all;

 private:
  spec::WorkloadSpec base_;
  std::string name_;
};

}  // namespace

std::vector<Exhibit> gallery() {
  std::vector<spec::WorkloadSpec> bases = every_small_spec();
  for (const auto workload : {spec::WorkloadKind::block, spec::WorkloadKind::lm}) {
    bases.push_back(small_spec(workload, spec::Pass::full_step));
    bases.back().dtype = spec::DataType::fp16;
  }
  std::vector<Exhibit> exhibits;
  for (const spec::WorkloadSpec& base : bases) {
    Collector collector(base);
    collector.add({});
    for (const spec::FieldRow& row : spec::field_rows()) {
      // LibTorch's products of fp16 take several times as long; pairs have most of these values.
      if (base.dtype == spec::DataType::fp16 || left_out(row.field)) continue;
      for (const std::string& value : values_of(row.field)) {
        collector.add({{row.name, value.c_str()}});
      }
    }
    for (const Settings& settings : pairs()) collector.add(settings);
    exhibits.insert(exhibits.end(), collector.all.begin(), collector.all.end());
  }
  return exhibits;
}

}  // namespace ts::kernels
