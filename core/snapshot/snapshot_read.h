#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/input.h"
#include "core/snapshot/pickle.h"

namespace ts::snapshot {

struct SnapshotFile {
  allocator::Snapshot snapshot;
  // The reason why the file was not read completely, with the position; the snapshot then holds the
  // values before it. Empty when the file was read to its end.
  base::Message fault;
  std::vector<std::string> ignored_keys;         // keys unknown to this reader, at most 20
  std::size_t bytes = 0;                         // size of the file, unpacked
  std::size_t packed = 0;                        // its size where it is packed; 0: it is not
  int pickle_protocol = 0;                       // 0: JSON
  std::vector<TraceStart> starts = {};           // by device, where a range was read; else empty
  std::vector<base::RangeEvents> in_range = {};  // the same, after files::cut()
};

// Reads a memory snapshot of PyTorch, pickled (protocol 2 to 5) or as JSON with the same keys,
// optionally packed by gzip. Keys may be missing where PyTorch's versions differ. An error is
// returned only for unusable files: no such file, another format, a pickle that would run code. 100
// MB in about a second.
base::Result<SnapshotFile> read_snapshot(const std::filesystem::path& path);

// The same for a file of which nothing was dropped yet; messages name `path`. Where a range of
// events is asked for, others are left out of pickles as they are read, but for those that say what
// is alive at its ends; files::cut() does the rest. The fault says so. `progress`, which may be
// null, follows the work after reading; cancelled, here or in the input: an error.
base::Result<SnapshotFile> read_snapshot(const std::filesystem::path& path, io::Input& input,
                                         base::Progress* progress = nullptr,
                                         const base::FileRange& range = {});

// The same for a file's content; messages do not name the file.
base::Result<SnapshotFile> parse_snapshot(io::Input& input, base::Progress* progress = nullptr,
                                          const base::FileRange& range = {});
base::Result<SnapshotFile> parse_snapshot(std::string content);

}  // namespace ts::snapshot
