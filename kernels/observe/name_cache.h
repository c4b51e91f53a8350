#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/base/string_table.h"

namespace ts::kernels {

// The attention kernel an operator is, if it is one.
enum class AttentionKernel : std::uint8_t {
  none,
  softmax,
  math,
  flash,
  efficient,
  cudnn,
  tiled,
  own
};

const char* kernel_name(AttentionKernel kernel);  // naive math flash ..., "" for none

// The properties of an operator that the hooks need, found once per name.
struct OperatorName {
  std::string_view text;  // lives in the string table, a zero behind it
  base::StringId id = base::kNoString;
  // Only makes a tensor (aten::empty ...): its allocations are attributed to the operator around
  // it.
  bool factory = false;
  // The frame in which autograd runs a node ("autograd::engine::evaluate_function: ...").
  bool node_frame = false;
  // See unknown_blocks.h.
  bool may_have_unknown_blocks = false;
  AttentionKernel attention = AttentionKernel::none;
};

// Name -> OperatorName for one thread, four places for each hash: tens of nanoseconds on a hit, one
// locked intern() on a miss.
class NameCache {
 public:
  explicit NameCache(base::StringTable& strings) : strings_(&strings) {}
  const OperatorName& find(std::string_view text);
  // The same of a text that is likely to stay at its address, as LibTorch's names of operators do.
  const OperatorName& find(const char* text) {
    Seen& seen = seen_[(reinterpret_cast<std::uintptr_t>(text) >> kAlignedBits) % kSeen];
    if (seen.text != text || std::strcmp(seen.name->text.data(), text) != 0) [[unlikely]]
      seen = {text, &find(std::string_view(text))};
    return *seen.name;
  }

 private:
  struct Seen {
    const char* text = nullptr;
    const OperatorName* name = nullptr;  // its text may be another one by now
  };
  static constexpr std::size_t kSeen = 1024;
  static constexpr unsigned kAlignedBits = 4;
  static constexpr std::size_t kSlots = 1024;
  static constexpr std::size_t kWays = 4;  // neighbours that a hash may be found in
  base::StringTable* strings_;
  std::array<OperatorName, kSlots> slots_{};
  std::array<Seen, kSeen> seen_{};
};

}  // namespace ts::kernels
