#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/run/world.h"

namespace ts::kernels {

// The processes that run a workload together, as this one sees them: PyTorch's own c10d (a TCPStore
// where they meet, Gloo between them). All members must be called by all ranks in the same order.
// Worker thread. Errors are exceptions: BadInput with a sentence.
class RankGroup {
 public:
  // Meets the other ranks, at most world.timeout_s long. `agreed` is what all of them must have
  // alike, one line an item ("settings ..."): the first line that differs from rank 0's is named.
  RankGroup(const run::World& world,
            const std::vector<std::pair<std::string, std::string>>& agreed);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  [[nodiscard]] const run::World& world() const { return world_; }
  // Rank, size, and the clock's offset, measured when the group met.
  [[nodiscard]] const run::RankFacts& facts() const { return facts_; }
  // Returns the number of rank 0.
  std::int64_t agree(std::int64_t mine);
  double mean(double mine);
  // Waits for the end of all collectives. Throws if one of them failed: a rank has ended, or did
  // not answer in time.
  void settle();
  // The same as a sentence; empty when none failed.
  [[nodiscard]] std::string lost();

  struct Handles;  // of c10d; data_parallel.cpp knows them
  [[nodiscard]] Handles& handles() { return *handles_; }

 private:
  void measure_clock();

  run::World world_;
  run::RankFacts facts_;
  std::unique_ptr<Handles> handles_;
};

}  // namespace ts::kernels
