#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/blocks/block_hits.h"
#include "views/charts/chart_input.h"
#include "views/charts/read_out.h"
#include "views/charts/title_row.h"
#include "views/charts/totals_index.h"
#include "views/common/view_state.h"
#include "views/memory/layer_lines.h"
#include "views/memory/live_list.h"
#include "views/memory/memory_gestures.h"
#include "views/memory/memory_regions.h"
#include "views/memory/memory_scale.h"
#include "views/memory/predicted_outline.h"
#include "views/memory/stack_cache.h"
#include "views/memory/time_map.h"

namespace ts::views {

// The active-memory view, independent of any toolkit. Per frame: lay_out, update, draw.
class MemoryChart {
 public:
  // Controls of the title row, in its order.
  enum Item : std::uint8_t { kDetail, kColor, kAxis, kLink, kItemCount };

  void lay_out(const DrawSink& sink, const Rect& area, ViewContext& context);
  void update(const ChartInput& input, ViewContext& context);
  void draw(DrawSink& sink, ViewContext& context);

  [[nodiscard]] Rect item(Item item) const;
  // The control was clicked, or (detail slider) is held, at `x`.
  void use(Item item, float x, ViewContext& context);
  // An animation is running or a layout is pending: draw the next frame at once.
  // Returns when no other thread reads the log any more.
  void stop_painting() { stack_.stop_painting(); }
  [[nodiscard]] bool moving() const {
    return transition_.running() || byte_transition_.running() || stack_.stale();
  }
  [[nodiscard]] const MemoryRegions& regions() const { return regions_; }

  // The place in the last picture, which must have a log.
  [[nodiscard]] float x_of(std::int64_t time_ns) const {
    return axis_.axis.x_of(place_of_time(*source_.log, axis_.kind, time_ns));
  }
  // The event that the list shows: under the cursor, else the refusal, else the peak.
  [[nodiscard]] memory::EventIndex shown_event(const ViewContext& context) const;

 private:
  struct DrawContext;
  // The allocation that could not be served, recorded or predicted.
  struct Refusal {
    memory::EventIndex event = memory::kNone;
    std::int64_t held = 0;   // bytes allocated at that time
    std::int64_t asked = 0;  // bytes
    // For a predicted refusal: bytes that the card's allocator holds besides `held` and cannot use
    // (rounding, workspaces and pieces between blocks).
    std::int64_t beyond = 0;
    std::int64_t capacity = 0;  // limit of the allocator; 0: not known
    std::string op, module;
    std::optional<std::int64_t> free;  // rest of the allocator's limit; unset: not known
    std::int64_t fragmented = 0;       // the part of `free` in pieces between used blocks
    bool predicted = false;
    [[nodiscard]] std::int64_t base() const { return held + beyond; }
    // At least the allocator's limit, because the allocation was refused.
    [[nodiscard]] std::int64_t top() const { return std::max(base() + asked, capacity); }
  };

  void follow_source(ViewContext& context);
  [[nodiscard]] memory::Axis axis_kind(const ViewContext& context) const;
  [[nodiscard]] bool linkable(const ViewContext& context) const;
  [[nodiscard]] bool linked(const ViewContext& context) const;
  [[nodiscard]] std::optional<std::int64_t> cursor(const ViewContext& context) const;
  // "12.3 ms" since the beginning, or "event 1,204" if there is no clock.
  [[nodiscard]] std::string moment_text(const text::Texts& texts, std::int64_t time_ns) const;
  void make_axis(const ViewContext& context);
  void make_scale(const ViewContext& context);
  void lay_out_title(const DrawSink& sink, const ViewContext& context);
  void lay_out_second_row(const DrawSink& sink, const Metrics& metrics, float slider);
  [[nodiscard]] base::TimeRange bounds(const ViewContext& context) const;
  // The x at which the log ends. Right of it can be the prediction of a run that was cut short.
  [[nodiscard]] float end_of_log() const;
  void show(base::TimeRange places, ViewContext& context);
  void show_bytes(base::TimeRange bytes);
  // The bytes in view.
  [[nodiscard]] base::TimeRange bytes_in_view() const { return {scale_.bottom, scale_.top}; }
  // Where the block lies in view, else where the mouse is over it.
  [[nodiscard]] std::optional<base::TimeRange> bytes_of(memory::BlockIndex block) const;
  void answer(const MemoryGestures::Asked& asked, const ChartInput& input, ViewContext& context);
  // Selects the block allocated before (-1) or after the selected one and moves to it.
  void step_selection(int by, ViewContext& context);
  void select(memory::BlockIndex block, ViewContext& context);
  [[nodiscard]] float x_of_event(memory::EventIndex event) const;

