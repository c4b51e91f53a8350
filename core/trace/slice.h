#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/string_table.h"

namespace ts::trace {

// The class of a slice, for colours and time shares. step..optimizer are phases, module is a layer
// of the model, the rest are operators and kernels.
enum class SliceClass : std::uint8_t {
  step,
  setup,
  forward,
  loss,
  backward,
  optimizer,
  module,
  matmul,
  softmax,
  elementwise,
  norm,
  copy,
  attention,
  other,
  communication,  // a collective, on the thread or stream that does it
};
inline constexpr int kSliceClassCount = 15;

// The class of an ATen operator ("aten::bmm") or autograd node ("MmBackward0"), by name.
SliceClass classify_operator(std::string_view name);

// The work of a collective as c10d names it on the thread that does it: "gloo:all_reduce",
// "nccl:all_reduce".
bool is_collective(std::string_view name);

// One interval on a track.
struct Slice {
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  base::StringId name = base::kNoString;
  base::StringId module = base::kNoString;  // module path, "blocks.1.attn"
  base::StringId detail = base::kNoString;  // input shapes and dtypes, "[4, 12, 2048, 64] bf16"
  std::uint32_t flow = 0;  // shared by forward and backward slice of one autograd node; 0 none
  SliceClass slice_class = SliceClass::other;
  [[nodiscard]] std::int64_t end_ns() const noexcept { return begin_ns + duration_ns; }
};

using TrackId = std::uint16_t;

// Position of a slice in the store: stays valid as the store grows.
struct SliceRef {
  TrackId track = 0;
  std::uint16_t depth = 0;
  std::uint32_t index = 0;
  friend bool operator==(const SliceRef&, const SliceRef&) = default;
};

// Result of a range query: one slice, or several that share pixels, drawn as one box.
struct VisibleSlice {
  SliceRef ref;                                // the slice, or the longest of those merged
  std::int64_t begin_ns = 0;                   // of the box
  std::int64_t end_ns = 0;                     // of the box
  std::uint32_t count = 1;                     // slices in the box
  float busy = 1.0F;                           // fraction of the box that slices cover
  base::StringId name = base::kNoString;       // of ref
  SliceClass slice_class = SliceClass::other;  // of ref
};

}  // namespace ts::trace
