#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/base/message.h"
#include "core/loader/loading.h"
#include "core/simulate/simulation.h"

namespace ts::loader {

// Above this share of waiting the loader is the bottleneck: check C-21 of the course.
inline constexpr double kWaitingShare = 0.05;

// The figures of what was measured, with its timeline. The first step is left out of shares and of
// the period: it waits for the start.
//   period         between the ends of two steps
//   step_time      a step alone
//   waits_for_data share of the steps' time
//   latency        from the begin of a batch to the end of its step
//   batch_work     a worker with a batch; of it read, decode, resize, assemble
//   batch_cpu      of it computing, by the clocks of the threads
//   batch_queued   of it waiting for a core that another thread had
//   handover       from the end of a batch in a process until it was here; 0 with threads
//   handed         bytes of a batch that came so
//   map_in_memory  bytes of mapped files that are in memory at the end; 0 where they are read
//   workers_memory the most resident bytes of the processes, all together
//   enough_workers (batch_work - batch_queued) / step_time, rounded up; not a number where
//                  batch_cpu / cores is more than a step, so that no number of workers is enough,
//                  or where steps take no time
simulate::Outcome outcome_of(const Loaded& loaded, const std::vector<Batch>& batches);

// The names and units of the figures of one of subjects(). Thread-safe.
const std::vector<simulate::Figure>& figures_of(const simulate::Simulation& subject);

// Whether the step or the loader is the bottleneck, by the measured waits, and how many workers are
// enough and why. Where steps wait though the workers would be enough, the second says what keeps
// them: other work on the cores, or batches of uneven length.
std::vector<base::Message> verdict_of(const Loaded& loaded, const simulate::Outcome& outcome);

// Metadata of the traces of loads.
inline constexpr const char* kLoadedMetadata = R"({"loader":"measured"})";

// A question with what was measured at each of its numbers.
struct Answer {
  simulate::Point point;
  std::vector<base::Message> verdict;
  std::vector<base::Message> faults;
};
// The document of an experiment by to_json(), and for each point {verdict, faults, lanes [{process,
// name}], timeline [{lane, name, begin, end, waiting}]} in seconds.
nlohmann::json loading_json(const simulate::Experiment& question,
                            const std::vector<Answer>& answers);

}  // namespace ts::loader
