#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ts::snapshot {

// Keys of snapshot files, at every level.
enum class SnapshotKey : std::uint8_t {
  unknown,
  segments,
  device_traces,
  allocator_settings,
  external_annotations,
  device,
  address,
  total_size,
  allocated_size,
  active_size,
  requested_size,
  stream,
  segment_type,
  segment_pool_id,
  is_expandable,
  frames,
  blocks,
  size,
  state,
  action,
  addr,
  device_free,
  time_us,
  compile_context,
  user_metadata,
  category,
  pool_id,
  forward_frames,
  name,
  filename,
  line,
  fx_node_op,
  fx_node_name,
  fx_node_target,
  fx_original_trace,
  stage,
  history,  // of 2023: a block's frames and requested size
  real_size,
};

// Order as in SnapshotKey.
inline constexpr std::array<std::string_view, 38> kSnapshotKeyNames = {
    "",
    "segments",
    "device_traces",
    "allocator_settings",
    "external_annotations",
    "device",
    "address",
    "total_size",
    "allocated_size",
    "active_size",
    "requested_size",
    "stream",
    "segment_type",
    "segment_pool_id",
    "is_expandable",
    "frames",
    "blocks",
    "size",
    "state",
    "action",
    "addr",
    "device_free",
    "time_us",
    "compile_context",
    "user_metadata",
    "category",
    "pool_id",
    "forward_frames",
    "name",
    "filename",
    "line",
    "fx_node_op",
    "fx_node_name",
    "fx_node_target",
    "fx_original_trace",
    "stage",
    "history",
    "real_size",
};
static_assert(kSnapshotKeyNames.size() == static_cast<std::size_t>(SnapshotKey::real_size) + 1);

constexpr std::string_view name_of(SnapshotKey key) {
  return kSnapshotKeyNames[static_cast<std::size_t>(key)];
}

// Order as in memory::BlockState.
inline constexpr std::array<std::string_view, 3> kBlockStateNames = {
    "active_allocated", "active_pending_free", "inactive"};

}  // namespace ts::snapshot
