#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ts::fuzz {

// Damages files: bits flip, bytes change, pieces go missing, come twice, move or come from another
// file, the end is cut off. The same seed gives the same damage.
class Mutator {
 public:
  Mutator(std::vector<std::string> files, std::uint64_t seed)
      : files_(std::move(files)), random_(seed) {}

  std::string next() {
    std::string bytes = files_[below(files_.size())];
    for (std::size_t changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
      change(bytes);
    }
    return bytes;
  }

 private:
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  // A piece of `bytes`, mostly a short one.
  std::pair<std::size_t, std::size_t> piece(const std::string& bytes) {
    const std::size_t begin = below(bytes.size());
    const std::size_t most = std::min(bytes.size() - begin, std::size_t{1} << below(10));
    return {begin, 1 + below(most)};
  }

  void change(std::string& bytes) {
    const auto [begin, length] = piece(bytes);
    const std::size_t kind = below(7);
    if (kind == 0) {
      const unsigned bit = 1U << below(8);
      bytes[begin] = static_cast<char>(static_cast<unsigned char>(bytes[begin]) ^ bit);
    } else if (kind == 1) {
      bytes[begin] = static_cast<char>(below(256));
    } else if (kind == 2) {
      bytes.erase(begin, length);
    } else if (kind == 3) {
      bytes.insert(begin, bytes.substr(begin, length));
    } else if (kind == 4) {
      const std::string& other = files_[below(files_.size())];
      const auto [from, count] = piece(other);
      bytes.replace(begin, length, other, from, count);
    } else if (kind == 5) {
      // Numbers at the ends of their range.
      for (std::size_t i = begin; i < std::min(begin + 8, bytes.size()); ++i) {
        bytes[i] = below(2) == 0 ? '\xFF' : '\x00';
      }
    } else {
      bytes.resize(begin);
    }
  }

  std::vector<std::string> files_;
  std::mt19937_64 random_;
};

}  // namespace ts::fuzz
