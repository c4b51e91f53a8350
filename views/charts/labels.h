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

// Name of a slice to write into its box: steps (recorded as "step 0", counted from 1 for people)
// and phases in the user's language, operators without their "aten::" and leading underscores.
std::string slice_label(std::string_view name, trace::SliceClass slice_class,
                        const text::Texts& texts);
// A shorter one for narrow boxes: the last part of a module path. Empty when there is none.
std::string_view short_label(std::string_view label, trace::SliceClass slice_class);

// Keys of the locale files.
const char* category_key(memory::Category category);
const char* phase_key(base::Phase phase);
const char* class_key(trace::SliceClass slice_class);  // steps and phases are "other"

// The slice class with the colour of a phase.
trace::SliceClass class_of(base::Phase phase);

// What a roof was taken from, in the user's language: "1024 x 1024 product in fp32 and copy,
// measured", "RTX 4090, bf16, dense".
std::string roof_words(const text::Texts& texts, std::string_view source);

// How far a prediction is off, (predicted - measured) / measured: "−0.4 %"; "0 %" only for the
// very same number.
std::string prediction_error(std::int64_t predicted, std::int64_t measured);

// "+1.8 (+0.2 to +3.1)" and "%"; a cost whose interval has zero in it is unclear.
text::Quantity recording_cost_words(const run::RecordingCost& cost, const text::Texts& texts);

}  // namespace ts::views
