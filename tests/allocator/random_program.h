#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ts::allocator::testing {

struct ProgramStep {
  enum class Kind : std::uint8_t { alloc, free, empty_cache };
  Kind kind = Kind::alloc;
  std::size_t block = 0;  // counts allocations
  std::int64_t bytes = 0;
  std::int64_t stream = 0;
};

// Allocations of every size class and its edges that come and go, on three streams.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : random_(seed) {}

  ProgramStep next() {
    const std::uint64_t dice = below(1000);
    if (dice < 3) return {ProgramStep::Kind::empty_cache};
    if (dice < 540 || live_.empty()) {
      live_.push_back(count_);
      return {ProgramStep::Kind::alloc, count_++, size(), kStreams[below(4)]};
    }
    // Mostly the youngest, as in real programs.
    const std::size_t from_end =
        below(2) == 0 ? below(std::min<std::size_t>(4, live_.size())) : below(live_.size());
    const auto place = live_.end() - 1 - static_cast<std::ptrdiff_t>(from_end);
    const std::size_t block = *place;
    live_.erase(place);
    return {ProgramStep::Kind::free, block};
  }

  std::vector<ProgramStep> make(int steps) {
    std::vector<ProgramStep> program;
    for (int i = 0; i < steps; ++i) program.push_back(next());
    return program;
  }

 private:
  static constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  static constexpr std::int64_t kStreams[] = {0, 0, 7, 5};

  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low)));
  }
  std::int64_t size() {
    constexpr std::int64_t kNear[] = {-512, -1, 0, 1, 512};
    switch (below(8)) {
      case 0:
        return from(1, 2048);
      case 1:
        return from(1, 200 << 10);
      case 2:
        return from(1, 3 * kMiB);
      case 3:
        return from(kMiB, 12 * kMiB);
      case 4:
        return from(10 * kMiB, 80 * kMiB);
      case 5:
        return kMiB + kNear[below(5)];
      case 6:
        return 10 * kMiB + kNear[below(5)];
      default:
        return 19 * kMiB + from(0, kMiB);  // leaves a rest that is not split off
    }
  }

  std::mt19937_64 random_;
  std::vector<std::size_t> live_;
  std::size_t count_ = 0;
};

}  // namespace ts::allocator::testing
