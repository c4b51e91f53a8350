#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/spec/spec_fields.h"
#include "views/common/widgets.h"
#include "views/controls/controls_view.h"

// Controls of single settings, built from their row in the table of settings.
namespace ts::views {

// Why the setting has no effect here, in the current language. Empty if it has one.
std::string reason_text(const ControlsContext& context, spec::Field field);
// The problem with its value. Empty if there is none.
std::string problem_text(const ControlsContext& context, spec::Field field);

// Sets the field of `spec` as typed. If that cannot be, false, and the history keeps the reason.
bool set_typed(const ControlsContext& context, spec::Field field, const std::string& typed,
               spec::WorkloadSpec& spec);
// Draws why the last input of the field was not taken; false: it was.
bool draw_refusal(const ControlsContext& context, spec::Field field);

// The values of a ChoiceField with their labels. Each has the reason why it cannot be chosen now:
// the setting does not apply, or the specification would get a new problem.
std::vector<Choice> field_choices_of(const ControlsContext& context, spec::Field field);

// The control of a setting: a slider, joined buttons or a list, a switch, or a number field.
void draw_field(const ControlsContext& context, spec::Field field, float width);

// Indices of choices: those that can be chosen, and those that this machine or the other settings
// refuse. The current choice is always in the first group. If all are refused, all are in it.
struct SortedChoices {
  std::vector<std::size_t> possible;
  std::vector<std::size_t> refused;
};
SortedChoices sorted_choices(const std::vector<Choice>& choices, int chosen);
// "2 not here", a fold that opens on a click. Draws nothing if nothing is refused. Returns whether
// it is open.
bool draw_refused_fold(const Ui& ui, const char* id, const SortedChoices& choices);

// The settings that have no effect here: nothing if there are none, else one line with their
// number, which opens to show them.
void draw_idle_fields(const Ui& ui, const char* id, std::span<const spec::Field> fields,
                      const std::function<void(spec::Field)>& draw);

// All settings of a section of the table, folded under a heading with the number of non-default
// ones. Settings that have no effect here are in a second fold.
void draw_folded_fields(const ControlsContext& context, const char* id, std::string_view title,
                        std::span<const spec::Field> fields, float width);

}  // namespace ts::views
