#include "views/inspector/inspector_rows.h"

#include "core/run/training_summary.h"
#include "views/charts/labels.h"
#include "views/charts/run_time.h"

namespace ts::views {
namespace {

const text::Quantity kMissing{"\xe2\x80\x93", ""};  // en dash

text::Quantity milliseconds(double value) {
  return value < 0 ? kMissing : text::duration_ns(value * 1e6);
}

// Low to high in the unit of the high end, so that one unit serves both.
text::Quantity interval(const text::Texts& texts, double low_ms, double high_ms) {
  if (low_ms < 0) return kMissing;
  const text::Quantity high = text::duration_ns(high_ms * 1e6);
  double scale = 1e6;
  if (high.unit == "s") scale = 1e-3;
  if (high.unit == "ms") scale = 1;
  if (high.unit == "\xc2\xb5s") scale = 1e3;
  const double shown = high_ms * scale;
  const int digits = shown >= 100 ? 1 : shown >= 10 ? 2 : 3;
  return {texts("inspector.range", {{"low", text::decimal(low_ms * scale, digits)},
                                    {"high", text::decimal(shown, digits)}}),
          high.unit};
}

text::Quantity count(std::uint64_t number) {
  return {text::grouped(static_cast<std::int64_t>(number)), ""};
}

void add_details(std::vector<InspectorRow>& rows, const ViewContext& context,
                 const trace::Slice& slice) {
  const auto& texts = context.texts;
  const auto add = [&](const char* key, base::StringId id) {
    const std::string_view value = context.strings.view(id);
    if (!value.empty()) rows.push_back({texts(key), {std::string(value), ""}});
  };
  add("inspector.module", slice.module);
  add("inspector.shape", slice.detail);
}

void add_training(std::vector<InspectorRow>& rows, const ViewContext& context) {
  const run::TrainingSummary training = run::training_summary(*context.run);
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
    rows.push_back({texts("inspector.skipped"), {text::grouped(training.skipped_steps), ""}});
  }
  if (!run::mixes_types(context.run->facts)) return;
  for (const run::NamedType& type : context.run->facts.types) {
    rows.push_back({texts("inspector.type_of", {{"name", type.name}}), {type.type, ""}});
  }
}

}  // namespace

std::vector<InspectorRow> run_rows(const ViewContext& context) {
  if (context.run == nullptr) return {};
  const run::Run& run = *context.run;
  const auto& texts = context.texts;
  const run::TimingSummary timing = run.timing();
  std::vector<InspectorRow> rows;
  rows.push_back({texts("inspector.step_time"), milliseconds(timing.median_ms)});
  rows.push_back({texts("inspector.ci", {{"n", std::to_string(timing.n)}}),
                  interval(texts, timing.ci95_low_ms, timing.ci95_high_ms)});
  const auto tokens = run.tokens_per_s();
  rows.push_back(
      {texts("inspector.throughput"), tokens ? text::rate(*tokens, "tokens") : kMissing});
  const auto tflops = run.tflops_per_s();
  rows.push_back(
      {texts("inspector.compute"), tflops ? text::rate(*tflops * 1e12, "FLOP") : kMissing});
  if (!run.facts.backend_ran.empty()) {
    rows.push_back({texts("inspector.backend_ran"), {run.facts.backend_ran, ""}});
  }
  if (run.facts.parameters > 0) {
    rows.push_back({texts("inspector.parameters"), {text::grouped(run.facts.parameters), ""}});
  }
  add_training(rows, context);
  rows.push_back({texts("inspector.limit"), text::bytes(run.limit)});
  rows.push_back({texts("inspector.slices"), count(run.trace.slice_count())});
  rows.push_back({texts("inspector.events"), count(run.memory.events().size())});
  rows.push_back({texts("inspector.dropped"), count(run.dropped)});
  const auto overhead = run.recording_overhead_percent();
  rows.push_back({texts("inspector.overhead"),
                  overhead ? text::Quantity{text::percent(*overhead, 1), "%"} : kMissing});
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
  rows.push_back({texts("inspector.size"), text::bytes(block.size)});
  rows.push_back({texts("inspector.bytes"), {text::grouped(block.size), "B"}});
  rows.push_back({texts("inspector.category"), {texts(category_key(block.category)), ""}});
  const std::string_view op = context.strings.view(block.op);
  if (!op.empty()) rows.push_back({texts("inspector.op"), {std::string(op), ""}});
  const std::string_view module = context.strings.view(block.module);
  if (!module.empty()) rows.push_back({texts("inspector.module"), {std::string(module), ""}});
  // Of a file's blocks the phase is often not known, which is idle there.
  if (context.file == nullptr || block.phase != base::Phase::idle) {
    rows.push_back({texts("inspector.phase"), {texts(phase_key(block.phase)), ""}});
  }
  if (block.step >= 0) {
    rows.push_back({texts("inspector.step"), {std::to_string(block.step + 1), ""}});
  }
  if (source.kind == MemorySource::Kind::predicted) return rows;  // it has no clock
  const std::int64_t born = log.events()[block.alloc_event].time_ns;
  rows.push_back({texts("inspector.born"),
                  text::duration_ns(static_cast<double>(born - log.time_range().begin))});
  if (block.free_event == memory::kNone) {
    rows.push_back({texts("inspector.lifetime"), {texts("inspector.still_alive"), ""}});
  } else {
    rows.push_back(
        {texts("inspector.lifetime"),
         text::duration_ns(static_cast<double>(log.events()[block.free_event].time_ns - born))});
  }
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
