#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/trace_file/trace_file.h"

namespace ts::trace_file {

// Numbers with which the traces of several ranks stand in one, on one clock: none of a process, a
// device or an arrow is that of another rank. Each device of a rank gets a number of its own, since
// ranks on two machines both have a device 0. Ranks are called by their place in the list.
class RankNumbers {
 public:
  // The earliest of a trace's events, its tracks and the devices of its memory are enough.
  explicit RankNumbers(const std::vector<TraceFile>& ranks);

  [[nodiscard]] std::int64_t base_time_ns() const { return base_ns_; }
  // From the clock of that file to the common one.
  [[nodiscard]] std::int64_t shift_ns(std::size_t rank) const { return ranks_[rank].shift_ns; }
  // "rank 3", which is also the name of its processes.
  [[nodiscard]] const std::string& name(std::size_t rank) const { return ranks_[rank].name; }
  [[nodiscard]] std::string thread_name(std::size_t rank, std::string_view name,
                                        std::string_view thread) const;
  [[nodiscard]] const std::vector<Track>& tracks(std::size_t rank) const {
    return ranks_[rank].tracks;
  }
  // Unseen ones get the next number; true: this one did.
  std::pair<std::int64_t, bool> process(std::size_t rank, std::string_view written);
  // Negative ones stay.
  std::int32_t device(std::size_t rank, std::int32_t number);
  // An arrow, a correlation or anything else whose numbers are unique within a rank.
  static std::int64_t id(std::size_t rank, std::int64_t number);

 private:
  struct Rank {
    std::string name;
    std::int64_t shift_ns = 0;
    std::vector<Track> tracks;
    std::map<std::string, std::int64_t, std::less<>> processes;
    std::map<std::int32_t, std::int32_t> devices;
  };
  std::vector<Rank> ranks_;
  std::int64_t base_ns_ = 0;
  std::int32_t devices_ = 0;           // of all ranks
  std::size_t further_processes_ = 0;  // of ranks with more than have room beside each other
};

}  // namespace ts::trace_file
