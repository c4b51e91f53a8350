#include "app/commands/sweep_arguments.h"

#include <algorithm>
#include <utility>

#include "app/session/catalogue.h"
#include "app/window/workspace_picture.h"
#include "core/text/joined.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/text/typed_numbers.h"

namespace ts::app {
namespace {

// Takes the preset of a sweep out of the given ones; null: none of them is one.
const sweep::SweepPreset* take_sweep(std::vector<std::string>& presets) {
  for (auto one = presets.begin(); one != presets.end(); ++one) {
    if (const sweep::SweepPreset* const preset = built_in_sweeps().find(*one)) {
      presets.erase(one);
      return preset;
    }
  }
  return nullptr;
}

// Replaces a sweep preset by its settings; other arguments change or replace parts of it, a second
// preset its shape.
base::Result<SweepCommand> expanded(SweepCommand command) {
  const sweep::SweepPreset* const preset = take_sweep(command.spec.presets);
  if (preset == nullptr) {
    // With a workload or an axis given, it is the preset of a workload.
    if (command.spec.presets.empty() || !command.spec.workload.empty() || !command.axes.empty())
      return command;
    return base::fail("There is no sweep \"" + command.spec.presets.front() + "\"; there are " +
                      text::joined(built_in_sweeps().all(), ", ", &sweep::SweepPreset::id));
  }
  const std::string workload = to_string(preset->workload);
  if (command.spec.spec_file) return base::fail("--preset and --spec exclude each other");
  if (!command.spec.workload.empty() && command.spec.workload != workload) {
    return text::fail("sweep_error.other_workload",
                      {{"preset", preset->id}, {"workload", workload}});
  }
  if (command.axes.empty()) command.axes = preset->axes;
  if (command.series.empty()) command.series = preset->series;
  if (command.spec.presets.empty()) {
    command.spec.presets = {preset->preset};
  } else if (std::ranges::any_of(command.series, [](const std::string& series) {
               return series.starts_with("preset=");
             })) {
    return text::fail("sweep_error.own_presets",
                      {{"preset", preset->id}, {"other", command.spec.presets.front()}});
  }
  command.spec.workload = workload;
  std::vector<std::string> settings = preset->settings;
  const auto& given = command.spec.settings;
  if (command.gpu || std::ranges::find(given, "device=cuda") != given.end()) {
    settings.insert(settings.end(), preset->on_cuda.begin(), preset->on_cuda.end());
  }
  settings.insert(settings.end(), given.begin(), given.end());
  command.spec.settings = std::move(settings);
  return command;
}

// Sets the scale of the axes that "x", "y" or "xy" names.
base::Result<void> choose_scale(const std::string& axes, bool log, views::SweepStyle& look) {
  for (const char axis : axes) {
    std::optional<bool>* const chosen = axis == 'x'   ? &look.log_x
                                        : axis == 'y' ? &look.log_y
                                                      : nullptr;
    if (chosen == nullptr) {
      return base::fail("--linear and --log take x, y or xy, not \"" + axes + "\"");
    }
    if (*chosen) return base::fail(std::string("The axis ") + axis + " is given twice");
    *chosen = log;
  }
  return {};
}

base::Result<sweep::FitRange> fit_range(const std::string& text) {
  sweep::FitRange range;
  if (text.empty()) return range;
  const std::size_t colon = std::min(text.find(':'), text.size() - 1);
  const auto low = text::parse_count(text.substr(0, colon));
  const auto high = text::parse_count(text.substr(colon + 1));
  if (!low || !high || *low < 0 || *low > *high) {
    return base::fail("--fit takes FROM:TO such as 512:4096, not \"" + text + "\"");
  }
  range.low = *low;
  range.high = *high;
  return range;
}

}  // namespace

void take_steps(run::Protocol& protocol, int steps) {
  protocol.min_samples = protocol.max_samples = steps;
  protocol.hard_budget_s = 1e9;
}

base::Result<sweep::SweepSpec> spec_of(const SweepCommand& given,
                                       const spec::GpuCatalogue& catalogue) {
  TS_TRY(const auto command, expanded(given));
  sweep::SweepSpec spec;
  SpecArguments arguments = command.spec;
  if (command.gpu) {
    TS_TRY(const auto card, catalogue.require(*command.gpu));
    arguments.settings.push_back("target_gpu=" + card->name);
    arguments.settings.emplace_back("device=cuda");
  }
  TS_TRY(spec.base, spec_from_arguments(arguments, catalogue));
  for (const std::string& text : command.axes) {
    TS_TRY(auto axis, sweep::parse_axis(text));
    spec.axes.push_back(std::move(axis));
  }
  for (const std::string& text : command.series) {
    TS_TRY(auto series, sweep::parse_series(text));
    spec.series.push_back(std::move(series));
  }
  if (command.steps > 0) take_steps(spec.protocol, command.steps);
  if (command.max_seconds) spec.max_point_s = *command.max_seconds;
  TS_TRY_DONE(sweep::check(spec));
  return spec;
}

base::Result<FigureOptions> figure_options(const SweepCommand& command) {
  FigureOptions options;
  TS_TRY(const auto size, picture_size(command.size));
  options.width = size.width;
  options.height = size.height;
  if (command.theme != "dark" && command.theme != "light") {
    return base::fail("--theme takes dark or light, not \"" + command.theme + "\"");
  }
  options.theme = command.theme == "dark" ? views::ThemeKind::dark : views::ThemeKind::light;
  TS_TRY(options.language, text::language_from_code(command.language));
  for (const auto& [axes, log] :
       {std::pair{&command.linear, false}, std::pair{&command.log, true}}) {
    TS_TRY_DONE(choose_scale(*axes, log, options.look));
  }
  TS_TRY(options.look.fit, fit_range(command.fit));
  return options;
}

base::Result<void> same_measuring(const SweepCommand& command, const sweep::SweepSpec& known) {
  const auto other = [&](const char* option, const std::string& measured) {
    return base::fail("The sweep in " + command.out.string() + " was measured with " + measured +
                      ": leave out " + option + ", or give another folder");
  };
  if (command.steps > 0) {
    sweep::SweepSpec asked = known;
    take_steps(asked.protocol, command.steps);
    const bool fixed = known.protocol.min_samples == known.protocol.max_samples;
    if (!(asked == known)) {
      return other("--steps", fixed ? "--steps " + std::to_string(known.protocol.min_samples)
                                    : "as many steps as a median takes");
    }
  }
  if (command.max_seconds && *command.max_seconds != known.max_point_s) {
    return other("--max-seconds", "--max-seconds " + text::plain(known.max_point_s));
  }
  return {};
}

bool describes_a_sweep(const SweepCommand& command) {
  return !command.axes.empty() || !command.series.empty() || !command.spec.workload.empty() ||
         !command.spec.settings.empty() || !command.spec.presets.empty() ||
         command.spec.spec_file.has_value() || command.gpu.has_value();
}

}  // namespace ts::app
