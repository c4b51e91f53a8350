#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/snapshot/snapshot_write.h"
#include "tests/allocator/random_program.h"
#include "tests/allocator/recorded_program.h"
#include "tests/snapshot/pickle_bytes.h"
#include "tests/snapshot/random_snapshot.h"

// Snapshots that are whole, from which fuzzing begins.
namespace ts::fuzz {

inline std::string written(const allocator::Snapshot& snapshot, snapshot::SnapshotFormat format) {
  std::string bytes;
  snapshot::write_snapshot([&bytes](std::string_view piece) { bytes += piece; }, snapshot, format);
  return bytes;
}

inline std::vector<std::string> snapshot_files(snapshot::SnapshotFormat format) {
  std::vector<std::string> all;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const auto size = static_cast<int>(seed / 4);
    all.push_back(written(snapshot::testing::RandomSnapshot(seed).make(size), format));
  }
  return all;
}

// Opcodes that our own writer does not use.
inline std::string rare_opcodes() {
  snapshot::testing::PickleBytes bytes(2);
  bytes.op('}').op('q').little_endian(0, 1).op('(');
  bytes.text("device_traces").op(']').op('(').op('}').text("action").text("oom").op('s');
  bytes.op(0x86).op('l').op('a');
  bytes.text("external_annotations").op('(').op('(').text("name").text("n").op('d').op('l');
  bytes.text("segments").op('(').number(1).op('t').op('2').op('0').op('(').op('1');
  bytes.text("x").op(0x8B).little_endian(16, 4).ops(std::string(16, '\xFF')).op('u');
  return bytes.stop();
}

// Sensible recordings, so that damaged ones still reach the replay.
inline std::vector<std::string> snapshot_recordings() {
  std::vector<std::string> all;
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    allocator::AllocatorSettings settings;
    settings.expandable_segments = seed % 2 == 1;
    allocator::Snapshot snapshot =
        allocator::testing::recorded_program(allocator::testing::RandomProgram(seed).make(25),
                                             settings, {std::int64_t{300} << 20, 0, std::nullopt});
    auto& trace = snapshot.device_traces[0];
    if (seed >= 4) trace.erase(trace.begin(), trace.begin() + static_cast<long>(trace.size() / 2));
    all.push_back(written(snapshot, snapshot::SnapshotFormat::pickle));
  }
  return all;
}

}  // namespace ts::fuzz
