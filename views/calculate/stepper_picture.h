#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/stepper/stepper.h"
#include "core/text/text.h"
#include "views/charts/plot_axis.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// A stepper at one of its steps, as a picture: what the step does in words, then its state. The
// walk is not const because it keeps the state that was computed last.
struct StepperPicture {
  const Theme& theme;
  Metrics metrics;
  const text::Texts& texts;
  stepper::Walk& walk;
  std::size_t step = 0;
  const stepper::TileFit* fit = nullptr;  // of tiled attention, for a card; null: none is chosen
};
void draw_stepper(DrawSink& sink, const Rect& area, const StepperPicture& picture);

// Shared by the pictures.
namespace stepping {

// A matrix [rows][columns] as colours: positive numbers in the accent, negative ones in the warning
// colour, minus infinity as an empty cell. Thinned out where a cell has less than a pixel.
void draw_matrix(DrawSink& sink, const Rect& area, const Theme& theme, std::span<const float> of,
                 std::size_t rows, std::size_t columns);

// A bar of parts of `most` with its name above it at the left and a remark at the right. Returns
// the y below it.
struct Part {
  double value = 0;
  Color color;
};
struct BarStyle {
  std::string name, remark;
  std::span<const Part> parts;
  double most = 1;
  double limit = 0;  // a line there; 0: none
  Color limit_color = 0;
};
float draw_parts(DrawSink& sink, const Rect& area, const Theme& theme, Metrics metrics,
                 const BarStyle& look);
float parts_height(const DrawSink& sink, Metrics metrics);

// Lines and numbers of y, and numbers of x below; those of y have room from `left` on.
void draw_grid(DrawSink& sink, float left, const StepperPicture& picture, const PlotAxis& x,
               const PlotAxis& y, Color words);

// A small square of a colour with words, from left to right. Returns the x behind it.
float draw_key(DrawSink& sink, Point at, const Theme& theme, Metrics metrics, Color color,
               std::string_view words);

// One for each kind of walk. They have the whole area below the sentence.
void draw(DrawSink& sink, const Rect& area, const StepperPicture& picture,
          stepper::TiledAttention& walk);
void draw(DrawSink& sink, const Rect& area, const StepperPicture& picture,
          const stepper::OnlineSoftmax& walk);
void draw(DrawSink& sink, const Rect& area, const StepperPicture& picture,
          const stepper::LowPrecisionSum& walk);
void draw(DrawSink& sink, const Rect& area, const StepperPicture& picture,
          const stepper::AdamW& walk);
void draw(DrawSink& sink, const Rect& area, const StepperPicture& picture,
          const stepper::Checkpoints& walk);
void draw(DrawSink& sink, const Rect& area, const StepperPicture& picture,
          const stepper::CachedCycles& walk);

}  // namespace stepping
}  // namespace ts::views
