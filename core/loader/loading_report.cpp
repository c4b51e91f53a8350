#include "core/loader/loading_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::loader {
namespace {

using calculate::Figure;
using enum calculate::Unit;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Sums over the steps after the first.
struct StepSums {
  double between = 0;  // from the end of the first to the end of the last
  double waited = 0;
  double stepped = 0;
  double latency = 0;
  double count = 0;
};

StepSums sums_of(const std::vector<LoadedStep>& steps) {
  StepSums sums;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    sums.waited += steps[i].begin - steps[i].asked;
    sums.stepped += steps[i].end - steps[i].begin;
    sums.latency += steps[i].end - steps[i].made;
    ++sums.count;
  }
  if (!steps.empty()) sums.between = steps.back().end - steps.front().end;
  return sums;
}

double over(double sum, double count) {
  return count > 0 ? sum / count : kUnknown;
}

double enough_workers(const Loaded& loaded, double work, double step) {
  const double processor = over(loaded.times.processor, static_cast<double>(loaded.steps.size()));
  const bool never = processor / static_cast<double>(loaded.cores) > step;
  return step <= 0 || never ? kUnknown : std::max(1.0, std::ceil(work / step - 1e-9));
}

void add_images(std::vector<Figure>& figures, const Loaded& loaded,
                const std::vector<Batch>& batches) {
  const auto batch_count = static_cast<double>(loaded.steps.size());
  figures.push_back({"decode", over(loaded.times.decode, batch_count), seconds});
  figures.push_back({"resize", over(loaded.times.resize, batch_count), seconds});
  const auto uses = static_cast<double>(loaded.caches.uses);
  figures.push_back({"memory_hits", over(static_cast<double>(loaded.caches.memory), uses), share});
  figures.push_back({"disk_hits", over(static_cast<double>(loaded.caches.disk), uses), share});
  std::vector<std::uint32_t> order;
  for (const Batch& batch : batches) {
    for (const Row& row : batch.rows)
      order.insert(order.end(), row.samples.begin(), row.samples.end());
  }
  const auto room = static_cast<std::size_t>(loaded.plan.memory_cache) /
                    std::max<std::size_t>(1, image_bytes(loaded.plan));
  figures.push_back(
      {"lru_hits", room == 0 ? 0 : hit_share(order, room, Leaves::least_recent), share});
  figures.push_back(
      {"best_hits", room == 0 ? 0 : hit_share(order, room, Leaves::farthest_next), share});
}

std::string time_text(double value) {
  return text::duration_ns(value * 1e9).joined();
}

std::string whole(double value) {
  return text::grouped(std::llround(value));
}

base::Message bottleneck(const Loaded& loaded, const simulate::Outcome& outcome) {
  const double waits = outcome.value("waits_for_data");
  const bool loads = waits >= kWaitingShare;
  return text::message(loads ? "loader.verdict.loader" : "loader.verdict.step",
                       {{"share", text::decimal(waits * 100, 1)},
                        {"period", time_text(outcome.value("period"))},
                        {"step", time_text(outcome.value("step_time"))},
                        {"latency", time_text(outcome.value("latency"))},
                        {"workers", text::grouped(loaded.plan.workers)}});
}

// The sentence that the measured waits and the number by arithmetic allow together.
const char* key_of_enough(const Loaded& loaded, const simulate::Outcome& outcome) {
  const double number = outcome.value("enough_workers");
  const double step = outcome.value("step_time");
  const auto workers = static_cast<double>(loaded.plan.workers);
  const bool loads = outcome.value("waits_for_data") >= kWaitingShare;
  if (!(step > 0)) return "loader.enough.no_step";
  if (!loads) return number <= workers ? "loader.enough.workers" : "loader.enough.keep_up";
  if (!std::isfinite(number)) return "loader.enough.never";
  if (number > workers) return "loader.enough.workers";
  // They would be enough. Here a batch took longer than its work, or some took much longer.
  return outcome.value("batch_work") / step > workers ? "loader.enough.busy"
                                                      : "loader.enough.uneven";
}

base::Message enough(const Loaded& loaded, const simulate::Outcome& outcome) {
  const double number = outcome.value("enough_workers");
  const double processor = outcome.value("batch_cpu");
  const auto cores = static_cast<double>(loaded.cores);
  return text::message(
      key_of_enough(loaded, outcome),
      {{"work", time_text(over(loaded.times.alone(), static_cast<double>(loaded.steps.size())))},
       {"took", time_text(outcome.value("batch_work"))},
       {"queued", time_text(outcome.value("batch_queued"))},
       {"step", time_text(outcome.value("step_time"))},
       {"cpu", time_text(processor)},
       {"least", time_text(processor / cores)},
       {"cores", whole(cores)},
       {"workers", text::grouped(loaded.plan.workers)},
       {"enough", std::isfinite(number) ? whole(number) : std::string(text::kNoNumber)}});
}

}  // namespace

