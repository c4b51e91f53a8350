#include "core/spec/typed_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/text/typed_numbers.h"

namespace ts::spec {
namespace {

constexpr std::string_view kFirstWord = "custom";
constexpr std::string_view kPerSecond = "GB/s";
constexpr std::string_view kForm = "custom 24GiB 1008GB/s fp32=82.6 bf16=165 cc=8.9 sm=128";

struct PeakWord {
  std::string_view name;
  std::optional<double> Gpu::*place;
};
constexpr std::array<PeakWord, 4> kPeakWords = {{{"fp32", &Gpu::fp32_tflops},
                                                 {"tf32", &Gpu::tf32_tflops},
                                                 {"bf16", &Gpu::bf16_tflops},
                                                 {"fp16", &Gpu::fp16_tflops}}};

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::size_t length = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

std::optional<double> positive_number(std::string_view text) {
  const std::optional<double> value = text::parse_real(text);
  return value && *value > 0 && *value < 1e9 ? value : std::nullopt;
}

// "8.9", from 5.0 to 99.9.
bool is_capability(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot != 1 && dot != 2) return false;
  if (text.size() != dot + 2) return false;
  const std::optional<double> value = text::parse_real(text);
  return value && *value >= 5;
}

// Returns false if the word is not valid.
bool read_card_word(std::string_view word, Gpu& gpu) {
  if (word.ends_with(kPerSecond)) {
    const auto value = positive_number(word.substr(0, word.size() - kPerSecond.size()));
    if (value) gpu.bandwidth_gb_s = *value;
    return value.has_value();
  }
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = word.substr(equals + 1);
  if (name == "cc") {
    gpu.compute_capability = value;
    return is_capability(value);
  }
  if (name == "sm") {
    const auto count = positive_number(value);
    if (count) gpu.multiprocessors = static_cast<std::int32_t>(*count);
    return count.has_value() && *count < 10000;
  }
  for (const PeakWord& peak : kPeakWords) {
    if (peak.name != name) continue;
    gpu.*peak.place = positive_number(value);
    return (gpu.*peak.place).has_value();
  }
  return false;
}

}  // namespace

bool is_typed_card(std::string_view name) {
  return take_word(name) == kFirstWord;
}

base::Result<Gpu> read_typed_card(std::string_view name) {
  Gpu gpu;
  gpu.compute_capability = "8.0";
  gpu.source = "typed";
  take_word(name);
  std::string memory(take_word(name));
  const auto bytes = text::parse_bytes(memory);
  constexpr std::int64_t kLeast = std::int64_t{1} << 20;  // "24" is not meant in bytes
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  if (!bytes || *bytes < kLeast || *bytes > kMost) {
    return text::fail("card_error.memory", {{"typed", memory}, {"form", std::string(kForm)}});
  }
  gpu.memory_bytes = *bytes;
  for (std::string_view word = take_word(name); !word.empty(); word = take_word(name)) {
    if (!read_card_word(word, gpu)) {
      return text::fail("card_error.word",
                        {{"typed", std::string(word)}, {"form", std::string(kForm)}});
    }
  }
  gpu.name = typed_card_name(gpu);
  return gpu;
}

std::string typed_card_name(const Gpu& gpu) {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  constexpr std::int64_t kGiB = 1024 * kMiB;
  std::string name(kFirstWord);
  if (gpu.memory_bytes % kGiB == 0) {
    name += fmt::format(" {}GiB", gpu.memory_bytes / kGiB);
  } else if (gpu.memory_bytes % kMiB == 0) {
    name += fmt::format(" {}MiB", gpu.memory_bytes / kMiB);
  } else {
    name += fmt::format(" {}", gpu.memory_bytes);
  }
  if (gpu.bandwidth_gb_s > 0) name += fmt::format(" {}{}", gpu.bandwidth_gb_s, kPerSecond);
  for (const PeakWord& peak : kPeakWords) {
    if (const auto& value = gpu.*peak.place) name += fmt::format(" {}={}", peak.name, *value);
  }
  name += " cc=" + gpu.compute_capability;
  if (gpu.multiprocessors > 0) name += fmt::format(" sm={}", gpu.multiprocessors);
  return name;
}

std::string card_label(const Gpu& gpu) {
  if (!is_typed_card(gpu.name)) return gpu.name;
  return std::string(kFirstWord) + " " + text::bytes(gpu.memory_bytes).joined();
}

}  // namespace ts::spec
