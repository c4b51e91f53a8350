#include "app/commands/hunt_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/commands/target_arguments.h"
#include "app/output/output_folder.h"
#include "app/output/own_report.h"
#include "app/pictures/hunt_picture.h"
#include "app/ranks/confirm_run.h"
#include "app/session/card_questions.h"
#include "app/session/catalogue.h"
#include "app/session/engine_loader.h"
#include "app/session/interrupt.h"
#include "app/session/languages.h"
#include "core/base/clock.h"
#include "core/base/result_files.h"
#include "core/io/file.h"
#include "core/predict/data_parallel.h"
#include "core/predict/hunt_table.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

struct HuntQuestion {
  spec::WorkloadSpec spec;
  predict::PredictionTarget target;
  std::vector<predict::HuntAxis> axes;
};

base::Result<HuntQuestion> read_hunt_question(const HuntCommand& command,
                                              const spec::GpuCatalogue& gpus) {
  HuntQuestion question;
  TS_TRY(question.axes, axes_of(command));
  TS_TRY(auto found, targeted_spec(command.spec, command.gpu, command.cpu, gpus));
  question.spec = std::move(found.spec);
  question.target = std::move(found.target);
  if (const auto model = spec::model_of(question.spec); model && model->dimensions().empty()) {
    return tl::unexpected<base::Error>(
        text::message("hunt_error.no_dimension", {{"file", question.spec.model}}));
  }
  for (predict::HuntAxis& axis : question.axes) {
    if (!spec::field_applies(question.spec, axis.field)) {
      return base::fail(std::string(spec::field_name(axis.field)) + " changes nothing for " +
                        to_string(question.spec.workload) + ": hunt along another size");
    }
    const spec::FieldRange range = spec::size_range(question.spec, axis.field);
    if (axis.low > range.max || axis.high < range.min) {
      spec::WorkloadSpec outside = question.spec;
      static_cast<void>(spec::set_number(outside, axis.field, axis.low));
      return tl::unexpected<base::Error>(spec::validate(outside).front());
    }
    axis = predict::within(axis, question.spec);
  }
  if (command.confirm && !command.cpu) {
    return base::fail("--confirm runs the edge for real, on this machine: give --cpu");
  }
  return question;
}

// Runs the workload at both sides of the edge and reports differences from the prediction.
base::Result<nlohmann::json> confirm(const HuntQuestion& question, const predict::EdgeHunt& hunt) {
  auto all = nlohmann::json::array();
  std::vector<std::pair<std::optional<std::int64_t>, bool>> sides = {{hunt.fits, true},
                                                                     {hunt.oom, false}};
  if (!hunt.again.empty()) sides.emplace_back(hunt.largest(), true);
  for (const auto& [value, expected] : sides) {
    if (!value) continue;
    spec::WorkloadSpec spec = question.spec;
    static_cast<void>(
        spec::set_field(spec, spec::field_name(question.axes[0].field), std::to_string(*value)));
    spec.memory_limit = question.target.memory;
    std::fprintf(stderr, "Running %s = %s for real\n", spec::field_name(question.axes[0].field),
                 text::grouped(*value).c_str());
    TS_TRY(const auto ran, confirm_in_fresh_process(spec));
    all.push_back({{"at", *value},
                   {"verdict", ran.fits ? "ok" : "oom"},
                   {"peak_allocated", ran.peak_allocated},
                   {"agrees", ran.fits == expected}});
  }
  return all;
}

Exit hunt_along_axis(const HuntCommand& command, const HuntQuestion& question,
                     const predict::Probe& probe, const base::CancelToken& cancel) {
  const predict::HuntAxis& axis = question.axes[0];
  const std::int64_t begin_ns = base::now_ns();
  const predict::Probe printed = [&](const spec::WorkloadSpec& spec) {
    if (InterruptGuard::interrupted()) cancel.cancel();
    return probe(spec);
  };
  TS_TRY(const auto hunt,
         or_failed(find_edge(question.spec, axis, question.target.name, printed, cancel)));
  const double seconds = static_cast<double>(base::now_ns() - begin_ns) * 1e-9;
  nlohmann::json confirmed = nullptr;
  if (command.confirm) {
    TS_TRY(confirmed, or_failed(confirm(question, hunt)));
  }
  if (command.json) {
    nlohmann::json json = edge_json(hunt, question.spec, axis, question.target);
    json["confirmed"] = confirmed;
    json["seconds"] = seconds;
    print_json(json);
  } else {
    print_edge(hunt, axis);
    for (const auto& one : confirmed.is_null() ? nlohmann::json::array() : confirmed) {
      std::printf("  run for real: %s = %s %s, peak %s%s\n", spec::field_name(axis.field),
                  text::grouped(one["at"].get<std::int64_t>()).c_str(),
                  one["verdict"].get<std::string>().c_str(),
                  text::bytes(one["peak_allocated"].get<std::int64_t>()).joined().c_str(),
                  one["agrees"].get<bool>() ? "" : ": not as predicted");
    }
  }
  return 0;
}

