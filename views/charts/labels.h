#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/phase.h"
#include "core/memory/record.h"
#include "core/run/recording_cost.h"
#include "core/text/numbers.h"
#include "core/text/text.h"
#include "core/trace/slice.h"

namespace ts::views {

// Name of a slice for its box. Steps (recorded as "step 0", shown from 1) and phases are in the
// user's language. Operators lose their "aten::" and leading underscores.
std::string slice_label(std::string_view name, trace::SliceClass slice_class,
                        const text::Texts& texts);
// A shorter label for narrow boxes: the last part of a module path. Empty if there is none.
std::string_view short_label(std::string_view label, trace::SliceClass slice_class);

// Keys of the locale files.
std::string category_key(memory::Category category);
std::string phase_key(base::Phase phase);
std::string class_key(trace::SliceClass slice_class);  // steps and phases are "other"

// Relative error of a prediction, (predicted - measured) / measured: "−0.4 %". "0 %" only if both
// numbers are equal.
std::string prediction_error(std::int64_t predicted, std::int64_t measured);

// "+1.8 (+0.2 to +3.1)" and "%". A cost whose interval contains zero is unclear.
text::Quantity recording_cost_text(const run::RecordingCost& cost, const text::Texts& texts);

}  // namespace ts::views
