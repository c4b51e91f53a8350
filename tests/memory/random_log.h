#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "core/memory/allocation_log.h"
#include "tests/memory/records.h"

namespace ts::memory::testing {

// A random but plausible sequence: blocks of very different sizes come and go, addresses are used
// again, owners are named, phases and operators end, now and then something is lost.
class RandomRecords {
 public:
  explicit RandomRecords(std::uint32_t seed) : random_(seed) {}

  Record next() {
    time_ns_ += static_cast<std::int64_t>(below(50));
    const std::uint64_t dice = below(100);
    if (dice < 45 || live_.empty()) return next_alloc();
    if (dice < 80) return next_free();
    if (dice < 86) {
      const auto category = static_cast<Category>(below(4));
      return owner(time_ns_, live_[below(live_.size())], category);
    }
    if (dice < 92) return mark(time_ns_, Action::operator_end, phase_);
    if (dice < 94) return mark(time_ns_, Action::phase_end, phase_);
    if (dice < 97) {
      phase_ = static_cast<base::Phase>(below(base::kPhaseCount));
      return mark(time_ns_, Action::phase_begin, phase_);
    }
    if (dice == 97) return free(time_ns_, 0xDEAD0000);  // never allocated
    if (dice == 98) {
      Record lost_free = next_alloc();
      lost_free.address = live_[below(live_.size())];
      live_.pop_back();
      return lost_free;
    }
    Record refused = mark(time_ns_, Action::oom, phase_);
    refused.size = 1 << 30;
    return refused;
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  Record next_alloc() {
    const std::uint64_t address = next_address_++;
    live_.push_back(address);
    const auto size = static_cast<std::int64_t>(below(std::uint64_t{1} << below(20)));
    return alloc(time_ns_, address, size, phase_, below(2) == 0);
  }

  Record next_free() {
    // Mostly the youngest, as in real programs.
    const std::size_t from_end =
        below(2) == 0 ? below(std::min<std::size_t>(4, live_.size())) : below(live_.size());
    const auto place = live_.end() - 1 - static_cast<std::ptrdiff_t>(from_end);
    const std::uint64_t address = *place;
    live_.erase(place);
    return free(time_ns_, address);
  }

  std::mt19937 random_;
  std::int64_t time_ns_ = 1'000'000;
  std::uint64_t next_address_ = 0x1000;
  base::Phase phase_ = base::Phase::setup;
  std::vector<std::uint64_t> live_;
};

inline AllocationLog random_log(std::uint32_t seed, int records) {
  RandomRecords source(seed);
  AllocationLog log;
  for (int i = 0; i < records; ++i) log.append(source.next());
  return log;
}

}  // namespace ts::memory::testing
