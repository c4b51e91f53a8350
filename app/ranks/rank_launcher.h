#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/ranks/rank_processes.h"
#include "core/base/cancel.h"
#include "core/base/message.h"
#include "core/base/result.h"
#include "core/run/run.h"
#include "core/run/world.h"
#include "core/spec/workload_spec.h"

namespace ts::app {

// The task of the ranks of a run. Each rank is a process of the program.
struct RankRun {
  spec::WorkloadSpec spec;
  run::World world;                       // its place says only how many
  std::filesystem::path folder = {};      // exists; a rank writes to rank-R and rank-R.log in it
  std::vector<std::string> options = {};  // of `run`, besides those of the above
  std::filesystem::path program;          // tensorscope
  // Where each rank runs, by ssh; empty: all on this machine. The program and the folder have the
  // same path on all of them.
  std::vector<std::string> hosts = {};
};

struct RanksEnded {
  std::vector<RankEnd> ends;
  bool cancelled = false;
  // The rank that ended first and not well, why, and how long after it the last one ended; no value
  // where all ended well.
  std::optional<std::size_t> first;
  base::Message why;
  bool all_alike = false;  // every rank ended for that reason
  double others_s = 0;
};

std::filesystem::path folder_of_rank(const std::filesystem::path& folder, std::size_t rank);

// The stage of rank 0, which tells it line by line in its log.
struct RankProgress {
  base::Message stage;
  int percent = 0;  // of all stages
};
// For a rank whose launcher is ours: tells the stage on standard error if it has changed.
void print_progress(const run::Run& run);
// No value before rank 0 has told anything.
std::optional<RankProgress> progress_of_ranks(const std::filesystem::path& folder);

// Runs them to their end; `wait` is called on this thread about fifty times a second. Once a rank
// has ended, or the run is cancelled, the others have the world's time-out to end by themselves,
// and are ended after it. Errors: they cannot be started.
base::Result<RanksEnded> run_ranks(const RankRun& run, const base::CancelToken& cancel,
                                   const std::function<void()>& wait);

}  // namespace ts::app
