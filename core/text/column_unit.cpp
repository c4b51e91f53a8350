#include "core/text/column_unit.h"

#include <nlohmann/json.hpp>

#include "core/text/numbers.h"

namespace ts::text {

std::string number_in_files(ColumnUnit unit, double number) {
  switch (unit) {
    case ColumnUnit::time:
      return fixed(number * 1e-6, 4);
    case ColumnUnit::share:
      return fixed(number * 100, 2);
    case ColumnUnit::flops:
    case ColumnUnit::flop_rate:
      return number > 0 ? fixed(number * 1e-9, 3) : std::string();
    case ColumnUnit::input_bytes:
      return number > 0 ? fixed(number, 0) : std::string();
    case ColumnUnit::count:
    case ColumnUnit::bytes:
    case ColumnUnit::given_bytes:
      break;
  }
  return fixed(number, 0);
}

nlohmann::json number_in_json(ColumnUnit unit, double number) {
  switch (unit) {
    case ColumnUnit::time:
      return number * 1e-6;
    case ColumnUnit::flop_rate:
      return number * 1e-9;
    case ColumnUnit::count:
    case ColumnUnit::bytes:
      return static_cast<std::int64_t>(number);
    case ColumnUnit::share:
    case ColumnUnit::flops:
    case ColumnUnit::given_bytes:
    case ColumnUnit::input_bytes:
      break;
  }
  return number;
}

}  // namespace ts::text
