#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/pictures/picture.h"
#include "app/session/catalogue.h"
#include "app/session/languages.h"
#include "app/window/workspace_picture.h"
#include "core/io/file.h"
#include "core/stats/occupancy.h"
#include "core/stepper/step_table.h"
#include "core/stepper/stepper.h"
#include "core/text/message.h"
#include "views/calculate/stepper_picture.h"

namespace ts::app {
namespace {

struct StepCommand {
  std::string stepper;                // empty: list them
  std::vector<std::string> settings;  // "T=128"
  std::string gpu;
  std::string format;  // empty: as the name of the file says, else md
  std::string language = "en";
  std::filesystem::path out;
  // Of a picture.
  std::optional<std::size_t> at;  // the step; unset: the last
  std::string theme = "light";
  std::string size = "1600x960";
};

using Json = nlohmann::json;

// A stepper with its numbers, and the card that its tiles are for.
struct Chosen {
  const stepper::Stepper& of;
  calculate::Chosen numbers;
  stepper::Walk walk;
  std::optional<stepper::TileFit> fit;
};

std::string list_of_steppers(const text::Texts& texts) {
  std::string list;
  for (const stepper::Stepper& one : stepper::steppers()) {
    const std::string id = one.id;
    list += id + "  " + texts("stepper.title." + id) + "\n   ";
    for (const calculate::Input& input : one.inputs)
      list += " " + std::string(input.name) + "=" + std::to_string(input.start);
    list += "\n    " + std::string(texts("stepper.about." + id)) + "\n";
  }
  return list;
}

base::Result<Chosen> chosen_by(const StepCommand& command) {
  const auto found = stepper::stepper_from(command.stepper);
  if (!found) return tl::unexpected(found.error());
  const stepper::Stepper& of = **found;
  calculate::Chosen numbers(of.id, of.inputs);
  for (const std::string& setting : command.settings) {
    if (const auto set = numbers.set(setting); !set) return tl::unexpected(set.error());
  }
  Chosen chosen{.of = of, .numbers = numbers, .walk = of.begin(numbers), .fit = {}};
  if (command.gpu.empty()) return chosen;
  const auto* const tiles = std::get_if<stepper::TiledAttention>(&chosen.walk);
  if (tiles == nullptr) return text::fail("stepper_error.no_tiles");
  const spec::GpuCatalogue gpus = built_in_gpus();
  const auto gpu = gpus.require(command.gpu);
  if (!gpu) return tl::unexpected(gpu.error());
  chosen.fit = stepper::fit_of(
      (*gpu)->name, stats::largest_shared_block((*gpu)->compute_capability), tiles->sizes());
  return chosen;
}

std::string json_of(Chosen& chosen) {
  Json inputs = Json::object(), figures = Json::object();
  for (std::size_t i = 0; i < chosen.of.inputs.size(); ++i)
    inputs[chosen.of.inputs[i].name] = chosen.numbers.of(i);
  const auto number = [](double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  for (const calculate::Figure& figure : stepper::figures_of(chosen.walk))
    figures[figure.name] = number(figure.value);
  Json columns = Json::array(), steps = Json::array();
  for (const stepper::Column& column : chosen.of.columns) columns.push_back(column.name);
  for (std::size_t step = 0; step < stepper::steps_of(chosen.walk); ++step) {
    Json row = Json::array();
    for (const double value : stepper::row_of(chosen.walk, step)) row.push_back(number(value));
    steps.push_back(
        {{"numbers", std::move(row)}, {"said", stepper::said_at(chosen.walk, step).sentence}});
  }
  Json document{{"stepper", chosen.of.id},       {"source", chosen.of.source},
                {"inputs", std::move(inputs)},   {"figures", std::move(figures)},
                {"columns", std::move(columns)}, {"steps", std::move(steps)}};
  if (chosen.fit) {
    document["shared_memory"] = {{"fits", chosen.fit->fits},
                                 {"limit", chosen.fit->limit},
                                 {"sentence", chosen.fit->said.sentence}};
  }
  return io::json_text(document);
}

std::string format_of(const StepCommand& command) {
  if (!command.format.empty()) return command.format;
  const std::string extension = command.out.extension().string();
  for (const char* const known : {"csv", "json", "tex"})
    if (extension == std::string(".") + known) return known;
  return "md";
}

std::string words_of(Chosen& chosen, const std::string& format, const text::Texts& texts) {
  if (format == "json") return json_of(chosen);
  const io::TextTable table = stepper::step_table(chosen.of, chosen.walk, texts, format == "csv");
  const std::string id = chosen.of.id;
  const std::string title = texts("stepper.title." + id);
  if (format == "csv") return io::to_csv(table);
  if (format == "tex") return io::to_latex(table, title, id);
  std::string words = title + "\n\n" + io::to_markdown(table) + "\n" +
                      io::to_markdown(stepper::figure_table(chosen.walk, texts)) + "\n";
  if (chosen.fit) words += texts(chosen.fit->said.key, chosen.fit->said.arguments) + "\n\n";
  return words + std::string(texts("stepper.about." + id)) + "\n" +
         texts("calculate.source", {{"source", chosen.of.source}}) + "\n";
}

// As PNG and, beside it, as SVG.
int draw_picture(const StepCommand& command, Chosen& chosen, text::Language language) {
  const std::size_t last = stepper::steps_of(chosen.walk) - 1;
  const std::size_t step = command.at.value_or(last);
  if (step > last) return report("--at takes 0 to " + std::to_string(last), 2);
  const auto size = picture_size(command.size);
  if (!size) return report(size.error().sentence, 2);
  auto graphics = Graphics::open(Graphics::Kind::off_screen, 64, 64);
  if (!graphics) return report(graphics.error().sentence, 1);
  const views::Theme& theme =
      views::theme(command.theme == "dark" ? views::ThemeKind::dark : views::ThemeKind::light);
  constexpr float kWidth = 1060;  // at scale 1
  const views::Metrics metrics{std::max(1.0F, static_cast<float>(size->width) / kWidth)};
  const FigurePage page{.language = language,
                        .width = size->width,
                        .height = size->height,
                        .background = theme.bg,
                        .scale = metrics.scale,
                        .margin = metrics.px(16)};
  const auto draw = [&](views::DrawSink& sink, const views::Rect& area, const text::Texts& texts) {
    views::draw_stepper(sink, area,
                        {.theme = theme,
                         .metrics = metrics,
                         .texts = texts,
                         .stepper = chosen.of,
                         .walk = chosen.walk,
                         .step = step,
                         .fit = chosen.fit ? &*chosen.fit : nullptr});
  };
  const auto saved =
      save_figure(**graphics, page, draw, command.out.parent_path(), command.out.stem().string());
  return saved ? 0 : report(saved.error(), 1);
}

int run_step(const StepCommand& command) {
  const auto language = text::language_from_code(command.language);
  if (!language) return report(language.error(), 2);
  text::Texts texts = built_in_texts();
  texts.choose(*language);
  std::string words;
  if (command.stepper.empty()) {
    if (!command.out.empty()) return report("--out needs a stepper", 2);
    words = list_of_steppers(texts);
  } else {
    auto chosen = chosen_by(command);
    if (!chosen) return report(chosen.error(), 2);
    if (command.format.empty() && command.out.extension() == ".png")
      return draw_picture(command, *chosen, *language);
    words = words_of(*chosen, format_of(command), texts);
  }
  if (command.out.empty()) {
    std::fputs(words.c_str(), stdout);
    return 0;
  }
  const auto written = io::write_file(command.out, words);
  return written ? 0 : report(written.error(), 1);
}

}  // namespace

ParsedCommand step_command(CLI::App& app) {
  const auto options = std::make_shared<StepCommand>();
  app.add_option("STEPPER", options->stepper, "Which one; without it all are listed")
      ->option_text(" ");
  app.add_option("NAME=NUMBER", options->settings, "Numbers that differ from the listed ones")
      ->option_text("...");
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
  app.add_option("--lang", options->language, "en, zh-CN or zh-TW");
  app.add_option("--out", options->out,
                 "Write to this file, instead of standard output; FILE.png (and .svg): a picture")
      ->type_name("FILE");
  return parsed_command(options, run_step);
}

}  // namespace ts::app
