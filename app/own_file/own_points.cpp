#include "app/own_file/own_points.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "core/predict/hunt.h"
#include "core/run/protocol_json.h"
#include "core/run/step_summary.h"
#include "core/text/joined.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"

namespace ts::app {
namespace {

using Status = sweep::PointStatus;

constexpr int kRecordedSteps = 2;

struct Named {
  std::string argument, values;
  const OwnArgument* described = nullptr;  // null: one of the further arguments
};

base::Result<Named> named_argument(const std::string& text, const char* option, const char* example,
                                   const OwnDescription& described) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return text::fail("sweep_error.form",
                      {{"option", option}, {"example", example}, {"value", text}});
  }
  Named named{text.substr(0, equals), text.substr(equals + 1)};
  const auto found = std::ranges::find(described.arguments, named.argument, &OwnArgument::name);
  if (found != described.arguments.end()) {
    named.described = &*found;
  } else if (!described.others) {
    const std::string known = text::joined(described.arguments, ", ", &OwnArgument::name);
    return text::fail("own_file.unknown", {{"argument", named.argument}, {"known", known}});
  }
  return named;
}

base::Result<OwnAxis> numbers_of(const Named& named) {
  TS_TRY(const auto numbers, sweep::parse_numbers(named.argument, named.values));
  OwnAxis axis{named.argument, {}, true};
  for (const std::int64_t number : numbers) axis.values.push_back(std::to_string(number));
  return axis;
}

std::int64_t number_at(const OwnPoint& point, const OwnAxis& axis) {
  return std::stoll(point.at.at(axis.argument));
}

// True where the sizes of a point are no smaller than those of another one of its series.
bool no_smaller(const OwnSweep& sweep, const OwnPoint& point, const OwnPoint& than) {
  return std::ranges::all_of(sweep.axes, [&](const OwnAxis& axis) {
    return axis.sized ? number_at(point, axis) >= number_at(than, axis)
                      : point.at.at(axis.argument) == than.at.at(axis.argument);
  });
}

bool was_late(const base::Message& reason) {
  return reason.key == "own_file.no_end" || reason.key == "file_error.no_end";
}

bool was_cancelled(const base::Message& reason) {
  return reason.key == "engine.cancelled" || reason.key == "own_file.stopped";
}

// One point.
class Asker {
 public:
  Asker(OwnProcess& process, const OwnQuestion& question, const OwnSweep& sweep,
        const base::CancelToken& cancel)
      : process_(process), sweep_(sweep), cancel_(cancel), question_(question) {}

  void ask(OwnPoint& point) {
    OwnQuestion one = question_;
    for (const auto& [name, value] : point.at) one.settings[name] = value;
    const auto done = answer(one, point);
    if (done) return;
    point.reason = done.error();
    point.status = was_cancelled(point.reason) ? Status::cancelled
                   : was_late(point.reason)    ? Status::too_slow
                                               : Status::failed;
  }

 private:
  base::Result<void> answer(const OwnQuestion& one, OwnPoint& point) {
    const auto dry = dry_run_own(process_, one, sweep_.target, cancel_, OnCpu::never);
    if (!dry && (sweep_.only_predicted || dry.error().key != "own_file.no_hunt"))
      return tl::unexpected(dry.error());
    if (dry) {
      const predict::Prediction prediction =
          predict::predict(dry->run, *dry->strings, sweep_.target, {}, nullptr);
      point.needed = predict::answer_of(prediction, sweep_.target).needed;
      const bool oom = prediction.fit == predict::Fit::oom;
      point.status = oom ? Status::oom : Status::predicted;
      if (oom) point.reason = prediction.sentence;
      if (oom || sweep_.only_predicted) return {};
    }
    TS_TRY(const auto recorded, record_own(process_, one, kRecordedSteps, cancel_));
    point.peak = recorded.run->peak_allocated();
    TS_TRY(const auto times, time_own(process_, one, {one.settings}, sweep_.protocol, cancel_));
    const OwnTimes& side = times.front();
    point.step = run::summarise_steps(side.timed);
    run::set_warmup(point.step, side.settled, side.warmup.size());
    point.status = Status::ok;
    return {};
  }

  OwnProcess& process_;
  const OwnSweep& sweep_;
  const base::CancelToken& cancel_;
  OwnQuestion question_;
};

std::string bytes_cell(const std::optional<std::int64_t>& bytes, bool plain) {
  if (!bytes) return plain ? "" : text::kNoNumber;
  return plain ? std::to_string(*bytes) : text::bytes(*bytes).joined();
}

