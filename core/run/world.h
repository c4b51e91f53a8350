#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ts::run {

// The place of one process among those that run a workload together, as torchrun names it.
struct RankPlace {
  std::int32_t rank = 0;  // 0 .. size - 1
  std::int32_t size = 1;
  std::string host = "127.0.0.1";  // where the processes meet: the store of rank 0,
  std::uint16_t port = 0;          // or of the launcher,
  bool store_of_launcher = false;  // which is there already
  int listen_fd = -1;              // of rank 0: the socket that listens there already; -1: none
  std::string attempt = {};        // of a launcher that starts ranks again: a new meeting
  friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

// How gradients are exchanged: in another type, or as factors of a low rank.
enum class Compression : std::uint8_t { none, bf16, fp16, powersgd };

// The parts that data-parallel ranks divide (Rajbhandari et al. 2020, "ZeRO").
enum class Shard : std::uint8_t {
  none,   // nothing
  zero1,  // optimizer state
  zero2,  // and gradients; parameters are gathered once a step
  zero3,  // and parameters, gathered block by block in the forward and again in the backward
};

// Data parallelism as in PyTorch's DistributedDataParallel: the Reducer's settings. With zero2 and
// zero3 there is no Reducer, and only the time-out counts.
struct World {
  RankPlace place;
  double timeout_s = 30;  // no wait for another rank is longer
  Shard shard = Shard::none;
  double first_bucket_mib = 1;
  double bucket_mib = 25;
  Compression compression = Compression::none;
  std::int64_t factor_rank = 1;  // of powersgd
  // Exchange after every micro-batch; false: only after the last one of a step (no_sync).
  bool sync_every = false;
};

// The factors of the last exchange, on this rank.
struct CompressionFacts {
  std::int64_t elements = 0;  // of all gradients; 0: no factors were exchanged
  std::int64_t sent = 0;      // in their place
  // The norm of what the factors cannot hold of this rank's gradients, over that of the gradients,
  // to which what was left out before is added.
  double left_out = 0;
  friend bool operator==(const CompressionFacts&, const CompressionFacts&) = default;
};

// A rank's facts about the others.
struct RankFacts {
  std::int32_t rank = 0;
  std::int32_t size = 0;  // 0: not a rank
  // The clock of rank 0 less this one's, by the quickest of many round trips: right within half of
  // that round trip.
  std::int64_t clock_offset_ns = 0;
  std::int64_t round_trip_ns = 0;
  // Calendar time less rank 0's clock: traces of all ranks count from it.
  std::int64_t epoch_ns = 0;
  std::vector<std::int64_t> buckets = {};  // bytes, in the order of the exchange
  CompressionFacts compression = {};
  friend bool operator==(const RankFacts&, const RankFacts&) = default;
};

const char* to_string(Compression value);  // none bf16 fp16 powersgd
const char* to_string(Shard value);        // none zero1 zero2 zero3
base::Result<Shard> shard_from(std::string_view name);

}  // namespace ts::run
