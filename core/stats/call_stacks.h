#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/string_table.h"
#include "core/stats/operator_calls.h"

namespace ts::stats {

// Call paths: the module, then the operators around the call, then the call itself. Layers of a
// list share one place ("blocks.*.attn"), like a line of source that every layer runs.
class CallStacks {
 public:
  CallStacks(std::span<const OperatorCall> calls, const base::StringTable& strings);

  // Stack of a call, by its index among the calls. An `again` call has that of the call around it.
  [[nodiscard]] std::uint32_t of(std::uint32_t call) const { return of_call_[call]; }
  // "blocks.*.attn;aten::linear;aten::addmm", the outermost first.
  [[nodiscard]] std::string text(std::uint32_t stack) const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  struct Frame {
    std::uint32_t below = kNone;
    std::string name;
  };
  std::uint32_t frame(std::uint32_t below, const std::string& name);

  std::vector<Frame> frames_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> index_;
  std::vector<std::uint32_t> of_call_;
};

// Replaces layer numbers: "lm.blocks.3.attn" becomes "lm.blocks.*.attn".
std::string without_layer_numbers(std::string_view path);

}  // namespace ts::stats
