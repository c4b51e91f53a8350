// config.json of transformers as our own language model.
#include "core/spec/model_config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/spec/masking.h"
#include "core/spec/own_model.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"

namespace ts::spec {
namespace {

using Json = nlohmann::json;

Json llama(std::int64_t width, std::int64_t d_ff, int layers, int heads, int kv_heads, int vocab) {
  return {{"model_type", "llama"},        {"hidden_size", width},
          {"intermediate_size", d_ff},    {"num_hidden_layers", layers},
          {"num_attention_heads", heads}, {"num_key_value_heads", kv_heads},
          {"vocab_size", vocab},          {"max_position_embeddings", 4096},
          {"hidden_act", "silu"},         {"torch_dtype", "bfloat16"}};
}

Json with(Json config, const char* key, const Json& value) {
  config[key] = value;
  return config;
}

std::int64_t parameters(const Json& config) {
  WorkloadSpec spec;
  const auto applied = apply_model_config(config, spec);
  EXPECT_TRUE(applied) << applied.error().sentence;
  return parameter_count(spec);
}

// The numbers that transformers counts for these published models.
TEST(ModelConfig, HasAsManyParametersAsTransformers) {
  EXPECT_EQ(parameters(llama(4096, 11008, 32, 32, 32, 32000)), 6'738'415'616) << "Llama 2 7B";
  EXPECT_EQ(parameters(llama(4096, 14336, 32, 32, 8, 128256)), 8'030'261'248) << "Llama 3 8B";
  EXPECT_EQ(parameters(llama(2048, 5632, 22, 32, 4, 32000)), 1'100'048'384) << "TinyLlama";
  EXPECT_EQ(parameters(with(llama(2048, 8192, 16, 32, 8, 128256), "tie_word_embeddings", true)),
            1'235'814'400)
      << "Llama 3.2 1B";
  Json mistral = with(llama(4096, 14336, 32, 32, 8, 32000), "model_type", "mistral");
  EXPECT_EQ(parameters(with(mistral, "sliding_window", 4096)), 7'241'732'096) << "Mistral 7B";
  Json mixtral = with(llama(4096, 14336, 32, 32, 8, 32000), "model_type", "mixtral");
  mixtral = with(with(mixtral, "num_local_experts", 8), "num_experts_per_tok", 2);
  EXPECT_EQ(parameters(mixtral), 46'702'792'704) << "Mixtral 8x7B";
  const Json gpt2 = {{"model_type", "gpt2"}, {"n_embd", 768},       {"n_layer", 12},
                     {"n_head", 12},         {"n_positions", 1024}, {"vocab_size", 50257}};
  EXPECT_EQ(parameters(gpt2), 124'439'808) << "GPT-2";
}

// Sizes that transformers would take from its own defaults are transformers' to tell.
TEST(ModelConfig, NamesTheSizeThatIsMissing) {
  const auto path = std::filesystem::temp_directory_path() / "tensorscope_missing.json";
  const auto reason = [&path](Json config, const char* left_out) {
    config.erase(left_out);
    std::ofstream(path) << config.dump();
    return reason_beyond_our_model(path).sentence;
  };
  const Json good = llama(512, 1024, 2, 8, 2, 1000);
  for (const char* const key : {"hidden_size", "num_hidden_layers", "num_attention_heads",
                                "vocab_size", "intermediate_size"}) {
    EXPECT_EQ(reason(good, key), std::string("its ") + key + " is missing");
  }
  EXPECT_EQ(reason(good, "num_key_value_heads"), "") << "those of the queries";
  EXPECT_EQ(reason(good, "max_position_embeddings"), "") << "which has no weights";
  const char* const kv = "num_key_value_heads";
  EXPECT_EQ(reason(with(good, "model_type", "mistral"), kv),
            std::string("its ") + kv + " is missing");
  const Json gpt2 = {{"model_type", "gpt2"}, {"n_embd", 768},       {"n_layer", 12},
                     {"n_head", 12},         {"n_positions", 1024}, {"vocab_size", 50257}};
  EXPECT_EQ(reason(gpt2, "n_positions"), "its n_positions is missing");
  EXPECT_EQ(reason(gpt2, "n_inner"), "");
  EXPECT_NE(reason(with(good, "architectures", Json({"LlamaModel"})), "none"), "");
  EXPECT_EQ(reason(with(good, "hidden_size", -1), "none"), "") << "transformers would not take it";
  std::filesystem::remove(path);
}

// Its positions are a part of the model, whatever the number of tokens.
TEST(ModelConfig, HasTheTableOfPositionsOfTheFile) {
  const Json gpt2 = {{"model_type", "gpt2"}, {"n_embd", 768},       {"n_layer", 12},
                     {"n_head", 12},         {"n_positions", 1024}, {"vocab_size", 50257}};
  WorkloadSpec spec;
  ASSERT_TRUE(apply_model_config(gpt2, spec));
  EXPECT_EQ(size_range(spec, Field::T).max, 1024);
  for (const std::int64_t tokens : {1, 300, 1024}) {
    spec.seq_len = tokens;
    EXPECT_TRUE(validate(spec).empty());
    EXPECT_EQ(parameter_count(spec), 124'439'808);
  }
  spec.seq_len = 1025;
  ASSERT_EQ(validate(spec).size(), 1U);
  EXPECT_EQ(validate(spec).front().sentence,
            "The model has 1024 positions, 1025 tokens need more: choose a smaller T, or set "
            "max_positions to 0");
  spec.seq_len = 1000;
  spec.pass = Pass::generate;
  spec.new_tokens = 32;
  EXPECT_EQ(size_range(spec, Field::T).max, 992);
  EXPECT_EQ(validate(spec).size(), 1U) << "the new tokens have positions, too";
  spec.max_positions = 0;
  EXPECT_TRUE(validate(spec).empty());
}

Json merged(Json config, const Json& settings) {
  config.update(settings);
  return config;
}

Json qwen3_moe() {
  return merged(llama(2048, 6144, 48, 32, 4, 151936), {{"model_type", "qwen3_moe"},
                                                       {"head_dim", 128},
                                                       {"num_experts", 128},
                                                       {"num_experts_per_tok", 8},
                                                       {"moe_intermediate_size", 768},
                                                       {"norm_topk_prob", true},
                                                       {"decoder_sparse_step", 1},
                                                       {"mlp_only_layers", Json::array()}});
}

Json deepseek(const char* type, std::int64_t width, std::int64_t d_ff, int layers, int heads) {
  return merged(llama(width, d_ff, layers, heads, heads, 102400), {{"model_type", type},
                                                                   {"kv_lora_rank", 512},
                                                                   {"q_lora_rank", 1536},
                                                                   {"qk_nope_head_dim", 128},
                                                                   {"qk_rope_head_dim", 64},
                                                                   {"v_head_dim", 128},
                                                                   {"n_group", 8},
                                                                   {"moe_layer_freq", 1}});
}

Json deepseek_v2_lite() {
  return merged(deepseek("deepseek_v2", 2048, 10944, 27, 16), {{"q_lora_rank", nullptr},
                                                               {"n_routed_experts", 64},
                                                               {"n_shared_experts", 2},
                                                               {"num_experts_per_tok", 6},
                                                               {"moe_intermediate_size", 1408},
                                                               {"first_k_dense_replace", 1},
                                                               {"norm_topk_prob", false}});
}

Json deepseek_v3() {
  return merged(deepseek("deepseek_v3", 7168, 18432, 61, 128), {{"vocab_size", 129280},
                                                                {"n_routed_experts", 256},
                                                                {"n_shared_experts", 1},
                                                                {"num_experts_per_tok", 8},
                                                                {"moe_intermediate_size", 2048},
                                                                {"first_k_dense_replace", 3},
                                                                {"norm_topk_prob", true},
                                                                {"routed_scaling_factor", 2.5}});
}

// The same of families with heads of their own width, biases and norms: by transformers 5.23.0.
TEST(ModelConfig, HasTheHeadsOfItsFamily) {
  const Json qwen2 = with(llama(3584, 18944, 28, 28, 4, 152064), "model_type", "qwen2");
  EXPECT_EQ(parameters(qwen2), 7'615'616'512) << "Qwen2.5 7B";
  Json small = with(llama(896, 4864, 24, 14, 2, 151936), "model_type", "qwen2");
  small = merged(small, {{"tie_word_embeddings", true}, {"sliding_window", 32768}});
  EXPECT_EQ(parameters(small), 494'032'768) << "Qwen2.5 0.5B";
  Json qwen3 = with(llama(1024, 3072, 28, 16, 8, 151936), "model_type", "qwen3");
  qwen3 = merged(qwen3, {{"tie_word_embeddings", true}, {"head_dim", 128}});
  EXPECT_EQ(parameters(qwen3), 596'049'920) << "Qwen3 0.6B";
  EXPECT_EQ(parameters(with(llama(4096, 12288, 36, 32, 8, 151936), "model_type", "qwen3")),
            8'190'735'360)
      << "Qwen3 8B";
  const Json phi3 = with(llama(3072, 8192, 32, 32, 32, 32064), "model_type", "phi3");
  EXPECT_EQ(parameters(with(phi3, "sliding_window", 2047)), 3'821'079'552) << "Phi-3 mini";
  Json gemma = with(llama(2048, 16384, 18, 8, 1, 256000), "model_type", "gemma");
  EXPECT_EQ(parameters(with(gemma, "hidden_act", "gelu")), 2'506'172'416) << "Gemma 2B";
  Json starcoder = with(llama(3072, 12288, 30, 24, 2, 49152), "model_type", "starcoder2");
  starcoder = merged(starcoder, {{"hidden_act", "gelu_pytorch_tanh"}, {"use_bias", true}});
  EXPECT_EQ(parameters(starcoder), 3'030'371'328) << "StarCoder2 3B";
  Json nemo = with(llama(5120, 14336, 40, 32, 8, 131072), "model_type", "mistral");
  EXPECT_EQ(parameters(with(nemo, "head_dim", 128)), 12'247'782'400) << "Mistral Nemo";
  EXPECT_EQ(parameters(with(llama(512, 1024, 2, 8, 2, 1000), "attention_bias", true)), 5'485'568);
}

Json gemma(const char* type, std::int64_t width, std::int64_t d_ff, int layers, int heads,
           int kv_heads) {
  Json config = merged(llama(width, d_ff, layers, heads, kv_heads, 256000),
                       {{"model_type", type},
                        {"head_dim", 256},
                        {"sliding_window", 4096},
                        {"hidden_activation", "gelu_pytorch_tanh"},
                        {"max_position_embeddings", 8192}});
  config.erase("hidden_act");
  return config;
}

// The same of families whose blocks have another form: by transformers 5.23.0.
TEST(ModelConfig, HasTheFormOfItsFamily) {
  EXPECT_EQ(parameters(gemma("gemma2", 2304, 9216, 26, 8, 4)), 2'614'341'888) << "Gemma 2 2B";
  EXPECT_EQ(parameters(gemma("gemma2", 3584, 14336, 42, 16, 8)), 9'241'705'984) << "Gemma 2 9B";
  Json gemma3 = merged(gemma("gemma3_text", 1152, 6912, 26, 4, 1), {{"vocab_size", 262144}});
  EXPECT_EQ(parameters(with(gemma3, "sliding_window", 512)), 999'885'952) << "Gemma 3 1B";
  const auto like = [](const char* type, int width, int layers, int heads, int vocab) {
    return merged(llama(width, 4 * width, layers, heads, heads, vocab),
                  {{"model_type", type}, {"hidden_act", "gelu_new"}});
  };
  const Json phi2 = with(like("phi", 2560, 32, 32, 51200), "partial_rotary_factor", 0.4);
  EXPECT_EQ(parameters(phi2), 2'779'683'840) << "Phi-2";
  EXPECT_EQ(parameters(like("phi", 2048, 24, 32, 51200)), 1'418'270'720) << "Phi-1.5";
  Json pythia = with(like("gpt_neox", 2048, 16, 8, 50304), "hidden_act", "gelu");
  EXPECT_EQ(parameters(with(pythia, "rotary_pct", 0.25)), 1'011'781'632) << "Pythia 1B";
  EXPECT_EQ(parameters(like("gpt_neox", 6144, 44, 64, 50432)), 20'554'567'680) << "GPT-NeoX 20B";

  WorkloadSpec spec;
  ASSERT_TRUE(apply_model_config(phi2, spec));
  EXPECT_EQ(spec.rope_width, 32);
  EXPECT_EQ(spec.block_form, BlockForm::shared_norm);
  EXPECT_TRUE(spec.head_bias);
  ASSERT_TRUE(apply_model_config(with(pythia, "use_parallel_residual", false), spec));
  EXPECT_EQ(spec.block_form, BlockForm::serial);
  EXPECT_EQ(spec.rope_width, 64);
  const Json newer = {{"partial_rotary_factor", 0.75}, {"rope_type", "default"}};
  ASSERT_TRUE(apply_model_config(
      with(with(llama(512, 1024, 2, 8, 2, 1000), "model_type", "phi3"), "rope_parameters", newer),
      spec));
  EXPECT_EQ(spec.rope_width, 48);
}

// Layers with a window and layers without: by a list, by a distance, or as the family has them.
TEST(ModelConfig, KnowsWhichLayersHaveAWindow) {
  const auto full_every = [](const Json& config) {
    WorkloadSpec spec;
    const auto applied = apply_model_config(config, spec);
    EXPECT_TRUE(applied) << applied.error().sentence;
    return std::pair(spec.window, spec.full_every);
  };
  const auto pair = [](std::int64_t window, std::int64_t every) {
    return std::pair(window, every);
  };
  const Json gemma2 = gemma("gemma2", 256, 512, 4, 4, 2);
  EXPECT_EQ(full_every(gemma2), pair(4096, 2));
  EXPECT_EQ(full_every(gemma("gemma3_text", 256, 512, 12, 4, 2)), pair(4096, 6));
  EXPECT_EQ(full_every(with(gemma("gemma3_text", 256, 512, 12, 4, 2), "sliding_window_pattern", 3)),
            pair(4096, 3));
  const char* const slides = "sliding_attention";
  const char* const full = "full_attention";
  EXPECT_EQ(full_every(with(gemma2, "layer_types", Json({slides, slides, full, slides}))),
            pair(4096, 3));
  EXPECT_EQ(full_every(with(gemma2, "layer_types", Json({slides, slides, slides, slides}))),
            pair(4096, 0));
  EXPECT_EQ(full_every(with(gemma2, "layer_types", Json({full, full, full, full}))), pair(0, 0));
  WorkloadSpec spec;
  EXPECT_FALSE(
      apply_model_config(with(gemma2, "layer_types", Json({full, slides, full, slides})), spec));

  // A cache keeps all tokens in layers without a window.
  ASSERT_TRUE(apply_model_config(gemma2, spec));
  spec.pass = Pass::generate;
  spec.seq_len = 8000;
  spec.new_tokens = 100;
  EXPECT_EQ(cache_length(spec, 0), 4096);
  EXPECT_EQ(cache_length(spec, 1), 8100);
  EXPECT_EQ(windowed_blocks(spec, 0, 4), 2);
  EXPECT_EQ(windowed_blocks(spec, 1, 2), 0);
}

TEST(ModelConfig, HasTheExpertsOfItsFamily) {
  const Json qwen2_moe =
      merged(llama(2048, 5632, 24, 16, 16, 151936), {{"model_type", "qwen2_moe"},
                                                     {"num_experts", 60},
                                                     {"num_experts_per_tok", 4},
                                                     {"moe_intermediate_size", 1408},
                                                     {"shared_expert_intermediate_size", 5632},
                                                     {"norm_topk_prob", false}});
  EXPECT_EQ(parameters(qwen2_moe), 14'315'784'192) << "Qwen1.5 MoE A2.7B";
  const Json larger =
      merged(llama(3584, 18944, 28, 28, 4, 151936), {{"model_type", "qwen2_moe"},
                                                     {"num_experts", 64},
                                                     {"num_experts_per_tok", 8},
                                                     {"moe_intermediate_size", 2560},
                                                     {"shared_expert_intermediate_size", 20480}});
  EXPECT_EQ(parameters(larger), 57'408'658'944) << "Qwen2 57B A14B";
  EXPECT_EQ(parameters(qwen3_moe()), 30'532'122'624) << "Qwen3 30B A3B";
  const Json mixed = merged(llama(256, 512, 7, 4, 2, 1000), {{"model_type", "qwen3_moe"},
                                                             {"head_dim", 128},
                                                             {"num_experts", 6},
                                                             {"num_experts_per_tok", 2},
                                                             {"moe_intermediate_size", 96},
                                                             {"decoder_sparse_step", 2},
                                                             {"mlp_only_layers", {0, 1, 2}}});
  EXPECT_EQ(parameters(mixed), 6'124'032) << "experts in layers 3 and 5 of 0 to 6";
  EXPECT_EQ(parameters(deepseek_v2_lite()), 15'706'484'224) << "DeepSeek-V2 Lite";
  EXPECT_EQ(parameters(merged(deepseek("deepseek_v2", 5120, 12288, 60, 128),
                              {{"n_routed_experts", 160},
                               {"n_shared_experts", 2},
                               {"num_experts_per_tok", 6},
                               {"moe_intermediate_size", 1536},
                               {"first_k_dense_replace", 1},
                               {"routed_scaling_factor", 16.0}})),
            235'741'434'880)
      << "DeepSeek-V2";
  EXPECT_EQ(parameters(deepseek_v3()), 671'026'404'352) << "DeepSeek-V3";
}

WorkloadSpec spec_of(const Json& config) {
  WorkloadSpec spec;
  EXPECT_TRUE(apply_model_config(config, spec));
  EXPECT_TRUE(validate(spec).empty());
  return spec;
}

// Qwen3 30B has 3.3 billion active ones, DeepSeek-V3 37 billion, as published.
TEST(ModelConfig, CountsActiveParametersOfPublishedModels) {
  EXPECT_NEAR(static_cast<double>(active_count(spec_of(qwen3_moe()))), 3.3e9, 0.06e9);
  EXPECT_NEAR(static_cast<double>(active_count(spec_of(deepseek_v2_lite()))), 2.66e9, 0.01e9);
  EXPECT_NEAR(static_cast<double>(active_count(spec_of(deepseek_v3()))), 37.55e9, 0.1e9);
}

// Numbers that the cache keeps of a token in a layer: 2 n_kv d_h, or d_c + d_h^R (DeepSeek-V2,
// table 1).
TEST(ModelConfig, HasTheCacheOfItsFamily) {
  EXPECT_EQ(cached_numbers(spec_of(llama(4096, 14336, 32, 32, 8, 128256))), 2 * 8 * 128);
  EXPECT_EQ(cached_numbers(spec_of(qwen3_moe())), 2 * 4 * 128);
  EXPECT_EQ(cached_numbers(spec_of(deepseek_v3())), 512 + 64);
}

TEST(ModelConfig, HasTheRouterOfItsFamily) {
  EXPECT_EQ(spec_of(qwen3_moe()).expert_weights, ExpertWeights::normalised);
  EXPECT_EQ(spec_of(deepseek_v2_lite()).expert_weights, ExpertWeights::softmax);
  const WorkloadSpec v3 = spec_of(deepseek_v3());
  EXPECT_EQ(v3.expert_weights, ExpertWeights::sigmoid);
  EXPECT_EQ(v3.expert_scale, 2.5);
  EXPECT_EQ(experts(v3).blocks_with(0, 61), 58);
  EXPECT_EQ(experts(v3).blocks_with(2, 5), 2);
}

TEST(ModelConfig, KeepsWhatTheFileDoesNotSay) {
  WorkloadSpec spec;
  spec.batch = 7;
  spec.seq_len = 10'000;
  spec.pass = Pass::full_step;
  ASSERT_TRUE(apply_model_config(llama(512, 1024, 2, 8, 2, 1000), spec));
  EXPECT_EQ(spec.workload, WorkloadKind::lm);
  EXPECT_EQ(spec.batch, 7);
  EXPECT_EQ(spec.seq_len, 4096) << "its context";
  EXPECT_EQ(spec.kv_heads, 2);
  EXPECT_EQ(spec.dtype, DataType::bf16);
  EXPECT_TRUE(validate(spec).empty());
}

TEST(ModelConfig, CountsTheExpertsThatATokenMeets) {
  WorkloadSpec spec;
  Json mixtral = with(llama(4096, 14336, 32, 32, 8, 32000), "model_type", "mixtral");
  ASSERT_TRUE(apply_model_config(mixtral, spec))
      << "8 experts, 2 a token, unless it says otherwise";
  EXPECT_EQ(active_count(spec), 12'879'925'248) << "12.9 billion, as published";
  EXPECT_EQ(experts(spec).room(1024), 320);
}

// A window that hides nothing within the first T, and does beyond.
TEST(ModelConfig, HasTheWindowOfTheFile) {
  Json mistral = with(llama(512, 1024, 2, 8, 2, 1000), "model_type", "mistral");
  mistral = with(mistral, "max_position_embeddings", 32768);
  WorkloadSpec spec;
  spec.seq_len = 10'000;
  ASSERT_TRUE(apply_model_config(with(mistral, "sliding_window", 4096), spec));
  EXPECT_EQ(spec.window, 4096);
  EXPECT_EQ(spec.seq_len, 4096);
  EXPECT_FALSE(masking(spec).any());
  spec.seq_len = 8192;
  EXPECT_EQ(masking(spec).window, 4096);
  ASSERT_TRUE(apply_model_config(with(mistral, "sliding_window", nullptr), spec));
  EXPECT_EQ(spec.window, 0);
  ASSERT_TRUE(apply_model_config(mistral, spec)) << "4096 unless it says otherwise";
  EXPECT_EQ(spec.window, 4096);
  ASSERT_TRUE(apply_model_config(with(mistral, "model_type", "mixtral"), spec)) << "none, there";
  EXPECT_EQ(spec.window, 0);
  ASSERT_TRUE(
      apply_model_config(merged(mistral, {{"model_type", "llama"}, {"sliding_window", 8}}), spec))
      << "which has no windows";
  EXPECT_EQ(spec.window, 0);
  EXPECT_GT(spec.seq_len, 8);
  ASSERT_TRUE(
      apply_model_config(merged(mistral, {{"model_type", "qwen2"}, {"sliding_window", 0}}), spec))
      << "which is not switched on";
  EXPECT_EQ(spec.window, 0);
}

// The other words are checked with transformers by config_test.
TEST(ModelConfig, KnowsTheTypeOfTheFile) {
  const Json good = llama(512, 1024, 2, 8, 2, 1000);
  for (const auto& [word, type] : {std::pair{"float32", DataType::fp32},
                                   {"bfloat16", DataType::bf16},
                                   {"float16", DataType::fp16}}) {
    WorkloadSpec spec;
    ASSERT_TRUE(apply_model_config(with(good, "torch_dtype", word), spec));
    EXPECT_EQ(spec.dtype, type);
    ASSERT_TRUE(apply_model_config(with(with(good, "torch_dtype", "float64"), "dtype", word), spec))
        << "the newer name counts";
    EXPECT_EQ(spec.dtype, type);
  }
}

TEST(ModelConfig, NamesWhatItCannotExpress) {
  const auto sentence = [](const Json& config) {
    WorkloadSpec spec;
    const WorkloadSpec before = spec;
    const auto applied = apply_model_config(config, spec);
    if (!applied) {
      EXPECT_EQ(spec, before);
    }
    return applied ? std::string() : applied.error().sentence;
  };
  const Json good = llama(512, 1024, 2, 8, 2, 1000);
  for (const auto& [key, value, named] :
       {std::tuple{"model_type", Json("gemma3"), std::string("gemma3")},
        {"mlp_bias", Json(true), "mlp_bias"},
        {"head_dim", Json(0), "its head_dim is 0, which is no possible size"},
        {"architectures", Json({"LlamaModel"}), "architectures = LlamaModel"},
        {"architectures", Json({"LlamaForSequenceClassification"}), "ForSequenceClassification"},
        {"architectures", Json({5}), "architectures = 5"},
        {"partial_rotary_factor", Json(0.5), "partial_rotary"},
        {"mlp_only_layers", Json({1}), "mlp_only_layers"},
        {"layer_types", Json({"a", "b"}), "layer_types"},
        {"hidden_act", Json("relu"), "relu"},
        {"torch_dtype", Json("float64"), "torch_dtype is float64"},
        {"dtype", Json("float8_e4m3fn"), "dtype is float8_e4m3fn"},
        {"dtype", Json(16), "dtype is 16"},
        {"quantization_config", Json({{"quant_method", "gptq"}, {"bits", 4}}), "gptq"},
        {"quantization_config", Json(true), "quantized"},
        {"hidden_size", Json("512"), "its hidden_size is the text \"512\", and"},
        {"vocab_size", Json(-5), "its vocab_size is -5"},
        {"hidden_size", Json(1e300), "its hidden_size is 1e+300"},
        {"hidden_size", Json(std::string(1000, '7')), std::string(60, '7') + "...\", and"},
        {"max_position_embeddings", Json(0), "its max_position_embeddings is 0"},
        {"hidden_size", Json(nullptr), "its hidden_size is missing"},
        {"num_key_value_heads", Json(3), "kv_heads"}}) {
    const std::string words = sentence(with(good, key, value));
    EXPECT_NE(words.find(named), std::string::npos) << key << ": " << words;
  }
  for (const Json& named : {Json(nullptr), Json::array(), Json({"LlamaForCausalLM", "Other"})}) {
    EXPECT_EQ(sentence(with(good, "architectures", named)), "") << named;
  }
  WorkloadSpec unquantized;
  EXPECT_TRUE(apply_model_config(with(good, "quantization_config", nullptr), unquantized));
  const Json mistral = with(good, "model_type", "mistral");
  for (const Json& window : {Json(0), Json(-1), Json("eight"), Json(4.5), Json(true)}) {
    const std::string words = sentence(with(mistral, "sliding_window", window));
    EXPECT_NE(words.find("sliding_window is"), std::string::npos) << window << ": " << words;
  }
  EXPECT_NE(sentence(with(gemma("gemma2", 256, 512, 4, 4, 2), "sliding_window", nullptr)), "");
  EXPECT_NE(sentence(Json::object()), "");
}

TEST(ModelConfig, AFileBecomesTheWorkload) {
  const auto path = std::filesystem::temp_directory_path() / "tensorscope_config.json";
  std::ofstream(path) << llama(512, 1024, 2, 8, 2, 1000).dump();
  EXPECT_TRUE(is_model_config(path));
  WorkloadSpec spec;
  ASSERT_TRUE(choose_model(path.string(), spec));
  EXPECT_EQ(spec.d_model, 512);
  std::ofstream(path) << R"({"model_type": "gemma3"})";
  const auto refused = choose_model(path.string(), spec);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().sentence.find("tensorscope_config.json"), std::string::npos);
  EXPECT_NE(refused.error().sentence.find("gemma3"), std::string::npos);
  std::ofstream(path) << R"({"segments": []})";
  EXPECT_FALSE(is_model_config(path));
  for (const auto& [text, words] :
       {std::pair<std::string, const char*>{R"({"model_type": "llama", "hidden_size":)",
                                            "is not valid JSON"},
        {"", "is not valid JSON"},
        {std::string("\0\x01\xff", 3), "is not valid JSON"},
        {R"({"model_type": "llama", "hidden_size": NaN})", "is not valid JSON"},
        {std::string(100'000, '['), "levels deep"},
        {R"({"model_type": 5})", "its model_type is 5, which is no name"},
        {"[1]", "names no \"model_type\""},
        {R"({"hidden_size": 5})", "names no \"model_type\""}}) {
    std::ofstream(path) << text;
    const auto wrong = choose_model(path.string(), spec);
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().sentence.find(words), std::string::npos) << wrong.error().sentence;
    EXPECT_NE(wrong.error().sentence.find("tensorscope_config.json"), std::string::npos);
    EXPECT_TRUE(reason_beyond_our_model(path).empty());
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ts::spec