  void draw_controls(const DrawContext& drawing, const ViewContext& context) const;
  // Begin and end of a part of the log on the axis, in pixels inside the plot.
  struct Extent {
    float x0 = 0, x1 = 0;
  };
  [[nodiscard]] float x_of(memory::EventIndex event, std::int64_t time_ns) const;
  [[nodiscard]] Extent extent(memory::EventIndex first, std::int64_t begin_ns,
                              memory::EventIndex end, std::int64_t end_ns) const;
  void draw_bands(const DrawContext& drawing) const;
  void draw_band(const DrawContext& drawing, Extent at, base::Phase looks_like,
                 const std::string& words) const;
  void draw_backward(const DrawContext& drawing, const memory::PhaseSpan& span) const;
  void draw_step_names(const DrawContext& drawing) const;
  void draw_parts_of_steps(const DrawContext& drawing) const;
  void draw_byte_position(const DrawContext& drawing) const;
  void draw_hint(const DrawContext& drawing) const;
  // All of the axis, over the strip of the map.
  [[nodiscard]] MemoryAxis map_axis(const ViewContext& context) const;
  void draw_axes(const DrawContext& drawing, const ViewContext& context) const;
  void draw_grid(const DrawContext& drawing) const;
  [[nodiscard]] bool compares(const ViewContext& context) const;
  [[nodiscard]] static std::string predicted_text(const ViewContext& context);
  // A trace, and most snapshots, tell of no block what it holds.
  [[nodiscard]] bool names_categories() const {
    return source_.kind != MemorySource::Kind::opened || present_.known();
  }
  [[nodiscard]] std::string subtitle(const ViewContext& context) const;
  void draw_outline(const DrawContext& drawing, const ViewContext& context) const;
  // The place for the name of a level. Empty if there is no room.
  [[nodiscard]] Rect level_place(const DrawContext& drawing, std::int64_t bytes, float ceiling,
                                 const Rect& taken, const std::string& words) const;
  void level_label(const DrawContext& drawing, std::int64_t bytes, float ceiling, const Rect& taken,
                   Color color, const std::string& words) const;
  // The memory that the card would reserve: bytes, name and place.
  struct Level {
    std::int64_t bytes = 0;
    std::string words;
    float ceiling = 0;
    Rect plate;  // of the peak
  };
  [[nodiscard]] std::optional<Level> reserved_level(const DrawContext& drawing,
                                                    const ViewContext& context) const;
  [[nodiscard]] bool meets_reserved(const DrawContext& drawing, const ViewContext& context,
                                    float y0, float y1) const;
  // The y below the capacity line and the hatching under it.
  [[nodiscard]] float below_context(const DrawContext& drawing, const ViewContext& context) const;
  // Above the capacity line, right of the names in `taken`.
  void draw_context_name(const DrawContext& drawing, const ViewContext& context,
                         std::vector<Rect> taken) const;
  // The plates of the peak and of a refusal, and the name of the reserved memory.
  [[nodiscard]] std::vector<Rect> written(const DrawContext& drawing,
                                          const ViewContext& context) const;
  void draw_layers(const DrawContext& drawing, const ViewContext& context) const;
  void draw_capacity(const DrawContext& drawing, const ViewContext& context) const;
  [[nodiscard]] bool has_losses(const ViewContext& context) const;
  [[nodiscard]] std::string peak_text(const ViewContext& context, const std::string& drawn) const;
  [[nodiscard]] Rect peak_plate(const DrawContext& drawing, const ViewContext& context,
                                std::string& words) const;
  // The target's prediction. Null if it is not for the capacity that is drawn.
  [[nodiscard]] const predict::Forecast* target(const ViewContext& context) const;
  // The same, if its chain is drawn above the tensors because they were not refused.
  [[nodiscard]] const predict::Forecast* chained(const ViewContext& context) const;
  // The size of the context, or why there is none. Empty if neither is known.
  [[nodiscard]] std::string context_text(const ViewContext& context) const;
  // Key of the name of the chain link that matches the peak of the log.
  [[nodiscard]] const char* peak_key() const;
  void draw_reserved(const DrawContext& drawing, const ViewContext& context) const;
  void draw_context(const DrawContext& drawing, const ViewContext& context, float below) const;
  void draw_spare(const DrawContext& drawing, const ViewContext& context, const Rect& plate) const;
  void draw_missing(const DrawContext& drawing, const ViewContext& context,
                    const Rect& plate) const;
  void draw_bracket(const DrawContext& drawing, float x, float y0, float y1, Color color,
                    const std::string& words) const;
  void draw_peak(const DrawContext& drawing, const ViewContext& context) const;
  void draw_live_edge(const DrawContext& drawing) const;
  [[nodiscard]] std::optional<Refusal> refusal(const ViewContext& context) const;
  [[nodiscard]] std::vector<std::string> refusal_lines(const Refusal& refused,
                                                       const ViewContext& context) const;
  // The words beside the refused block and their place. Empty if nothing was refused in view.
  struct RefusalPlate {
    std::string title;
    std::vector<std::string> lines;
    Rect place;
  };
  [[nodiscard]] RefusalPlate refusal_plate(const DrawContext& drawing,
                                           const ViewContext& context) const;
  void draw_out_of_memory(const DrawContext& drawing, const ViewContext& context) const;
  void draw_beyond(const DrawContext& drawing, const Rect& band) const;
  [[nodiscard]] Rect place_over_stack(Point size, float end, float gap) const;
  void draw_overlays(const DrawContext& drawing, const ViewContext& context) const;
  // The exact byte values behind the rounded plate of the peak.
  [[nodiscard]] std::vector<ReadOutLine> peak_lines(const DrawContext& drawing,
                                                    const ViewContext& context) const;
  [[nodiscard]] std::vector<ReadOutLine> hover_lines(const DrawContext& drawing,
                                                     const ViewContext& context) const;
  [[nodiscard]] Rect read_out_bounds() const;
  void draw_read_out(const DrawContext& drawing, const ViewContext& context) const;

