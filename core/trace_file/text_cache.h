#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "core/base/string_table.h"

namespace ts::trace_file {

// A string table with a cache of recent texts, found by a cheap hash: a trace repeats a few hundred
// names a hundred thousand times.
class TextCache {
 public:
  explicit TextCache(base::StringTable& strings) : strings_(strings) {}

  base::StringId id_of(std::string_view text) {
    Place& place = places_[number_of(text)];
    if (place.id == base::kNoString || place.text != text) {
      place.id = strings_.intern(text);
      place.text = strings_.view(place.id);
    }
    return place.id;
  }

 private:
  static constexpr unsigned kBits = 12;
  struct Place {
    std::string_view text;
    base::StringId id = base::kNoString;
  };
  // Hash from the length, both ends and the middle.
  static std::size_t number_of(std::string_view text) {
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15U;
    const std::size_t size = text.size();
    std::uint64_t sum = size;
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    if (size >= kWord) {
      for (const std::size_t at : {std::size_t{0}, (size - kWord) / 3, (size - kWord) / 2,
                                   (size - kWord) / 3 * 2, size - kWord}) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, kWord);
        sum = (sum ^ word) * kGoldenRatio;
        sum ^= sum >> 29U;
      }
    } else {
      for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * kGoldenRatio;
    }
    return static_cast<std::size_t>(sum >> (64U - kBits));
  }

  base::StringTable& strings_;
  std::array<Place, std::size_t{1} << kBits> places_{};
};

}  // namespace ts::trace_file
