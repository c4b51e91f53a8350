#include "kernels/observe/name_cache.h"

#include <algorithm>
#include <array>

#include "kernels/observe/unknown_blocks.h"

namespace ts::kernels {
namespace {

constexpr std::string_view kNodeFrame = "autograd::engine::evaluate_function: ";
constexpr std::string_view kOurNode = "torch::autograd::CppNode<";

constexpr std::array<std::string_view, 18> kFactories = {
    "aten::empty",      "aten::empty_like", "aten::empty_strided",     "aten::new_empty",
    "aten::new_zeros",  "aten::new_full",   "aten::new_empty_strided", "aten::zeros",
    "aten::zeros_like", "aten::ones",       "aten::ones_like",         "aten::full",
    "aten::full_like",  "aten::resize_",    "aten::scalar_tensor",     "aten::empty_permuted",
    "aten::new_ones",   "aten::arange",
};

AttentionKernel attention_kernel(std::string_view name) {
  if (name == "aten::_softmax") return AttentionKernel::softmax;
  if (name == "aten::_scaled_dot_product_attention_math") return AttentionKernel::math;
  if (name == "aten::_scaled_dot_product_flash_attention" ||
      name == "aten::_scaled_dot_product_flash_attention_for_cpu" ||
      name == "aoti_torch_cpu__scaled_dot_product_flash_attention_for_cpu") {
    return AttentionKernel::flash;
  }
  if (name == "aten::_scaled_dot_product_efficient_attention") return AttentionKernel::efficient;
  if (name == "aten::_scaled_dot_product_cudnn_attention") return AttentionKernel::cudnn;
  return AttentionKernel::none;
}

// "torch::autograd::CppNode<ts::kernels::(anonymous namespace)::CompiledStep>", as LibTorch names
// the nodes of our functions, is "CompiledStep".
std::string_view shown(std::string_view name) {
  if (name.substr(0, kOurNode.size()) != kOurNode || name.back() != '>') return name;
  name.remove_suffix(1);
  return name.substr(name.rfind(':') + 1);
}

// Every operator of every step is looked up: eight bytes at a time, the last ones perhaps twice.
std::size_t quick_hash(std::string_view text) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
  constexpr std::size_t kWord = 8;
  const auto word = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, text.data() + at, kWord);
    return value;
  };
  std::uint64_t hash = text.size();
  if (text.size() < kWord) {
    for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * kOdd;
  } else {
    for (std::size_t at = 0; at + kWord < text.size(); at += kWord) hash = (hash ^ word(at)) * kOdd;
    hash = (hash ^ word(text.size() - kWord)) * kOdd;
  }
  return hash >> 32U;
}

}  // namespace

const char* kernel_name(AttentionKernel kernel) {
  constexpr std::array kNames = {"",          "naive", "math",  "flash",
                                 "efficient", "cudnn", "tiled", "own"};
  return kNames[static_cast<std::size_t>(kernel)];
}

const OperatorName& NameCache::find(std::string_view text) {
  const std::size_t first = quick_hash(text) % kSlots;
  std::size_t at = first;
  for (std::size_t way = 0; way < kWays; ++way) {
    at = first ^ way;
    if (slots_[at].text == text && !text.empty()) [[likely]]
      return slots_[at];
    if (slots_[at].text.empty()) break;
  }
  OperatorName& slot = slots_[at];
  slot.id = strings_->intern(shown(text));
  slot.text = strings_->view(slot.id);
  slot.factory = std::find(kFactories.begin(), kFactories.end(), text) != kFactories.end();
  slot.node_frame = text.substr(0, kNodeFrame.size()) == kNodeFrame;
  slot.may_have_unknown_blocks = may_have_unknown_blocks(text);
  slot.attention = attention_kernel(text);
  return slot;
}

}  // namespace ts::kernels
