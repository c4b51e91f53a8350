#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/allocator/snapshot.h"
#include "core/blocks/block_table.h"

namespace ts::app {

// What `summary --by` shows: which blocks count, at what moment, put together by what.
struct BlockQuestion {
  blocks::GroupBy by = blocks::GroupBy::frame;
  blocks::Weight weight = blocks::Weight::alive;
  bool at_end = false;  // alive at the end; else at the peak
};

// Tables of the blocks of every device, as JSON. Bytes are requested bytes.
//   by, weight ("alive at the peak", "alive at the end", "allocated", "bytes x seconds"),
//   devices [{device, total, rows [{name, blocks, bytes or byte_seconds, largest}]}]
nlohmann::json block_table_json(const allocator::Snapshot& snapshot, const BlockQuestion& question);

// What grows from step to step:
//   devices [{device, steps (that are compared), first_total, last_total,
//     rows [{stack, first_bytes, last_bytes, first_blocks, last_blocks, bytes_per_step}]}]
nlohmann::json growth_json(const allocator::Snapshot& snapshot);

// What is alive at the peak (or at the end) of one snapshot and not of the other, for devices that
// both have: [{device, rows [{stack, size, blocks_a, blocks_b, bytes}]}], bytes are B minus A.
nlohmann::json difference_json(const allocator::Snapshot& a, const allocator::Snapshot& b,
                               bool at_end);

}  // namespace ts::app
