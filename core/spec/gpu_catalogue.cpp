#include "core/spec/gpu_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/letters.h"
#include "core/io/json_parse.h"
#include "core/spec/typed_card.h"
#include "core/text/joined.h"
#include "core/text/message.h"
#include "core/text/nearest.h"

namespace ts::spec {

namespace {

using Json = nlohmann::json;

base::Result<std::string> text_at(const Json& card, const char* key) {
  const auto found = card.find(key);
  if (found == card.end() || !found->is_string() || found->get_ref<const std::string&>().empty()) {
    return base::fail(fmt::format("has no text \"{}\"", key));
  }
  return found->get<std::string>();
}

base::Result<double> positive_at(const Json& card, const char* key) {
  const auto found = card.find(key);
  const double value =
      found != card.end() && found->is_number() ? found->get<double>() : std::nan("");
  if (!std::isfinite(value) || value <= 0) {
    return base::fail(fmt::format("has no positive number \"{}\"", key));
  }
  return value;
}

// null means that the card does not support the type; a missing key is an error.
base::Result<std::optional<double>> peak_at(const Json& card, const char* key) {
  const auto found = card.find(key);
  if (found != card.end() && found->is_null()) return std::optional<double>{};
  const auto value = positive_at(card, key);
  if (!value)
    return base::fail(fmt::format("has neither a positive number nor null as \"{}\"", key));
  return std::optional<double>{*value};
}

base::Result<Gpu> read_card(const Json& card) {
  if (!card.is_object()) return base::fail("is not an object");
  Gpu gpu;
  TS_TRY(gpu.name, text_at(card, "name"));
  TS_TRY(gpu.compute_capability, text_at(card, "compute_capability"));
  TS_TRY(gpu.source, text_at(card, "source"));
  TS_TRY(const auto multiprocessors, positive_at(card, "multiprocessors"));
  TS_TRY(const auto memory, positive_at(card, "memory_gib"));
  TS_TRY(gpu.bandwidth_gb_s, positive_at(card, "bandwidth_gb_s"));
  gpu.multiprocessors = static_cast<std::int32_t>(multiprocessors);
  constexpr double kGibibyte = 1073741824.0;
  gpu.memory_bytes = static_cast<std::int64_t>(memory * kGibibyte);
  if (card.contains("driver_gib")) {
    TS_TRY(const auto counted, positive_at(card, "driver_gib"));
    if (counted >= memory) return base::fail("has more \"driver_gib\" than \"memory_gib\"");
    TS_TRY_DONE(text_at(card, "driver_source"));
    gpu.box_bytes = gpu.memory_bytes;
    gpu.memory_bytes = static_cast<std::int64_t>(counted * kGibibyte);
  }
  TS_TRY(gpu.fp32_tflops, peak_at(card, "fp32_tflops"));
  TS_TRY(gpu.tf32_tflops, peak_at(card, "tf32_tflops"));
  TS_TRY(gpu.bf16_tflops, peak_at(card, "bf16_tflops"));
  TS_TRY(gpu.fp16_tflops, peak_at(card, "fp16_tflops"));
  if (const auto names = card.find("driver_names"); names != card.end()) {
    if (!names->is_array()) return base::fail("has \"driver_names\" that is no list");
    for (const Json& driver_name : *names) {
      if (!driver_name.is_string()) return base::fail("has a driver name that is no text");
      gpu.driver_names.push_back(driver_name.get<std::string>());
    }
  }
  return gpu;
}

// The name in lower case, letters and digits only, without the names of makers and families.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) plain += base::lower(c);
  }
  for (const std::string_view word : {"nvidia", "amd", "geforce", "tesla"}) {
    if (plain.rfind(word, 0) == 0) plain.erase(0, word.size());
  }
  // "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA RTX 6000 Ada Generation".
  for (const std::string_view word : {"gpu", "generation"}) {
    if (plain.size() > word.size() && plain.ends_with(word))
      plain.resize(plain.size() - word.size());
  }
  return plain;
}

// The first word behind the maker's and the family's, in lower case: "h100" of "NVIDIA H100-80GB".
std::string first_word(std::string_view name) {
  std::string word;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const char c = i < name.size() ? name[i] : ' ';
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += base::lower(c);
      continue;
    }
    if (!word.empty() && !plain_name(word).empty()) return word;
    word.clear();
  }
  return {};
}

