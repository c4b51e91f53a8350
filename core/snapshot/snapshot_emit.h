#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <variant>

#include "core/allocator/snapshot.h"
#include "core/snapshot/snapshot_keys.h"

namespace ts::snapshot {

// Sends a snapshot to an emitter (snapshot_pickle_emitter.h, snapshot_json_emitter.h) in the order
// of PyTorch's keys. Private to the writer. An emitter has
//   begin_list(), begin_dict(), item() before each item, key(text) before each value, end()
//   integer(), address(), real(), boolean(), none(), text(StringId), literal(text), pair(): of
//   two integers,
//   begin_shared_stack(index): false if it has written the stack already
template <class Emitter>
class SnapshotEmit {
 public:
  SnapshotEmit(const allocator::Snapshot& snapshot, Emitter& to) : snapshot_(snapshot), to_(to) {}

  void all() {
    to_.begin_dict();
    key(SnapshotKey::segments);
    list(snapshot_.segments, [this](const auto& one) { segment(one); });
    key(SnapshotKey::device_traces);
    list(snapshot_.device_traces,
         [this](const auto& trace) { list(trace, [this](const auto& one) { entry(one); }); });
    settings();
    annotations();
    to_.end();
  }

 private:
  using Key = SnapshotKey;

  template <class Items, class Say>
  void list(const Items& items, Say&& say) {
    to_.begin_list();
    for (const auto& item : items) {
      to_.item();
      say(item);
    }
    to_.end();
  }
  void key(Key name) { to_.key(name_of(name)); }
  void integer(Key name, std::int64_t value) {
    key(name);
    to_.integer(value);
  }
  void address(Key name, std::uint64_t value) {
    key(name);
    to_.address(value);
  }
  void text(Key name, base::StringId value) {
    key(name);
    to_.text(value);
  }
  // `in_file`: the file that the snapshot was read from has the field.
  void optional_text(Key name, base::StringId value, bool in_file = false) {
    if (in_file || value != base::kNoString) text(name, value);
  }

  void settings() {
    if (!layout_.allocator_settings && snapshot_.allocator_settings.empty()) return;
    key(SnapshotKey::allocator_settings);
    to_.begin_dict();
    for (const auto& setting : snapshot_.allocator_settings) this->setting(setting);
    to_.end();
  }
  void annotations() {
    if (!layout_.external_annotations && snapshot_.external_annotations.empty()) return;
    key(SnapshotKey::external_annotations);
    list(snapshot_.external_annotations, [this](const auto& one) { annotation(one); });
  }

  void segment(const allocator::SnapshotSegment& segment) {
    to_.begin_dict();
    integer(Key::device, segment.device);
    address(Key::address, segment.address);
    integer(Key::total_size, segment.total_size);
    integer(Key::allocated_size, segment.allocated_size);
    integer(Key::active_size, segment.active_size);
    if (layout_.requested_size || segment.requested_size > 0)
      integer(Key::requested_size, segment.requested_size);
    integer(Key::stream, segment.stream);
    key(Key::segment_type);
    to_.literal(segment.small_pool ? "small" : "large");
    pool_and_kind(segment);
    if (segment.stack != memory::kNone) stack(segment.stack);
    key(Key::blocks);
    list(segment.blocks, [this](const auto& one) { block(one); });
    to_.end();
  }

  void pool_and_kind(const allocator::SnapshotSegment& segment) {
    if (layout_.segment_pool_id || segment.pool != allocator::PoolId()) {
      key(Key::segment_pool_id);
      pool(segment.pool);
    }
    if (!layout_.is_expandable && !segment.expandable) return;
    key(Key::is_expandable);
    to_.boolean(segment.expandable);
  }

  void block(const allocator::SnapshotBlock& block) {
    const allocator::PastAllocations* const history =
        block.history == memory::kNone ? nullptr : &snapshot_.histories[block.history];
    // The newest tells of the block.
    const bool made =
        history != nullptr && !history->empty() && block.state != allocator::BlockState::inactive;
    const std::int64_t told = made ? history->front().requested.value_or(0) : 0;
    to_.begin_dict();
    if (layout_.block_address) address(Key::address, block.address);
    integer(Key::size, block.size);
    if (layout_.requested_size || block.requested > told)
      integer(Key::requested_size, block.requested);
    key(Key::state);
    to_.literal(kBlockStateNames[static_cast<std::size_t>(block.state)]);
    if (block.stack != memory::kNone && !(made && history->front().stack == block.stack))
      stack(block.stack);
    if (history != nullptr) {
      key(Key::history);
      list(*history, [this](const auto& one) { past(one); });
    }
    to_.end();
  }