  MemorySource source_;  // of this frame; its log outlives the frame
  bool clocked_ = true;  // has_clock() of the source
  bool has_log_ = false;
  MemoryRegions regions_;
  TitleRow title_;
  std::vector<LegendEntry> legend_;
  bool legend_row_ = false;  // in the last frame the title had no room for the legend
  MemoryAxis axis_;
  MemoryScale scale_;
  std::string capacity_name_;  // includes its size
  std::int64_t capacity_ = 0;
  Ticks y_ticks_;
  base::TimeRange own_;  // places, if the axes are not linked; empty: everything
  memory::Axis own_kind_ = memory::Axis::time;
  base::TimeRange own_bytes_;       // in view; empty: everything up to the largest total in view
  base::TimeRange byte_bounds_;     // all that there is to see
  std::vector<Rect> color_fields_;  // of the choice of colours
  TotalsIndex totals_;
  TimeMap map_;
  StackCache stack_;
  blocks::BlockHits hits_;
  PredictedOutline outline_;
  LiveFactsCache facts_;
  DeviceLayers layers_;
  PresentCategories present_;
  MemoryGestures gestures_;
  Transition transition_;
  Transition byte_transition_;
  std::optional<memory::StackPlace> hover_;
  memory::BlockIndex listed_ = memory::kNone;  // block under the mouse in the list
  Point mouse_;
  bool mouse_over_ = false;
};

}  // namespace ts::views
