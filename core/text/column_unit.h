#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ts::text {

// The numbers of a column of a table. A table's columns are declared once, with their unit, for
// files, JSON and the window.
enum class ColumnUnit : std::uint8_t {
  count,
  time,       // nanoseconds; milliseconds in files and JSON
  share,      // 0 to 1; percent in files
  flops,      // GFLOP in files; empty there if it is 0
  flop_rate,  // FLOP/s; GFLOP/s in files and JSON; empty in files if it is 0
  bytes,
  given_bytes,  // estimated from shapes
  input_bytes,  // the same; empty in files if it is 0
};

// With a point and without separators of thousands.
std::string number_in_files(ColumnUnit unit, double number);
nlohmann::json number_in_json(ColumnUnit unit, double number);

}  // namespace ts::text
