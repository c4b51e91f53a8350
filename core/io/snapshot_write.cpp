#include "core/io/snapshot_write.h"

#include "core/io/snapshot_emit.h"
#include "core/io/snapshot_json_emitter.h"
#include "core/io/snapshot_pickle_emitter.h"

namespace ts::io {
namespace {

template <class Emitter>
void emit(const WritePiece& write, const memory::Snapshot& snapshot) {
  Emitter emitter(write, snapshot);
  SnapshotEmit(snapshot, emitter).all();
  emitter.finish();
}

}  // namespace

SnapshotFormat snapshot_format_of(const std::filesystem::path& path) {
  return path.extension() == ".json" ? SnapshotFormat::json : SnapshotFormat::pickle;
}

void write_snapshot(const WritePiece& write, const memory::Snapshot& snapshot,
                    SnapshotFormat format) {
  if (format == SnapshotFormat::json) {
    emit<JsonEmitter>(write, snapshot);
  } else {
    emit<PickleEmitter>(write, snapshot);
  }
}

base::Result<void> write_snapshot(const std::filesystem::path& path,
                                  const memory::Snapshot& snapshot, SnapshotFormat format) {
  return write_file(path,
                    [&](const WritePiece& write) { write_snapshot(write, snapshot, format); });
}

}  // namespace ts::io
