// Tiled attention: the map of its tiles, the rows of the current tile of Q, bytes and shared
// memory.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/calculate/calculation_table.h"
#include "core/stepper/step_table.h"
#include "core/text/numbers.h"
#include "views/calculate/stepper_picture.h"
#include "views/charts/chart_text.h"

namespace ts::views::stepping {
namespace {

using stepper::TiledAttention;
using Tile = TiledAttention::Tile;

std::string number(double value) {
  return stepper::number_text(value, stepper::Digits::value);
}

Color color_of(const Theme& theme, Tile kind) {
  return kind == Tile::masked ? theme.warn : theme.accent;
}

// Rows are tiles of Q, columns tiles of K and V. What ran is strong, what will run is faint.
void draw_map(DrawSink& sink, const Rect& area, const StepperPicture& p,
              const TiledAttention& walk) {
  const Theme& theme = p.theme;
  const TiledAttention::Step& now = walk.step(p.step);
  const auto down = walk.query_tiles(), across = walk.key_tiles();
  const float side =
      std::min(area.width() / static_cast<float>(across), area.height() / static_cast<float>(down));
  const float gap = side > 6 ? p.metrics.px(1.5F) : side > 3 ? 1.0F : 0.0F;
  for (std::int64_t i = 0; i < down; ++i) {
    for (std::int64_t j = 0; j < across; ++j) {
      const Rect cell{area.x0 + side * static_cast<float>(j),
                      area.y0 + side * static_cast<float>(i),
                      area.x0 + side * static_cast<float>(j + 1) - gap,
                      area.y0 + side * static_cast<float>(i + 1) - gap};
      const Tile kind = walk.tile(i, j);
      if (kind == Tile::skipped) {
        sink.fill(cell, theme.surface3);
        if (side > 10)
          sink.line({cell.x0, cell.y1}, {cell.x1, cell.y0}, theme.line, p.metrics.px(1));
        continue;
      }
      const bool writes = now.action == TiledAttention::Action::write;
      const bool done =
          i < now.query_tile || (i == now.query_tile && (writes || j <= now.key_tile));
      sink.fill(cell, mixed(theme.surface, color_of(theme, kind), done ? 0.75F : 0.18F));
      if (i == now.query_tile && j == now.key_tile)
        sink.outline({cell.x0 - 1, cell.y0 - 1, cell.x1 + 1, cell.y1 + 1}, theme.text,
                     p.metrics.px(2.5F));
    }
  }
  const float row = area.y0 + side * static_cast<float>(now.query_tile);
  const float left = area.x0 - p.metrics.px(7), top = area.y0 - p.metrics.px(7);
  sink.fill({left, row, left + p.metrics.px(4), row + side - gap}, theme.text);
  if (now.key_tile < 0) return;
  const float column = area.x0 + side * static_cast<float>(now.key_tile);
  sink.fill({column, top, column + side - gap, top + p.metrics.px(4)}, theme.text);
}

// The heading of a column: its name, and below it a range or a size.
void draw_heading(DrawSink& sink, const Rect& area, const StepperPicture& p, std::string_view name,
                  std::string_view about) {
  const float line = sink.text_height(TextStyle::body_medium) + p.metrics.px(2);
  text_in(sink, {area.x0, area.y0, area.x1, area.y0 + line}, TextStyle::body_medium, p.theme.text,
          name);
  text_in(sink, {area.x0, area.y0 + line, area.x1, area.y1}, TextStyle::small, p.theme.text2,
          about);
}

// A bar for each row; from the least to the largest of them, or from 0.
void draw_rows(DrawSink& sink, const Rect& area, const StepperPicture& p,
               const std::vector<float>& of, bool from_zero) {
  const auto [least, most] = std::ranges::minmax(of);
  sink.fill(area, p.theme.surface3);
  if (!std::isfinite(most) || most == 0) return;
  const float low = from_zero ? 0 : least - 0.15F * (most - least + 0.1F);
  const float height = area.height() / static_cast<float>(of.size());
  const float gap = height > 6 ? 1.0F : 0.0F;
  for (std::size_t i = 0; i < of.size(); ++i) {
    const float y = area.y0 + height * static_cast<float>(i);
    const float width = area.width() * std::clamp((of[i] - low) / (most - low), 0.0F, 1.0F);
    sink.fill({area.x0, y, area.x0 + width, y + height - gap},
              mixed(p.theme.surface, p.theme.ok, 0.8F));
  }
}

std::string range_of(const std::vector<float>& of) {
  const auto [least, most] = std::ranges::minmax(of);
  const auto words = [](float value) {
    return std::isfinite(value) ? text::decimal(double{value}, 2) : "\xe2\x88\x92\xe2\x88\x9e";
  };
  if (least == most) return words(least);
  return words(least) + " \xe2\x80\xa6 " + words(most);
}

void draw_state(DrawSink& sink, const Rect& area, const StepperPicture& p, TiledAttention& walk) {
  const TiledAttention::Rows& rows = walk.rows(p.step);
  const bool written = walk.step(p.step).action == TiledAttention::Action::write;
  const Metrics& m = p.metrics;
  const float head =
      sink.text_height(TextStyle::body_medium) + sink.text_height(TextStyle::small) + m.px(8);
  const float foot = sink.text_height(TextStyle::body) + m.px(8);
  const float gap = m.px(14);
  const float room = area.width() - 3 * gap;
  const std::array<float, 4> widths = {room * 0.36F, room * 0.16F, room * 0.16F, room * 0.32F};
  const auto count = static_cast<std::size_t>(rows.count);
  const auto keys = static_cast<std::size_t>(rows.keys),
             d = static_cast<std::size_t>(walk.head_size());
  const std::string of_rows = std::to_string(rows.count) + " \xc3\x97 ";
  float x = area.x0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const Rect heading{x, area.y0, x + widths[i] + gap / 2, area.y0 + head};
    const Rect body{x, area.y0 + head, x + widths[i], area.y1 - foot};
    x += widths[i] + gap;
    switch (i) {
      case 0:
        draw_heading(sink, heading, p,
                     "S = Q\xc2\xb7K / \xe2\x88\x9a"
                     "d",
                     keys == 0 ? text::kNoNumber : of_rows + std::to_string(rows.keys));
        draw_matrix(sink, body, p.theme, rows.scores, count, keys);
        break;
      case 1:
        draw_heading(sink, heading, p, "m", range_of(rows.m));
        draw_rows(sink, body, p, rows.m, false);
        break;
      case 2:
        draw_heading(sink, heading, p, "l", range_of(rows.l));
        draw_rows(sink, body, p, rows.l, true);
        break;
      default:
        draw_heading(sink, heading, p, written ? "O = acc / l" : "acc",
                     of_rows + std::to_string(walk.head_size()));
        draw_matrix(sink, body, p.theme, rows.acc, count, d);
    }
  }
  const std::size_t last = count - 1;
  std::string words =
      p.texts("stepper.tiles.row", {{"row", std::to_string(rows.first + rows.count - 1)},
                                    {"m", number(double{rows.m[last]})},
                                    {"l", number(double{rows.l[last]})},
                                    {"acc", number(double{rows.acc[last * d]})}});
  if (written) {
    words = p.texts("stepper.tiles.error",
                    {{"error", stepper::number_text(walk.error(walk.step(p.step).query_tile),
                                                    stepper::Digits::small)}});
  }
  text_in(sink, {area.x0, area.y1 - foot + m.px(6), area.x1, area.y1}, TextStyle::body,
          p.theme.text2, words);
}

// Bytes so far beside naive attention's.
float draw_bytes(DrawSink& sink, const Rect& area, const StepperPicture& p,
                 const TiledAttention& walk) {
  const Theme& theme = p.theme;
  const TiledAttention::Step& now = walk.step(p.step);
  const TiledAttention::Step& end = walk.step(walk.steps() - 1);
  const auto naive = walk.naive();
  const double most = static_cast<double>(std::max(naive.all(), end.read + end.written));
  const auto size = [](std::int64_t bytes) { return text::bytes(bytes).joined(); };
  const std::array<Part, 2> of_naive = {{{static_cast<double>(naive.read), theme.text3},
                                         {static_cast<double>(naive.written), theme.text2}}};
  const std::array<Part, 2> of_tiles = {{{static_cast<double>(now.read), theme.accent},
                                         {static_cast<double>(now.written), theme.ok}}};
  const float y =
      draw_parts(sink, area, theme, p.metrics,
                 {.name = p.texts("stepper.tiles.naive"),
                  .remark = p.texts("stepper.tiles.traffic",
                                    {{"read", size(naive.read)}, {"written", size(naive.written)}}),
                  .parts = of_naive,
                  .most = most});
  return draw_parts(
      sink, {area.x0, y, area.x1, area.y1}, theme, p.metrics,
      {.name = p.texts("stepper.tiles.so_far", {{"all", size(end.read + end.written)}}),
       .remark = p.texts("stepper.tiles.traffic",
                         {{"read", size(now.read)}, {"written", size(now.written)}}),
       .parts = of_tiles,
       .most = most,
       .limit = static_cast<double>(end.read + end.written),
       .limit_color = theme.text2});
}

void draw_shared(DrawSink& sink, const Rect& area, const StepperPicture& p,
                 const TiledAttention& walk) {
  const Theme& theme = p.theme;
  const stepper::SharedMemory shared = stepper::shared_memory(walk.sizes());
  const auto used = static_cast<double>(shared.all());
  const auto limit = p.fit != nullptr ? static_cast<double>(p.fit->limit) : 0.0;
  const bool over = limit > 0 && used > limit;
  const std::array<Part, 2> parts = {
      {{static_cast<double>(shared.tiles), over ? theme.bad : theme.accent},
       {static_cast<double>(shared.scores), over ? darker(theme.bad) : theme.ok}}};
  const std::string remark =
      p.texts("stepper.tiles.shared_parts",
              {{"tiles", text::grouped(shared.tiles)}, {"scores", text::grouped(shared.scores)}});
  const float y = draw_parts(sink, area, theme, p.metrics,
                             {.name = p.texts("stepper.tiles.shared"),
                              .remark = remark,
                              .parts = parts,
                              .most = std::max(used, limit) * 1.02,
                              .limit = limit,
                              .limit_color = over ? theme.bad : theme.text});
  if (p.fit == nullptr) return;
  std::string words = p.texts(p.fit->said.key, p.fit->said.arguments);
  if (std::min(walk.sizes().block_q, walk.sizes().block_k) < stepper::kLeastTile)
    words += std::string(". ") + p.texts("stepper.below_least");
  const float line = sink.text_height(TextStyle::body) + p.metrics.px(2);
  float at = y - p.metrics.px(6);
  for (const std::string& one : wrapped_fitted(sink, TextStyle::body, words, area.width(), 2)) {
    sink.text({area.x0, at}, TextStyle::body, over ? theme.bad : theme.text2, one);
    at += line;
  }
}

}  // namespace

