#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/blocks/block_table.h"
#include "core/files/opened_file.h"

namespace ts::app {

// The question of `summary --by`: which blocks count, at which moment, and how they are grouped.
struct BlockQuestion {
  blocks::GroupBy by = blocks::GroupBy::frame;
  blocks::Weight weight = blocks::Weight::alive;  // lifetime: in events where no time is known
  bool at_end = false;                            // alive at the end; else at the peak
};

// Tables of the blocks of every device, as JSON. Bytes are requested bytes.
//   by, weight ("alive at the peak", "alive at the end", "allocated", "bytes x seconds",
//   "bytes x events"),
//   devices [{device, total, rows [{name, blocks, bytes, byte_seconds or byte_events, largest}]}]
nlohmann::json block_table_json(const files::OpenedFile& file, const BlockQuestion& question);

// The stacks whose live bytes grow from step to step:
//   devices [{device, steps (that are compared), first_total, last_total,
//     rows [{stack, first_bytes, last_bytes, first_blocks, last_blocks, bytes_per_step}]}]
nlohmann::json growth_json(const files::OpenedFile& file);

// Blocks alive at the peak (or at the end) of one snapshot and not of the other, for devices that
// both have: [{device, rows [{stack, size, blocks_a, blocks_b, bytes}]}], bytes are B minus A.
nlohmann::json difference_json(const files::OpenedFile& a, const files::OpenedFile& b, bool at_end);

}  // namespace ts::app
