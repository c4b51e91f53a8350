#include "core/lessons/quantities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/base/letters.h"
#include "core/lessons/point_name.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_spec.h"
#include "core/text/message.h"
#include "core/text/nearest.h"
#include "core/text/typed_numbers.h"

namespace ts::lessons {
namespace {

using nlohmann::json;
using std::string;

constexpr std::array<const char*, kStepKindCount> kKindNames = {
    "run", "predict", "sweep", "hunt", "ab", "calculate", "simulate", "step", "advise", "load"};

constexpr std::array<const char*, 9> kUnitNames = {"number",  "count",    "bytes",   "ms",  "ratio",
                                                   "percent", "tokens/s", "TFLOP/s", "FLOP"};

std::optional<double> number_of(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::optional<double> number_at(const json& document, const string& pointer) {
  const json::json_pointer place(pointer);
  return document.contains(place) ? number_of(document.at(place)) : std::nullopt;
}

// A text as an argument of a template.
template <std::size_t N>
struct Literal {
  consteval Literal(const char (&from)[N]) { std::ranges::copy(from, text); }
  char text[N];
};

// The number of that name in the object at the pointer.
template <Literal Pointer>
std::optional<double> under(const json& document, const string& name) {
  return number_at(document, string(Pointer.text) + "/" + name);
}

template <Literal Kind>
std::optional<double> sample(const json& document, const string& index) {
  std::size_t number = 0;
  const auto end = std::from_chars(index.data(), index.data() + index.size(), number);
  if (end.ec != std::errc() || number == 0) return std::nullopt;
  return number_at(document, string("/samples_ms/") + Kind.text + "/" + std::to_string(number - 1));
}

const json& child(const json& document, const char* key) {
  static const json none;
  return document.is_object() && document.contains(key) ? document.at(key) : none;
}

// The number under the key, of the object with that name in the list at the pointer.
template <Literal Pointer, Literal Key, Literal Name = "name">
std::optional<double> named(const json& document, const string& name) {
  const json::json_pointer place(Pointer.text);
  if (!document.contains(place) || !document.at(place).is_array()) return std::nullopt;
  for (const json& one : document.at(place)) {
    if (one.value(Name.text, "") == name && one.contains(Key.text)) {
      return number_of(one.at(Key.text));
    }
  }
  return std::nullopt;
}

// The y of a curve at that x.
std::optional<double> curve_at(const json& document, const string& argument) {
  const std::size_t comma = argument.rfind(',');
  if (comma == argument.npos) return std::nullopt;
  const string name(base::trimmed(std::string_view(argument).substr(0, comma)));
  const double x = std::strtod(argument.c_str() + comma + 1, nullptr);
  const json& curves = child(child(document, "curves"), "of");
  if (!curves.is_array()) return std::nullopt;
  for (const json& one : curves) {
    if (one.value("name", "") != name) continue;
    const json& places = child(one, "x");
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (std::abs(places[i].get<double>() - x) <= 1e-9 * std::abs(x)) {
        return number_of(one.at("y").at(i));
      }
    }
  }
  return std::nullopt;
}

std::optional<double> type_is(const json& document, const string& argument) {
  const std::size_t comma = argument.rfind(',');
  if (comma == argument.npos) return std::nullopt;
  const string name(base::trimmed(std::string_view(argument).substr(0, comma)));
  const string type(base::trimmed(std::string_view(argument).substr(comma + 1)));
  const json& types = child(document, "types");
  if (!types.is_array()) return std::nullopt;
  for (const json& one : types) {
    if (one.value("name", "") == name) return one.value("type", "") == type ? 1 : 0;
  }
  return std::nullopt;
}

// "C-7, percent": a number of what a check found, as it was written there.
std::optional<double> check_number(const json& document, const string& argument) {
  const std::size_t comma = argument.find(',');
  if (comma == argument.npos) return std::nullopt;
  const string id(base::trimmed(std::string_view(argument).substr(0, comma)));
  const string name(base::trimmed(std::string_view(argument).substr(comma + 1)));
  for (const json& check : child(document, "checks")) {
    if (check.value("check", "") != id) continue;
    for (const json& one : child(child(check, "found_text"), "arguments")) {
      if (one.value("name", "") != name) continue;
      string words = one.value("value", "");
      std::erase(words, ',');  // of thousands
      const auto number = text::parse_real(words);
      if (number) return number;
    }
  }
  return std::nullopt;
}

// The first value of the axis from which the step of that series is the shorter one.
std::optional<double> crossover(const json& document, const string& series) {
  std::optional<double> first;
  for (const json& one : child(document, "crossovers")) {
    if (one.value("measure", "") != "step_ms") continue;
    if (!series.empty() && one.value("lower_after", "") != series) continue;
    const auto at = number_of(child(one, "at"));
    if (at && (!first || *at < *first)) first = at;
  }
  return first;
}

// Batches of which a sweep has time and memory.
std::optional<double> batches(const json& document, const string&) {
  std::set<std::int64_t> seen;
  for (const json& point : child(document, "points")) {
    const json& batch = child(child(point, "at"), "B");
    const bool known = number_at(point, "/step_ms/median") && number_at(point, "/peak_allocated");
    if (batch.is_number_integer() && known) seen.insert(batch.get<std::int64_t>());
  }
  return static_cast<double>(seen.size());
}

std::optional<double> fits(const json& document, const string&) {
  return document.value("verdict", "oom") == "oom" ? 0 : 1;
}

// One over the number.
template <Literal Pointer>
std::optional<double> inverse(const json& document, const string&) {
  const auto ratio = number_at(document, Pointer.text);
  if (!ratio || *ratio <= 0) return std::nullopt;
  return 1 / *ratio;
}

const json* point_of(const json& document, const string& argument) {
  const PointName name = point_name(argument);
  for (const json& point : child(document, "points")) {
    if (!name.series.empty() && point.value("series", "") != name.series) continue;
    bool here = true;
    for (const auto& [key, value] : name.at) {
      const json& at = child(point, "at");
      here = here && at.contains(key) && at.at(key).dump() == value;
    }
    if (here) return &point;
  }
  return nullptr;
}

std::optional<double> trained_loss(const json& document, const string&) {
  std::optional<double> last;
  for (const json& step : child(child(document, "training"), "steps")) {
    if (step.value("kind", "") == "timed") last = number_of(child(step, "loss"));
  }
  return last;
}

// 1 where the settings of the step can run with that attention backend on its device, else 0.
std::optional<double> can_run(const json& document, const string& backend) {
  auto settings = spec::spec_from_json(child(document, "spec"));
  if (!settings || !spec::set_field(*settings, "backend", backend)) return std::nullopt;
  return spec::validate(*settings).empty() ? 1 : 0;
}

// The number in the unit of lessons, where the document names the unit of calculators.
std::optional<double> with_unit(std::optional<double> number, const string& unit) {
  for (const auto of :
       {calculate::Unit::seconds, calculate::Unit::share, calculate::Unit::flop_rate}) {
    if (number && unit == calculate::to_string(of)) *number *= unit_here(of).factor;
  }
  return number;
}

std::optional<double> term(const json& document, const string& name) {
  for (const json& one : child(document, "terms")) {
    if (one.value("name", "") == name)
      return with_unit(number_of(child(one, "value")), one.value("unit", ""));
  }
  return std::nullopt;
}

std::optional<double> figure(const json& document, const string& argument) {
  const PointName name = point_name(argument);
  const string at = name.at.empty() ? "" : name.at.front().second;
  for (const json& one : child(document, "points")) {
    if (one.value("at", "") != at) continue;
    return with_unit(number_of(child(child(one, "figures"), name.series.c_str())),
                     child(document, "units").value(name.series, ""));
  }
  return std::nullopt;
}

std::optional<double> step_figure(const json& document, const string& name) {
  return with_unit(number_of(child(child(document, "figures"), name.c_str())),
                   child(document, "units").value(name, ""));
}

std::optional<double> fits_at_point(const json& document, const string& argument) {
  const json* const point = point_of(document, argument);
  if (point == nullptr) return std::nullopt;
  const json& predicted = child(*point, "predicted");
  if (!predicted.is_object() || !predicted.contains("fit") || predicted.at("fit").is_null()) {
    return std::nullopt;
  }
  return predicted.at("fit") == "oom" ? 0 : 1;
}

// A number of the fit whose curve is the series, or of the only fit of that measure.
template <Literal Measure, Literal Key>
std::optional<double> fitted(const json& document, const string& series) {
  for (const json& fit : child(document, "fits")) {
    if (fit.value("measure", "") != Measure.text) continue;
    if (series.empty() || fit.value("series", "") == series) return number_of(fit.at(Key.text));
  }
  return std::nullopt;
}

std::optional<double> saturation(const json& document, const string& series) {
  for (const json& one : child(document, "saturation")) {
    if (!series.empty() && one.value("series", "") != series) continue;
    return number_of(one.at("at"));
  }
  return std::nullopt;
}

// 1 where that row has a verdict other than oom, else 0.
template <Literal Row>
std::optional<double> row_fits(const json& document, const string&) {
  const json& row = child(document, Row.text);
  return row.is_object() && row.value("verdict", "oom") != "oom" ? 1 : 0;
}
std::optional<double> in_ms(std::optional<double> seconds) {
  return seconds ? std::optional(*seconds * 1e3) : std::nullopt;
}
std::optional<double> best_bound(const json& document, const string&) {
  return in_ms(number_at(document, "/best/bound/step_s"));
}
// Time per token: the rule has another number of sequences in a step.
std::optional<double> rule_bound_ratio(const json& document, const string&) {
  const auto best = number_at(document, "/best/tokens_per_s_at_most");
  const auto rule = number_at(document, "/lab_rule/tokens_per_s_at_most");
  if (!best || !rule || *rule <= 0) return std::nullopt;
  return *best / *rule;
}

std::optional<double> rung_bound(const json& document, const string& rung) {
  return in_ms(named<"/ladder", "bound_s", "rung">(document, rung));
}

constexpr Nature kMeasured = Nature::measured;
constexpr Nature kPredicted = Nature::predicted;
constexpr StepKind kRun = StepKind::run;
constexpr StepKind kPredict = StepKind::predict;
constexpr StepKind kSweep = StepKind::sweep;
constexpr StepKind kHunt = StepKind::hunt;
constexpr StepKind kAb = StepKind::ab;
constexpr StepKind kAdvise = StepKind::advise;

constexpr QuantityRow pointed(const char* row_name, StepKind kind, Unit unit, Nature nature,
                              const char* meaning, const char* pointer) {
  return {.name = row_name,
          .kind = kind,
          .unit = unit,
          .nature = nature,
          .takes = Takes::nothing,
          .meaning = meaning,
          .pointer = pointer};
}

// clang-format off
constexpr QuantityRow kRows[] = {
    pointed("median_ms", kRun, Unit::ms, kMeasured, "median of the timed steps", "/step_ms/median"),
    pointed("mean_ms", kRun, Unit::ms, kMeasured, "their mean", "/step_ms/mean"),
    pointed("std_ms", kRun, Unit::ms, kMeasured, "their standard deviation", "/step_ms/std"),
    pointed("min_ms", kRun, Unit::ms, kMeasured, "the shortest", "/step_ms/min"),
    pointed("p90_ms", kRun, Unit::ms, kMeasured, "nine of ten are shorter", "/step_ms/p90"),
    pointed("ci_low_ms", kRun, Unit::ms, kMeasured, "low end of the median's 95 % interval", "/step_ms/ci95/0"),
    pointed("ci_high_ms", kRun, Unit::ms, kMeasured, "its high end", "/step_ms/ci95/1"),
    pointed("samples", kRun, Unit::count, kMeasured, "how many steps were timed", "/step_ms/n"),
    pointed("outliers", kRun, Unit::count, kMeasured, "how many of them are far out", "/step_ms/outliers"),
    {.name = "step_ms", .kind = kRun, .unit = Unit::ms, .nature = kMeasured, .takes = Takes::index,
     .meaning = "one timed step, from 1", .read = sample<"timed">},
    {.name = "warmup_ms", .kind = kRun, .unit = Unit::ms, .nature = kMeasured, .takes = Takes::index,
     .meaning = "one warm-up step, from 1", .read = sample<"warmup">},
    pointed("forward_ms", kRun, Unit::ms, kMeasured, "median of the forward part", "/parts_ms/forward/median"),
    pointed("backward_ms", kRun, Unit::ms, kMeasured, "of the backward part", "/parts_ms/backward/median"),
    pointed("optimizer_ms", kRun, Unit::ms, kMeasured, "of the optimizer", "/parts_ms/optimizer/median"),
    pointed("prefill_ms", kRun, Unit::ms, kMeasured, "of the prefill of a generation", "/parts_ms/prefill/median"),
    pointed("decode_ms", kRun, Unit::ms, kMeasured, "of its decoding", "/parts_ms/decode/median"),
    pointed("tokens_per_s", kRun, Unit::tokens_per_s, kMeasured, "tokens of a step over its median", "/tokens_per_s"),
    pointed("decode_tokens_per_s", kRun, Unit::tokens_per_s, kMeasured, "new tokens over the time of decoding", "/decode_tokens_per_s"),
    pointed("tflops_per_s", kRun, Unit::tflops_per_s, kMeasured, "FLOPs by formula over the median", "/tflops_per_s"),
    pointed("peak_bytes", kRun, Unit::bytes, kMeasured, "most bytes allocated at once", "/memory/peak_allocated"),
    pointed("before_backward_bytes", kRun, Unit::bytes, kMeasured, "allocated when the last backward begins", "/memory/before_backward"),
    {.name = "category_bytes", .kind = kRun, .unit = Unit::bytes, .nature = kMeasured, .takes = Takes::name,
     .meaning = "of one category at the peak: activation, parameter, gradient, optimizer_state, input, temporary", .read = under<"/memory/by_category">},
    pointed("parameters", kRun, Unit::count, kMeasured, "numbers of the model", "/parameters"),
    pointed("trained_parameters", kRun, Unit::count, kMeasured, "those that are not frozen",
            "/trained_parameters"),
    pointed("flops_per_token", kRun, Unit::count, Nature::stated, "model FLOPs of a token by the first formula of its utilisation", "/utilisation/0/flops_per_token"),
    pointed("mfu", kRun, Unit::ratio, kMeasured, "these FLOPs over the median, over the roof measured here", "/utilisation/0/mfu"),
    {.name = "result", .kind = kRun, .unit = Unit::number, .nature = kMeasured, .takes = Takes::name,
     .meaning = "what a workload about numbers came to, by its name", .read = named<"/results", "value">},
    {.name = "result_error_percent", .kind = kRun, .unit = Unit::percent, .nature = kMeasured, .takes = Takes::name,
     .meaning = "how far that is from the exact number", .read = named<"/results", "error_percent">},
    {.name = "largest", .kind = kRun, .unit = Unit::number, .nature = kMeasured, .takes = Takes::name,
     .meaning = "largest y of a curve of such a workload", .read = named<"/curves/of", "largest">},
    {.name = "curve", .kind = kRun, .unit = Unit::number, .nature = kMeasured, .takes = Takes::position,
     .meaning = "y of a curve at one x", .read = curve_at},
    {.name = "type_is", .kind = kRun, .unit = Unit::count, .nature = kMeasured, .takes = Takes::type,
     .meaning = "1 where a component has that type, else 0", .read = type_is},
    pointed("loss", kRun, Unit::number, kMeasured, "loss of the last step", "/loss"),
    {.name = "trained_loss", .kind = kRun, .unit = Unit::number, .nature = kMeasured, .takes = Takes::nothing,
     .meaning = "loss of the last timed step; those that are recorded begin anew", .read = trained_loss},
    pointed("loss_scale", kRun, Unit::number, kMeasured, "of the gradient scaler, at the end", "/training/loss_scale"),
    pointed("skipped_steps", kRun, Unit::count, kMeasured, "steps that it skipped", "/training/skipped_steps"),
    pointed("recording_percent", kRun, Unit::percent, kMeasured, "what recording costs, of a step", "/recording/cost/percent"),
    pointed("dropped", kRun, Unit::count, kMeasured, "records that were lost", "/recording/dropped"),
    pointed("earlier_runs", kRun, Unit::count, kMeasured, "runs of this program before it: they warmed up libraries", "/earlier_runs"),
    pointed("compile_s", kRun, Unit::number, kMeasured, "seconds that compiling took", "/compile_s"),
    pointed("compute_percent", kRun, Unit::percent, kMeasured, "FLOPs by formula over the median, of the roof", "/limits/compute_percent"),
    pointed("bandwidth_percent", kRun, Unit::percent, kMeasured, "least bytes by formula over the median, of the roof", "/limits/bandwidth_percent"),
    pointed("intensity", kRun, Unit::number, Nature::stated, "FLOPs a byte of the step, by formula", "/limits/intensity"),
    pointed("ridge", kRun, Unit::number, kMeasured, "FLOPs a byte from which the device computes longer than it moves", "/limits/ridge"),
    pointed("operators_percent", kRun, Unit::percent, kMeasured, "share of a recorded step in which an operator ran, on the CPU", "/shares/operators_percent"),
    pointed("attention_percent", kRun, Unit::percent, kMeasured, "share of attention in its operators, on the CPU", "/shares/attention_percent"),
    {.name = "check", .kind = kRun, .unit = Unit::number, .nature = kMeasured, .takes = Takes::name,
     .meaning = "a number that a check found: C-7, percent", .read = check_number},
    {.name = "setting", .kind = kRun, .unit = Unit::number, .nature = Nature::stated, .takes = Takes::setting,
     .meaning = "a setting of the step", .read = under<"/spec">},

    pointed("peak_bytes", kPredict, Unit::bytes, kPredicted, "most bytes allocated at once", "/peak_allocated"),
    pointed("requested_bytes", kPredict, Unit::bytes, kPredicted, "most that tensors ask for, before rounding", "/peak_requested"),
    pointed("reserved_bytes", kPredict, Unit::bytes, kPredicted, "most that the allocator holds", "/peak_reserved"),
    pointed("needed_bytes", kPredict, Unit::bytes, kPredicted, "reserved and the context", "/needed"),
    pointed("headroom_bytes", kPredict, Unit::bytes, kPredicted, "what the card has more than needed", "/headroom"),
    pointed("before_backward_bytes", kPredict, Unit::bytes, kPredicted, "allocated when the last backward begins", "/before_backward"),
    pointed("workspace_bytes", kPredict, Unit::bytes, kPredicted, "of cuBLAS", "/workspaces"),
    {.name = "category_bytes", .kind = kPredict, .unit = Unit::bytes, .nature = kPredicted, .takes = Takes::name,
     .meaning = "of one category at the peak", .read = under<"/by_category">},
    pointed("parameters", kPredict, Unit::count, kPredicted, "numbers of the model", "/parameters"),
    pointed("trained_parameters", kPredict, Unit::count, kPredicted, "those that are not frozen",
            "/trained_parameters"),
    pointed("card_bytes", kPredict, Unit::bytes, Nature::stated, "memory of the card", "/target/memory"),
    pointed("breaking_bytes", kPredict, Unit::bytes, kPredicted, "asked for by the first allocation that does not fit", "/breaking/bytes"),
    {.name = "type_is", .kind = kPredict, .unit = Unit::count, .nature = kPredicted, .takes = Takes::type,
     .meaning = "1 where a component has that type there, else 0", .read = type_is},
    {.name = "fits", .kind = kPredict, .unit = Unit::count, .nature = kPredicted, .takes = Takes::nothing,
     .meaning = "1 where it fits, else 0", .read = fits},
    {.name = "can_run", .kind = kPredict, .unit = Unit::count, .nature = Nature::theory, .takes = Takes::name,
     .meaning = "1 where that attention backend takes these settings on the card, else 0", .read = can_run},
    {.name = "setting", .kind = kPredict, .unit = Unit::number, .nature = Nature::stated, .takes = Takes::setting,
     .meaning = "a setting of the step", .read = under<"/spec">},

    {.name = "median_ms", .kind = kSweep, .unit = Unit::ms, .nature = kMeasured, .takes = Takes::point,
     .meaning = "median step of a point", .pointer = "/step_ms/median"},
    {.name = "mean_ms", .kind = kSweep, .unit = Unit::ms, .nature = kMeasured, .takes = Takes::point,
     .meaning = "its mean", .pointer = "/step_ms/mean"},
    {.name = "std_ms", .kind = kSweep, .unit = Unit::ms, .nature = kMeasured, .takes = Takes::point,
     .meaning = "its standard deviation", .pointer = "/step_ms/std"},
    {.name = "ci_low_ms", .kind = kSweep, .unit = Unit::ms, .nature = kMeasured, .takes = Takes::point,
     .meaning = "low end of the median's 95 % interval", .pointer = "/step_ms/ci95/0"},
    {.name = "ci_high_ms", .kind = kSweep, .unit = Unit::ms, .nature = kMeasured, .takes = Takes::point,
     .meaning = "its high end", .pointer = "/step_ms/ci95/1"},
    {.name = "forward_ms", .kind = kSweep, .unit = Unit::ms, .nature = kMeasured, .takes = Takes::point,
     .meaning = "median of the forward part", .pointer = "/parts_ms/forward"},
    {.name = "backward_ms", .kind = kSweep, .unit = Unit::ms, .nature = kMeasured, .takes = Takes::point,
     .meaning = "of the backward part", .pointer = "/parts_ms/backward"},
    {.name = "optimizer_ms", .kind = kSweep, .unit = Unit::ms, .nature = kMeasured, .takes = Takes::point,
     .meaning = "of the optimizer", .pointer = "/parts_ms/optimizer"},
    {.name = "peak_bytes", .kind = kSweep, .unit = Unit::bytes, .nature = kMeasured, .takes = Takes::point,
     .meaning = "most bytes allocated at once", .pointer = "/peak_allocated"},
    {.name = "before_backward_bytes", .kind = kSweep, .unit = Unit::bytes, .nature = kMeasured, .takes = Takes::point,
     .meaning = "allocated when the last backward begins", .pointer = "/before_backward"},
    {.name = "tokens_per_s", .kind = kSweep, .unit = Unit::tokens_per_s, .nature = kMeasured, .takes = Takes::point,
     .meaning = "tokens of a step over its median", .pointer = "/tokens_per_s"},
    {.name = "tflops_per_s", .kind = kSweep, .unit = Unit::tflops_per_s, .nature = kMeasured, .takes = Takes::point,
     .meaning = "FLOPs by formula over the median", .pointer = "/tflops_per_s"},
    {.name = "predicted_peak_bytes", .kind = kSweep, .unit = Unit::bytes, .nature = kPredicted, .takes = Takes::point,
     .meaning = "most bytes allocated at once, by a dry run", .pointer = "/peak_predicted"},
    {.name = "predicted_before_backward_bytes", .kind = kSweep, .unit = Unit::bytes, .nature = kPredicted, .takes = Takes::point,
     .meaning = "allocated when the last backward begins", .pointer = "/before_backward_predicted"},
    {.name = "predicted_needed_bytes", .kind = kSweep, .unit = Unit::bytes, .nature = kPredicted, .takes = Takes::point,
     .meaning = "what the device must have", .pointer = "/predicted/needed"},
    {.name = "predicted_fits", .kind = kSweep, .unit = Unit::count, .nature = kPredicted, .takes = Takes::point,
     .meaning = "1 where the point fits, else 0", .read = fits_at_point},
    {.name = "exponent_ms", .kind = kSweep, .unit = Unit::number, .nature = kMeasured, .takes = Takes::series,
     .meaning = "how the step grows: T to this power", .read = fitted<"step_ms", "slope">},
    {.name = "exponent_bytes", .kind = kSweep, .unit = Unit::number, .nature = kMeasured, .takes = Takes::series,
     .meaning = "how the peak grows", .read = fitted<"peak_allocated", "slope">},
    {.name = "last_exponent_ms", .kind = kSweep, .unit = Unit::number, .nature = kMeasured, .takes = Takes::series,
     .meaning = "the same between the last two points", .read = fitted<"step_ms", "last_slope">},
    {.name = "last_exponent_bytes", .kind = kSweep, .unit = Unit::number, .nature = kMeasured, .takes = Takes::series,
     .meaning = "of the peak, between the last two points", .read = fitted<"peak_allocated", "last_slope">},
    {.name = "predicted_exponent_bytes", .kind = kSweep, .unit = Unit::number, .nature = kPredicted, .takes = Takes::series,
     .meaning = "how the predicted peak grows", .read = fitted<"peak_predicted", "slope">},
    {.name = "predicted_last_exponent_bytes", .kind = kSweep, .unit = Unit::number, .nature = kPredicted, .takes = Takes::series,
     .meaning = "the same between the last two points", .read = fitted<"peak_predicted", "last_slope">},
    {.name = "saturation", .kind = kSweep, .unit = Unit::count, .nature = kMeasured, .takes = Takes::series,
     .meaning = "first B from which tokens/s gain less than 10 % per doubling", .read = saturation},
    {.name = "crossover", .kind = kSweep, .unit = Unit::count, .nature = kMeasured, .takes = Takes::series,
     .meaning = "first value of the axis from which its step is the shorter one", .read = crossover},
    {.name = "batches", .kind = kSweep, .unit = Unit::count, .nature = kMeasured, .takes = Takes::nothing,
     .meaning = "batches with time and memory", .read = batches},
    {.name = "setting", .kind = kSweep, .unit = Unit::number, .nature = Nature::stated, .takes = Takes::setting,
     .meaning = "a setting that the sweep does not vary", .read = under<"/sweep/base">},

    pointed("edge", kHunt, Unit::count, kPredicted, "the largest value that fits", "/largest_that_fits"),
    pointed("edge_of_all", kHunt, Unit::count, kPredicted, "up to here every value fits", "/every_up_to"),
    pointed("smallest_oom", kHunt, Unit::count, kPredicted, "the smallest that does not fit", "/smallest_oom"),
    pointed("card_bytes", kHunt, Unit::bytes, Nature::stated, "memory of the card", "/target/memory"),
    {.name = "setting", .kind = kHunt, .unit = Unit::number, .nature = Nature::stated, .takes = Takes::setting,
     .meaning = "a setting of the step", .read = under<"/spec">},

    pointed("ratio", kAb, Unit::ratio, kMeasured, "median of the ratios of times, B over A", "/ratio/total/median"),
    pointed("ratio_low", kAb, Unit::ratio, kMeasured, "low end of its 95 % interval", "/ratio/total/ci95/0"),
    pointed("ratio_high", kAb, Unit::ratio, kMeasured, "its high end", "/ratio/total/ci95/1"),
    {.name = "speedup", .kind = kAb, .unit = Unit::ratio, .nature = kMeasured, .takes = Takes::nothing,
     .meaning = "how many times as fast B is", .read = inverse<"/ratio/total/median">},
    {.name = "speedup_low", .kind = kAb, .unit = Unit::ratio, .nature = kMeasured, .takes = Takes::nothing,
     .meaning = "low end of its 95 % interval", .read = inverse<"/ratio/total/ci95/1">},
    {.name = "speedup_high", .kind = kAb, .unit = Unit::ratio, .nature = kMeasured, .takes = Takes::nothing,
     .meaning = "its high end", .read = inverse<"/ratio/total/ci95/0">},
    pointed("pairs", kAb, Unit::count, kMeasured, "how many pairs were timed", "/ratio/total/pairs"),
    pointed("a_median_ms", kAb, Unit::ms, kMeasured, "median step of A", "/a/step_ms/median"),
    pointed("b_median_ms", kAb, Unit::ms, kMeasured, "of B", "/b/step_ms/median"),
    pointed("a_peak_bytes", kAb, Unit::bytes, kMeasured, "most bytes allocated at once by A", "/a/peak_allocated"),
    pointed("b_peak_bytes", kAb, Unit::bytes, kMeasured, "by B", "/b/peak_allocated"),
    pointed("break_even_steps", kAb, Unit::count, kMeasured, "steps after which compiling B has paid", "/break_even_steps"),
    {.name = "setting", .kind = kAb, .unit = Unit::number, .nature = Nature::stated, .takes = Takes::setting,
     .meaning = "a setting of A", .read = under<"/a/spec">},
    {.name = "term", .kind = StepKind::calculate, .unit = Unit::number, .nature = Nature::theory, .takes = Takes::term,
     .meaning = "a line of the derivation", .read = term},
    {.name = "input", .kind = StepKind::calculate, .unit = Unit::number, .nature = Nature::stated, .takes = Takes::input,
     .meaning = "a number that is chosen", .read = under<"/inputs">},
    {.name = "figure", .kind = StepKind::simulate, .unit = Unit::number, .nature = Nature::simulated, .takes = Takes::figure,
     .meaning = "a result, from stated constants", .read = figure},
    {.name = "figure", .kind = StepKind::step, .unit = Unit::number, .nature = Nature::simulated, .takes = Takes::figure,
     .meaning = "a result, computed step by step", .read = step_figure},
    {.name = "input", .kind = StepKind::step, .unit = Unit::number, .nature = Nature::stated, .takes = Takes::input,
     .meaning = "a number that is chosen", .read = under<"/inputs">},
    {.name = "input", .kind = StepKind::simulate, .unit = Unit::number, .nature = Nature::stated, .takes = Takes::input,
     .meaning = "a number that is chosen", .read = under<"/inputs">},
    {.name = "figure", .kind = StepKind::load, .unit = Unit::number, .nature = kMeasured, .takes = Takes::figure,
     .meaning = "a result of loading, in its own unit", .read = figure},
    {.name = "input", .kind = StepKind::load, .unit = Unit::number, .nature = Nature::stated, .takes = Takes::input,
     .meaning = "a number that is chosen", .read = under<"/inputs">},
    pointed("best_needed_bytes", kAdvise, Unit::bytes, kPredicted, "what the fastest combination that fits needs", "/best/needed"),
    pointed("best_headroom_bytes", kAdvise, Unit::bytes, kPredicted, "what the card has more", "/best/headroom"),
    pointed("best_B", kAdvise, Unit::count, kPredicted, "its B", "/best/B"),
    pointed("best_micro_batches", kAdvise, Unit::count, kPredicted, "its micro-batches", "/best/micro_batches"),
    {.name = "best_bound_ms", .kind = kAdvise, .unit = Unit::ms, .nature = Nature::theory, .takes = Takes::nothing,
     .meaning = "the least time of its step by the roofs of the card", .read = best_bound},
    {.name = "best_fits", .kind = kAdvise, .unit = Unit::number, .nature = kPredicted, .takes = Takes::nothing,
     .meaning = "1 where any combination fits, else 0", .read = row_fits<"best">},
    pointed("rule_B", kAdvise, Unit::count, kPredicted, "B by the rule of LAB-9", "/lab_rule/B"),
    pointed("rule_micro_batches", kAdvise, Unit::count, kPredicted, "micro-batches by it", "/lab_rule/micro_batches"),
    pointed("rule_needed_bytes", kAdvise, Unit::bytes, kPredicted, "what its settings need", "/lab_rule/needed"),
    {.name = "rule_fits", .kind = kAdvise, .unit = Unit::number, .nature = kPredicted, .takes = Takes::nothing,
     .meaning = "1 where they fit, else 0", .read = row_fits<"lab_rule">},
    {.name = "rule_bound_ratio", .kind = kAdvise, .unit = Unit::ratio, .nature = Nature::theory, .takes = Takes::nothing,
     .meaning = "least time of a token by the rule over that of the fastest that fits", .read = rule_bound_ratio},
    pointed("set_needed_bytes", kAdvise, Unit::bytes, kPredicted, "what the settings themselves need", "/as_set/needed"),
    {.name = "set_fits", .kind = kAdvise, .unit = Unit::number, .nature = kPredicted, .takes = Takes::nothing,
     .meaning = "1 where they fit, else 0", .read = row_fits<"as_set">},
    pointed("combinations", kAdvise, Unit::count, Nature::stated, "how many there are", "/recipes"),
    pointed("dry_runs", kAdvise, Unit::count, kPredicted, "how many were needed", "/dry_runs"),
    {.name = "ladder_needed_bytes", .kind = kAdvise, .unit = Unit::bytes, .nature = kPredicted, .takes = Takes::name,
     .meaning = "what a rung of the ladder needs: plain, tf32, autocast, flash, fused, batch", .read = named<"/ladder", "needed", "rung">},
    {.name = "ladder_bound_ms", .kind = kAdvise, .unit = Unit::ms, .nature = Nature::theory, .takes = Takes::name,
     .meaning = "the least time of its step by the roofs of the card", .read = rung_bound},
    {.name = "setting", .kind = kAdvise, .unit = Unit::number, .nature = Nature::stated, .takes = Takes::setting,
     .meaning = "a setting as given", .read = under<"/spec">},
};
// clang-format on

}  // namespace

const char* to_string(StepKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::optional<StepKind> step_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (name == kKindNames[i]) return static_cast<StepKind>(i);
  }
  return std::nullopt;
}

