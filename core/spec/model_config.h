#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/spec/workload_spec.h"

namespace ts::spec {

// The config.json of Hugging Face's transformers as settings of our own language model: families
// whose parameters it has one by one (Llama, Mistral, Qwen, DeepSeek, ...; a row each). What it
// cannot express is an error that names it. The operators are ours, not those of transformers, and
// experts are chosen among all, not within groups.

// True if the file is such a config, judged by its content. Reads at most a MiB.
bool is_model_config(const std::filesystem::path& path);

// Why our language model cannot express the file, if it is such a config: the end of a sentence
// about it. Empty if it can, and if one of its values is impossible.
base::Message reason_beyond_our_model(const std::filesystem::path& path);

// The sentence for a file that is no such config.
base::Error reason_no_config(const std::filesystem::path& path);

// Sizes, form and type of the model; T no longer than its context. Everything else stays as it is
// in `spec`, which an error leaves unchanged. The error is the end of a sentence about the file.
base::Result<void> apply_model_config(const nlohmann::json& config, WorkloadSpec& spec);

}  // namespace ts::spec
