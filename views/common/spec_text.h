#pragma once

#include <string>
#include <string_view>

#include "core/base/message.h"
#include "core/spec/presets.h"
#include "core/spec/workload_spec.h"
#include "core/text/text.h"
#include "views/common/view_state.h"

namespace ts::views {

// A message in the current language, including the names of settings and limits in it. In English
// if the message has no key.
std::string message_text(const text::Texts& texts, const base::Message& message);

// The name of a memory limit in the current language: "memory_limit (2.00 GiB)" and "80 % of RAM".
// The name of a card is unchanged.
std::string limit_text(const text::Texts& texts, std::string_view name);

// The name of a preset, and its source.
std::string preset_text(const text::Texts& texts, const spec::Preset& preset);
std::string preset_source_text(const text::Texts& texts, const spec::Preset& preset);

// The label of a setting beside its control.
std::string field_label(const text::Texts& texts, spec::Field field);
// The name of a setting in the controls, and its value in words. A text that is not a value of the
// setting is unchanged.
std::string field_text(const text::Texts& texts, spec::Field field);
// The same; an open dimension of an own model beside B and T has the name of its file.
std::string size_text(const text::Texts& texts, const spec::WorkloadSpec& spec, spec::Field field);
// The key of the words of a choice of a setting.
std::string choice_key(spec::Field field, std::string choice);
std::string value_text(const text::Texts& texts, spec::Field field, const std::string& value);

// "Attention, flash, B = 4, T = 512".
std::string short_settings(const text::Texts& texts, const spec::WorkloadSpec& spec);

// Why this machine cannot run the current settings, in one sentence. Empty if it can.
std::string obstacle_text(const ViewContext& context);

// Locale key for an incomplete run (still running, cancelled or failed), whose figures cover only a
// part. Null for a complete run, for a file and without a run.
const char* partial_key(const ViewContext& context);

// Why the run on screen is not the newest one; empty if it is.
std::string cut_short_text(const ViewContext& context);

// The run of the current settings ended before it allocated anything. The prediction is shown in
// its place.
bool ended_before_memory(const ViewContext& context);

// "naive, T = 512": the settings of `shown` that differ from `now`, each with its value in `shown`,
// at most the three most important. Settings that only select the target of the prediction are left
// out. Empty if nothing differs.
std::string difference_text(const text::Texts& texts, const spec::WorkloadSpec& shown,
                            const spec::WorkloadSpec& now);

}  // namespace ts::views
