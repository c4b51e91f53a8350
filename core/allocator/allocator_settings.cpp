#include "core/allocator/allocator_settings.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <vector>

#include "core/allocator/caching_allocator_state.h"
#include "core/base/letters.h"
#include "core/text/message.h"

namespace ts::allocator {
namespace {

constexpr std::int64_t kMinBlock = 512;

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Splits at commas outside brackets.
std::vector<std::string_view> options_of(std::string_view text) {
  std::vector<std::string_view> options;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      if (const auto option = base::trimmed(text.substr(begin, i - begin)); !option.empty()) {
        options.push_back(option);
      }
      begin = i + 1;
    }
  }
  return options;
}

// The index of `bytes` in the table of divisions: 0 up to 1 MiB, 1 up to 2 MiB, ...
int division_step(std::int64_t bytes) {
  const auto megabytes = static_cast<std::uint64_t>(bytes / kMiB);
  if (megabytes == 0) return 0;
  return std::min(static_cast<int>(std::bit_width(megabytes)) - 1,
                  AllocatorSettings::kDivisionSteps - 1);
}

// "4" for every size, or "[256:1,512:2,>:8]": up to 256 MiB, up to 512 MiB, everything above.
bool read_divisions(std::string_view value, AllocatorSettings& settings) {
  auto& divisions = settings.roundup_power2_divisions;
  const auto power_of_two = [](std::int64_t n) {
    return n >= 0 && (n == 0 || std::has_single_bit(static_cast<std::uint64_t>(n)));
  };
  if (value.empty()) return false;
  if (value.front() != '[') {
    const auto all = integer(value);
    if (!all || !power_of_two(*all)) return false;
    divisions.fill(*all);
    return true;
  }
  if (value.back() != ']') return false;
  // PyTorch's rule: the first size also sets every smaller step, a later one sets only its own
  // step, and ">" sets everything from the last named step on, including that step.
  bool first = true;
  std::size_t last = 0;
  for (std::string_view part : options_of(value.substr(1, value.size() - 2))) {
    const auto colon = part.find(':');
    if (colon == std::string_view::npos) return false;
    const auto count = integer(base::trimmed(part.substr(colon + 1)));
    if (!count || !power_of_two(*count)) return false;
    const std::string_view size = base::trimmed(part.substr(0, colon));
    if (size == ">") {
      std::fill(divisions.begin() + static_cast<std::ptrdiff_t>(last), divisions.end(), *count);
      continue;
    }
    const auto megabytes = integer(size);
    if (!megabytes || *megabytes == 0 || !power_of_two(*megabytes)) return false;
    last = std::min<std::size_t>(
        static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(*megabytes))) - 1,
        AllocatorSettings::kDivisionSteps - 1);
    if (first) {
      std::fill(divisions.begin(), divisions.begin() + static_cast<std::ptrdiff_t>(last), *count);
    }
    first = false;
    divisions[last] = *count;
  }
  return true;
}

}  // namespace

base::Result<AllocatorSettings> AllocatorSettings::parse(std::string_view written) {
  AllocatorSettings settings;
  for (const std::string_view option : options_of(written)) {
    const auto colon = option.find(':');
    const std::string_view name = base::trimmed(option.substr(0, colon));
    const std::string_view value = colon == std::string_view::npos
                                       ? std::string_view()
                                       : base::trimmed(option.substr(colon + 1));
    const auto wrong = [&](const char* key) {
      return text::fail(key, {{"option", std::string(name)}, {"value", std::string(value)}});
    };
    // Values below the segment size of medium requests (20 MiB) are refused, as in PyTorch.
    const auto mebibytes = [&](std::int64_t& bytes) {
      const auto read = integer(value);
      if (!read || *read < 20 || *read > kUnlimited / kMiB) return false;
      bytes = *read * kMiB;
      return true;
    };
    if (name == "expandable_segments") {
      if (value != "True" && value != "False") return wrong("spec.error.alloc_truth");
      settings.expandable_segments = value == "True";
    } else if (name == "max_split_size_mb") {
      if (!mebibytes(settings.max_split_size)) return wrong("spec.error.alloc_mebibytes");
    } else if (name == "max_non_split_rounding_mb") {
      if (!mebibytes(settings.max_non_split_rounding)) return wrong("spec.error.alloc_mebibytes");
    } else if (name == "garbage_collection_threshold") {
      double part = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), part);
      if (error != std::errc() || end != value.data() + value.size() || part <= 0 || part >= 1) {
        return wrong("spec.error.alloc_part");
      }
      settings.garbage_collection_threshold = part;
    } else if (name == "roundup_power2_divisions") {
      if (!read_divisions(value, settings)) return wrong("spec.error.alloc_divisions");
    } else if (name == "backend") {
      if (value != "native") return wrong("spec.error.alloc_native");
    } else if (name != "release_lock_on_cudamalloc" && name != "pinned_use_cuda_host_register" &&
               name != "pinned_num_register_threads" && name != "pinned_use_background_threads" &&
               name != "graph_capture_record_stream_reuse" &&
               name != "per_process_memory_fraction") {
      return text::fail("spec.error.alloc_option", {{"option", std::string(name)}});
    }
  }
  return settings;
}

std::string AllocatorSettings::to_string() const {
  const AllocatorSettings defaults;
  std::string text;
  const auto add = [&text](const std::string& option) {
    text += (text.empty() ? "" : ",") + option;
  };
  if (expandable_segments) add("expandable_segments:True");
  if (max_split_size != kUnlimited) {
    add("max_split_size_mb:" + std::to_string(max_split_size / kMiB));
  }
  if (max_non_split_rounding != defaults.max_non_split_rounding) {
    add("max_non_split_rounding_mb:" + std::to_string(max_non_split_rounding / kMiB));
  }
  if (garbage_collection_threshold > 0) {
    std::array<char, 32> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), garbage_collection_threshold);
    add("garbage_collection_threshold:" + std::string(digits.data(), end.ptr));
  }
  if (roundup_power2_divisions != defaults.roundup_power2_divisions) {
    std::string list;
    for (int step = 0; step < kDivisionSteps; ++step) {
      list += (list.empty() ? "" : ",") + std::to_string(1 << step) + ":" +
              std::to_string(roundup_power2_divisions[static_cast<std::size_t>(step)]);
    }
    add("roundup_power2_divisions:[" + list + "]");
  }
  return text;
}

std::int64_t AllocatorSettings::round_size(std::int64_t bytes) const {
  if (bytes < kMinBlock) return kMinBlock;
  const std::int64_t divisions =
      roundup_power2_divisions[static_cast<std::size_t>(division_step(bytes))];
  if (divisions > 1 && bytes > kMinBlock * divisions) {
    const auto size = static_cast<std::uint64_t>(bytes);
    if (std::has_single_bit(size)) return bytes;
    const std::int64_t floor = static_cast<std::int64_t>(std::bit_floor(size));
    const std::int64_t division = floor / divisions;
    if (division == 0) return floor * 2;
    return (bytes + division - 1) / division * division;
  }
  return (bytes + kMinBlock - 1) / kMinBlock * kMinBlock;
}

}  // namespace ts::allocator
