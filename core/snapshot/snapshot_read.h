#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/base/result.h"
#include "core/io/unpack.h"

namespace ts::snapshot {

struct SnapshotFile {
  allocator::Snapshot snapshot;
  // Why not all of the file was read, with the place; the snapshot then holds what could be. Empty
  // when it was read to its end.
  base::Message fault;
  std::vector<std::string> ignored_keys;  // that this reader does not know, at most 20
  std::size_t bytes = 0;                  // size of the file
  int pickle_protocol = 0;                // 0: JSON
};

// Reads a memory snapshot of PyTorch, pickled (protocol 2 to 5) or as JSON with the same keys,
// packed by gzip or not. Keys may be missing where PyTorch's versions differ. The error is for
// files of which nothing can be used: no such file, another format, a pickle that would run code.
// 100 MB in about a second.
base::Result<SnapshotFile> read_snapshot(const std::filesystem::path& path);

// The same for what was read of a file.
base::Result<SnapshotFile> read_snapshot(const std::filesystem::path& path,
                                         io::UnpackedFile&& unpacked);

// The same for a file's content; sentences do not name the file.
base::Result<SnapshotFile> parse_snapshot(std::string content);

}  // namespace ts::snapshot
