#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/pictures/step_picture.h"
#include "app/session/catalogue.h"
#include "app/session/languages.h"
#include "app/window/workspace_picture.h"
#include "core/stats/occupancy.h"
#include "core/stepper/exercise.h"
#include "core/stepper/step_table.h"
#include "core/stepper/stepper.h"

namespace ts::app {
namespace {

struct StepCommand {
  std::string stepper;                // empty: list them
  std::vector<std::string> settings;  // "T=128"
  std::string gpu;
  std::string format;  // empty: as the name of the file says, else md
  std::string language = "en";
  std::filesystem::path out;
  // For a picture only.
  std::optional<std::size_t> at;  // the step; unset: the last
  std::string theme = "light";
  std::string size = "1600x960";
};

base::Result<stepper::Exercise> exercise_by(const StepCommand& command) {
  auto exercise = stepper::exercise_of(command.stepper, command.settings);
  if (!exercise || command.gpu.empty()) return exercise;
  const spec::GpuCatalogue gpus = built_in_gpus();
  TS_TRY(const auto gpu, gpus.require(command.gpu));
  const auto limit = stats::largest_shared_block(gpu->compute_capability);
  TS_TRY_DONE(stepper::choose_card(*exercise, gpu->name, limit));
  return exercise;
}

std::string format_of(const StepCommand& command) {
  if (!command.format.empty()) return command.format;
  const std::string extension = command.out.extension().string();
  for (const char* const known : {"csv", "json", "tex"})
    if (extension == std::string(".") + known) return known;
  return "md";
}

std::string text_of(const stepper::Exercise& exercise, stepper::Walk& walk,
                    const std::string& format, const text::Texts& texts) {
  if (format == "json") return io::json_text(to_json(exercise, walk));
  return stepper::document_text(exercise, walk, format, texts);
}

// As PNG and, beside it, as SVG.
Exit draw_picture(const StepCommand& command, const stepper::Exercise& exercise,
                  stepper::Walk& walk, text::Language language) {
  const std::size_t last = stepper::steps_of(walk) - 1;
  const std::size_t step = command.at.value_or(last);
  if (step > last) return base::fail("--at takes 0 to " + std::to_string(last));
  TS_TRY(const auto size, picture_size(command.size));
  TS_TRY(auto graphics, or_failed(Graphics::open(Graphics::Kind::off_screen, 64, 64)));
  const StepPicture look{
      .step = step,
      .theme = command.theme == "dark" ? views::ThemeKind::dark : views::ThemeKind::light,
      .language = language,
      .width = size.width,
      .height = size.height};
  const auto saved = save_step_picture(*graphics, exercise, walk, look, command.out.parent_path(),
                                       command.out.stem().string());
  return saved ? 0 : report(saved.error(), 1);
}

Exit run_step(const StepCommand& command) {
  TS_TRY(const auto texts, built_in_texts(command.language));
  std::string words;
  if (command.stepper.empty()) {
    if (!command.out.empty()) return base::fail("--out needs a stepper");
    words = list_of(stepper::steppers(), "stepper.title.", "stepper.about.", texts);
  } else {
    TS_TRY(const auto exercise, exercise_by(command));
    stepper::Walk walk = exercise.stepper->begin(exercise.chosen);
    if (command.format.empty() && command.out.extension() == ".png")
      return draw_picture(command, exercise, walk, texts.language());
    words = text_of(exercise, walk, format_of(command), texts);
  }
  return print_or_write(words, command.out);
}

}  // namespace

ParsedCommand step_command(CLI::App& app) {
  const auto options = std::make_shared<StepCommand>();
  add_listed(app, "STEPPER", options->stepper, options->settings);
  app.add_option("--gpu", options->gpu,
                 "Of tiles: whether they fit the shared memory of this card, and what would")
      ->type_name("NAME");
  app.add_option("--format", options->format, "md, csv, tex or json; else as --out is called")
      ->check(CLI::IsMember({"md", "csv", "tex", "json"}));
  app.add_option("--at", options->at, "Of a picture: the step; default the last")
      ->type_name("STEP");
  app.add_option("--theme", options->theme, "Of a picture: light or dark")
      ->check(CLI::IsMember({"light", "dark"}));
  app.add_option("--size", options->size, "Of a picture: pixels; default 1600x960")
      ->type_name("WxH");
  add_language(app, options->language);
  app.add_option("--out", options->out,
                 "Write to this file, instead of standard output; FILE.png (and .svg): a picture")
      ->type_name("FILE");
  return parsed_command(options, run_step);
}

}  // namespace ts::app
