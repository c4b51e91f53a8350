#include "views/inspector/inspector_rows.h"

#include <fmt/format.h>

#include <cstdlib>
#include <span>
#include <utility>

#include "core/report/efficiency.h"
#include "core/report/kernel_report.h"
#include "core/report/recording_notes.h"
#include "core/report/result_curves.h"
#include "core/report/training_summary.h"
#include "views/charts/labels.h"
#include "views/charts/run_time.h"
#include "views/charts/stale_mark.h"
#include "views/common/exact_bytes.h"
#include "views/common/glossary.h"
#include "views/common/spec_text.h"
#include "views/inspector/gpu_rows.h"
#include "views/inspector/trace_rows.h"

namespace ts::views {
namespace {

const text::Quantity kMissing{text::kNoNumber, ""};

text::Quantity milliseconds(double value) {
  return value < 0 ? kMissing : text::duration_ms(value);
}

double units_in_a_ms(std::string_view unit) {
  if (unit == "s") return 1e-3;
  if (unit == "ms") return 1;
  return unit == "\xc2\xb5s" ? 1e3 : 1e6;
}

// Low to high, both in the unit of the high end.
text::Quantity interval(const text::Texts& texts, double low_ms, double high_ms) {
  if (low_ms < 0) return kMissing;
  const text::Quantity high = text::duration_ns(high_ms * 1e6);
  const double scale = units_in_a_ms(high.unit);
  const double shown = high_ms * scale;
  const int digits = shown >= 100 ? 1 : shown >= 10 ? 2 : 3;
  return {texts("inspector.range", {{"low", text::decimal(low_ms * scale, digits)},
                                    {"high", text::decimal(shown, digits)}}),
          high.unit};
}

// Mean and standard deviation, in the unit of the mean and with as many decimals.
text::Quantity spread(double mean_ms, double std_ms) {
  const text::Quantity mean = text::duration_ns(mean_ms * 1e6);
  const std::size_t point = mean.value.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : mean.value.size() - point - 1;
  return {mean.value + " \xc2\xb1 " +
              text::decimal(std_ms * units_in_a_ms(mean.unit), static_cast<int>(decimals)),
          mean.unit};
}

text::Quantity count(std::uint64_t number) {
  return {text::grouped(number), ""};
}

void add_details(std::vector<InspectorRow>& rows, const ViewContext& context,
                 const trace::Slice& slice) {
  const auto& texts = context.texts;
  const auto add = [&](const char* key, base::StringId id) {
    const std::string_view value = context.strings.view(id);
    if (!value.empty()) rows.push_back({texts(key), {std::string(value), ""}});
  };
  add("inspector.module", slice.module);
  if (slice.detail == base::kNoString) return;
  const auto& launches = context.run->launches;
  const auto launch = launches.find(slice.detail);
  if (launch == launches.end()) {
    add("inspector.shape", slice.detail);
    return;
  }
  add("inspector.op", launch->second.op);
  for (auto& row : launch_rows(texts, launch->second, report::compute_capability(*context.run)))
    rows.push_back(std::move(row));
}

// The step time of a clock that does not wait for the device, for comparison.
void add_unsynchronised(std::vector<InspectorRow>& rows, const ViewContext& context) {
  const auto& texts = context.texts;
  const auto called = context.run->unsynchronised_ms();
  const bool cpu = context.run->spec.device == spec::DeviceKind::cpu;
  rows.push_back(
      {texts("inspector.unsynchronised"), called ? milliseconds(*called) : kMissing,
       cpu ? texts("inspector.unsynchronised.cpu") : texts("inspector.unsynchronised.about")});
}

// The parts of a step, and the spread of its times.
void add_parts(std::vector<InspectorRow>& rows, const ViewContext& context) {
  const run::Run& run = *context.run;
  const auto& texts = context.texts;
  const run::TimingSummary timing = run.timing();
  if (timing.std_ms >= 0) {
    rows.push_back({texts("inspector.mean_std"), spread(timing.mean_ms, timing.std_ms)});
  }
  if (!timing.settled) {
    rows.push_back({texts("inspector.warm_up"),
                    {texts("inspector.not_settled"), ""},
                    texts("inspector.not_settled.about"),
                    true});
  }
  if (timing.outliers > 0) {
    const bool many = run::many_outliers(timing);
    rows.push_back({texts("inspector.outliers"),
                    {texts("inspector.outliers_of", {{"count", text::grouped(timing.outliers)},
                                                     {"all", text::grouped(timing.n)}}),
                     ""},
                    texts(many ? "inspector.outliers.many" : "inspector.outliers.about",
                          {{"time", milliseconds(timing.outlier_above_ms).joined()}}),
                    many});
  }
  if (timing.p99_ms >= 0) {
    rows.push_back({texts("inspector.p90_p99"), interval(texts, timing.p90_ms, timing.p99_ms)});
  } else if (timing.p90_ms >= 0) {
    rows.push_back({texts("inspector.p90"), milliseconds(timing.p90_ms)});
  }
  const auto add = [&](const char* key, std::int64_t run::StepTimes::*part) {
    const run::TimingSummary of_part = run.timing_of(part);
    if (of_part.n > 0) rows.push_back({texts(key), milliseconds(of_part.median_ms)});
  };
  if (run.spec.pass == spec::Pass::generate) {
    add("inspector.prefill", &run::StepTimes::prefill_ns);
    add("inspector.decode", &run::StepTimes::decode_ns);
    const auto rate = run.decode_tokens_per_s();
    if (rate) rows.push_back({texts("inspector.decode_rate"), text::rate(*rate, "tokens")});
  }
  if (!spec::has_backward(run.spec.pass)) return;  // the forward is the whole step
  add("inspector.forward", &run::StepTimes::forward_ns);
  add("inspector.backward", &run::StepTimes::backward_ns);
  add("inspector.optimizer", &run::StepTimes::optimizer_ns);
}

// The text of recording_notes() for that key. Empty if there is none.
std::string note_of(const ViewContext& context, std::string_view key) {
  for (const base::Message& note : report::recording_notes(*context.run)) {
    if (note.key == key) return context.texts(note.key, note.arguments);
  }
  return {};
}

// For the first formula, which is nanoGPT's for language models.
void add_utilisation(std::vector<InspectorRow>& rows, const ViewContext& context) {
  const auto& texts = context.texts;
  const run::Run& run = *context.run;
  if (run.roof) {
    rows.push_back({texts("inspector.roof"), text::rate(run.roof->tflops * 1e12, "FLOP")});
  }
  const auto all = report::utilisations(run);
  for (const report::Utilisation& one : all) {
    if (one.flops.formula != all.front().flops.formula) continue;
    const text::Quantity share{text::decimal(one.share * 100, 1), "%"};
    const bool over = !one.over.key.empty();
    const std::string why = over ? texts(one.over.key, one.over.arguments) : std::string();
    switch (one.peak.kind) {
      case report::Peak::Kind::measured:
        rows.push_back({texts("inspector.mfu_measured"), share, why, over});
        break;
      case report::Peak::Kind::card:
        rows.push_back({texts("inspector.mfu_card", {{"card", run.card->name}}), share, why, over});
        break;
      case report::Peak::Kind::nanogpt:
        rows.push_back({texts("inspector.mfu_nanogpt"), share, why, over});
        break;
    }
    rows.back().term = "mfu";
  }
}

void add_training(std::vector<InspectorRow>& rows, const ViewContext& context) {
  const report::TrainingSummary training = report::training_summary(*context.run);
  const auto& texts = context.texts;
  if (training.bad_loss) {
    rows.push_back({texts("inspector.loss"), {text::plain(*training.loss), ""}});
  }
  if (training.gradient_norm) {
    rows.push_back(
        {texts("inspector.gradient_norm"), {text::decimal(*training.gradient_norm, 4), ""}});
  }
  if (training.loss_scale) {
    rows.push_back({texts("inspector.loss_scale"), {text::plain(*training.loss_scale), ""}});
    rows.push_back({texts("inspector.clean_steps"),
                    {texts("inspector.clean_of",
                           {{"clean", text::grouped(training.clean_steps.value_or(0))},
                            {"interval", text::grouped(context.run->spec.growth_interval)}}),
                     ""},
                    texts("inspector.clean_steps.about")});
    rows.push_back({texts("inspector.skipped"), {text::grouped(training.skipped_steps), ""}});
  }
  if (!report::mixes_types(context.run->facts.types)) return;
  for (const run::NamedType& type : context.run->facts.types) {
    rows.push_back({texts("inspector.type_of", {{"name", type.name}}), {type.type, ""}});
  }
}

// The types predicted for the current card; empty where it computes in one type.
std::span<const run::NamedType> types_on_card(const ViewContext& context) {
  const predict::Outlook* const outlook = context.outlook;
  if (outlook == nullptr || outlook->target == nullptr) return {};
  if (outlook->target->target.kind != spec::DeviceKind::cuda) return {};
  const auto& types = outlook->target->run.types;
  return report::mixes_types(types) ? types : std::span<const run::NamedType>();
}

void add_results(std::vector<InspectorRow>& rows, const ViewContext& context) {
  const run::Run& run = *context.run;
  const auto& texts = context.texts;
  for (const run::NamedNumber& one : run.facts.results) {
    if (run.spec.workload == spec::WorkloadKind::layernorm) {
      const auto error = report::largest_of(run.facts, one.name);
      const std::string count = text::grouped(static_cast<std::int64_t>(one.value));
      rows.push_back({one.name,
                      {error ? fmt::format("{:.2e}", *error) : text::kNoNumber, ""},
                      texts("inspector.layernorm_result", {{"count", count}})});
      if (one.value > 0) {
        rows.push_back({texts("inspector.not_finite", {{"name", one.name}}), {count, ""}});
      }
      continue;
    }
    rows.push_back({one.name,
                    {text::decimal(one.value, 4), ""},
                    texts("inspector.result_error",
                          {{"error", text::percent((one.value / one.exact - 1) * 100, 3)}})});
  }
}

}  // namespace

std::string row_tip(const text::Texts& texts, const InspectorRow& row) {
  // The reason of a marked value is already shown below it.
  std::string tip = row.warn ? std::string() : row.about;
  const std::string meant = meaning(texts, row.term);
  if (!tip.empty() && !meant.empty()) tip += "\n";
  return tip + meant;
}

std::string standing_text(const ViewContext& context) {
  const char* const key = partial_key(context);
  std::string why = key != nullptr ? context.texts(key) : cut_short_text(context);
  if (context.stale.empty()) return why;
  std::string stale = stale_text(context.texts, context.stale);
  if (why.empty()) return stale;
  return context.texts("common.two_sentences", {{"first", stale}, {"second", why}});
}

std::string peak_standing(const ViewContext& context) {
  const bool predicted = context.memory.kind == MemorySource::Kind::predicted;
  return predicted ? card_standing(context, true) : std::string();
}

std::string card_standing(const ViewContext& context, bool of_block) {
  const std::string& of = of_block ? context.stale_memory : context.stale;
  return of.empty() ? std::string() : stale_text(context.texts, of);
}

std::vector<InspectorRow> run_rows(const ViewContext& context) {
  if (context.run == nullptr) return {};
  const run::Run& run = *context.run;
  const auto& texts = context.texts;
  const run::TimingSummary timing = run.timing();
  std::vector<InspectorRow> rows;
  rows.push_back({texts("inspector.step_time"), milliseconds(timing.median_ms)});
  rows.push_back({texts("inspector.ci", {{"n", std::to_string(timing.n)}}),
                  interval(texts, timing.ci95_low_ms, timing.ci95_high_ms)});
  for (InspectorRow& row : rows) row.term = "median";
  rows.push_back({texts("inspector.cache"),
                  {texts(std::string("controls.choice.") + to_string(run.spec.cache)), ""}});
  add_unsynchronised(rows, context);
  add_parts(rows, context);
  const auto tokens = run.tokens_per_s();
  rows.push_back(
      {texts("inspector.throughput"), tokens ? text::rate(*tokens, "tokens") : kMissing});
  const auto tflops = run.tflops_per_s();
  rows.push_back(
      {texts("inspector.compute"), tflops ? text::rate(*tflops * 1e12, "FLOP") : kMissing});
  add_utilisation(rows, context);
  if (!run.facts.backend_ran.empty()) {
    rows.push_back({texts("inspector.backend_ran"), {run.facts.backend_ran, ""}});
    rows.back().term = "backend";
  }
  if (run.facts.compile_s > 0) {
    rows.push_back({texts("inspector.compiled"), text::duration_ns(run.facts.compile_s * 1e9)});
  }
  if (run.facts.parameters > 0) {
    rows.push_back({texts("inspector.parameters"), {text::grouped(run.facts.parameters), ""}});
    if (run.facts.trained > 0 && run.facts.trained < run.facts.parameters) {
      rows.push_back({texts("inspector.trained"), {text::grouped(run.facts.trained), ""}});
    }
  }
  add_results(rows, context);
  add_training(rows, context);
  rows.push_back({texts("inspector.limit"), text::bytes(run.limit), exact_bytes(texts, run.limit)});
  rows.back().term = "memory_limit";
  rows.push_back({texts("inspector.slices"), count(run.trace.slice_count())});
  rows.back().term = "slice";
  rows.push_back({texts("inspector.events"), count(run.memory.events().size())});
  rows.push_back({texts("inspector.dropped"), count(run.dropped),
                  note_of(context, "recording.lost"), run.dropped > 0});
  if (std::abs(run.clock_drift_ns) > run::kReportedDrift) {
    rows.push_back({texts("inspector.clock_drift"),
                    text::duration_ns(static_cast<double>(run.clock_drift_ns))});
  }
  const auto cost = run.recording_cost();
  rows.push_back({texts("inspector.overhead"), cost ? recording_cost_text(*cost, texts) : kMissing,
                  note_of(context, "recording.costly"), report::recording_is_costly(run)});
  rows.back().term = "overhead";
  return rows;
}

std::vector<InspectorRow> card_type_rows(const ViewContext& context) {
  const auto types = types_on_card(context);
  const auto& texts = context.texts;
  const auto label = [&](const std::string& name) {
    return texts("inspector.type_of", {{"name", name}});
  };
  std::vector<InspectorRow> rows;
  const bool ran = context.run != nullptr && context.stale.empty();
  if (!ran) {
    for (const run::NamedType& one : types) rows.push_back({label(one.name), {one.type, ""}});
  } else if (context.run->spec.device == spec::DeviceKind::cpu) {
    const std::string about = texts("inspector.type_here");
    for (const run::NamedType& one : report::other_types(context.run->facts.types, types))
      rows.push_back({label(one.name), {one.type, ""}, about, true});
  }
  return rows;
}

std::vector<CategoryRow> peak_rows(const ViewContext& context) {
  const MemorySource source = memory_source(context);
  if (source.log == nullptr || source.log->peak_event() == memory::kNone) return {};
  const memory::AllocationLog& log = *source.log;
  const memory::CategoryBytes bytes = log.by_category_after(log.peak_event());
  std::vector<CategoryRow> rows;
  for (int i = memory::kCategoryCount - 1; i >= 0; --i) {
    const auto category = static_cast<memory::Category>(i);
    const std::int64_t held = bytes[static_cast<std::size_t>(i)];
    if (held > 0) rows.push_back({category, context.texts(category_key(category)), held});
  }
  return rows;
}

PeakNames peak_names(const ViewContext& context) {
  const text::Texts& t = context.texts;
  // In a file, block sizes are as rounded by the allocator.
  if (context.file != nullptr) return {t("file.peak_allocated"), t("memory.total")};
  const bool measured = memory_source(context).kind == MemorySource::Kind::measured;
  if (measured && partial_key(context) != nullptr)
    return {t("inspector.peak_lived"), t("inspector.total_lived")};
  return {t("inspector.peak"), t("inspector.total")};
}

std::vector<InspectorRow> slice_rows(const ViewContext& context) {
  const auto& selected = context.state.selected_slice;
  if (context.run == nullptr || !selected) return {};
  const trace::TraceStore& trace = context.run->trace;
  if (selected->track >= trace.tracks().size() ||
      selected->depth >= trace.depth_count(selected->track) ||
      selected->index >= trace.lane_size(selected->track, selected->depth)) {
    return {};
  }
  const auto& texts = context.texts;
  const trace::Slice slice = trace.slice(*selected);
  std::vector<InspectorRow> rows;
  rows.push_back({texts("inspector.name"), {std::string(context.strings.view(slice.name)), ""}});
  rows.push_back(
      {texts("inspector.duration"), text::duration_ns(static_cast<double>(slice.duration_ns))});
  rows.push_back({texts("inspector.start"),
                  text::duration_ns(static_cast<double>(slice.begin_ns - trace.range().begin))});
  add_details(rows, context, slice);
  for (InspectorRow& row : step_rows(context, slice)) rows.push_back(std::move(row));
  if (const auto parent = trace.parent(*selected)) {
    const trace::Slice above = trace.slice(*parent);
    rows.push_back(
        {texts("inspector.parent"), {std::string(context.strings.view(above.name)), ""}});
    if (above.duration_ns > 0) {
      rows.push_back({texts("inspector.share"),
                      {text::decimal(100.0 * static_cast<double>(slice.duration_ns) /
                                         static_cast<double>(above.duration_ns),
                                     1),
                       "%"}});
    }
  }
  if (const auto partner = trace.flow_partner(*selected)) {
    const trace::Slice other = trace.slice(*partner);
    rows.push_back(
        {texts("inspector.linked"), {std::string(context.strings.view(other.name)), ""}});
    rows.push_back({texts("inspector.linked_duration"),
                    text::duration_ns(static_cast<double>(other.duration_ns))});
  }
  return rows;
}

std::vector<InspectorRow> block_rows(const ViewContext& context) {
  const auto& selected = context.state.selected_block;
  const MemorySource source = memory_source(context);
  if (source.log == nullptr || !selected || *selected >= source.log->blocks().size()) return {};
  const memory::AllocationLog& log = *source.log;
  const memory::Block& block = log.blocks()[*selected];
  const auto& texts = context.texts;
  std::vector<InspectorRow> rows;
  rows.push_back(
      {texts("inspector.size"), text::bytes(block.size), exact_bytes(texts, block.size)});
  rows.push_back({texts("inspector.bytes"), {text::grouped(block.size), "B"}});
  const bool guessed = source.is_guess(*selected);
  rows.push_back(
      {texts("inspector.category"),
       {texts(category_key(block.category)), guessed ? texts("inspector.guessed") : ""}});
  const std::string_view op = context.strings.view(block.op);
  if (!op.empty()) rows.push_back({texts("inspector.op"), {std::string(op), ""}});
  const std::string_view module = context.strings.view(block.module);
  if (!module.empty()) rows.push_back({texts("inspector.module"), {std::string(module), ""}});
  // For blocks of a file the phase is often unknown, which is recorded as idle.
  if (context.file == nullptr || block.phase != base::Phase::idle) {
    rows.push_back({texts("inspector.phase"), {texts(phase_key(block.phase)), ""}});
  }
  if (block.step >= 0) {
    rows.push_back({texts("inspector.step"), {std::to_string(block.step + 1), ""}});
  }
  if (!has_clock(context, source)) return rows;
  const bool earlier = source.is_earlier(*selected);
  const auto since = [](std::int64_t from_ns, std::int64_t to_ns) {
    return text::duration_ns(static_cast<double>(to_ns - from_ns));
  };
  const std::int64_t begin = log.time_range().begin;
  const std::int64_t born = log.events()[block.alloc_event].time_ns;
  rows.push_back({texts("inspector.born"), earlier
                                               ? text::Quantity{texts("inspector.born_before"), ""}
                                               : since(begin, born)});
  if (block.free_event == memory::kNone) {
    rows.push_back({texts("inspector.lifetime"), {texts("inspector.still_alive"), ""}});
    return rows;
  }
  const std::int64_t freed = log.events()[block.free_event].time_ns;
  rows.push_back(earlier ? InspectorRow{texts("inspector.freed"), since(begin, freed)}
                         : InspectorRow{texts("inspector.lifetime"), since(born, freed)});
  return rows;
}

std::string to_tsv(const std::vector<InspectorRow>& rows) {
  std::string text;
  for (const InspectorRow& row : rows) {
    text += row.label + "\t" + row.value.value + "\t" + row.value.unit + "\n";
  }
  return text;
}

}  // namespace ts::views