void draw(DrawSink& sink, const Rect& area, const StepperPicture& picture, TiledAttention& walk) {
  const Metrics& m = picture.metrics;
  const Theme& theme = picture.theme;
  const float small = sink.text_height(TextStyle::small);
  const float bars = parts_height(sink, m);
  const float said = 2 * (sink.text_height(TextStyle::body) + m.px(2));
  // One below the other where there is height for it, else bytes and shared memory side by side.
  const bool roomy = area.height() > m.px(520);
  const float bottom = roomy ? 3 * bars + said : std::max(2 * bars, bars + said);
  const Rect top{area.x0, area.y0, area.x1, area.y1 - bottom - m.px(16)};
  const float edge = small + m.px(12);
  const float key = small + m.px(10);
  const float side = std::max(m.px(40), std::min(area.width() * 0.34F, top.height() - edge - key));
  const Rect map{area.x0 + edge, top.y0 + edge, area.x0 + edge + side, top.y0 + edge + side};
  sink.text({map.x0, top.y0}, TextStyle::small, theme.text2, picture.texts("stepper.tiles.keys"));
  sink.text({area.x0, map.y0}, TextStyle::small, theme.text2, "Q");
  draw_map(sink, map, picture, walk);
  float x = area.x0;
  const float key_y = top.y1 - small;
  x = draw_key(sink, {x, key_y}, theme, m, mixed(theme.surface, theme.accent, 0.75F),
               picture.texts("stepper.tiles.full"));
  x = draw_key(sink, {x, key_y}, theme, m, mixed(theme.surface, theme.warn, 0.75F),
               picture.texts("stepper.tiles.masked"));
  draw_key(sink, {x, key_y}, theme, m, theme.surface3, picture.texts("stepper.tiles.skipped"));
  draw_state(sink, {map.x1 + m.px(28), top.y0, area.x1, key_y - m.px(8)}, picture, walk);
  const float from = area.y1 - bottom, middle = area.x0 + area.width() * 0.53F;
  const float right = roomy ? area.x1 : middle - m.px(12);
  const float y = draw_bytes(sink, {area.x0, from, right, area.y1}, picture, walk);
  const Rect shared{roomy ? area.x0 : middle + m.px(12), roomy ? y : from, area.x1, area.y1};
  draw_shared(sink, shared, picture, walk);
}

}  // namespace ts::views::stepping
