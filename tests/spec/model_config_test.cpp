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
}

TEST(ModelConfig, NamesWhatItCannotExpress) {
  const auto sentence = [](const Json& config) {
    WorkloadSpec spec;
    const WorkloadSpec before = spec;
    const auto applied = apply_model_config(config, spec);
    EXPECT_EQ(spec, before);
    return applied ? std::string() : applied.error().sentence;
  };
  const Json good = llama(512, 1024, 2, 8, 2, 1000);
  for (const auto& [key, value, named] : {std::tuple{"model_type", Json("qwen3"), "qwen3"},
                                          {"attention_bias", Json(true), "attention_bias"},
                                          {"head_dim", Json(128), "head_dim"},
                                          {"hidden_act", Json("relu"), "relu"},
                                          {"hidden_size", Json("512"), "size"},
                                          {"vocab_size", Json(-5), "size"},
                                          {"hidden_size", Json(1e300), "size"},
                                          {"num_key_value_heads", Json(3), "kv_heads"}}) {
    const std::string words = sentence(with(good, key, value));
    EXPECT_NE(words.find(named), std::string::npos) << key << ": " << words;
  }
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
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ts::spec
