#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/commands/spec_arguments.h"
#include "app/output/file_question.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "app/session/file_list.h"
#include "app/session/languages.h"
#include "app/window/workspace_picture.h"
#include "core/io/file.h"
#include "core/spec/spec_fields.h"
#include "views/sweep/sweep_controls.h"

namespace ts::app {
namespace {

struct ShotCommand {
  std::vector<std::string> shown;  // a workload, or files
  SpecArguments spec;
  std::string workspace = "run";
  std::optional<std::string> tab;               // of the table of operators
  std::optional<std::filesystem::path> sweep;   // a folder of tensorscope sweep, for that page
  std::optional<std::filesystem::path> lesson;  // the folder of one that was done
  std::optional<std::filesystem::path> bench;   // a folder of bench stages, for our kernels
  std::string size = "1920x1080";
  double scale = 1;
  std::string theme = "dark";
  std::string language = "en";
  std::filesystem::path out;
  std::vector<std::filesystem::path> files;  // to open instead of running a workload
};

base::Result<views::OperatorsTab> read_tab(const ShotCommand& command, Page page) {
  if (!command.tab) return views::OperatorsTab::op;
  if (page != Page::operators) {
    return base::fail("--tab chooses what --workspace operators shows; \"" + command.workspace +
                      "\" has no tabs");
  }
  return views::operators_tab_from_name(*command.tab);
}

base::Result<PictureOptions> read_options(const ShotCommand& command, Preferences& preferences) {
  TS_TRY(PictureOptions options, picture_size(command.size));
  const auto chosen = page_from_name(command.workspace);
  if (!chosen) return base::fail(chosen.error().sentence);
  options.page = chosen->page;
  options.projector = chosen->projector;
  if (command.lesson && !is_panel(options.page)) options.page = Page::lessons;
  if (command.sweep && !is_panel(options.page)) options.page = Page::sweep;
  if (command.bench) options.page = Page::kernels;
  if (command.scale < static_cast<double>(kMinScale) ||
      command.scale > static_cast<double>(kMaxScale)) {
    char shown[32];
    std::snprintf(shown, sizeof shown, "%g", command.scale);
    return base::fail(std::string("--scale takes 0.75 to 3, not ") + shown);
  }
  preferences.scale = static_cast<float>(command.scale);
  if (command.theme != "dark" && command.theme != "light") {
    return base::fail("--theme takes dark or light, not \"" + command.theme + "\"");
  }
  preferences.theme = command.theme == "light" ? views::ThemeKind::light : views::ThemeKind::dark;
  const auto language = text::language_from_code(command.language);
  if (!language) return base::fail(language.error().sentence);
  preferences.language = *language;
  return options;
}

// A picture needs few samples; its figures still follow the rules of measurement.
run::Protocol short_protocol() {
  run::Protocol protocol;
  protocol.budget_s = 1;
  protocol.hard_budget_s = 20;
  return protocol;
}

constexpr std::chrono::seconds kHuntTime{60};

constexpr bool shows_blocks(Page page) {
  return page >= Page::segments && page <= Page::growth;
}

// Chooses the form of the last file that the panel shows: a recording is a timeline and a snapshot.
// The error says why it has nothing to show.
base::Result<void> choose_form(OpenedFiles& files, Page page, const std::string& panel) {
  const OpenedFiles::Entry& entry = *files.current();
  const files::OpenedFile& opened = *entry.opened;
  const std::string name = entry.path.string();
  if (shows_blocks(page)) {
    if (opened.devices.empty()) {
      return base::fail(name +
                        " is a trace of a profiler, in which no block has a stack: " + panel +
                        " shows a memory snapshot or a recording; take run, timeline, memory, "
                        "operators or inspector");
    }
    if (opened.trace_shown(entry.device) != nullptr) files.choose_device(0);
  } else if ((page == Page::timeline || page == Page::operators) && opened.trace == nullptr) {
    return base::fail(name + " is a memory snapshot, which has no times of operators: " + panel +
                      " shows a trace or a recording; take run, memory, segments, reserved, "
                      "blocks, flame, difference, growth or inspector");
  } else if (page == Page::agreement) {
    return base::fail("agreement compares a run with its prediction, and " + name +
                      " is a file: name a workload in its place");
  } else if (page == Page::kernels) {
    return base::fail("kernels shows our kernels on a card, and " + name + " is another file");
  }
  return {};
}

// Nothing runs, so no engine is loaded.
Exit take_shot_of_files(const ShotCommand& command, const PictureOptions& options,
                        views::OperatorsTab tab, const Preferences& preferences) {
  Session session([]() -> base::Result<std::unique_ptr<run::Engine>> {
    return base::fail("a picture of a file needs no engine");
  });
  for (const std::filesystem::path& path : command.files) {
    if (const auto other = file_of_other_commands(path)) return tl::unexpected(*other);
    TS_TRY(const auto whole, io::absolute_path(path));
    if (listed(whole).kind == FileKind::session)
      return base::fail(whole.string() +
                        " is a saved session: tensorscope FILE opens it in the "
                        "window; shot takes the files that it shows");
    TS_TRY(auto opened, files::open_file(whole));
    session.files().add(std::move(opened));
  }
  TS_TRY_DONE(choose_form(session.files(), options.page, command.workspace));
  session.files().finish_replay();
  if (options.page == Page::reserved) session.files().finish_explanation();
  TS_TRY(auto graphics, or_failed(Graphics::open(Graphics::Kind::off_screen, 64, 64)));
  WorkspaceState state(preferences);
  state.operators_tab = tab;
  TS_TRY_DONE(or_failed(save_picture(*graphics, session, state, options, command.out)));
  return 0;
}

// No workload has the name of a path; a file may stand in this folder under any other name.
bool is_file(const std::string& word) {
  if (word.find_first_of("./") != std::string::npos) return true;
  std::error_code ignored;
  const auto workloads = spec::field_choices(spec::Field::workload);
  return std::ranges::find(workloads, word) == workloads.end() &&
         std::filesystem::exists(word, ignored);
}

// Sorts the positional words into workload and files.
base::Result<ShotCommand> with_what_is_shown(ShotCommand command) {
  for (const std::string& word : command.shown) {
    if (is_file(word)) {
      command.files.emplace_back(word);
    } else if (command.spec.workload.empty()) {
      command.spec.workload = word;
    } else {
      return base::fail("shot takes one workload: " + command.spec.workload + " or " + word);
    }
  }
  if (!command.files.empty() && !command.spec.workload.empty()) {
    return base::fail("shot takes a workload or files, not both");
  }
  return command;
}

// Runs the workload, or opens the file, then renders it to a PNG. A run out of memory gives a
// picture, too.
Exit take_shot(const ShotCommand& given) {
  TS_TRY(const ShotCommand command, with_what_is_shown(given));
  Preferences preferences = default_preferences();
  TS_TRY(const auto options, read_options(command, preferences));
  if (command.out.has_extension() && command.out.extension() != ".png")
    return base::fail(command.out.string() + " is not named FILE.png: a picture is a PNG");
  TS_TRY(const auto tab, read_tab(command, options.page));
  if (!command.files.empty()) return take_shot_of_files(command, options, tab, preferences);
  Session session(make_engine_loader(), make_dry_runner_loader());
  SpecArguments arguments = command.spec;
  if (arguments.workload.empty() && arguments.model.empty() && !arguments.spec_file) {
    arguments.workload = to_string(preferences.spec.workload);
    if (arguments.presets.empty()) arguments.presets = {"tiny"};
  }
  TS_TRY(preferences.spec, spec_from_arguments(arguments, session.gpus()));

  TS_TRY(auto graphics, or_failed(Graphics::open(Graphics::Kind::off_screen, 64, 64)));
  WorkspaceState state(preferences);
  state.operators_tab = tab;
  if (command.lesson) {
    TS_TRY_DONE(state.lessons->open_folder(session, *command.lesson));
  }
  if (command.bench) {
    TS_TRY(auto bench, kernel_plan::read_stage_bench(*command.bench));
    state.stages = std::make_shared<const kernel_plan::StageBench>(std::move(bench));
  }
  if (command.sweep) {
    TS_TRY_DONE(state.sweeps->load(session, *command.sweep));
    const sweep::SweepSpec& shown = state.sweeps->sweep()->spec();
    state.history.set(shown.base);
    state.sweep_edit = views::edit_of(shown, built_in_sweeps());
    state.sweeps->finish_predictions(session, kPredictionTime);
  } else if (options.page == Page::compare) {
    views::settle(state.compare_edit, state.history.checked());
    TS_TRY(const auto b, views::spec_of_b(state.compare_edit, state.history.checked()));
    compare_to_end(session, preferences.spec, b, short_protocol(), [](const run::Comparison&) {});
  } else if (options.page == Page::hunt || options.page == Page::lessons ||
             options.page == Page::kernels) {
    wait_for_engine(session);  // the map and the memory below it are predicted: nothing runs
  } else {
    run_to_end(session, preferences.spec, short_protocol(), [](const run::Run&) {});
  }
  // A sweep and a lesson's folder are shown without an engine.
  const bool asks_engine =
      !command.sweep && options.page != Page::lessons && options.page != Page::kernels;
  if (asks_engine && !session.engine_problem().empty()) return report(session.engine_problem(), 1);
  session.predictions().follow(state.history.spec(), session.engine());
  session.predictions().finish(kPredictionTime);
  if (options.page == Page::hunt) {
    views::settle(state.hunt_edit, state.history.spec());
    state.hunts->follow(session, state.history.spec(), state.hunt_edit);
    session.predictions().finish_hunt(kHuntTime);
    state.hunts->update(session);
  }
  TS_TRY_DONE(or_failed(save_picture(*graphics, session, state, options, command.out)));
  return 0;
}

}  // namespace

ParsedCommand shot_command(CLI::App& app) {
  const auto options = std::make_shared<ShotCommand>();
  app.add_option("WORKLOAD|FILE", options->shown,
                 "A workload to run, or memory snapshots and traces to open")
      ->option_text(" ");
  app.add_option(
      "--workspace", options->workspace,
      "run, sweep, hunt, ab, lessons, projector, or one panel: timeline, memory, segments, "
      "reserved, blocks, flame, difference, growth, operators, agreement, controls, inspector, "
      "kernels");
  app.add_option("--tab", options->tab,
                 "Of operators: operators, shapes, modules, phases, stacks, kernels or tree");
  app.add_option("--sweep", options->sweep, "Show this sweep on the sweep page")->type_name("DIR");
  app.add_option("--lesson", options->lesson, "Show the lesson that was done in this folder")
      ->type_name("DIR");
  app.add_option("--bench", options->bench, "Show our kernels with this result of bench stages")
      ->type_name("DIR");
  app.add_option("--size", options->size, "Pixels")->type_name("WxH");
  app.add_option("--scale", options->scale, "Size of text and controls, 0.75 to 3");
  app.add_option("--theme", options->theme, "dark or light");
  add_language(app, options->language);
  add_spec_options(app, options->spec);
  app.add_option("--out", options->out, "The picture to write")->type_name("FILE.png")->required();
  return parsed_command(options, take_shot);
}

}  // namespace ts::app
