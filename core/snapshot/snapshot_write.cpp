#include "core/snapshot/snapshot_write.h"

#include "core/io/unpack.h"
#include "core/snapshot/snapshot_emit.h"
#include "core/snapshot/snapshot_json_emitter.h"
#include "core/snapshot/snapshot_pickle_emitter.h"

namespace ts::snapshot {
namespace {

template <class Emitter>
void emit(const io::WritePiece& write, const allocator::Snapshot& snapshot) {
  Emitter emitter(write, snapshot);
  SnapshotEmit(snapshot, emitter).all();
  emitter.finish();
}

}  // namespace

SnapshotFormat snapshot_format_of(const std::filesystem::path& path) {
  return io::unpacked_name(path).extension() == ".json" ? SnapshotFormat::json
                                                        : SnapshotFormat::pickle;
}

void write_snapshot(const io::WritePiece& write, const allocator::Snapshot& snapshot,
                    SnapshotFormat format) {
  if (format == SnapshotFormat::json) {
    emit<JsonEmitter>(write, snapshot);
  } else {
    emit<PickleEmitter>(write, snapshot);
  }
}

base::Result<void> write_snapshot(const std::filesystem::path& path,
                                  const allocator::Snapshot& snapshot, SnapshotFormat format) {
  return io::write_as_named(
      path, [&](const io::WritePiece& write) { write_snapshot(write, snapshot, format); });
}

}  // namespace ts::snapshot
