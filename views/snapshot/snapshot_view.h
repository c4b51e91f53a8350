#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/blocks/allocator_history.h"
#include "core/blocks/block_hits.h"
#include "core/blocks/flame_graph.h"
#include "views/common/ui.h"
#include "views/snapshot/difference_view.h"
#include "views/snapshot/event_list.h"
#include "views/snapshot/flame_figure.h"
#include "views/snapshot/growth_view.h"
#include "views/snapshot/row_table.h"
#include "views/snapshot/segment_map.h"

namespace ts::views {

// The content of the panel above the memory view, for an opened snapshot.
enum class SnapshotTab : std::uint8_t { history, reserved, table, flame, difference, growth };

// An opened snapshot beside its memory view: the allocator's events and segments, why more is
// reserved than was asked for, where the bytes come from, as a table and as a flame graph, what
// another snapshot has, and what grows. In the content region of the current window. UI thread.
// Tables and graphs are made anew when file, moment or question change, not every frame.
class SnapshotView {
 public:
  void draw(const Ui& ui, ViewContext& context);
  void show(SnapshotTab tab) { tab_ = tab; }
  // Shows the difference to a file as soon as that is open.
  void compare_with(std::string path);

 private:
  // The moment or the course that tables and flame graph are about.
  enum class Moment : std::uint8_t { peak, event, end, lifetime, allocated };
  static constexpr int kMoments = 5;

  void follow(const ViewContext& context);
  void draw_head(const Ui& ui, ViewContext& context);
  void find(const ViewContext& context);
  [[nodiscard]] std::string found_text(const Ui& ui) const;
  void draw_search(const Ui& ui, ViewContext& context, float width);
  void draw_history(const Ui& ui, ViewContext& context);
  void draw_reserved(const Ui& ui, ViewContext& context);
  // The list of events at the left of an area, if there is room for it; returns what is left.
  Rect draw_events(const Ui& ui, const Rect& area, ViewContext& context);
  void move_to(std::size_t position, ViewContext& context);
  void update_question(const ViewContext& context);
  [[nodiscard]] blocks::Weight weight(const ViewContext& context) const;
  [[nodiscard]] memory::EventIndex event_of(const ViewContext& context) const;
  [[nodiscard]] memory::EventIndex event_at_position(const ViewContext& context) const;
  [[nodiscard]] std::vector<memory::BlockIndex> blocks_of_group(const ViewContext& context,
                                                                const std::string& name) const;
  void draw_table(const Ui& ui, ViewContext& context);
  [[nodiscard]] blocks::FlameFrames flame_frames() const;
  void draw_flame(const Ui& ui, ViewContext& context);

  SnapshotTab tab_ = SnapshotTab::history;
  Moment moment_ = Moment::peak;
  blocks::GroupBy by_ = blocks::GroupBy::frame;
  bool all_frames_ = false;  // of the flame graph

  std::uint64_t run_id_ = 0;                     // of the device that all this is about
  blocks::AllocatorHistory* history_ = nullptr;  // of that device; null: there is none
  SegmentState state_;
  std::optional<memory::BlockIndex> followed_;  // the selection that the history moved to
  bool reserved_begun_ = false;                 // the history stands where it was explained first
  std::size_t reserved_at_ = 0;                 // the position that was shown last, and since when
  std::int64_t reserved_since_ns_ = 0;
  EventList events_;
  SegmentMap map_;

  // The question that the groups and nodes below answer.
  struct Question {
    std::uint64_t run_id = 0;
    SnapshotTab tab = SnapshotTab::history;
    Moment moment = Moment::peak;
    blocks::GroupBy by = blocks::GroupBy::frame;
    bool all_frames = false;
    memory::EventIndex event = memory::kNone;
    std::uint64_t log_version = 0;  // categories may be corrected
    friend bool operator==(const Question&, const Question&) = default;
  };
  Question asked_;
  std::uint64_t version_ = 0;
  std::vector<blocks::BlockGroup> groups_;
  std::vector<blocks::FlameNode> nodes_;
  FlameFigure flame_;
  RowTable table_;
  std::size_t menu_row_ = 0;  // of the table
  DifferenceView difference_;
  GrowthView growth_;

  blocks::BlockHits hits_;
  bool focus_search_ = false;
};

}  // namespace ts::views
