#pragma once

#include <string>
#include <vector>

#include "core/run/spec_fields.h"
#include "views/common/widgets.h"
#include "views/controls/controls_view.h"

// Controls of single settings, made from their row in the table of settings.
namespace ts::views {

// Why the setting does not matter here, in the chosen language; empty when it does.
std::string reason_text(const ControlsContext& context, run::Field field);
// What is wrong with its value; empty when nothing is.
std::string problem_text(const ControlsContext& context, run::Field field);

// The values of a ChoiceField with their labels, each with the reason why it cannot be chosen now:
// the setting does not apply, or the specification would have a problem that it has not yet.
std::vector<Choice> field_choices_of(const ControlsContext& context, run::Field field);

// The control of a setting: slider, joined buttons or a list, switch, or a field for a number.
void draw_field(const ControlsContext& context, run::Field field, float width);

// All settings of a section of the table, folded away under a heading that says how many of them
// are not as they are by default.
void draw_folded_fields(const ControlsContext& context, const char* id, std::string_view title,
                        std::span<const run::Field> fields, float width);

}  // namespace ts::views