std::string time_cell(double ms, bool plain) {
  if (ms < 0) return plain ? "" : text::kNoNumber;
  return plain ? text::plain(ms) : text::duration_ns(ms * 1e6).joined();
}

nlohmann::json bytes_json(const std::optional<std::int64_t>& bytes) {
  return bytes ? nlohmann::json(*bytes) : nlohmann::json();
}

}  // namespace

base::Result<OwnAxis> own_size_axis(const std::string& text, const OwnDescription& described) {
  TS_TRY(const auto named, named_argument(text, "--axis", "T=256:2048:x2", described));
  if (named.described != nullptr && named.described->kind != OwnArgument::Kind::whole)
    return text::fail("sweep_error.no_number", {{"field", named.argument}});
  return numbers_of(named);
}

base::Result<OwnAxis> own_series_axis(const std::string& text, const OwnDescription& described) {
  TS_TRY(const auto named, named_argument(text, "--series", "dtype=fp32,bf16", described));
  OwnAxis axis{named.argument, {}, false};
  std::string_view rest = named.values;
  while (true) {
    const std::size_t comma = rest.find(',');
    std::string value(rest.substr(0, comma));
    if (std::ranges::find(axis.values, value) == axis.values.end())
      axis.values.push_back(std::move(value));
    if (comma == std::string_view::npos) return axis;
    rest.remove_prefix(comma + 1);
  }
}

base::Result<void> make_points(OwnSweep& sweep) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
    const OwnAxis& axis = sweep.axes[i];
    for (std::size_t j = 0; j < i; ++j) {
      if (sweep.axes[j].argument == axis.argument)
        return base::fail(axis.argument + " is given twice");
    }
    count *= axis.values.size();
    if (count > sweep::kMostSweepPoints) {
      return base::fail("A sweep has at most " + text::grouped(sweep::kMostSweepPoints) +
                        " points");
    }
  }
  for (std::size_t index = 0; index < count; ++index) {
    OwnPoint& point = sweep.points.emplace_back();
    std::size_t rest = index;
    for (const OwnAxis& axis : sweep.axes) {
      point.at[axis.argument] = axis.values[rest % axis.values.size()];
      rest /= axis.values.size();
    }
  }
  return {};
}

void ask_points(OwnProcess& process, const OwnQuestion& question, OwnSweep& sweep,
                const std::function<void(const OwnPoint&)>& on_point,
                const base::CancelToken& cancel) {
  Asker asker(process, question, sweep, cancel);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    OwnPoint& point = sweep.points[i];
    if (point.status != Status::pending) continue;
    if (cancel.cancelled()) {
      point.status = Status::cancelled;
      continue;
    }
    asker.ask(point);
    on_point(point);
    if (point.status != Status::too_slow) continue;
    for (std::size_t j = i + 1; j < sweep.points.size(); ++j) {
      OwnPoint& other = sweep.points[j];
      if (no_smaller(sweep, other, point)) other.status = Status::too_slow;
    }
  }
}

io::TextTable own_table(const OwnSweep& sweep, bool plain) {
  io::TextTable table;
  for (const OwnAxis& axis : sweep.axes) {
    table.columns.push_back(axis.argument);
    table.right.push_back(axis.sized);
  }
  if (!sweep.only_predicted) {
    table.columns.insert(
        table.columns.end(),
        plain ? std::initializer_list<std::string>{"step_ms", "ci95_low_ms", "ci95_high_ms",
                                                   "steps", "peak_allocated"}
              : std::initializer_list<std::string>{"step, median", "peak allocated"});
  }
  table.columns.insert(table.columns.end(),
                       {plain ? "needed" : "needed on " + sweep.target.name, "status"});
  table.right.resize(table.columns.size() - 1, true);
  for (const OwnPoint& point : sweep.points) {
    std::vector<std::string> row;
    for (const OwnAxis& axis : sweep.axes)
      row.push_back(text::printable(point.at.at(axis.argument)));
    if (!sweep.only_predicted) {
      row.push_back(time_cell(point.step.median_ms, plain));
      if (plain) {
        row.push_back(time_cell(point.step.ci95_low_ms, plain));
        row.push_back(time_cell(point.step.ci95_high_ms, plain));
        row.push_back(std::to_string(point.step.n));
      }
      row.push_back(bytes_cell(point.peak, plain));
    }
    row.push_back(bytes_cell(point.needed, plain));
    row.emplace_back(to_string(point.status));
    table.rows.push_back(std::move(row));
  }
  return table;
}

