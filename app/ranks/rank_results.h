#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/run/world.h"

namespace ts::app {

// The files that a run by ranks writes into its folder.
inline constexpr std::initializer_list<const char*> kRankFiles = {
    "ranks.json", "trace.json", "collectives.csv", "spec.json", "rank-*"};

// The run.json of one rank in the folder of all; null where it left none that can be read.
nlohmann::json run_of_rank(const std::filesystem::path& folder, std::size_t rank);

// Reads what the ranks of a run left in its folder: one document and one timeline of all ranks
// on rank 0's clock.
//   ranks [{rank, verdict, sentence, step_ms, tokens_per_s, peak_allocated, clock_offset_ns,
//          round_trip_ns, buckets, compression, loss, waits_ms {for_slowest, for_communication}
//          (of the recorded steps; with the traces of all ranks)}]: null instead of one that left
//          nothing
//   step_ms: the median step of the slowest rank; tokens_per_s: of all together by it
//   loss: of the last step, the mean over the ranks; losses: of every step
//   collectives {issued, first_difference (null: all ranks in the same order), of [{name, bytes,
//     count, ms, transfer_ms, bus_gb_s, waited_ms (for the slowest rank), hidden_percent (behind
//     operators)}]}: medians over the recorded ones
nlohmann::json gather_ranks(const std::filesystem::path& folder, std::size_t size);

// Writes ranks.json; with the ranks' traces also trace.json and collectives.csv. Adds collectives
// to the document.
base::Result<void> write_ranks(const std::filesystem::path& folder, std::size_t size,
                               nlohmann::json& document);

// The same for ranks that no launcher of ours waits for, by rank 0: once every rank has written its
// run.json after that time, or after the world's time-out with those that have.
base::Result<void> gather_when_written(const std::filesystem::path& folder, const run::World& world,
                                       std::int64_t since_unix_ns);

// The document as rows of a title and what it says, for the console.
std::vector<std::pair<std::string, std::string>> rank_rows(const nlohmann::json& document);

}  // namespace ts::app
