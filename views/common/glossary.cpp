#include "views/common/glossary.h"

#include <algorithm>
#include <array>

namespace ts::views {
namespace {

constexpr std::array kTerms = {
    "B",           "T",         "d_model",         "heads",        "d_head",    "layers",
    "d_ff",        "vocab",     "backend",         "dtype",        "pass",      "causal",
    "activations", "gradients", "optimizer_state", "temporaries",  "allocated", "reserved",
    "context",     "needed",    "before_backward", "memory_limit", "segment",   "workspace",
    "oom",         "kernel",    "slice",           "median",       "mfu",       "overhead",
    "target_gpu",
};

}  // namespace

std::span<const char* const> glossary_terms() {
  return kTerms;
}

std::string meaning(const text::Texts& texts, std::string_view term) {
  const bool known = std::ranges::any_of(kTerms, [&](const char* one) { return term == one; });
  return known ? texts(std::string("glossary.text.") + std::string(term)) : std::string();
}

}  // namespace ts::views
