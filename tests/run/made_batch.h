#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "core/base/string_table.h"
#include "core/capture/batch.h"

namespace ts::run::testing {

// A random batch in the order of a collector: slices, and as many memory records. The
// first batch of a run has the tracks and a kernel.
inline capture::Batch random_batch(std::mt19937& random, base::StringTable& strings, bool tracks,
                                   int rows = 300) {
  capture::Batch batch;
  if (tracks) {
    batch.tracks.push_back({0, {trace::TrackKind::phases, "steps"}});
    batch.tracks.push_back({1, {trace::TrackKind::cpu_thread, "main"}});
    batch.tracks.push_back({2, {trace::TrackKind::gpu_idle, "GPU 3 idle", 3}});
    trace::KernelLaunch launch;
    launch.op = strings.intern("aten::op1");
    launch.grid = {12, 3, 1};
    launch.block = {256, 1, 1};
    launch.registers = 96;
    launch.shared_memory = 65536;
    batch.launches.emplace_back(strings.intern("aten::op1, grid 12x3x1"), launch);
  }
  std::int64_t now = 1'000'000;
  for (int i = 0; i < rows; ++i) {
    now += static_cast<std::int64_t>(random() % 5000);
    capture::Batch::Row row;
    row.track = static_cast<trace::TrackId>(random() % 2);
    row.depth = static_cast<std::uint16_t>(random() % 3);
    row.slice.begin_ns = now;
    row.slice.duration_ns = static_cast<std::int64_t>(random() % 4000);
    row.slice.name = strings.intern("aten::op" + std::to_string(random() % 9));
    row.slice.module = strings.intern(random() % 2 == 0 ? "" : "blocks.0");
    row.slice.flow = random() % 7 == 0 ? static_cast<std::uint32_t>(random()) : 0;
    row.slice.slice_class = static_cast<trace::SliceClass>(random() % trace::kSliceClassCount);
    batch.slices.push_back(row);
    memory::Record record;
    record.time_ns = now;
    record.address = 0x7F0000000000U + random() % 64 * 4096;
    record.size = static_cast<std::int64_t>(random() % (1 << 28));
    record.op = row.slice.name;
    record.step = static_cast<std::int32_t>(random() % 3) - 1;
    record.action = random() % 2 == 0 ? memory::Action::alloc : memory::Action::free_completed;
    batch.memory.push_back(record);
  }
  return batch;
}

}  // namespace ts::run::testing
