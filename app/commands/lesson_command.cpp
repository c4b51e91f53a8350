#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/lessons/lesson_runner.h"
#include "app/output/environment.h"
#include "app/output/lesson_files.h"
#include "app/output/output_folder.h"
#include "app/pictures/lesson_picture.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "app/session/interrupt.h"
#include "app/session/languages.h"
#include "app/window/save.h"
#include "core/io/file.h"
#include "core/io/private_folder.h"
#include "core/text/joined.h"

namespace ts::app {
namespace {

using namespace std::chrono_literals;

struct LessonCommand {
  bool list = false;
  bool rows = false;
  bool errors = false;
  bool quantities = false;
  std::string lesson;
  std::string tier;
  std::string guess;
  std::string language = "en";
  std::filesystem::path out;
  bool json = false;
};

int list_rows(const LessonCommand& command, text::Language language) {
  auto all = nlohmann::json::array();
  for (const lessons::Row& row : built_in_rows().rows) {
    const auto found = lessons::lessons_of(built_in_lessons(), row.id);
    const lessons::NamedText* const reason = built_in_rows().reason(row.reason);
    const std::string why = reason == nullptr ? "" : reason->text.in(language);
    if (command.json) {
      all.push_back({{"row", row.id},
                     {"title", row.title.in(language)},
                     {"lessons", found},
                     {"reason", why.empty() ? nlohmann::json() : nlohmann::json(why)}});
    } else {
      std::printf("%-8s %-52s %s\n", row.id.c_str(), row.title.in(language).c_str(),
                  found.empty() ? why.c_str() : ("lesson " + text::joined(found, ", ")).c_str());
    }
  }
  if (command.json) print_json(all);
  return 0;
}

int list_errors(const LessonCommand& command, text::Language language) {
  auto all = nlohmann::json::array();
  for (const lessons::MaterialError& one : built_in_errors().errors) {
    const std::string& evidence = built_in_errors().kind(one.evidence)->text.in(language);
    if (command.json) {
      all.push_back(
          {{"error", one.id},
           {"rows", one.rows},
           {"published", one.published.in(language)},
           {"correct", one.correct.in(language)},
           {"evidence", evidence},
           {"shown_by", one.shown_by},
           {"both", one.both ? nlohmann::json("lesson run " + one.both->id) : nlohmann::json()}});
    } else {
      std::printf("%-5s %s\n      %s\n      %s\n      %s%s%s\n", one.id.c_str(),
                  text::joined(one.rows, ", ").c_str(), one.published.in(language).c_str(),
                  one.correct.in(language).c_str(), evidence.c_str(),
                  one.shown_by.empty() ? "" : ": tensorscope ", one.shown_by.c_str());
      if (one.both)
        std::printf("      both variants: tensorscope lesson run %s\n", one.both->id.c_str());
    }
  }
  if (command.json) print_json(all);
  return 0;
}

const char* takes_words(lessons::Takes takes) {
  constexpr const char* kWords[] = {
      "",         "(N)",       "(NAME)",       "(SERIES, KEY = VALUE)",
      "(SERIES)", "(SETTING)", "(NAME, TYPE)", "(NAME, X)",
      "(TERM)",   "(FIGURE)",  "(NAME)"};
  return kWords[static_cast<std::size_t>(takes)];
}

int list_quantities(const LessonCommand& command) {
  auto all = nlohmann::json::array();
  for (const lessons::QuantityRow& row : lessons::quantity_rows()) {
    const std::string name = std::string(row.name) + takes_words(row.takes);
    if (command.json) {
      all.push_back({{"kind", to_string(row.kind)},
                     {"name", name},
                     {"nature", to_string(row.nature)},
                     {"meaning", row.meaning}});
    } else {
      std::printf("%-8s %-58s %-10s %s\n", to_string(row.kind), name.c_str(), to_string(row.nature),
                  row.meaning);
    }
  }
  if (command.json) print_json(all);
  return 0;
}

int list_lessons(const LessonCommand& command, text::Language language) {
  auto all = nlohmann::json::array();
  for (const lessons::Lesson& one : built_in_lessons()) {
    std::vector<std::string> tiers;
    for (int i = 0; i < lessons::kTierCount; ++i) {
      const auto tier = static_cast<lessons::Tier>(i);
      if (one.has(tier)) tiers.emplace_back(to_string(tier));
    }
    if (command.json) {
      all.push_back({{"id", one.id},
                     {"title", one.title.in(language)},
                     {"rows", one.rows},
                     {"tiers", tiers},
                     {"minutes", one.minutes}});
    } else {
      std::printf("%-18s %-18s %-46s %s\n", one.id.c_str(), text::joined(tiers, ", ").c_str(),
                  one.title.in(language).c_str(), text::joined(one.rows, ", ").c_str());
    }
  }
  if (command.json) print_json(all);
  return 0;
}

// Finds a built-in lesson by its id, or opens a lesson file.
base::Result<lessons::Lesson> find_lesson(const std::string& name) {
  if (const lessons::Lesson* const one = built_in_lesson(name)) return *one;
  std::error_code ignored;
  const bool path = name.find('/') != name.npos || name.ends_with(".json") ||
                    std::filesystem::exists(name, ignored);
  if (!path) {
    std::vector<std::string> ids;
    for (const lessons::Lesson& one : built_in_lessons()) ids.push_back(one.id);
    return base::fail(
        "There is no lesson \"" + name + "\"; there are " + text::joined(ids, ", ") +
        ", e-N for an error of the material whose variants run, or the file of one of "
        "your own");
  }
  TS_TRY(const auto content, io::read_file(name));
  return lessons::read_lesson(content, name, built_in_gpus());
}

class LessonProgress {
 public:
  LessonProgress(const LessonRunner& runner, text::Language language)
      : runner_(&runner), language_(language) {}

