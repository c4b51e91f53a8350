#include "core/trace_file/counter_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace ts::trace_file {
namespace {

using io::JsonScanner;

std::string plain_text(const JsonScanner::String& text) {
  return text.escaped ? io::unescaped(text.raw) : std::string(text.raw);
}

bool read_number(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace

void CounterReader::take(const RawEvent& raw, std::string_view written) {
  JsonScanner scanner(written);
  scanner.object([&](const JsonScanner::String& key) {
    if (key.raw != "args" || scanner.peek() != '{') return scanner.skip();
    return scanner.object([&](const JsonScanner::String& series) {
      const char next = scanner.peek();
      if (next == '"' || next == '{' || next == '[') return scanner.skip();
      std::string_view number;
      double value = 0;
      if (!scanner.scalar(number)) return false;
      if (read_number(number, value)) add(raw, series, value);
      return true;
    });
  });
}

void CounterReader::add(const RawEvent& raw, const JsonScanner::String& series, double value) {
  const base::StringId name = strings_.intern(plain_text(raw.name));
  const base::StringId of = strings_.intern(plain_text(series));
  const auto [known, fresh] =
      places_.try_emplace({std::string(raw.process), name, of}, counters_.size());
  if (fresh) counters_.push_back({std::string(raw.process), name, of, {}});
  counters_[known->second].points.push_back({nanoseconds(raw.time), value});
}

std::vector<Counter> CounterReader::finish() {
  for (Counter& counter : counters_)
    std::ranges::stable_sort(counter.points, {}, &CounterPoint::time_ns);
  places_.clear();
  return std::exchange(counters_, {});
}

}  // namespace ts::trace_file
