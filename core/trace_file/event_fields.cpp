#include "core/trace_file/event_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <system_error>
#include <utility>

#include "core/base/letters.h"

namespace ts::trace_file {
namespace {

using io::JsonScanner;

// Equality with a text of known length: one comparison of a word, not a call.
template <std::size_t Size>
bool is(std::string_view key, const char (&name)[Size]) {
  return key.size() == Size - 1 && std::memcmp(key.data(), name, Size - 1) == 0;
}

// Reads a number, a literal or a text without its quotes; anything else leaves it empty.
bool read_plain(JsonScanner& scanner, std::string_view& to) {
  const char next = scanner.peek();
  if (next == '"') {
    JsonScanner::String text;
    if (!scanner.string(text)) return false;
    to = text.raw;
    return true;
  }
  if (next == '{' || next == '[') return scanner.skip();
  return scanner.scalar(to);
}

bool read_string(JsonScanner& scanner, JsonScanner::String& to) {
  if (scanner.peek() == '"') return scanner.string(to);
  to = {};
  return scanner.scalar(to.raw) || scanner.skip();
}

using Plain = std::string_view RawEvent::*;
struct Argument {
  std::string_view name;
  Plain field;
  bool list = false;
};

constexpr std::array kArguments = std::to_array<Argument>({
    {"correlation", &RawEvent::correlation},
    {"External id", &RawEvent::external},
    {"external id", &RawEvent::external},
    {"device", &RawEvent::device},
    {"stream", &RawEvent::stream},
    {"Input Dims", &RawEvent::dims, true},
    {"Input dims", &RawEvent::dims, true},
    {"Input type", &RawEvent::types, true},
    {"grid", &RawEvent::grid, true},
    {"block", &RawEvent::block, true},
    {"registers per thread", &RawEvent::registers},
    {"shared memory", &RawEvent::shared_memory},
    {"Device Type", &RawEvent::device_type},
    {"Device Id", &RawEvent::device_id},
    {"Addr", &RawEvent::address},
    {"Bytes", &RawEvent::bytes},
    {"bytes", &RawEvent::copied},
    {"Total Allocated", &RawEvent::total_allocated},
    {"Total Reserved", &RawEvent::total_reserved},
});

// Arguments grouped by the length of the key: the length alone distinguishes most keys.
constexpr std::size_t kLongest = 20;
constexpr std::size_t kMostAlike = 4;
constexpr auto kByLength = [] {
  std::array<std::array<const Argument*, kMostAlike>, kLongest + 1> table{};
  for (const Argument& argument : kArguments) {
    auto& alike = table[argument.name.size()];
    std::size_t place = 0;
    while (alike[place] != nullptr) ++place;
    alike[place] = &argument;
  }
  return table;
}();

const Argument* argument_of(std::string_view key) {
  if (key.size() > kLongest) return nullptr;
  for (const Argument* const argument : kByLength[key.size()]) {
    if (argument == nullptr || argument->name == key) return argument;
  }
  return nullptr;
}

bool read_arguments(JsonScanner& scanner, RawEvent& event) {
  if (scanner.peek() != '{') return scanner.skip();
  return scanner.object([&](const JsonScanner::String& key) {
    if (is(key.raw, "name")) return read_string(scanner, event.value_name);
    if (is(key.raw, "module")) return read_string(scanner, event.module);
    const Argument* const found = argument_of(key.raw);
    if (found == nullptr) return scanner.skip();
    if (!found->list) return read_plain(scanner, event.*found->field);
    // Omitted lists are texts: "<...>".
    if (scanner.peek() != '[') return scanner.skip();
    return scanner.raw(event.*found->field);
  });
}

bool read_field(JsonScanner& scanner, std::string_view key, RawEvent& event) {
  if (is(key, "name")) return read_string(scanner, event.name);
  if (is(key, "cat")) return read_string(scanner, event.category);
  if (is(key, "args")) return read_arguments(scanner, event);
  if (is(key, "ts")) return read_plain(scanner, event.time);
  if (is(key, "dur")) return read_plain(scanner, event.duration);
  if (is(key, "pid")) return read_plain(scanner, event.process);
  if (is(key, "tid")) return read_plain(scanner, event.thread);
  if (is(key, "id")) return read_plain(scanner, event.id);
  if (!is(key, "ph")) return scanner.skip();
  std::string_view phase;
  if (!read_plain(scanner, phase)) return false;
  event.phase = phase.empty() ? '\0' : phase.front();
  return true;
}

// About 73 years in nanoseconds, far from the limits of 64 bits: sums and differences do not
// overflow.
constexpr std::int64_t kFarthest = std::int64_t{1} << 61;

struct Category {
  std::string_view name;
  EventKind kind;
};
// In lower case, alphabetically.
constexpr std::array kCategories = std::to_array<Category>({
    {"concurrent_kernel", EventKind::kernel},
    {"cpu_op", EventKind::op},
    {"cuda_driver", EventKind::runtime},
    {"cuda_runtime", EventKind::runtime},
    {"cuda_sync", EventKind::synchronisation},
    {"glow_runtime", EventKind::runtime},
    {"gpu_memcpy", EventKind::copy},
    {"gpu_memset", EventKind::fill},
    {"gpu_user_annotation", EventKind::gpu_annotation},
    {"hip_driver", EventKind::runtime},
    {"hip_runtime", EventKind::runtime},
    {"hpu_op", EventKind::kernel},
    {"kernel", EventKind::kernel},
    {"memcpy", EventKind::copy},
    {"memset", EventKind::fill},
    {"mtia_runtime", EventKind::runtime},
    {"operator", EventKind::op},
    {"overhead", EventKind::overhead},
    {"privateuse1_driver", EventKind::runtime},
    {"privateuse1_runtime", EventKind::runtime},
    {"python_function", EventKind::python},
    {"runtime", EventKind::runtime},
    {"trace", EventKind::window},
    {"user_annotation", EventKind::annotation},
    {"xpu_driver", EventKind::runtime},
    {"xpu_runtime", EventKind::runtime},
});

}  // namespace

std::string_view to_string(EventKind kind) {
  constexpr std::array<std::string_view, kEventKindCount> kNames = {
      "cpu_op",    "user_annotation", "python_function", "cuda_runtime",
      "kernel",    "gpu_memcpy",      "gpu_memset",      "gpu_user_annotation",
      "cuda_sync", "overhead",        "Trace",           "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool read_event(JsonScanner& scanner, RawEvent& event) {
  event = {};
  return scanner.object(
      [&](const JsonScanner::String& key) { return read_field(scanner, key.raw, event); });
}

std::int64_t nanoseconds(std::string_view text) {
  constexpr std::int64_t kPerMicrosecond = 1000;
  constexpr std::int64_t kTen = 10;
  const bool negative = text.starts_with('-');
  std::string_view rest = text.substr(negative ? 1 : 0);
  std::int64_t value = 0;
  std::int64_t scale = 0;  // of the next decimal, in nanoseconds; 0 before the point
  for (const char c : rest) {
    if (c == '.' && scale == 0) {
      if (value > kFarthest / kPerMicrosecond) return negative ? -kFarthest : kFarthest;
      value *= kPerMicrosecond;
      scale = kPerMicrosecond / kTen;
      if (scale == 0) break;
      continue;
    }
    if (c < '0' || c > '9') {
      // An exponent. No profiler writes one where it would cost nanosecond precision.
      const double number = std::strtod(std::string(text).c_str(), nullptr) * kPerMicrosecond;
      if (!std::isfinite(number)) return 0;
      return static_cast<std::int64_t>(
          std::clamp(number, -static_cast<double>(kFarthest), static_cast<double>(kFarthest)));
    }
    if (scale > 0) {
      value += scale * (c - '0');
      scale = scale == 1 ? -1 : scale / kTen;
    } else if (scale == 0) {
      if (value > kFarthest / kTen) return negative ? -kFarthest : kFarthest;
      value = value * kTen + (c - '0');
    }
  }
  if (scale == 0) value = value > kFarthest / kPerMicrosecond ? kFarthest : value * kPerMicrosecond;
  return negative ? -value : value;
}

bool is_number(std::string_view text) {
  const std::string_view rest = text.substr(text.starts_with('-') ? 1 : 0);
  const auto is_plain = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  if (rest.empty() || !is_plain(rest.front())) return false;
  if (std::ranges::all_of(rest, is_plain)) return true;
  const std::string copy(text);
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  return end == copy.c_str() + copy.size() && std::isfinite(number);
}

std::int64_t integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  // 2^63 and more, such as device addresses.
  std::uint64_t large = 0;
  const auto [last, wrong] = std::from_chars(text.data(), text.data() + text.size(), large);
  if (wrong == std::errc() && last == text.data() + text.size())
    return static_cast<std::int64_t>(large);
  return kNoNumber;
}

std::int32_t small_number(std::string_view text) {
  const std::int64_t number = integer(text);
  constexpr std::int64_t kMost = 4096;
  return number >= 0 && number < kMost ? static_cast<std::int32_t>(number) : -1;
}

std::array<std::int32_t, 3> triple(std::string_view list) {
  std::array<std::int32_t, 3> numbers{};
  std::size_t at = 0;
  for (std::int32_t& number : numbers) {
    at = list.find_first_of("0123456789", at);
    if (at == std::string_view::npos) break;
    const auto [end, error] = std::from_chars(list.data() + at, list.data() + list.size(), number);
    if (error != std::errc()) break;
    at = static_cast<std::size_t>(end - list.data());
  }
  return numbers;
}

EventKind kind_of(std::string_view category, std::string_view process) {
  // Profilers before 2021 write no categories.
  if (category.empty()) {
    if (process == "CPU functions") return EventKind::op;
    return process == "CUDA functions" ? EventKind::kernel : EventKind::other;
  }
  const std::string lower = base::lower(category);
  const auto found = std::ranges::lower_bound(kCategories, lower, {}, &Category::name);
  return found != kCategories.end() && found->name == lower ? found->kind : EventKind::other;
}

FlowEnd::Kind flow_kind_of(std::string_view category) {
  if (category == "ac2g" || category == "async_cpu_to_gpu" || category == "async") {
    return FlowEnd::Kind::launch;
  }
  if (category == "fwdbwd" || category == "forward_backward") return FlowEnd::Kind::autograd;
  return FlowEnd::Kind::other;
}

// Texts, and Chrome's form 0x12: any number that is the same for the same text.
std::int64_t flow_id_of(std::string_view written) {
  const std::int64_t number = integer(written);
  if (number != kNoNumber) return number;
  return static_cast<std::int64_t>(std::hash<std::string_view>{}(written) >> 1U);
}

bool is_on_device(EventKind kind) {
  return kind >= EventKind::kernel && kind <= EventKind::gpu_annotation;
}

// Kineto's process is the device; copies between two devices and annotations have no "device" among
// their args. Other programs may have a real process there.
std::int32_t device_of(const RawEvent& event) {
  constexpr std::int32_t kMostDevices = 64;
  const std::int32_t told = small_number(event.device);
  const std::int32_t process = small_number(event.process);
  return std::max(told >= 0 ? told : process < kMostDevices ? process : 0, 0);
}

// c10::DeviceType: 0 is the CPU.
std::int32_t memory_device_of(const RawEvent& event) {
  return integer(event.device_type) > 0 ? std::max(small_number(event.device_id), 0) : -1;
}

}  // namespace ts::trace_file
