#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/simulate/experiment.h"

namespace ts::loader {

// The data that can be loaded, "images" and "tokens", with their loaders' numbers. They are run by
// load(), so they have no simulation.
std::span<const simulate::Simulation> subjects();
// From "images", {"workers=4"} and "workers=1,2,4"; `over` may be empty.
base::Result<simulate::Experiment> question_of(std::string_view subject,
                                               const std::vector<std::string>& settings,
                                               std::string_view over);

// The numbers of a subject, by name. What a subject lacks is 0.
struct Plan {
  bool images = true;
  // The data set that is made.
  std::size_t samples = 0;
  bool sharded = false;
  std::size_t shard_samples = 0;
  std::uint64_t seed = 0;
  std::size_t image_width = 0, image_height = 0;
  int quality = 0;
  std::size_t median = 0;  // tokens of a sequence
  std::size_t spread = 0;  // in percent: deviation of the logarithm of a length
  std::size_t broken = 0;  // images that are cut off
  std::size_t empty = 0;   // empty shards

  // The loader.
  std::size_t batches = 0, batch = 0;
  std::size_t workers = 0;   // 0: the thread of the steps loads
  bool processes = false;    // workers are processes, else threads
  bool piped = false;        // their batches come through a socket, else in shared memory
  std::size_t prefetch = 0;  // batches a worker
  std::size_t shuffle = 0;   // samples of the buffer
  std::size_t side = 0;
  bool scaled_decode = false;
  bool stacked = false;     // normalised as a batch, else one by one
  std::size_t context = 0;  // tokens of a row at most
  bool packed = false, longest = false;
  std::size_t bucket = 0;         // batches that are sorted by length together
  std::int64_t memory_cache = 0;  // bytes
  bool known_order = false;       // what is needed last leaves the cache, else the least recent
  bool disk_cache = false;
  bool mapped = false;    // files are mapped, else read
  bool preload = false;   // all samples are read before the first batch
  bool cold = false;      // files are first taken out of the system's cache
  std::size_t dying = 0;  // workers that end while they make a batch
  double step_s = 0;
};
Plan plan_of(const calculate::Chosen& chosen);

// Bytes of a decoded and resized image.
inline std::size_t image_bytes(const Plan& plan) {
  return plan.side * plan.side * 3;
}

}  // namespace ts::loader
