#include "core/spec/model_config.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "core/io/json_parse.h"
#include "core/spec/presets.h"
#include "core/text/message.h"
#include "core/text/printable.h"

namespace ts::spec {
namespace {

using Json = nlohmann::json;

// How a family of models names its sizes, and its form. A null name: the family has no such size.
struct Family {
  const char* type;
  const char *width, *layers, *heads, *kv_heads, *d_ff, *context, *activation;
  FeedForward ffn;
  NormKind norm;
  Positions positions;
  bool bias;
  bool tied;  // unless the file says otherwise
  const char* experts = nullptr;
  const char* experts_per_token = nullptr;
};
constexpr Family kLlama = {.type = "llama",
                           .width = "hidden_size",
                           .layers = "num_hidden_layers",
                           .heads = "num_attention_heads",
                           .kv_heads = "num_key_value_heads",
                           .d_ff = "intermediate_size",
                           .context = "max_position_embeddings",
                           .activation = "hidden_act",
                           .ffn = FeedForward::swiglu,
                           .norm = NormKind::rmsnorm,
                           .positions = Positions::rope,
                           .bias = false,
                           .tied = false};
constexpr Family named(const char* type, Family family) {
  family.type = type;
  return family;
}
constexpr Family with_experts(const char* type, Family family) {
  family.type = type;
  family.experts = "num_local_experts";
  family.experts_per_token = "num_experts_per_tok";
  return family;
}
constexpr std::array<Family, 4> kFamilies = {{
    kLlama,
    named("mistral", kLlama),
    with_experts("mixtral", kLlama),
    {.type = "gpt2",
     .width = "n_embd",
     .layers = "n_layer",
     .heads = "n_head",
     .kv_heads = nullptr,
     .d_ff = "n_inner",
     .context = "n_positions",
     .activation = "activation_function",
     .ffn = FeedForward::gelu,
     .norm = NormKind::layernorm,
     .positions = Positions::learned,
     .bias = true,
     .tied = true},
}};

tl::unexpected<base::Error> cannot(const std::string& what) {
  return text::fail("model_error.config_setting", {{"what", text::printable(what)}});
}

class Config {
 public:
  explicit Config(const Json& json) : json_(json) {}

  [[nodiscard]] bool has(const char* key) const {
    return key != nullptr && json_.contains(key) && !json_.at(key).is_null();
  }
  // A size, `otherwise` where the file has none; 0 where it is no possible one.
  [[nodiscard]] std::int64_t size(const char* key, std::int64_t otherwise) const {
    if (!has(key)) return otherwise;
    const Json& value = json_.at(key);
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (!value.is_number_integer() || value < 1 || value > kMost) return 0;
    return value.get<std::int64_t>();
  }
  [[nodiscard]] bool flag(const char* key, bool otherwise) const {
    return has(key) && json_.at(key).is_boolean() ? json_.at(key).get<bool>() : otherwise;
  }
  [[nodiscard]] std::string word(const char* key) const {
    return has(key) && json_.at(key).is_string() ? json_.at(key).get<std::string>() : std::string();
  }

 private:
  const Json& json_;
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// The first setting that our language model has not; empty where it has all.
std::string not_expressed(const Family& family, const Config& config) {
  for (const char* const key : {"attention_bias", "mlp_bias", "scale_attn_by_inverse_layer_idx",
                                "add_cross_attention", "clip_qkv"}) {
    if (config.flag(key, false) || config.size(key, 0) > 0) return key;
  }
  const std::string activation = config.word(family.activation);
  const bool known = family.ffn == FeedForward::swiglu
                         ? is_one_of(activation, {"", "silu", "swish"})
                         : is_one_of(activation, {"", "gelu", "gelu_new", "gelu_pytorch_tanh"});
  if (!known) return std::string(family.activation) + " = " + activation;
  const std::int64_t width = config.size(family.width, 0), heads = config.size(family.heads, 0);
  const std::int64_t d_head = config.size("head_dim", heads > 0 ? width / heads : 0);
  if (heads > 0 && d_head * heads != width) return "head_dim";
  return {};
}

}  // namespace

bool is_model_config(const std::filesystem::path& path) {
  constexpr std::uintmax_t kMost = 1 << 20;
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error || bytes > kMost || path.extension() != ".json") return false;
  const auto json = io::read_json(path);
  return json && json->is_object() && json->contains("model_type") &&
         json->at("model_type").is_string() && !json->contains("weight_map");
}

base::Result<void> apply_model_config(const Json& json, WorkloadSpec& spec) {
  const Config config(json);
  const std::string type = config.word("model_type");
  const auto family =
      std::ranges::find_if(kFamilies, [&type](const Family& one) { return type == one.type; });
  if (family == kFamilies.end()) return cannot("model_type = " + type);
  if (const std::string what = not_expressed(*family, config); !what.empty()) return cannot(what);

  WorkloadSpec made = spec;
  choose_workload(WorkloadKind::lm, made);
  made.batch = spec.batch;  // the workload would bring its own
  made.d_model = config.size(family->width, 0);
  made.layers = config.size(family->layers, 0);
  made.heads = config.size(family->heads, 0);
  const std::int64_t kv_heads = config.size(family->kv_heads, made.heads);
  made.kv_heads = kv_heads == made.heads ? 0 : kv_heads;
  made.d_ff = config.size(family->d_ff, 4 * made.d_model);
  made.vocab = config.size("vocab_size", 0);
  const std::int64_t context = config.size(family->context, spec.seq_len);
  const std::array sizes = {made.d_model, made.layers, made.heads, kv_heads,
                            made.d_ff,    made.vocab,  context};
  if (std::ranges::find(sizes, 0) != sizes.end()) return text::fail("model_error.config_size");
  const std::int64_t window =
      config.flag("use_sliding_window", true) ? config.size("sliding_window", context) : context;
  // Learned positions have as many rows as the context.
  made.seq_len = family->positions == Positions::learned
                     ? context
                     : std::min({spec.seq_len, context, std::max<std::int64_t>(window, 1)});
  made.window = window < context ? window : 0;
  made.experts = family->experts != nullptr ? config.size(family->experts, 8) : 0;
  if (made.experts > 0) made.experts_per_token = config.size(family->experts_per_token, 2);
  made.ffn = family->ffn;
  made.norm = family->norm;
  made.positions = family->positions;
  made.bias = family->bias;
  made.tied = config.flag("tie_word_embeddings", family->tied);
  made.fused_qkv = false;
  made.causal = true;
  made.backend = AttentionBackend::automatic;
  const std::string dtype = config.has("dtype") ? config.word("dtype") : config.word("torch_dtype");
  made.dtype = dtype == "bfloat16"  ? DataType::bf16
               : dtype == "float16" ? DataType::fp16
                                    : DataType::fp32;
  if (const auto problems = validate(made); !problems.empty()) {
    return tl::unexpected<base::Error>(problems.front());
  }
  spec = made;
  return {};
}

}  // namespace ts::spec
