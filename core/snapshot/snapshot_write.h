#pragma once

#include <cstdint>
#include <filesystem>

#include "core/allocator/snapshot.h"
#include "core/base/result.h"
#include "core/io/file.h"

namespace ts::snapshot {

enum class SnapshotFormat : std::uint8_t {
  pickle,  // protocol 4, at most 1000 items a batch, texts and stacks shared; compact
  json,    // every stack in full; the newest memory_viz opens it too
};

// .json is JSON, everything else a pickle; either may be followed by .gz.
SnapshotFormat snapshot_format_of(const std::filesystem::path& path);

// Writes a file that PyTorch's memory_viz page and torch.cuda._memory_viz can open. read_snapshot()
// of the file returns an equal snapshot, field by field. Packed by gzip where the name ends with
// .gz. Streams.
base::Result<void> write_snapshot(const std::filesystem::path& path,
                                  const allocator::Snapshot& snapshot, SnapshotFormat format);

// The same, written through a function that takes pieces.
void write_snapshot(const io::WritePiece& write, const allocator::Snapshot& snapshot,
                    SnapshotFormat format);

}  // namespace ts::snapshot
