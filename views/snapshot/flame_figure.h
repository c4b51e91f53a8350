#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/blocks/flame_graph.h"
#include "views/charts/chart_input.h"
#include "views/common/view_state.h"

namespace ts::views {

// Where the bytes of an opened snapshot come from: its stacks, the outermost frame at the top, each
// as wide as the bytes below it. Without a toolkit; once a frame: lay_out, update, draw. A click
// shows a frame over the whole width, a click on what lies above it goes back.
class FlameFigure {
 public:
  // Nodes as of blocks::flame_graph() by that weight; they outlive the frame. A new `version`
  // forgets what was shown. Operators are named "aten::mm", unless all frames are shown.
  void lay_out(const Rect& area, const ViewContext& context,
               const std::vector<blocks::FlameNode>& nodes, std::uint64_t version,
               blocks::Weight weight, blocks::FlameFrames frames);
  // True when a frame was clicked: the largest block in it is selected.
  bool update(const ChartInput& input, ViewContext& context);
  void draw(DrawSink& sink, const ViewContext& context) const;

  [[nodiscard]] const Rect& plot() const { return plot_; }
  // The node shown over the whole width; 0 is the root.
  [[nodiscard]] std::uint32_t shown() const { return shown_; }
  [[nodiscard]] std::optional<std::uint32_t> node_at(Point at) const;
  // Empty if the node is not in view.
  [[nodiscard]] Rect place_of(std::uint32_t node) const;

 private:
  [[nodiscard]] std::string name_of(const ViewContext& context, std::uint32_t node) const;
  [[nodiscard]] bool above_shown(std::uint32_t node) const;
  void draw_read_out(DrawSink& sink, const ViewContext& context, std::uint32_t node) const;

  Rect plot_;
  float row_ = 1;
  const std::vector<blocks::FlameNode>* nodes_ = nullptr;
  std::uint64_t version_ = 0;
  std::uint32_t shown_ = 0;
  blocks::Weight weight_ = blocks::Weight::alive;
  blocks::FlameFrames frames_ = blocks::FlameFrames::telling;
  std::optional<std::uint32_t> hover_;
  Point mouse_;
};

}  // namespace ts::views