  void past(const allocator::PastAllocation& past) {
    to_.begin_dict();
    if (past.address) address(Key::addr, *past.address);
    if (past.requested) integer(Key::real_size, *past.requested);
    if (past.stack != memory::kNone) stack(past.stack);
    to_.end();
  }

  void entry(const allocator::TraceEntry& entry) {
    to_.begin_dict();
    const allocator::EntryNotes& notes = snapshot_.notes[entry.notes];
    key(Key::action);
    if (entry.action == allocator::TraceAction::other) {
      to_.text(notes.other_action);
    } else {
      to_.literal(to_string(entry.action));
    }
    address(entry.action == allocator::TraceAction::oom ? Key::device_free : Key::addr,
            entry.address);
    if (notes.oom_address) address(Key::addr, *notes.oom_address);
    integer(Key::size, entry.size);
    integer(Key::stream, notes.stream);
    if (layout_.time_us || entry.time_us != 0) integer(Key::time_us, entry.time_us);
    optional_text(Key::compile_context, notes.compile_context, layout_.compile_context);
    user_metadata(notes);
    optional_text(Key::category, notes.category);
    if (notes.pool) {
      key(Key::pool_id);
      pool(*notes.pool);
    }
    if (entry.stack != memory::kNone) stack(entry.stack);
    if (notes.forward_frames != memory::kNone) {
      key(Key::forward_frames);
      list(snapshot_.stacks.stack(notes.forward_frames),
           [this](allocator::FrameIndex index) { to_.text(snapshot_.stacks.frame(index).name); });
    }
    to_.end();
  }

  void user_metadata(const allocator::EntryNotes& notes) {
    if (notes.metadata == memory::kNone)
      return optional_text(Key::user_metadata, notes.user_metadata, layout_.user_metadata);
    key(Key::user_metadata);
    to_.begin_dict();
    for (const auto& [name, value] : snapshot_.metadata[notes.metadata].entries) {
      to_.key(snapshot_.text(name));
      std::visit([this](const auto& one) { this->scalar(one); }, value);
    }
    to_.end();
  }

  void scalar(std::monostate /*nothing*/) { to_.none(); }
  void scalar(bool value) { to_.boolean(value); }
  void scalar(std::int64_t value) { to_.integer(value); }
  void scalar(double value) { to_.real(value); }
  void scalar(base::StringId value) { to_.text(value); }

  void stack(allocator::StackIndex index) {
    key(Key::frames);
    if (!to_.begin_shared_stack(index)) return;
    for (const allocator::FrameIndex frame : snapshot_.stacks.stack(index)) {
      to_.item();
      this->frame(snapshot_.stacks.frame(frame));
    }
    to_.end();
  }

  void frame(const allocator::Frame& frame) {
    to_.begin_dict();
    text(Key::name, frame.name);
    text(Key::filename, frame.filename);
    integer(Key::line, frame.line);
    optional_text(Key::fx_node_op, frame.fx_node_op);
    optional_text(Key::fx_node_name, frame.fx_node_name);
    optional_text(Key::fx_node_target, frame.fx_node_target);
    optional_text(Key::fx_original_trace, frame.fx_original_trace);
    to_.end();
  }

  void pool(const allocator::PoolId& pool) { to_.pair(pool.first, pool.second); }

  void setting(const allocator::SnapshotSetting& setting) {
    to_.key(snapshot_.text(setting.name));
    std::visit(
        [this](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, allocator::SnapshotSetting::Divisions>) {
            to_.begin_dict();
            for (const auto& [name, count] : value) {
              to_.key(snapshot_.text(name));
              to_.integer(count);
            }
            to_.end();
          } else {
            this->scalar(value);
          }
        },
        setting.value);
  }

  void annotation(const allocator::ExternalAnnotation& annotation) {
    to_.begin_dict();
    text(Key::name, annotation.name);
    text(Key::stage, annotation.stage);
    integer(Key::device, annotation.device);
    integer(Key::time_us, annotation.time_us);
    to_.end();
  }

  const allocator::Snapshot& snapshot_;
  const allocator::SnapshotLayout& layout_ = snapshot_.layout;
  Emitter& to_;
};

}  // namespace ts::snapshot
