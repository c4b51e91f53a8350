#include "core/spec/model_config.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/io/json_parse.h"
#include "core/spec/presets.h"
#include "core/text/message.h"
#include "core/text/printable.h"

namespace ts::spec {
namespace {

using Json = nlohmann::json;

// Whether a family's layers may have a sliding window: none has one whatever the file says, as the
// file says, only where it switches windows on.
enum class Windows { none, given, switched };

// How a family of models names its sizes, and its form. A null name: the family has no such size.
struct Family {
  const char* type;
  const char *width, *layers, *heads, *kv_heads, *d_ff, *context, *activation;
  FeedForward ffn;
  NormKind norm;
  Positions positions;
  bool bias;
  bool tied;                // unless the file says otherwise
  std::int64_t d_head = 0;  // unless the file says otherwise; 0: width / heads
  bool qkv_bias = false;    // unless the file says otherwise
  bool qk_norm = false;
  bool fused_qkv = false;
  Windows windows = Windows::none;
  std::int64_t window = 0;      // unless the file says otherwise; 0: none
  std::int64_t full_every = 0;  // unless the file says otherwise
  BlockForm form = BlockForm::serial;
  bool post_norm = false;
  bool head_bias = false;
  bool turns_part = false;                // positions may turn a part of each head
  double turned = 1;                      // that share, unless the file says otherwise
  double softcap = 0, logit_softcap = 0;  // unless the file says otherwise
  bool latent = false;
  const char* experts = nullptr;
  std::int64_t expert_count = 0;  // unless the file says otherwise
  std::int64_t chosen = 2;
  ExpertWeights weights = ExpertWeights::softmax;  // where they are not made to sum to one
  bool sum_to_one = true;                          // unless the file says otherwise
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

// Llama with changes.
template <class Change>
constexpr Family like_llama(const char* type, Change change) {
  Family family = kLlama;
  family.type = type;
  change(family);
  return family;
}
constexpr void with_window(Family& family, std::int64_t unless_told) {
  family.windows = Windows::given;
  family.window = unless_told;
}
constexpr void mistral(Family& family) {
  with_window(family, 4096);
}
constexpr void qwen2(Family& family) {
  family.qkv_bias = true;
  family.windows = Windows::switched;
}
constexpr void qwen3(Family& family) {
  family.d_head = 128;
  family.qk_norm = true;
  family.windows = Windows::switched;
}
constexpr void with_experts(Family& family, const char* name, std::int64_t count,
                            std::int64_t chosen) {
  family.experts = name;
  family.expert_count = count;
  family.chosen = chosen;
}
constexpr void mixtral(Family& family) {
  with_window(family, 0);
  with_experts(family, "num_local_experts", 8, 2);
}
constexpr void qwen2_moe(Family& family) {
  qwen2(family);
  with_experts(family, "num_experts", 60, 4);
  family.sum_to_one = false;
}
constexpr void qwen3_moe(Family& family) {
  family.qk_norm = true;
  family.windows = Windows::switched;
  with_experts(family, "num_experts", 128, 8);
  family.sum_to_one = false;
}
constexpr void deepseek_v2(Family& family) {
  family.latent = true;
  with_experts(family, "n_routed_experts", 64, 6);
  family.sum_to_one = false;
}
constexpr void deepseek_v3(Family& family) {
  family.latent = true;
  with_experts(family, "n_routed_experts", 256, 8);
  family.weights = ExpertWeights::sigmoid;
}
constexpr void phi3(Family& family) {
  with_window(family, 0);
  family.fused_qkv = true;
  family.turns_part = true;
}
constexpr void gemma(Family& family) {
  family.ffn = FeedForward::geglu;
  family.tied = true;
  family.d_head = 256;
}
// Gemma 2 and 3, of which every n-th layer has no window. They name their activation otherwise than
// files of Gemma.
constexpr void newer_gemma(Family& family, std::int64_t full_every) {
  gemma(family);
  family.activation = "hidden_activation";
  family.post_norm = true;
  with_window(family, 4096);
  family.full_every = full_every;
}
constexpr void gemma2(Family& family) {
  newer_gemma(family, 2);
  family.softcap = 50;
  family.logit_softcap = 30;
}
constexpr void gemma3(Family& family) {
  newer_gemma(family, 6);
  family.qk_norm = true;
}
// LayerNorm, GELU and biases, as GPT-2 has them.
constexpr void with_biases(Family& family) {
  family.ffn = FeedForward::gelu;
  family.norm = NormKind::layernorm;
  family.bias = true;
}
constexpr void phi(Family& family) {
  with_biases(family);
  family.form = BlockForm::shared_norm;
  family.head_bias = true;
  family.turns_part = true;
  family.turned = 0.5;
}
constexpr void gpt_neox(Family& family) {
  with_biases(family);
  family.kv_heads = nullptr;
  family.fused_qkv = true;
  family.form = BlockForm::parallel;
  family.turns_part = true;
  family.turned = 0.25;
}
constexpr void starcoder2(Family& family) {
  with_biases(family);
  with_window(family, 0);
  family.tied = true;
}
constexpr std::array kFamilies = {
    kLlama,
    like_llama("mistral", mistral),
    like_llama("mixtral", mixtral),
    like_llama("qwen2", qwen2),
    like_llama("qwen2_moe", qwen2_moe),
    like_llama("qwen3", qwen3),
    like_llama("qwen3_moe", qwen3_moe),
    like_llama("deepseek_v2", deepseek_v2),
    like_llama("deepseek_v3", deepseek_v3),
    like_llama("phi3", phi3),
    like_llama("gemma", gemma),
    like_llama("gemma2", gemma2),
    like_llama("gemma3_text", gemma3),
    like_llama("phi", phi),
    like_llama("gpt_neox", gpt_neox),
    like_llama("starcoder2", starcoder2),
    Family{.type = "gpt2",
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
};

tl::unexpected<base::Error> cannot(const std::string& what) {
  return text::fail("model_error.config_setting", {{"what", text::printable(what)}});
}

class Config {
 public:
  explicit Config(Json json) : json_(std::move(json)) {}

  // The file's words for it, "null" too; nullptr where it has none.
  [[nodiscard]] const Json* find(const char* key) const {
    return json_.contains(key) ? &json_.at(key) : nullptr;
  }
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
  [[nodiscard]] double number(const char* key, double otherwise) const {
    return has(key) && json_.at(key).is_number() ? json_.at(key).get<double>() : otherwise;
  }
  // A number, 0 where the file has null.
  [[nodiscard]] double limit(const char* key, double otherwise) const {
    return json_.contains(key) && json_.at(key).is_null() ? 0 : number(key, otherwise);
  }
  // An object, empty where there is none.
  [[nodiscard]] Json group(const char* key) const {
    return has(key) && json_.at(key).is_object() ? json_.at(key) : Json::object();
  }
  // A list, empty where there is none.
  [[nodiscard]] Json list(const char* key) const {
    return has(key) && json_.at(key).is_array() ? json_.at(key) : Json::array();
  }
  [[nodiscard]] std::string word(const char* key) const {
    return has(key) && json_.at(key).is_string() ? json_.at(key).get<std::string>() : std::string();
  }

 private:
  Json json_;
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_known_activation(FeedForward form, const std::string& word) {
  if (form == FeedForward::swiglu) return is_one_of(word, {"", "silu", "swish"});
  return is_one_of(word, {"", "gelu", "gelu_new", "gelu_pytorch_tanh"});
}

// The layers without a window: every n-th, n 0 if all have one. nullopt where no setting of ours
// says which. "layer_types" tells them one by one; older files have their distance.
std::optional<std::int64_t> full_layers(const Family& family, const Config& config) {
  const Json types = config.list("layer_types");
  if (types.empty()) return config.size("sliding_window_pattern", family.full_every);
  const auto full = [&types](std::size_t i) { return types[i] == "full_attention"; };
  std::size_t first = 0;
  while (first < types.size() && !full(first)) ++first;
  const std::size_t every = first < types.size() ? first + 1 : 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const bool expected = every > 0 && (i + 1) % every == 0;
    if (full(i) != expected || (!full(i) && types[i] != "sliding_attention")) return std::nullopt;
  }
  return static_cast<std::int64_t>(every);
}

// The share of a head that positions turn, which newer files keep among those of their positions.
double turned_share(const Family& family, const Config& config) {
  const Config positions(config.group("rope_parameters"));
  for (const Config* const where : {&config, &positions}) {
    for (const char* const key : {"partial_rotary_factor", "rotary_pct"}) {
      if (where->has(key)) return where->number(key, family.turned);
    }
  }
  return family.turned;
}

// The number of blocks before the first with experts, -1 where others are without them, too.
std::int64_t dense_layers(const Config& config) {
  if (config.has("first_k_dense_replace")) return config.size("first_k_dense_replace", 0);
  const Json dense = config.list("mlp_only_layers");
  for (std::size_t i = 0; i < dense.size(); ++i) {
    if (dense[i] != i) return -1;
  }
  return static_cast<std::int64_t>(dense.size());
}

// The class that the file names where it is no model that predicts the next token; empty where it
// is one, or none is named.
std::string other_head(const Config& config) {
  const Json named = config.list("architectures");
  if (named.empty()) return {};
  if (!named[0].is_string()) return named[0].dump();
  const std::string first = named[0].get<std::string>();
  const bool ours =
      std::ranges::any_of(std::array{"ForCausalLM", "LMHeadModel", "ForConditionalGeneration"},
                          [&first](const char* end) { return first.ends_with(end); });
  return ours ? std::string() : first;
}

// The first setting that our language model has not; empty where it has all.
std::string not_expressed(const Family& family, const Config& config) {
  if (const std::string head = other_head(config); !head.empty()) return "architectures = " + head;
  for (const char* const key :
       {"mlp_bias", "scale_attn_by_inverse_layer_idx", "add_cross_attention", "clip_qkv",
        "qk_layernorm", "use_bidirectional_attention"}) {
    if (config.flag(key, false) || config.size(key, 0) > 0) return key;
  }
  if (family.latent && config.flag("attention_bias", false)) return "attention_bias";
  if (family.windows == Windows::switched && config.flag("use_sliding_window", false))
    return "use_sliding_window";
  const double turned = turned_share(family, config);
  if (turned != 1 && !(family.turns_part && turned > 0 && turned < 1))
    return "partial_rotary_factor";
  if (config.size("moe_layer_freq", 1) != 1) return "moe_layer_freq";
  if (!full_layers(family, config)) return "layer_types";
  if (dense_layers(config) < 0) return "mlp_only_layers";
  if (family.bias && !config.flag("use_bias", true)) return "use_bias";
  const bool sums = config.flag("norm_topk_prob", family.sum_to_one);
  if (family.weights == ExpertWeights::sigmoid && !sums) return "norm_topk_prob";
  const std::string activation = config.word(family.activation);
  if (is_known_activation(family.ffn, activation)) return {};
  return std::string(family.activation) + " = " + activation;
}

// The window of the layers that have one, 0 where none has; nullopt where transformers computes
// nothing with the file's: there null alone means none, not 0 or -1, and not where layers are told
// to have one.
std::optional<std::int64_t> window_of(const Family& family, const Config& config) {
  const bool all_full = full_layers(family, config) == 1;
  if (family.windows != Windows::given || all_full) return 0;
  const Json* const told = config.find("sliding_window");
  if (told == nullptr) return family.window;
  if (told->is_null())
    return family.full_every == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
  const std::int64_t window = config.size("sliding_window", 0);
  return window > 0 ? std::optional(window) : std::nullopt;
}

// The type of the numbers; nullopt where our model has none of it.
std::optional<DataType> type_of(const std::string& word) {
  if (is_one_of(word, {"", "float32", "float", "auto"})) return DataType::fp32;
  if (word == "bfloat16") return DataType::bf16;
  if (is_one_of(word, {"float16", "half"})) return DataType::fp16;
  return std::nullopt;
}

// The file's words for what it has there.
std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The same for a sentence.
std::string shortened(const Json& value) {
  constexpr std::size_t kMost = 60;
  const std::string words = text_of(value);
  return text::printable(words.size() > kMost ? words.substr(0, kMost) + "..." : words);
}

// How the weights are quantized; empty where they are not.
std::string quantization(const Config& config) {
  const Json* const told = config.find("quantization_config");
  if (told == nullptr || told->is_null()) return {};
  const bool named = told->is_object() && told->contains("quant_method");
  return named ? text_of(told->at("quant_method")) : "quantization_config";
}

// The sizes of a model that a file must have: transformers' own for a file without would be others
// in each of its versions. Heads of keys and values are those of the queries where it says null.
std::vector<const char*> needed_sizes(const Family& family) {
  std::vector<const char*> keys = {family.width, family.layers, family.heads, "vocab_size"};
  const bool inner = std::string_view(family.d_ff) == "n_inner";  // 4 times the width
  if (!inner) keys.push_back(family.d_ff);
  if (family.positions == Positions::learned) keys.push_back(family.context);
  return keys;
}

// The first size that the file lacks; nullptr where it has all.
const char* missing_size(const Family& family, const Config& config) {
  for (const char* const key : needed_sizes(family)) {
    if (!config.has(key)) return key;
  }
  const bool as_queries = is_one_of(family.type, {"llama", "phi", "phi3"}) || family.latent;
  const bool shared = family.kv_heads != nullptr && !as_queries;
  return shared && config.find(family.kv_heads) == nullptr ? family.kv_heads : nullptr;
}

// The first size that is there and impossible; nullptr where none is.
const char* wrong_size(const Family& family, const Config& config) {
  std::vector<const char*> keys = needed_sizes(family);
  for (const char* const key : {family.kv_heads, family.d_ff, family.context}) {
    if (key != nullptr) keys.push_back(key);
  }
  for (const char* const key :
       {"head_dim", "kv_lora_rank", "q_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim",
        "v_head_dim", "moe_intermediate_size", "num_experts_per_tok", "decoder_sparse_step"})
    keys.push_back(key);
  const auto is_wrong = [&config](const char* key) {
    return config.has(key) && config.size(key, 0) == 0;
  };
  const auto found = std::ranges::find_if(keys, is_wrong);
  return found == keys.end() ? nullptr : *found;
}

// Sizes that a file may give as 0 or null: there is none.
std::int64_t or_none(const Config& config, const char* key) {
  const auto found = config.number(key, 0);
  return found > 0 ? config.size(key, 0) : 0;
}

void set_attention(const Family& family, const Config& config, WorkloadSpec& made) {
  const std::int64_t even = made.heads > 0 ? made.d_model / made.heads : 0;
  std::int64_t d_head = config.size("head_dim", family.d_head > 0 ? family.d_head : even);
  made.kv_rank = made.q_rank = made.rope_width = made.v_width = 0;
  if (family.latent) {
    made.kv_rank = config.size("kv_lora_rank", 512);
    made.q_rank = config.has("q_lora_rank") ? config.size("q_lora_rank", 0) : 0;
    made.rope_width = config.size("qk_rope_head_dim", 64);
    made.v_width = config.size("v_head_dim", 128);
    d_head = config.size("qk_nope_head_dim", 128) + made.rope_width;
    made.kv_heads = 0;
  }
  if (!family.latent && family.positions == Positions::rope) {
    const double turned = turned_share(family, config);
    made.rope_width =
        turned < 1 ? static_cast<std::int64_t>(static_cast<double>(d_head) * turned) : 0;
  }
  made.head_width = d_head == even && even * made.heads == made.d_model ? 0 : d_head;
  made.qkv_bias = config.flag("qkv_bias", family.qkv_bias);
  made.qk_norm = family.qk_norm;
  made.fused_qkv = family.fused_qkv;
  made.bias = family.bias || config.flag("attention_bias", false);
}

// The form of the blocks and of the head.
void set_form(const Family& family, const Config& config, WorkloadSpec& made) {
  const bool serial = !config.flag("use_parallel_residual", true);
  made.block_form = serial ? BlockForm::serial : family.form;
  made.post_norm = family.post_norm;
  made.head_bias = family.head_bias;
  made.softcap = config.limit("attn_logit_softcapping", family.softcap);
  made.logit_softcap = config.limit("final_logit_softcapping", family.logit_softcap);
}

void set_experts(const Family& family, const Config& config, WorkloadSpec& made) {
  const bool any = family.experts != nullptr && !(config.number(family.experts, 1) < 1);
  made.experts = any ? config.size(family.experts, family.expert_count) : 0;
  made.expert_ff = made.shared_ff = made.dense_layers = 0;
  made.shared_gate = false;
  made.expert_every = 1;
  made.expert_scale = 1;
  if (!any) return;
  made.experts_per_token = config.size("num_experts_per_tok", family.chosen);
  made.expert_ff = or_none(config, "moe_intermediate_size");
  made.shared_ff = or_none(config, "shared_expert_intermediate_size");
  made.shared_gate = made.shared_ff > 0;
  if (made.shared_ff == 0) {
    made.shared_ff = or_none(config, "n_shared_experts") * made.expert_ff;
  }
  made.dense_layers = dense_layers(config);
  made.expert_every = config.size("decoder_sparse_step", 1);
  const bool sums = config.flag("norm_topk_prob", family.sum_to_one);
  const bool softmax = family.weights == ExpertWeights::softmax;
  made.expert_weights = softmax && sums ? ExpertWeights::normalised : family.weights;
  made.expert_scale = config.number("routed_scaling_factor", 1);
}

// The config in a file, if it is one.
std::optional<Json> config_in(const std::filesystem::path& path) {
  constexpr std::uintmax_t kMost = 1 << 20;
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error || bytes > kMost || path.extension() != ".json") return std::nullopt;
  auto json = io::read_json(path);
  const bool is_one = json && json->is_object() && json->contains("model_type") &&
                      json->at("model_type").is_string() && !json->contains("weight_map");
  return is_one ? std::optional(std::move(*json)) : std::nullopt;
}

}  // namespace

bool is_model_config(const std::filesystem::path& path) {
  return config_in(path).has_value();
}

base::Message reason_beyond_our_model(const std::filesystem::path& path) {
  const auto config = config_in(path);
  if (!config) return {};
  WorkloadSpec spec;
  auto applied = apply_model_config(*config, spec);
  if (applied) return {};
  const std::string& key = applied.error().key;
  const bool beyond = key == "model_error.config_setting" || key == "model_error.config_missing";
  return beyond ? std::move(applied.error()) : base::Message();
}

base::Error reason_no_config(const std::filesystem::path& path) {
  const auto json = io::read_json(path);
  if (!json) return json.error();
  const bool typed = json->is_object() && json->contains("model_type");
  base::Message why = text::message("model_error.no_config");
  if (typed && !json->at("model_type").is_string())
    why = text::message("model_error.config_name",
                        {{"key", "model_type"}, {"value", shortened(json->at("model_type"))}});
  return text::message("model_error.read",
                       {{"path", path.string()}, text::argument("reason", std::move(why))});
}

base::Result<void> apply_model_config(const Json& json, WorkloadSpec& spec) {
  const Config config(json);
  const std::string type = config.word("model_type");
  const auto family =
      std::ranges::find_if(kFamilies, [&type](const Family& one) { return type == one.type; });
  if (family == kFamilies.end()) return cannot("model_type = " + type);
  if (const std::string what = not_expressed(*family, config); !what.empty()) return cannot(what);
  if (const std::string how = quantization(config); !how.empty())
    return text::fail("model_error.config_quantized",
                      {{"how", text::printable(how)}, {"key", "quantization_config"}});
  const char* const type_key = config.has("dtype") ? "dtype" : "torch_dtype";
  const std::string type_word = config.has(type_key) ? text_of(*config.find(type_key)) : "";
  const std::optional<DataType> dtype = type_of(type_word);
  if (!dtype)
    return text::fail("model_error.config_type",
                      {{"key", type_key}, {"type", text::printable(type_word)}});
  const std::optional<std::int64_t> stated_window = window_of(*family, config);
  if (!stated_window)
    return text::fail("model_error.config_window",
                      {{"key", "sliding_window"},
                       {"window", text::printable(text_of(*config.find("sliding_window")))}});

  if (const char* const key = missing_size(*family, config))
    return text::fail("model_error.config_missing", {{"key", key}});
  if (const char* const key = wrong_size(*family, config)) {
    const Json& size = *config.find(key);
    const std::string words = shortened(size);
    if (size.is_string())
      return text::fail("model_error.config_text", {{"key", key}, {"value", words}});
    return text::fail("model_error.config_size", {{"key", key}, {"value", words}});
  }

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
  const std::int64_t every = full_layers(*family, config).value_or(0);
  const std::int64_t window = *stated_window > 0 ? *stated_window : context;
  made.seq_len = std::min({spec.seq_len, context, window});
  made.window = window < context ? window : 0;
  made.full_every = made.window > 0 ? every : 0;
  made.positions = family->positions;
  made.max_positions = family->positions == Positions::learned ? context : 0;
  set_attention(*family, config, made);
  set_experts(*family, config, made);
  set_form(*family, config, made);
  made.ffn = family->ffn;
  made.norm = family->norm;
  made.tied = config.flag("tie_word_embeddings", family->tied);
  made.causal = true;
  // PyTorch's own kernels have no softcap.
  made.backend = made.softcap > 0 ? AttentionBackend::naive : AttentionBackend::automatic;
  made.dtype = *dtype;
  if (const auto problems = validate(made); !problems.empty()) {
    return tl::unexpected<base::Error>(problems.front());
  }
  spec = made;
  return {};
}

}  // namespace ts::spec
