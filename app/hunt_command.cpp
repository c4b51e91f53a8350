#include "app/hunt_command.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/catalogue.h"
#include "app/confirm_run.h"
#include "app/engine_loader.h"
#include "app/hunt_board.h"
#include "app/hunt_picture.h"
#include "app/interrupt.h"
#include "app/report.h"
#include "app/spec_arguments.h"
#include "app/target_arguments.h"
#include "core/base/clock.h"
#include "core/io/file.h"
#include "core/run/hunt_table.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

struct HuntQuestion {
  run::WorkloadSpec spec;
  run::PredictionTarget target;
  std::vector<run::HuntAxis> axes;
};

base::Result<HuntQuestion> read_hunt_question(const HuntCommand& command,
                                              const run::GpuCatalogue& gpus) {
  HuntQuestion question;
  if (command.axes.empty() || command.axes.size() > 2) {
    return base::fail("A hunt goes along one axis or over two: --axis T");
  }
  for (const std::string& text : command.axes) {
    auto axis = run::parse_hunt_axis(text);
    if (!axis) return tl::unexpected(axis.error());
    question.axes.push_back(*axis);
  }
  if (question.axes.size() == 2 && question.axes[0].field == question.axes[1].field) {
    return base::fail(std::string(run::field_name(question.axes[0].field)) + " is given twice");
  }
  auto found = targeted_spec(command.spec, command.gpu, command.cpu, gpus);
  if (!found) return tl::unexpected(found.error());
  question.spec = std::move(found->spec);
  question.target = std::move(found->target);
  for (const run::HuntAxis& axis : question.axes) {
    if (!run::field_applies(question.spec, axis.field)) {
      return base::fail(std::string(run::field_name(axis.field)) + " changes nothing for " +
                        run::to_string(question.spec.workload) + ": hunt along another size");
    }
  }
  if ((command.every_cell || command.out) && question.axes.size() == 1) {
    return base::fail("--every-cell and --out are for a map: give --axis twice");
  }
  if (command.confirm && !command.cpu) {
    return base::fail("--confirm runs the edge for real, on this machine: give --cpu");
  }
  return question;
}

// Dry run and allocator model, as tensorscope predict asks them.
run::Probe predicted(run::DryRunner& runner, const HuntQuestion& question,
                     const run::CudaScratch& scratch) {
  return [&](const run::WorkloadSpec& spec) -> base::Result<run::ProbeAnswer> {
    base::StringTable strings;
    auto dry = runner.dry_run(spec, run::dry_run_options(question.target), strings, {});
    if (!dry) return base::fail(dry.error().sentence);
    const run::Prediction prediction =
        run::predict(*dry, strings, question.target, run::allocator_settings_of(spec), &scratch);
    return run::ProbeAnswer{prediction.fit, prediction.needed, prediction.sentence,
                            prediction.peak_requested};
  };
}

nlohmann::json answer_json(const run::ProbeAnswer& answer) {
  return {{"verdict", run::to_string(answer.fit)},
          {"needed", answer.needed},
          {"reason", answer.reason.sentence}};
}

nlohmann::json target_json(const run::PredictionTarget& target) {
  return {{"name", target.name}, {"memory", target.memory}, {"capacity", target.capacity()}};
}

