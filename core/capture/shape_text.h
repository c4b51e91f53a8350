#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/string_table.h"
#include "core/capture/raw_record.h"

namespace ts::capture {

// "[4, 12, 2048, 64] bf16, [4, 12, 64, 2048] bf16": sizes and dtype of each tensor. Empty for none.
std::string shape_text(const Shapes& shapes);

// Interned shape texts, each made once. One owner thread.
class ShapeTexts {
 public:
  explicit ShapeTexts(base::StringTable& strings) : strings_(strings) {}
  base::StringId id(const Shapes& shapes);

 private:
  // Shapes without the unused parts, which have undefined content.
  struct Key {
    std::array<std::uint64_t, 8> words{};
    std::size_t used = 1;  // of the words
    // Without a branch: that of std::array calls a function.
    friend bool operator==(const Key& a, const Key& b) noexcept {
      std::uint64_t different = 0;
      for (std::size_t at = 0; at < a.words.size(); ++at) different |= a.words[at] ^ b.words[at];
      return different == 0;
    }
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  static Key key_of(const Shapes& shapes);
  // Those that were asked for last, one for a hash: steps have the same shapes again and again.
  struct Recent {
    Key key;
    base::StringId id = base::kNoString;
  };
  static constexpr std::size_t kRecent = 1024;

  base::StringTable& strings_;
  std::unordered_map<Key, base::StringId, Hash> ids_;
  std::vector<Recent> recent_ = std::vector<Recent>(kRecent);
};

}  // namespace ts::capture
