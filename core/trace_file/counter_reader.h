#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/string_table.h"
#include "core/trace_file/event_fields.h"
#include "core/trace_file/trace_file.h"

namespace ts::trace_file {

// Gathers the counters of a file from its events "C". Private to this folder.
class CounterReader {
 public:
  explicit CounterReader(base::StringTable& strings) : strings_(strings) {}

  // `written` is the event that `raw` was read from, followed by JsonScanner::kPadding readable
  // bytes. Args that are no finite numbers are left out.
  void take(const RawEvent& raw, std::string_view written);
  // The counters, in the order in which they came. Then nothing is left.
  std::vector<Counter> finish();

 private:
  void add(const RawEvent& raw, const io::JsonScanner::String& series, double value);

  base::StringTable& strings_;
  std::vector<Counter> counters_;
  std::map<std::tuple<std::string, base::StringId, base::StringId>, std::size_t> places_;
};

}  // namespace ts::trace_file