const char* to_string(Unit unit) {
  return kUnitNames[static_cast<std::size_t>(unit)];
}

std::optional<Unit> unit_from(std::string_view name) {
  for (std::size_t i = 0; i < kUnitNames.size(); ++i) {
    if (name == kUnitNames[i]) return static_cast<Unit>(i);
  }
  return std::nullopt;
}

const char* to_string(Nature nature) {
  constexpr const char* kNames[] = {"stated",    "measured",  "predicted", "theory",
                                    "simulated", "published", "compared"};
  return kNames[static_cast<std::size_t>(nature)];
}

std::span<const QuantityRow> quantity_rows() {
  return kRows;
}

base::Result<const QuantityRow*> find_quantity(StepKind kind, const std::string& name) {
  std::vector<std::string_view> names;
  for (const QuantityRow& row : kRows) {
    if (row.kind != kind) continue;
    if (row.name == name) return &row;
    names.emplace_back(row.name);
  }
  const std::string_view near = text::nearest(name, names);
  if (near.empty())
    return text::fail("lesson_file.no_quantity", {{"kind", to_string(kind)}, {"name", name}});
  return text::fail("lesson_file.no_quantity_meant",
                    {{"kind", to_string(kind)}, {"name", name}, {"meant", std::string(near)}});
}

std::optional<double> read_quantity(const QuantityRow& row, const nlohmann::json& document,
                                    const std::string& argument) {
  try {
    if (row.pointer == nullptr) return row.read(document, argument);
    if (row.takes != Takes::point) return number_at(document, row.pointer);
    const json* const point = point_of(document, argument);
    return point == nullptr ? std::nullopt : number_at(*point, row.pointer);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // the document of an earlier version, or the user's own
  }
}

UnitHere unit_here(calculate::Unit unit) {
  switch (unit) {
    case calculate::Unit::bytes:
      return {Unit::bytes, 1};
    case calculate::Unit::flops:
      return {Unit::flops, 1};
    case calculate::Unit::flop_rate:
      return {Unit::tflops_per_s, 1e-12};
    case calculate::Unit::seconds:
      return {Unit::ms, 1e3};
    case calculate::Unit::share:
      return {Unit::percent, 100};
    case calculate::Unit::times:
      return {Unit::ratio, 1};
    case calculate::Unit::number:
    case calculate::Unit::flops_per_byte:
      break;
  }
  return {};
}

}  // namespace ts::lessons
