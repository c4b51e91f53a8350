#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/snapshot/document.h"

namespace ts::snapshot::pickle {

// Lists that were read, by their bytes in the file. A table with open addressing that looks at a
// few places only and begins anew when it is full, so no file makes it slow or large.
class KnownLists {
 public:
  using Value = Document::Value;

  // Value::absent() where it has none.
  [[nodiscard]] Value find(std::uint64_t hash, std::string_view bytes) const {
    if (places_.empty()) return Value::absent();
    for (std::size_t i = 0; i < kMostPlaces; ++i) {
      const List& list = places_[place(hash, i)];
      if (list.length == 0) break;
      if (list.hash == hash && list.length == bytes.size() &&
          std::memcmp(bytes_.data() + list.begin, bytes.data(), bytes.size()) == 0)
        return list.value;
    }
    return Value::absent();
  }
  // Empty bytes and very long ones are not kept.
  void add(std::uint64_t hash, std::string_view bytes, Value value) {
    if (bytes.empty() || bytes.size() > kMostBytesOfAList) return;
    if (bytes_.size() + bytes.size() > kMostBytes || used_ == kMostLists) clear();
    if (2 * used_ >= places_.size()) grow();
    put({.begin = static_cast<std::uint32_t>(bytes_.size()),
         .length = static_cast<std::uint32_t>(bytes.size()),
         .hash = hash,
         .value = value});
    bytes_ += bytes;
  }
  void clear() {
    places_.clear();
    bytes_.clear();
    used_ = 0;
  }

 private:
  static constexpr std::size_t kFirstPlaces = 256;
  static constexpr std::size_t kMostPlaces = 8;
  static constexpr std::size_t kMostLists = std::size_t{1} << 16U;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 24U;
  static constexpr std::size_t kMostBytesOfAList = std::size_t{1} << 16U;
  struct List {
    std::uint32_t begin = 0;   // in bytes_
    std::uint32_t length = 0;  // 0: there is none
    std::uint64_t hash = 0;
    Value value = {};
  };

  // The number of places is a power of two.
  [[nodiscard]] std::size_t place(std::uint64_t hash, std::size_t step) const {
    return (static_cast<std::size_t>(hash) + step) & (places_.size() - 1);
  }
  // The last place takes the list where all are taken.
  void put(const List& list) {
    std::size_t step = 0;
    while (step + 1 < kMostPlaces && places_[place(list.hash, step)].length != 0) ++step;
    List& to = places_[place(list.hash, step)];
    used_ += to.length == 0 ? 1 : 0;
    to = list;
  }
  void grow() {
    std::vector<List> old(places_.empty() ? kFirstPlaces : 2 * places_.size());
    old.swap(places_);
    used_ = 0;
    for (const List& list : old) {
      if (list.length != 0) put(list);
    }
  }

  std::vector<List> places_;
  std::string bytes_;  // of all lists, one after another
  std::size_t used_ = 0;
};

}  // namespace ts::snapshot::pickle