// Cards that the user typed, kept once for each name. They are never removed, because callers keep
// pointers to them as they do to cards of the list; a user types only a few. Any thread.
const Gpu* typed_card(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, Gpu, std::less<>> cards;
  const std::lock_guard lock(mutex);
  if (const auto found = cards.find(name); found != cards.end()) return &found->second;
  auto read = read_typed_card(name);
  return read ? &cards.emplace(name, std::move(*read)).first->second : nullptr;
}

}  // namespace

base::Result<GpuCatalogue> GpuCatalogue::parse(std::string_view json) {
  const auto parsed = io::parse_json(json);
  if (!parsed) return base::fail("The list of cards " + parsed.error().sentence);
  const Json& document = *parsed;
  if (!document.is_array()) return base::fail("The list of cards is not a JSON array");
  GpuCatalogue catalogue;
  std::set<std::string> names;
  for (std::size_t i = 0; i < document.size(); ++i) {
    auto gpu = read_card(document[i]);
    if (!gpu) {
      return base::fail(
          fmt::format("Card {} of the list of cards {}", i + 1, gpu.error().sentence));
    }
    if (!names.insert(gpu->name).second) {
      return base::fail(fmt::format("The list of cards has \"{}\" twice", gpu->name));
    }
    catalogue.gpus_.push_back(std::move(*gpu));
  }
  return catalogue;
}

const Gpu* GpuCatalogue::find(std::string_view name) const {
  for (const Gpu& gpu : gpus_) {
    if (gpu.name == name) return &gpu;
  }
  return is_typed_card(name) ? typed_card(name) : nullptr;
}

base::Result<const Gpu*> GpuCatalogue::require(std::string_view name) const {
  if (const Gpu* gpu = find(name)) return gpu;
  if (is_typed_card(name)) return tl::unexpected(read_typed_card(name).error());
  const std::string asked = plain_name(name);
  std::vector<const Gpu*> begins;
  for (const Gpu& gpu : gpus_) {
    const std::string plain = plain_name(gpu.name);
    if (plain == asked) return &gpu;
    for (const std::string& driver_name : gpu.driver_names) {
      if (plain_name(driver_name) == asked) return &gpu;
    }
    if (!asked.empty() && plain.rfind(asked, 0) == 0) begins.push_back(&gpu);
  }
  if (begins.size() == 1) return begins.front();
  std::vector<std::string_view> names;
  if (!begins.empty()) {
    for (const Gpu* gpu : begins) names.emplace_back(gpu->name);
    return text::fail("card_error.several",
                      {{"typed", std::string(name)}, {"names", text::listed(names)}});
  }
  for (const Gpu& gpu : gpus_) names.emplace_back(gpu.name);
  const std::string_view meant = text::nearest(name, names);
  // A word such as "h100" says more than letters that are alike: "H100 80GB" is no A100 80 GB.
  const std::string word = first_word(name);
  const bool names_one = std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; });
  if (names_one && first_word(meant) != word) {
    std::erase_if(names, [&](std::string_view one) { return first_word(one) != word; });
    if (!names.empty()) {
      return text::fail("card_error.several",
                        {{"typed", std::string(name)}, {"names", text::listed(names)}});
    }
  }
  if (meant.empty()) return text::fail("card_error.unknown", {{"typed", std::string(name)}});
  return text::fail("card_error.nearest",
                    {{"typed", std::string(name)}, {"name", std::string(meant)}});
}

namespace {

// "g" and what it becomes while "GB" or "GiB" is typed.
bool is_unit(std::string_view word) {
  const auto begins = [word](std::string_view unit) {
    return word.size() <= unit.size() && base::same_letters(word, unit.substr(0, word.size()));
  };
  return !word.empty() && (begins("gb") || begins("gib"));
}

}  // namespace

bool is_meant(const Gpu& card, std::string_view typed) {
  const std::vector<std::string_view> words = text::words(typed);
  const double gib = static_cast<double>(card.advertised_bytes()) / (1LL << 30);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    double size = 0;
    const char* const end = word.data() + word.size();
    const auto number = std::from_chars(word.data(), end, size);
    const bool is_number = number.ec == std::errc();
    const bool alone = is_number && number.ptr == end;
    const bool unit_follows = alone && i + 1 < words.size() && is_unit(words[i + 1]);
    const bool has_unit = is_number && !alone &&
                          is_unit(word.substr(static_cast<std::size_t>(number.ptr - word.data())));
    if (unit_follows || has_unit) {
      if (std::round(gib) != std::round(size)) return false;
      if (unit_follows) ++i;
    } else if (!base::contains_letters(card.name, word)) {
      return false;
    }
  }
  return true;
}

}  // namespace ts::spec
