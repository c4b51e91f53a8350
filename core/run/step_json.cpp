#include "core/run/step_json.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/text/message.h"

namespace ts::run {
namespace {

nlohmann::json state_json(const std::optional<GpuState>& state) {
  if (!state) return nullptr;
  return {state->sm_clock_mhz, state->memory_clock_mhz, state->temperature_c, state->power_w,
          state->throttle,     state->used_bytes,       state->total_bytes};
}

double real(const nlohmann::json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::optional<double> maybe(const nlohmann::json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

std::optional<GpuState> state_of(const nlohmann::json& json) {
  if (json.is_null()) return std::nullopt;
  GpuState state;
  state.sm_clock_mhz = json.at(0).get<std::int32_t>();
  state.memory_clock_mhz = json.at(1).get<std::int32_t>();
  state.temperature_c = json.at(2).get<std::int32_t>();
  state.power_w = json.at(3).get<double>();
  state.throttle = json.at(4).get<std::uint64_t>();
  state.used_bytes = json.at(5).get<std::int64_t>();
  state.total_bytes = json.at(6).get<std::int64_t>();
  return state;
}

std::vector<double> reals(const nlohmann::json& json) {
  std::vector<double> values;
  for (const nlohmann::json& one : json) values.push_back(real(one));
  return values;
}

}  // namespace

nlohmann::json steps_json(const std::vector<StepTimes>& steps) {
  auto all = nlohmann::json::array();
  for (const StepTimes& s : steps) {
    all.push_back({s.begin_ns, s.forward_ns, s.backward_ns, s.optimizer_ns, s.prefill_ns,
                   s.decode_ns, s.total_ns, s.loss, s.learning_rate,
                   s.gradient_norm ? nlohmann::json(*s.gradient_norm) : nlohmann::json(),
                   s.loss_scale ? nlohmann::json(*s.loss_scale) : nlohmann::json(), s.skipped,
                   s.waited_ns, s.clean_steps ? nlohmann::json(*s.clean_steps) : nlohmann::json(),
                   s.device_ns, state_json(s.gpu)});
  }
  return all;
}

nlohmann::json facts_json(const ExecutionFacts& facts) {
  auto types = nlohmann::json::array();
  for (const NamedType& one : facts.types) types.push_back({one.name, one.type});
  auto results = nlohmann::json::array();
  for (const NamedNumber& one : facts.results) results.push_back({one.name, one.value, one.exact});
  auto curves = nlohmann::json::array();
  for (const ResultCurve& one : facts.curves) curves.push_back({one.name, one.x, one.y});
  return {{"compile_s", facts.compile_s},     {"curves", std::move(curves)},
          {"parameters", facts.parameters},   {"trained", facts.trained},
          {"backend_ran", facts.backend_ran}, {"memory_limit", facts.memory_limit},
          {"types", std::move(types)},        {"results", std::move(results)},
          {"generated", facts.generated},     {"generated_text", facts.generated_text}};
}

nlohmann::json failure_json(const Failure& failure) {
  return {{"sentence", failure.sentence},
          {"text", text::text_json(failure)},
          {"bytes_asked", failure.bytes_asked},
          {"bytes_free", failure.bytes_free},
          {"bytes_limit", failure.bytes_limit},
          {"op", failure.op},
          {"module", failure.module}};
}

std::vector<StepTimes> steps_from(const nlohmann::json& json) {
  std::vector<StepTimes> steps;
  for (const nlohmann::json& s : json) {
    StepTimes times;
    std::size_t i = 0;
    for (std::int64_t StepTimes::*part :
         {&StepTimes::begin_ns, &StepTimes::forward_ns, &StepTimes::backward_ns,
          &StepTimes::optimizer_ns, &StepTimes::prefill_ns, &StepTimes::decode_ns,
          &StepTimes::total_ns}) {
      times.*part = s.at(i++).get<std::int64_t>();
    }
    times.loss = real(s.at(i++));
    times.learning_rate = real(s.at(i++));
    times.gradient_norm = maybe(s.at(i++));
    times.loss_scale = maybe(s.at(i++));
    times.skipped = s.at(i++).get<bool>();
    times.waited_ns = s.at(i++).get<std::int64_t>();
    if (!s.at(i).is_null()) times.clean_steps = s.at(i).get<std::int64_t>();
    times.device_ns = s.at(++i).get<std::int64_t>();
    times.gpu = state_of(s.at(++i));
    steps.push_back(times);
  }
  return steps;
}

ExecutionFacts facts_from(const nlohmann::json& json) {
  ExecutionFacts facts;
  facts.parameters = json.at("parameters").get<std::int64_t>();
  // Recordings from before there were frozen parameters have no such number.
  facts.trained = json.value("trained", facts.parameters);
  facts.backend_ran = json.at("backend_ran").get<std::string>();
  facts.memory_limit = json.at("memory_limit").get<std::int64_t>();
  for (const nlohmann::json& one : json.at("types")) {
    facts.types.push_back({one.at(0).get<std::string>(), one.at(1).get<std::string>()});
  }
  for (const nlohmann::json& one : json.at("results")) {
    facts.results.push_back({one.at(0).get<std::string>(), real(one.at(1)), real(one.at(2))});
  }
  // Recordings of older versions call them courses or have none.
  const char* curves = json.contains("courses") ? "courses" : "curves";
  for (const nlohmann::json& one : json.value(curves, nlohmann::json::array())) {
    facts.curves.push_back({one.at(0).get<std::string>(), reals(one.at(1)), reals(one.at(2))});
  }
  facts.compile_s = json.value("compile_s", 0.0);
  facts.generated = json.at("generated").get<std::vector<std::int64_t>>();
  facts.generated_text = json.at("generated_text").get<std::string>();
  return facts;
}

nlohmann::json values_json(const std::optional<ValueErrors>& values) {
  if (!values) return nullptr;
  return {{"not_compared", values->not_compared.sentence},
          {"text", text::text_json(values->not_compared)},
          {"values", values->values},
          {"gradients", values->gradients ? nlohmann::json(*values->gradients) : nlohmann::json()},
          {"has_gradients", values->gradients.has_value()},
          {"worst_gradient", values->worst_gradient}};
}

std::optional<ValueErrors> values_from(const nlohmann::json& json) {
  if (json.is_null()) return std::nullopt;
  ValueErrors values;
  values.not_compared = text::message_from_json(json.at("not_compared").get<std::string>(),
                                                json.value("text", nlohmann::json()));
  values.values = real(json.at("values"));
  if (json.at("has_gradients").get<bool>()) values.gradients = real(json.at("gradients"));
  values.worst_gradient = json.at("worst_gradient").get<std::string>();
  return values;
}

Failure failure_from(const nlohmann::json& json, Verdict verdict) {
  Failure failure(text::message_from_json(json.at("sentence").get<std::string>(),
                                          json.value("text", nlohmann::json())),
                  verdict);
  failure.bytes_asked = json.at("bytes_asked").get<std::int64_t>();
  failure.bytes_free = json.at("bytes_free").get<std::int64_t>();
  failure.bytes_limit = json.at("bytes_limit").get<std::int64_t>();
  failure.op = json.at("op").get<std::string>();
  failure.module = json.at("module").get<std::string>();
  return failure;
}

}  // namespace ts::run