nlohmann::json optional_json(const std::optional<std::int64_t>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

void print_json(const nlohmann::json& json) {
  std::printf("%s\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

// Real runs at both sides of the edge; what differs from the prediction is said.
base::Result<nlohmann::json> confirm(const HuntQuestion& question, const run::EdgeHunt& hunt) {
  auto all = nlohmann::json::array();
  for (const auto& [value, expected] : {std::pair{hunt.fits, true}, {hunt.oom, false}}) {
    if (!value) continue;
    run::WorkloadSpec spec = question.spec;
    static_cast<void>(
        run::set_field(spec, run::field_name(question.axes[0].field), std::to_string(*value)));
    spec.memory_limit = question.target.memory;
    std::fprintf(stderr, "Running %s = %s for real\n", run::field_name(question.axes[0].field),
                 text::grouped(*value).c_str());
    const auto ran = confirm_in_fresh_process(spec);
    if (!ran) return tl::unexpected(ran.error());
    all.push_back({{"at", *value},
                   {"verdict", ran->fits ? "ok" : "oom"},
                   {"peak_allocated", ran->peak_allocated},
                   {"agrees", ran->fits == expected}});
  }
  return all;
}

int hunt_along_axis(const HuntCommand& command, const HuntQuestion& question,
                    const run::Probe& probe, const base::CancelToken& cancel) {
  const run::HuntAxis& axis = question.axes[0];
  const std::int64_t begin_ns = base::now_ns();
  const run::Probe told = [&](const run::WorkloadSpec& spec) {
    if (InterruptGuard::interrupted()) cancel.cancel();
    return probe(spec);
  };
  const auto hunt = run::hunt_edge(question.spec, axis, question.target.name, told, cancel);
  if (!hunt) return report(hunt.error().sentence, 1);
  const double seconds = static_cast<double>(base::now_ns() - begin_ns) * 1e-9;
  nlohmann::json confirmed = nullptr;
  if (command.confirm) {
    auto ran = confirm(question, *hunt);
    if (!ran) return report(ran.error().sentence, 1);
    confirmed = std::move(*ran);
  }
  auto probes = nlohmann::json::array();
  for (const run::HuntProbe& one : hunt->probes) {
    nlohmann::json json = answer_json(one.answer);
    json["at"] = {{run::field_name(axis.field), one.at[0]}};
    probes.push_back(std::move(json));
  }
  if (command.json) {
    print_json({{"spec", run::to_json(question.spec)},
                {"target", target_json(question.target)},
                {"axis", run::field_name(axis.field)},
                {"range", {axis.low, axis.high}},
                {"largest_that_fits", optional_json(hunt->fits)},
                {"smallest_oom", optional_json(hunt->oom)},
                {"sentence", hunt->sentence},
                {"probes", std::move(probes)},
                {"confirmed", confirmed},
                {"seconds", seconds}});
  } else {
    std::printf("%s\n", hunt->sentence.c_str());
    int number = 0;
    for (const run::HuntProbe& one : hunt->probes) {
      std::printf("  %2d  %s = %-9s %s\n", ++number, run::field_name(axis.field),
                  text::grouped(one.at[0]).c_str(), one.answer.reason.sentence.c_str());
    }
    for (const auto& one : confirmed.is_null() ? nlohmann::json::array() : confirmed) {
      std::printf("  run for real: %s = %s %s, peak %s%s\n", run::field_name(axis.field),
                  text::grouped(one["at"].get<std::int64_t>()).c_str(),
                  one["verdict"].get<std::string>().c_str(),
                  text::bytes(one["peak_allocated"].get<std::int64_t>()).joined().c_str(),
                  one["agrees"].get<bool>() ? "" : ": not as predicted");
    }
  }
  return 0;
}

// Real runs of the cells at both sides of the frontier.
base::Result<void> confirm(const HuntQuestion& question, run::HuntMap& map) {
  for (const std::size_t cell : run::frontier_cells(map)) {
    if (InterruptGuard::interrupted()) break;
    run::WorkloadSpec spec = map.spec_of(cell);
    spec.memory_limit = question.target.memory;
    const std::size_t width = map.x_values().size();
    std::fprintf(stderr, "Running %s = %s, %s = %s for real\n", run::field_name(map.x().field),
                 text::grouped(map.x_values()[cell % width]).c_str(),
                 run::field_name(map.y().field),
                 text::grouped(map.y_values()[cell / width]).c_str());
    const auto ran = confirm_in_fresh_process(spec);
    if (!ran) return tl::unexpected(ran.error());
    map.confirm(cell, {ran->fits, ran->peak_allocated});
  }
  return {};
}

void print_confirmed(const run::HuntMap& map) {
  if (map.confirmed().empty()) return;
  std::int64_t others = 0;
  double worst = 0;
  for (const std::size_t index : map.confirmed()) {
    const run::HuntCell& cell = map.cell(index);
    others += cell.contradicted() ? 1 : 0;
    worst = std::max(worst, std::abs(cell.peak_error().value_or(0)));
  }
  std::printf("%s cells run for real, %s not as predicted, worst error of a peak %s %%\n",
              text::grouped(static_cast<std::int64_t>(map.confirmed().size())).c_str(),
              text::grouped(others).c_str(), text::decimal(worst * 100, 3).c_str());
}

void print_map(const run::HuntMap& map, const run::PredictionTarget& target) {
  std::printf("GiB needed on %s (%s); * tight, x out of memory, < and > from neighbouring cells\n",
              target.name.c_str(), text::bytes(target.memory).joined().c_str());
  const io::TextTable grid = run::hunt_grid(map);
  const auto print_row = [](const std::vector<std::string>& cells) {
    for (const std::string& words : cells) {
      // printf counts bytes, and a dash has three.
      const int width = words == text::kNoNumber ? 12 : 10;
      std::printf("%*s", width, words.c_str());
    }
    std::printf("\n");
  };
  print_row(grid.columns);
  for (const auto& row : grid.rows) print_row(row);
}

int hunt_over_plane(const HuntCommand& command, const HuntQuestion& question,
                    const run::Probe& probe, const base::CancelToken& cancel) {
  const std::int64_t begin_ns = base::now_ns();
  const auto on_cell = [&](std::size_t) {
    if (InterruptGuard::interrupted()) cancel.cancel();
  };
  run::HuntMap map(question.spec, question.axes[0], question.axes[1], run::kMapSide);
  const auto depth = command.every_cell ? run::MapDepth::every_cell : run::MapDepth::frontier;
  if (const auto filled = run::fill(map, depth, probe, on_cell, cancel); !filled) {
    return report(filled.error().sentence, 1);
  }
  const double seconds = static_cast<double>(base::now_ns() - begin_ns) * 1e-9;
  if (command.confirm) {
    if (const auto confirmed = confirm(question, map); !confirmed) {
      return report(confirmed.error().sentence, 1);
    }
  }
  if (command.out) {
    if (const auto written = write_hunt_files(*command.out, map, question.target); !written) {
      return report(written.error().sentence, 1);
    }
    auto graphics = Graphics::open(Graphics::Kind::off_screen, 64, 64);
    if (!graphics) return report(graphics.error().sentence, 1);
    if (const auto drawn = save_hunt_picture(**graphics, map, nullptr, question.target, {},
                                             *command.out / "hunt.png");
        !drawn) {
      return report(drawn.error().sentence, 1);
    }
  }
  if (command.json) {
    nlohmann::json json = run::to_json(map);
    json["spec"] = run::to_json(question.spec);
    json["target"] = target_json(question.target);
    json["cancelled"] = cancel.cancelled();
    json["seconds"] = seconds;
    print_json(json);
    return 0;
  }
  print_map(map, question.target);
  const auto count = [](std::size_t number) {
    return text::grouped(static_cast<std::int64_t>(number));
  };
  std::printf("%s cells from %s dry runs in %s s%s\n", count(map.size()).c_str(),
              count(map.log().size()).c_str(), text::decimal(seconds, 2).c_str(),
              cancel.cancelled() ? ", cancelled" : "");
  print_confirmed(map);
  return 0;
}

}  // namespace

int hunt_memory(const HuntCommand& command) {
  const InterruptGuard guard;
  const auto question = read_hunt_question(command, built_in_gpus());
  if (!question) return report(question.error().sentence, 2);
  note(without_effect(command.spec.settings, question->spec));
  if (command.out) {
    if (auto made = io::make_folder(*command.out); !made) return report(made.error().sentence, 2);
  }
  const auto runner = make_dry_runner_loader()();
  if (!runner) return report(runner.error().sentence, 1);
  const run::CudaScratch scratch = built_in_scratch();
  const run::Probe probe = predicted(**runner, *question, scratch);
  const base::CancelToken cancel;
  return question->axes.size() == 1 ? hunt_along_axis(command, *question, probe, cancel)
                                    : hunt_over_plane(command, *question, probe, cancel);
}

}  // namespace ts::app