nlohmann::json own_sweep_json(const OwnSweep& sweep) {
  auto axes = nlohmann::json::array();
  for (const OwnAxis& axis : sweep.axes)
    axes.push_back({{"argument", axis.argument}, {"values", axis.values}});
  auto points = nlohmann::json::array();
  for (const OwnPoint& point : sweep.points) {
    points.push_back({{"at", point.at},
                      {"status", to_string(point.status)},
                      {"reason", point.reason.sentence},
                      {"step_ms", point.step.n > 0 ? run::to_json(point.step) : nlohmann::json()},
                      {"peak_allocated", bytes_json(point.peak)},
                      {"needed", bytes_json(point.needed)}});
  }
  return {{"axes", std::move(axes)},
          {"target", {{"name", sweep.target.name}, {"memory", sweep.target.memory}}},
          {"only_predicted", sweep.only_predicted},
          {"protocol", run::to_json(sweep.protocol)},
          {"points", std::move(points)}};
}

base::Result<void> take_known(const nlohmann::json& document, OwnSweep& sweep) {
  const auto bytes = [](const nlohmann::json& told) {
    return told.is_null() ? std::nullopt : std::optional(told.get<std::int64_t>());
  };
  try {
    const nlohmann::json& points = document.at("points");
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
      const nlohmann::json& told = points.at(i);
      OwnPoint known;
      known.at = told.at("at").get<OwnSettings>();
      const auto status = sweep::point_status_from(told.at("status").get<std::string>());
      if (known.at != sweep.points[i].at || !status)
        return base::fail("its points are not those that are asked for");
      if (*status != Status::ok && *status != Status::predicted && *status != Status::oom &&
          *status != Status::too_slow)
        continue;
      known.status = *status;
      known.reason.sentence = told.at("reason").get<std::string>();
      if (!told.at("step_ms").is_null()) known.step = run::timing_from_json(told.at("step_ms"));
      known.peak = bytes(told.at("peak_allocated"));
      known.needed = bytes(told.at("needed"));
      sweep.points[i] = std::move(known);
    }
  } catch (const nlohmann::json::exception&) {
    return base::fail("it is damaged");
  }
  return {};
}

std::vector<run::ResultCurve> own_curves(const OwnSweep& sweep, OwnMeasure measure,
                                         const std::string& alone) {
  const auto number = [&](const OwnPoint& point) {
    if (measure == OwnMeasure::time) return point.step.n > 0 ? point.step.median_ms : std::nan("");
    const auto& bytes = sweep.only_predicted ? point.needed : point.peak;
    return bytes ? static_cast<double>(*bytes) / (1 << 20) : std::nan("");
  };
  std::vector<run::ResultCurve> curves;
  const OwnAxis& x = sweep.axes.front();
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const OwnPoint& point = sweep.points[i];
    if (i % x.values.size() == 0) {
      std::string name = sweep.axes.size() == 1 ? alone : "";
      for (const OwnAxis& axis : std::span(sweep.axes).subspan(1)) {
        if (!name.empty()) name += ", ";
        name.append(axis.argument).append(" = ").append(point.at.at(axis.argument));
      }
      curves.push_back({.name = text::printable(name)});
    }
    curves.back().x.push_back(static_cast<double>(number_at(point, x)));
    curves.back().y.push_back(number(point));
  }
  return curves;
}

base::Result<run::Comparison> compare_own(OwnProcess& process, const OwnQuestion& question,
                                          const std::array<OwnSettings, 2>& sides,
                                          const run::Protocol& protocol,
                                          const base::CancelToken& cancel) {
  run::Comparison made;
  for (std::size_t i = 0; i < 2; ++i) {
    OwnQuestion one = question;
    one.settings = sides[i];
    TS_TRY(const auto recorded, record_own(process, one, kRecordedSteps, cancel));
    made.sides[i].peak = recorded.run->peak_allocated();
  }
  TS_TRY(auto times, time_own(process, question, {sides[0], sides[1]}, protocol, cancel));
  for (std::size_t i = 0; i < 2; ++i) {
    made.sides[i].warmup_steps = std::move(times[i].warmup);
    made.sides[i].timed_steps = std::move(times[i].timed);
    made.sides[i].warmup_stable = times[i].settled;
  }
  run::judge(made);
  made.stage = run::Stage::done;
  return made;
}

}  // namespace ts::app
