#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ts::loader {

// Which of the kept samples leaves when there is no room.
enum class Leaves : std::uint8_t {
  least_recent,   // LRU
  farthest_next,  // what is needed last of all (Belady 1966): the order is known beforehand
};

// Which samples are kept, of equal size. Pure; one thread.
class CacheRule {
 public:
  // `order`: all uses to come. `room`: samples that are kept at most.
  CacheRule(std::span<const std::uint32_t> order, std::size_t room, Leaves leaves);
  // Use `at` of the order. True: the sample was kept.
  bool use(std::size_t at);
  // The image that left at the last use; kNobody: none.
  static constexpr std::uint32_t kNobody = 0xFFFFFFFF;
  [[nodiscard]] std::uint32_t left() const { return left_; }
  [[nodiscard]] bool keeps(std::uint32_t sample) const { return rank_.contains(sample); }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> next_;  // the next use of the same sample; the count of uses: none
  std::size_t room_;
  Leaves leaves_;
  // By what decides who leaves: the first one does.
  std::set<std::pair<std::int64_t, std::uint32_t>> kept_;
  std::unordered_map<std::uint32_t, std::int64_t> rank_;
  std::uint32_t left_ = kNobody;
};

// The share of uses that find their sample, all uses one after the other.
double hit_share(std::span<const std::uint32_t> order, std::size_t room, Leaves leaves);

// Decoded and resized images in memory, and beside the data on the disk. Any thread.
class ImageCaches {
 public:
  using Pixels = std::shared_ptr<const std::vector<std::uint8_t>>;
  struct Rules {
    std::size_t room = 0;  // images in memory; 0: none
    Leaves leaves = Leaves::least_recent;
    std::filesystem::path folder;  // of the tier on the disk; empty: there is none
    std::size_t image_bytes = 0;
  };
  ImageCaches(std::span<const std::uint32_t> order, Rules rules);

  // Use `at` of the order: what is kept, else null.
  Pixels find(std::uint32_t sample, std::size_t at);
  void keep(std::uint32_t sample, const Pixels& pixels);

  struct Counts {
    std::uint64_t uses = 0, memory = 0, disk = 0;
  };
  [[nodiscard]] Counts counts() const;

 private:
  [[nodiscard]] std::filesystem::path file_of(std::uint32_t sample) const;
  [[nodiscard]] Pixels read(std::uint32_t sample) const;
  bool write(std::uint32_t sample, const std::vector<std::uint8_t>& pixels) const;

  Rules rules_;
  mutable std::mutex mutex_;
  CacheRule rule_;
  std::unordered_map<std::uint32_t, Pixels> kept_;
  std::vector<bool> on_disk_;
  Counts counts_;
};

}  // namespace ts::loader
