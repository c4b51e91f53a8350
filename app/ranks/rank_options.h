#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/world.h"

namespace ts::app {

// The options of a run by several ranks.
struct RankOptions {
  std::string world;  // empty: one process; a number; "env": what the launcher of this process says
  double timeout_s = 60;
  double bucket_mib = 25;
  double first_bucket_mib = 1;
  std::string shard = "none";
  std::string compress = "none";
  std::int64_t factor_rank = 1;
  bool sync_every = false;
  std::filesystem::path hosts;  // a file; empty: all ranks on this machine
};

// The world that they say; of "env" with the place of this process, else rank 0 of so many. No
// value without --world.
base::Result<std::optional<run::World>> world_of(const RankOptions& options);

// The host of each rank, from a file as Open MPI has it: a host a line, "slots=4" behind it for
// four ranks; # begins a remark.
base::Result<std::vector<std::string>> hosts_of_ranks(const std::filesystem::path& file,
                                                      std::size_t ranks);

// True if this process is a rank that our own launcher started. Then it ends with its launcher.
bool started_by_our_launcher();

}  // namespace ts::app
