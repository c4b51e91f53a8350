#pragma once

#include <string>

#include "core/run/run.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

enum class RecordingPart : std::uint8_t { trace, memory };

// The warning that a chart of that part of a recording shows, after a warning sign: the number of
// lost records and, over the trace, how much longer recording made its steps. Empty if there is no
// warning.
std::string recording_warning(const text::Texts& texts, const run::Run& run, RecordingPart part);

// Draws that warning as a plate in the lower right corner of `plot`.
void draw_recording_warning(DrawSink& sink, const Theme& theme, Metrics metrics,
                            const text::Texts& texts, const Rect& plot, const run::Run& run,
                            RecordingPart part);

}  // namespace ts::views