  void ended(const std::string& step) {
    line_.clear();
    std::fprintf(stderr, "%zu of %zu  %s\n", runner_->steps_done(),
                 runner_->lesson().steps_in(runner_->tier()), title_of(step).c_str());
  }
  // On a terminal, rewrites the last line with the progress.
  void now() {
    if (!line_.is_shown_here() || runner_->current() == nullptr ||
        std::chrono::steady_clock::now() < next_) {
      return;
    }
    next_ = std::chrono::steady_clock::now() + 100ms;
    std::string line = title_of(runner_->current()->id) + ", " +
                       text::decimal(100 * runner_->fraction(), 0) + " %";
    if (const double left = runner_->seconds_left(); left >= 0) {
      line += ", about " + text::decimal(left, 0) + " s left";
    }
    line_.show(line);
  }
  void clear() { line_.clear(); }

 private:
  [[nodiscard]] std::string title_of(const std::string& step) const {
    return text::printable(runner_->lesson().step(step)->title.in(language_));
  }
  const LessonRunner* runner_;
  text::Language language_;
  ProgressLine line_;
  std::chrono::steady_clock::time_point next_;
};

// Runs the remaining steps. `graphics` may be null: then no pictures are made.
void run_steps(Session& session, LessonRunner& runner, Graphics* graphics,
               text::Language language) {
  LessonProgress progress(runner, language);
  std::vector<std::string> ended;
  runner.on_step = [&](const std::string& step) {
    progress.ended(step);
    ended.push_back(step);
  };
  const WorkspaceState state(default_preferences());
  runner.start();
  bool cancelled = false;
  while (runner.running()) {
    if (InterruptGuard::interrupted() && !cancelled) {
      cancelled = true;
      runner.cancel();
    }
    const bool news = session.update();
    runner.update();
    progress.now();
    for (const std::string& step : std::exchange(ended, {})) {
      if (graphics == nullptr) continue;
      if (auto saved = save_step_pictures(*graphics, session, state, runner, step); !saved) {
        note({saved.error().sentence});
      }
    }
    if (!news) std::this_thread::sleep_for(2ms);
  }
  progress.clear();
}

void print_findings(const LessonRunner& runner, const lessons::ReportInput& input,
                    const text::Texts& texts) {
  const lessons::Findings& findings = runner.findings();
  const lessons::Lesson& lesson = runner.lesson();
  std::printf("%s\n\n%s\n", text::printable(lesson.title.in(texts.language())).c_str(),
              io::to_markdown(lessons::values_table(input, texts)).c_str());
  if (!findings.checks.empty()) {
    std::printf("%s\n", io::to_markdown(lessons::checks_table(input, texts)).c_str());
  }
  for (const std::size_t index : findings.sentences) {
    const std::string& text = lesson.sentences[index].text.in(texts.language());
    std::printf("%s\n", text::printable(lessons::filled(lesson, findings, text)).c_str());
  }
  if (!input.guess || !lessons::is_right(lesson, findings, *input.guess)) return;
  std::printf("%s\n", lessons::verdict_text(lesson, findings, *input.guess, texts).c_str());
  const std::string error =
      lessons::curve_summary(lesson, input.tier, findings, *input.guess, texts);
  if (!error.empty()) std::printf("%s\n", error.c_str());
}

nlohmann::json lesson_document(const LessonRunner& runner, const nlohmann::json& environment,
                               text::Language language) {
  nlohmann::json json = to_json(runner.lesson(), runner.tier(), runner.findings(), language);
  auto steps = nlohmann::json::array();
  for (const lessons::Step& one : runner.lesson().steps) {
    const auto& plan = one.plans[static_cast<std::size_t>(runner.tier())];
    if (!plan) continue;
    steps.push_back({{"id", one.id},
                     {"kind", to_string(plan->kind)},
                     {"command", "tensorscope " + plan->command},
                     {"finished", runner.finished(one.id)}});
  }
  json["steps"] = std::move(steps);
  json["complete"] = runner.complete();
  json["environment"] = environment;
  json["guess"] = nullptr;
  json["guess_right"] = nullptr;
  if (const auto& guess = runner.guess()) {
    json["guess"] = guess->text;
    if (const auto right = lessons::is_right(runner.lesson(), runner.findings(), *guess)) {
      json["guess_right"] = *right;
    }
  }
  return json;
}

base::Result<lessons::Tier> tier_of(const LessonCommand& command, const lessons::Lesson& lesson) {
  if (command.tier.empty()) return lesson.first_tier();
  const auto tier = lessons::tier_from(command.tier);
  if (!tier) {
    return base::fail("--tier takes laptop, 8gb or 80gb, not \"" + command.tier + "\"");
  }
  if (lesson.has(*tier)) return *tier;
  return base::fail("The lesson " + lesson.id + " has no steps for " + command.tier);
}

std::string command_again(const LessonCommand& command, lessons::Tier tier) {
  std::string again = "tensorscope lesson run " + command.lesson + " --tier " + to_string(tier);
  if (!command.guess.empty()) again += " --guess \"" + command.guess + "\"";
  if (command.language != "en") again += " --lang " + command.language;
  return again + " --out DIR";
}

// The folder of a lesson: claimed when it is new, continued when it already holds this lesson.
base::Result<OutputFolder> folder_of(const LessonCommand& command) {
  std::error_code ignored;
  const bool continued = std::filesystem::exists(command.out / kLessonState, ignored);
  return continued ? OutputFolder::continue_in(command.out, kLessonFiles)
                   : OutputFolder::claim(command.out, kLessonFiles);
}

// Runs the steps of a lesson that its folder does not have yet and writes the report. Returns 0
// when all are done, whatever the checks report, 1 when one failed or was cancelled; finished steps
// are kept.
Exit run_lesson(const LessonCommand& command, text::Language language) {
  const InterruptGuard guard;
  TS_TRY(auto lesson, find_lesson(command.lesson));
  TS_TRY(const auto tier, tier_of(command, lesson));
  std::error_code ignored;
  const auto scratch =
      io::PrivateFolder::make(std::filesystem::temp_directory_path(ignored), "tensorscope-lesson-");
  if (!scratch && command.out.empty()) return report("There is no temporary folder: give --out", 1);
  const std::filesystem::path folder = command.out.empty() ? scratch->path() : command.out;
  Session session(make_engine_loader(), make_dry_runner_loader());
  session.want_roof();
  LessonRunner runner(session, std::move(lesson), tier, folder);
  TS_TRY_DONE(runner.open());
  if (!command.guess.empty()) {
    TS_TRY_DONE(runner.set_guess(command.guess));
  }
  std::optional<OutputFolder> claimed;
  if (!command.out.empty()) {
    TS_TRY(claimed, folder_of(command));
  }
  TS_TRY_DONE(or_failed(runner.keep()));
  std::unique_ptr<Graphics> graphics;
  if (claimed) {
    auto opened = Graphics::open(Graphics::Kind::off_screen, 64, 64);
    if (opened) graphics = std::move(*opened);
    if (!graphics) note({"no pictures: " + opened.error().sentence});
  }
  run_steps(session, runner, graphics.get(), language);

  const text::Texts texts = built_in_texts(language);
  const auto environment = environment_json(read_machine(), session.engine());
  lessons::ReportInput input = report_of(runner, command_again(command, tier));
  if (command.json) {
    print_json(lesson_document(runner, environment, language));
  } else {
    print_findings(runner, input, texts);
  }
  if (claimed) {
    base::Result<void> drawn;
    if (graphics) {
      drawn = save_lesson_figure(*graphics, runner.lesson(), tier, runner.findings(),
                                 runner.guess(), language, folder);
    }
    if (!drawn) note({drawn.error().sentence});
    TS_TRY_DONE(or_failed(write_lesson_report(folder, std::move(input), texts, environment)));
    TS_TRY_DONE(or_failed(claimed->finish()));
    print_written(command.out);
  }
  if (!runner.problem().empty()) return report(runner.problem(), 1);
  if (runner.complete()) return 0;
  return report(command.out.empty() ? std::string("Cancelled")
                                    : "Cancelled: the same command goes on with what is missing",
                1);
}

Exit lesson(const LessonCommand& command) {
  TS_TRY(const auto language, text::language_from_code(command.language));
  if (!command.list) return run_lesson(command, language);
  if (command.quantities) return list_quantities(command);
  if (command.errors) return list_errors(command, language);
  return command.rows ? list_rows(command, language) : list_lessons(command, language);
}

}  // namespace

ParsedCommand lesson_command(CLI::App& app) {
  const auto options = std::make_shared<LessonCommand>();
  app.require_subcommand(1);
  CLI::App* const list = app.add_subcommand("list", "Say which lessons there are");
  list->parse_complete_callback([options] { options->list = true; });
  list->add_flag("--rows", options->rows,
                 "Every row of the catalogue of exercises, with its lesson or why it has none");
  list->add_flag("--errors", options->errors,
                 "The errors of the material, what is right, and the evidence");
  list->add_flag("--quantities", options->quantities,
                 "Every number that the steps of a lesson have, by kind of step");
  CLI::App* const run = app.add_subcommand("run", "Do a lesson and write what is handed in");
  run->add_option("ID", options->lesson, "A lesson of the program, or the file of one of your own")
      ->required();
  run->add_option("--tier", options->tier,
                  "laptop: run here; 8gb, 80gb: predicted for such a card; default: the first");
  run->add_option("--guess", options->guess,
                  "What you expect, before the run: a number such as 4 or \"3 GiB\", or the number "
                  "of a choice");
  run->add_option("--out", options->out,
                  "Write report, tables, figures and snapshots there; the same folder goes on "
                  "where it ended")
      ->type_name("DIR");
  for (CLI::App* const one : {list, run}) {
    add_language(*one, options->language);
    add_json(*one, options->json);
  }
  return parsed_command(options, lesson);
}

}  // namespace ts::app