// Runs the cells at both sides of the frontier for real.
base::Result<void> confirm(const HuntQuestion& question, predict::HuntMap& map) {
  for (const std::size_t cell : predict::frontier_cells(map)) {
    if (InterruptGuard::interrupted()) break;
    spec::WorkloadSpec spec = map.spec_of(cell);
    spec.memory_limit = question.target.memory;
    const std::size_t width = map.x_values().size();
    std::fprintf(stderr, "Running %s = %s, %s = %s for real\n", spec::field_name(map.x().field),
                 text::grouped(map.x_values()[cell % width]).c_str(),
                 spec::field_name(map.y().field),
                 text::grouped(map.y_values()[cell / width]).c_str());
    TS_TRY(const auto ran, confirm_in_fresh_process(spec));
    map.confirm(cell, {ran.fits, ran.peak_allocated});
  }
  return {};
}

void print_confirmed(const predict::HuntMap& map) {
  if (map.confirmed().empty()) return;
  std::int64_t others = 0;
  double worst = 0;
  for (const std::size_t index : map.confirmed()) {
    const predict::HuntCell& cell = map.cell(index);
    others += cell.contradicted() ? 1 : 0;
    worst = std::max(worst, std::abs(cell.peak_error().value_or(0)));
  }
  std::printf("%s cells run for real, %s not as predicted, worst error of a peak %s %%\n",
              text::grouped(map.confirmed().size()).c_str(), text::grouped(others).c_str(),
              text::decimal(worst * 100, 3).c_str());
}

void print_map(const predict::HuntMap& map, const predict::PredictionTarget& target) {
  std::printf("GiB needed on %s (%s); * tight, x out of memory, < and > from neighbouring cells\n",
              target.name.c_str(), text::bytes(target.memory).joined().c_str());
  const io::TextTable grid = predict::hunt_grid(map);
  const auto print_row = [](const std::vector<std::string>& cells) {
    for (const std::string& words : cells) {
      // printf counts bytes, and the dash has three bytes.
      const int width = words == text::kNoNumber ? 12 : 10;
      std::printf("%*s", width, words.c_str());
    }
    std::printf("\n");
  };
  print_row(grid.columns);
  for (const auto& row : grid.rows) print_row(row);
}

Exit hunt_over_plane(const HuntCommand& command, const HuntQuestion& question,
                     const predict::Probe& probe, const SaveParts& parts,
                     const base::CancelToken& cancel) {
  const std::int64_t begin_ns = base::now_ns();
  const auto on_cell = [&](std::size_t) {
    if (InterruptGuard::interrupted()) cancel.cancel();
  };
  predict::HuntMap map(question.spec, question.axes[0], question.axes[1], predict::kMapSide);
  TS_TRY_DONE(or_failed(predict::fill(map, depth_of(command), probe, on_cell, cancel)));
  const double seconds = static_cast<double>(base::now_ns() - begin_ns) * 1e-9;
  if (command.confirm) {
    TS_TRY_DONE(or_failed(confirm(question, map)));
  }
  return print_hunt_map(command, map, question.target, {seconds, cancel.cancelled()},
                        subject_of(map, question.target), parts);
}

// Finds the edge of memory by dry runs: with one axis the largest value that fits, with two a map.
// --confirm runs the values at both sides of the edge for real, each in its own process. Returns 0
// when there is an answer ("never fits" is one), 1 when a probe or a confirmation failed.
Exit hunt_memory(const HuntCommand& command) {
  if (const auto file = own_file_of(command.spec.model)) return hunt_own(command, *file);
  const InterruptGuard guard;
  TS_TRY(const auto question, read_hunt_question(command, built_in_gpus()));
  TS_TRY(const auto parts, parts_from(command.parts, command.out.has_value(), kPartsOfMany));
  note(without_effect(command.spec.settings, question.spec));
  if (const auto held = spec::holds_dimensions(question.spec); !held.empty()) note({held.sentence});
  TS_TRY(auto folder,
         OutputFolder::claim_if(command.out, names_of({base::kHuntFiles, base::kReportFiles})));
  TS_TRY(auto runner, or_failed(make_dry_runner_loader()()));
  if (command.data_parallel) runner = predict::data_parallel(std::move(runner));
  const predict::CudaScratch scratch = built_in_scratch();
  const predict::Probe probe = probe_on(*runner, question.target, scratch);
  const base::CancelToken cancel;
  // A cancelled hunt tells and writes its findings so far.
  if (question.axes.size() == 1) {
    TS_TRY_DONE(hunt_along_axis(command, question, probe, cancel));
  } else {
    TS_TRY_DONE(hunt_over_plane(command, question, probe, parts, cancel));
  }
  if (folder) {
    TS_TRY_DONE(or_failed(finish_with_report(*folder, *command.out, parts, built_in_texts())));
  }
  return cancel.cancelled() ? 1 : 0;
}

}  // namespace

