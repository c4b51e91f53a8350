#pragma once

#include <string>
#include <string_view>

#include "core/base/message.h"
#include "core/spec/presets.h"
#include "core/spec/workload_spec.h"
#include "core/text/text.h"
#include "views/common/view_state.h"

namespace ts::views {

// A message in the language that is shown, the names of settings and limits in it, too; in English
// where it has no key.
std::string message_words(const text::Texts& texts, const base::Message& message);

// The name of what limits memory in the language that is shown: "memory_limit (2.00 GiB)" and
// "80 % of RAM"; the name of a card as it is.
std::string limit_words(const text::Texts& texts, std::string_view name);

// The name of a preset, and where it comes from.
std::string preset_words(const text::Texts& texts, const spec::Preset& preset);
std::string preset_source_words(const text::Texts& texts, const spec::Preset& preset);

// The setting as the controls call it, and its value in words; what is no value of it stays as it
// is.
std::string field_words(const text::Texts& texts, spec::Field field);
std::string value_words(const text::Texts& texts, spec::Field field, const std::string& value);

// Why this machine cannot run the settings as they are, in one sentence; empty where it can.
std::string obstacle_words(const ViewContext& context);

// Key of the words for a run that has not come to its end, so that its figures are of a part: it
// goes on, was cancelled or broke off. Null where it has, of a file and without a run.
const char* partial_key(const ViewContext& context);

// The run of these very settings has ended before it allocated anything: what is predicted stands
// in its place.
bool ended_before_memory(const ViewContext& context);

// "naive, T = 512": the settings of `shown` that `now` has otherwise, the three most telling, each
// with its value in `shown`. What only says where it is predicted for is left out. Empty where
// nothing differs.
std::string difference_words(const text::Texts& texts, const spec::WorkloadSpec& shown,
                             const spec::WorkloadSpec& now);

}  // namespace ts::views
