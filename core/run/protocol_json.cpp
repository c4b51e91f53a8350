#include "core/run/protocol_json.h"

#include <nlohmann/json.hpp>
#include <string>

#include "core/io/json_values.h"
#include "core/text/message.h"

namespace ts::run {

nlohmann::json to_json(const Protocol& protocol) {
  return {{"recorded_steps", protocol.recorded_steps}, {"min_warmup_s", protocol.min_warmup_s},
          {"max_warmup_s", protocol.max_warmup_s},     {"min_samples", protocol.min_samples},
          {"max_samples", protocol.max_samples},       {"budget_s", protocol.budget_s},
          {"hard_budget_s", protocol.hard_budget_s},   {"target_ci", protocol.target_ci},
          {"probe_every", protocol.probe_every},       {"check_values", protocol.check_values}};
}

base::Result<Protocol> protocol_from_json(const nlohmann::json& json) {
  Protocol protocol;
  std::string bad;
  const auto read = [&](const char* key, auto& value) {
    if (!json.is_object() || !json.contains(key) || !json.at(key).is_number()) {
      bad = key;
    } else {
      json.at(key).get_to(value);
    }
  };
  read("recorded_steps", protocol.recorded_steps);
  read("min_warmup_s", protocol.min_warmup_s);
  read("max_warmup_s", protocol.max_warmup_s);
  read("min_samples", protocol.min_samples);
  read("max_samples", protocol.max_samples);
  read("budget_s", protocol.budget_s);
  read("hard_budget_s", protocol.hard_budget_s);
  read("target_ci", protocol.target_ci);
  read("probe_every", protocol.probe_every);
  if (!bad.empty()) return text::fail("session_error.protocol", {{"key", bad}});
  protocol.check_values = json.value("check_values", false);  // earlier versions have none
  return protocol;
}

nlohmann::json to_json(const TimingSummary& timing) {
  nlohmann::json ci95 = nullptr;
  if (timing.ci95_low_ms >= 0) ci95 = {timing.ci95_low_ms, timing.ci95_high_ms};
  return {{"n", timing.n},
          {"median", io::known(timing.median_ms)},
          {"ci95", std::move(ci95)},
          {"min", io::known(timing.min_ms)},
          {"q1", io::known(timing.q1_ms)},
          {"q3", io::known(timing.q3_ms)},
          {"p90", io::known(timing.p90_ms)},
          {"p99", io::known(timing.p99_ms)},
          {"mean", io::known(timing.mean_ms)},
          {"std", io::known(timing.std_ms)},
          {"outliers", timing.outliers},
          {"outlier_above", io::known(timing.outlier_above_ms)},
          {"warmup_steps", timing.warmup_steps},
          {"settled", timing.settled},
          {"stable", timing.stable}};
}

TimingSummary timing_from_json(const nlohmann::json& json) {
  TimingSummary timing;
  timing.n = json.at("n").get<std::int32_t>();
  timing.median_ms = io::known_from(json, "median");
  if (!json.at("ci95").is_null()) {
    timing.ci95_low_ms = json.at("ci95").at(0).get<double>();
    timing.ci95_high_ms = json.at("ci95").at(1).get<double>();
  }
  timing.min_ms = io::known_from(json, "min");
  timing.q1_ms = io::known_from(json, "q1");
  timing.q3_ms = io::known_from(json, "q3");
  timing.p90_ms = io::known_from(json, "p90");
  timing.p99_ms = io::known_from(json, "p99");
  timing.mean_ms = io::known_from(json, "mean");
  timing.std_ms = io::known_from(json, "std");
  timing.outliers = json.at("outliers").get<std::int32_t>();
  // Journals of earlier versions have none.
  if (json.contains("outlier_above")) {
    timing.outlier_above_ms = io::known_from(json, "outlier_above");
  }
  timing.warmup_steps = json.at("warmup_steps").get<std::int32_t>();
  timing.stable = json.at("stable").get<bool>();
  // In earlier versions "stable" meant "settled".
  timing.settled = json.value("settled", timing.stable);
  return timing;
}

nlohmann::json samples_json(const std::vector<StepTimes>& steps) {
  auto list = nlohmann::json::array();
  for (const StepTimes& step : steps) list.push_back(io::milliseconds(step.total_ns));
  return list;
}

}  // namespace ts::run
