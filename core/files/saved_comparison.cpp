#include "core/files/saved_comparison.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/io/json_parse.h"
#include "core/run/step_json.h"
#include "core/text/message.h"

namespace ts::files {
namespace {

using Json = nlohmann::json;

// More than any run of hours has.
constexpr std::size_t kMostSteps = std::size_t{1} << 22;

Json side_json(const run::ComparedSide& side) {
  return {{"spec", to_json(side.spec)},
          {"limit", side.limit},
          {"peak", side.peak},
          {"warmup_stable", side.warmup_stable},
          {"warmup", run::steps_json(side.warmup_steps)},
          {"timed", run::steps_json(side.timed_steps)},
          {"facts", run::facts_json(side.facts)}};
}

base::Result<run::ComparedSide> side_from(const Json& json) {
  TS_TRY(auto spec, spec::spec_from_json(json.at("spec")));
  run::ComparedSide side;
  side.spec = std::move(spec);
  side.limit = json.at("limit").get<std::int64_t>();
  side.peak = json.at("peak").get<std::int64_t>();
  side.warmup_stable = json.at("warmup_stable").get<bool>();
  for (const char* const steps : {"warmup", "timed"}) {
    if (json.at(steps).size() > kMostSteps)
      return text::fail("session_error.value", {{"key", steps}});
  }
  side.warmup_steps = run::steps_from(json.at("warmup"));
  side.timed_steps = run::steps_from(json.at("timed"));
  side.facts = run::facts_from(json.at("facts"));
  return side;
}

base::Result<run::Comparison> whole_from(const Json& json) {
  run::Comparison comparison;
  const Json& sides = json.at("sides");
  for (std::size_t i = 0; i < comparison.sides.size(); ++i) {
    TS_TRY(comparison.sides[i], side_from(sides.at(i)));
  }
  comparison.stage = run::Stage::done;
  comparison.seconds = json.at("seconds").get<double>();
  if (!std::isfinite(comparison.seconds) || comparison.seconds < 0)
    return text::fail("session_error.value", {{"key", "seconds"}});
  if (const Json& failure = json.at("failure"); !failure.is_null()) {
    const auto verdict = failure.at("verdict").get<std::int64_t>();
    const auto side = failure.at("side").get<std::int64_t>();
    if (verdict < 0 || verdict > static_cast<std::int64_t>(run::Verdict::failed))
      return text::fail("session_error.value", {{"key", "verdict"}});
    if (side != 0 && side != 1) return text::fail("session_error.value", {{"key", "side"}});
    comparison.failure = run::failure_from(failure, static_cast<run::Verdict>(verdict));
    comparison.failed_side = static_cast<int>(side);
  }
  run::judge(comparison);
  return comparison;
}

}  // namespace

std::string comparison_text(const run::Comparison& comparison) {
  Json failure;
  if (comparison.failure) {
    failure = run::failure_json(*comparison.failure);
    failure["verdict"] = static_cast<int>(comparison.failure->verdict);
    failure["side"] = comparison.failed_side;
  }
  return Json{{"sides", {side_json(comparison.sides[0]), side_json(comparison.sides[1])}},
              {"seconds", comparison.seconds},
              {"failure", std::move(failure)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

base::Result<run::Comparison> comparison_from(const std::string& text) {
  const auto json = io::parse_json(text);
  if (!json) {
    return text::fail("session_error.document", {text::argument("reason", json.error())});
  }
  try {
    return whole_from(*json);
  } catch (const Json::exception& error) {
    return text::fail("session_error.content", {{"reason", error.what()}});
  }
}

}  // namespace ts::files