simulate::Outcome outcome_of(const Loaded& loaded, const std::vector<Batch>& batches) {
  const StepSums sums = sums_of(loaded.steps);
  const auto batch_count = static_cast<double>(loaded.steps.size());
  const double all = loaded.steps.empty() ? 0 : loaded.steps.back().end;
  const double work = over(loaded.times.busy(), batch_count);
  const double alone = over(loaded.times.alone(), batch_count);
  // A pause of nothing still takes a moment.
  const bool no_step = !loaded.steps_work && loaded.plan.step_s <= 0;
  const double step = no_step ? 0 : over(sums.stepped, sums.count);
  const double here = loaded.times.busy() + loaded.times.idle;
  const double per_step = sums.between > 0 ? 1 / sums.between : kUnknown;
  const auto loaded_samples = static_cast<double>(loaded.samples) * (sums.count / batch_count);
  const Waste waste = waste_of(batches);
  simulate::Outcome outcome;
  outcome.figures = {
      {"period", over(sums.between, sums.count), seconds},
      {"step_time", step, seconds},
      {"waits_for_data", sums.between > 0 ? sums.waited / sums.between : kUnknown, share},
      {"latency", over(sums.latency, sums.count), seconds},
      {"first_batch", loaded.steps.empty() ? 0 : loaded.steps.front().begin, seconds},
      {"all_batches", all, seconds},
      {"samples_a_second", loaded_samples * per_step, number},
      {"bytes_read", static_cast<double>(loaded.bytes), bytes},
      {"preloaded", static_cast<double>(loaded.preloaded), bytes},
      {"map_in_memory", static_cast<double>(loaded.in_cache), bytes},
      {"batch_work", work, seconds},
      {"batch_cpu", over(loaded.times.processor, batch_count), seconds},
      {"batch_queued", over(loaded.times.queued, batch_count), seconds},
      {"workers_idle", over(loaded.times.idle, here), share},
      {"enough_workers", enough_workers(loaded, alone, step), number},
      {"read", over(loaded.times.read, batch_count), seconds},
      {"assemble", over(loaded.times.assemble, batch_count), seconds},
      {"handover", over(loaded.times.handover, batch_count), seconds},
      {"handed", over(static_cast<double>(loaded.handed), batch_count), bytes},
      {"workers_memory", static_cast<double>(loaded.resident), bytes}};
  if (loaded.plan.images) {
    add_images(outcome.figures, loaded, batches);
  } else {
    const double between = static_cast<double>(loaded.tokens) * (sums.count / batch_count);
    outcome.figures.push_back({"tokens_a_second", between * per_step, number});
    outcome.figures.push_back({"padding", waste.padding, share});
    outcome.figures.push_back({"kept_scores", waste.kept_scores, share});
  }
  outcome.figures.push_back({"left_out", static_cast<double>(loaded.left_out), number});
  outcome.figures.push_back({"ended_workers", static_cast<double>(loaded.ended), number});
  outcome.lanes = loaded.lanes;
  outcome.timeline = loaded.timeline;
  return outcome;
}

const std::vector<simulate::Figure>& figures_of(const simulate::Simulation& subject) {
  static const auto all = [] {
    std::vector<std::vector<simulate::Figure>> found;
    for (const simulate::Simulation& one : subjects()) {
      const Loaded nothing{.plan = plan_of(calculate::Chosen(one.id, one.inputs))};
      found.push_back(outcome_of(nothing, {}).figures);
    }
    return found;
  }();
  return all[static_cast<std::size_t>(&subject - subjects().data())];
}

std::vector<base::Message> verdict_of(const Loaded& loaded, const simulate::Outcome& outcome) {
  std::vector<base::Message> said = {bottleneck(loaded, outcome), enough(loaded, outcome)};
  if (loaded.left_out > 0) {
    said.push_back(
        text::message("loader.left_out_count", {{"count", text::grouped(loaded.left_out)}}));
  }
  return said;
}

nlohmann::json loading_json(const simulate::Experiment& question,
                            const std::vector<Answer>& answers) {
  using Json = nlohmann::json;
  std::vector<simulate::Point> points;
  for (const Answer& answer : answers) points.push_back(answer.point);
  Json document = to_json(question, points);
  const auto sentences = [](const std::vector<base::Message>& said) {
    Json list = Json::array();
    for (const base::Message& one : said) list.push_back(one.sentence);
    return list;
  };
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Json& point = document["points"][i];
    point["verdict"] = sentences(answers[i].verdict);
    point["faults"] = sentences(answers[i].faults);
  }
  return document;
}

}  // namespace ts::loader
