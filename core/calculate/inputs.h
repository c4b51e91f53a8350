#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ts::calculate {

// The unit of a number, which decides how it is written.
enum class Unit : std::uint8_t {
  number,
  bytes,
  flops,
  flop_rate,  // FLOP/s
  seconds,
  share,  // of 1, written in percent
  times,
  flops_per_byte,
};
const char* to_string(Unit unit);  // "bytes", "FLOP/s"; number and times: ""

// A whole number that is chosen. The text of its label is "calculate.input.NAME".
struct Input {
  const char* name;       // as formulas and the command line have it: "ranks"
  const char* unit = "";  // "GB/s"; empty: none
  std::int64_t start = 1;
  std::int64_t least = 1;
  std::int64_t most = 1;
  // 0 and 1: a switch.
  [[nodiscard]] bool is_switch() const { return least == 0 && most == 1; }
};

// The chosen numbers of a calculator or a simulation. Begins with the start values.
class Chosen {
 public:
  // `owner` is its id, `inputs` must last as long.
  Chosen(const char* owner, std::span<const Input> inputs);

  [[nodiscard]] std::span<const Input> inputs() const { return inputs_; }
  [[nodiscard]] std::int64_t of(std::size_t input) const { return numbers_[input]; }
  // The number of an input that there is.
  [[nodiscard]] std::int64_t number(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const {
    return static_cast<double>(number(name));
  }
  // Out of the input's range: an error with the range, and nothing changes.
  base::Result<void> set(std::size_t input, std::int64_t number);
  // From "ranks" and "8", "8k", "4Ki", "7e9" or "4,096".
  base::Result<void> set(std::string_view name, std::string_view number);
  // From "ranks=8".
  base::Result<void> set(std::string_view setting);

 private:
  const char* owner_;
  std::span<const Input> inputs_;
  std::vector<std::int64_t> numbers_;
};

}  // namespace ts::calculate