base::Result<std::vector<predict::HuntAxis>> axes_of(const HuntCommand& command) {
  if (command.axes.empty() || command.axes.size() > 2)
    return base::fail("A hunt goes along one axis or over two: --axis T");
  if ((command.every_cell || command.out) && command.axes.size() == 1)
    return base::fail("--every-cell and --out are for a map: give --axis twice");
  std::vector<predict::HuntAxis> axes;
  for (const std::string& text : command.axes) {
    TS_TRY(const auto axis, predict::parse_hunt_axis(text));
    axes.push_back(axis);
  }
  if (axes.size() == 2 && axes[0].field == axes[1].field)
    return base::fail(std::string(spec::field_name(axes[0].field)) + " is given twice");
  return axes;
}

predict::MapDepth depth_of(const HuntCommand& command) {
  return command.every_cell ? predict::MapDepth::every_cell : predict::MapDepth::frontier;
}

Exit print_hunt_map(const HuntCommand& command, const predict::HuntMap& map,
                    const predict::PredictionTarget& target, const HuntEnd& end,
                    const HuntSubject& subject, const SaveParts& parts) {
  if (command.out) {
    TS_TRY_DONE(or_failed(write_hunt_files(*command.out, map, target, subject, parts)));
  }
  if (command.out && parts.has(SavePart::pictures)) {
    TS_TRY(auto graphics, or_failed(Graphics::open(Graphics::Kind::off_screen, 64, 64)));
    HuntPicture picture;
    picture.title = subject.caption + " " + subject.settings;
    TS_TRY_DONE(or_failed(save_hunt_picture(*graphics, map, nullptr, target, picture,
                                            *command.out / base::kHuntPicture)));
  }
  if (command.json) {
    nlohmann::json json = to_json(map);
    json["spec"] = subject.spec;
    json["target"] = target_json(target);
    json["cancelled"] = end.cancelled;
    json["seconds"] = end.seconds;
    print_json(json);
    return 0;
  }
  print_map(map, target);
  std::printf("%s cells from %s dry runs in %s s%s\n", text::grouped(map.size()).c_str(),
              text::grouped(map.log().size()).c_str(), text::decimal(end.seconds, 2).c_str(),
              end.cancelled ? ", cancelled" : "");
  print_confirmed(map);
  return 0;
}

void print_edge(const predict::EdgeHunt& hunt, const predict::HuntAxis& axis) {
  std::printf("%s\n", hunt.sentence.c_str());
  int number = 0;
  for (const predict::HuntProbe& one : hunt.probes) {
    std::printf("  %2d  %s = %-9s %s\n", ++number, spec::field_name(axis.field),
                text::grouped(one.at[0]).c_str(), one.answer.reason.sentence.c_str());
  }
}

ParsedCommand hunt_command(CLI::App& app) {
  const auto options = std::make_shared<HuntCommand>();
  add_workload(app, options->spec);
  app.add_option("--axis", options->axes, "Along which size: T or T=FROM:TO; twice for a map")
      ->type_name("KEY[=FROM:TO]")
      ->allow_extra_args(false);
  add_spec_options(app, options->spec);
  app.add_option("--gpu", options->gpu, "On this card; default: target_gpu")->type_name("NAME");
  app.add_flag("--cpu", options->cpu, "On this machine's CPU and its memory limit");
  CLI::Option* const ranks = add_data_parallel(app, options->data_parallel);
  app.add_flag("--confirm", options->confirm,
               "Run both sides of the edge or frontier for real, each in a fresh process; with "
               "--cpu")
      ->excludes(ranks);
  app.add_flag("--every-cell", options->every_cell,
               "Of a map: ask every cell, instead of those along the frontier");
  app.add_option("--out", options->out,
                 "Of a map: write hunt.json, the tables, the picture and a report there")
      ->type_name("DIR")
      ->excludes(ranks);
  add_parts(app, options->parts);
  add_json(app, options->json);
  add_own_options(app, options->own);
  app.footer(cards_help() + presets_help() + spec::field_help());
  return parsed_command(options, hunt_memory);
}

}  // namespace ts::app
