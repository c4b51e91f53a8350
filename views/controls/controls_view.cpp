#include "views/controls/controls_view.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "core/run/presets.h"
#include "core/run/workload_math.h"
#include "core/text/numbers.h"
#include "views/common/backend_marks.h"
#include "views/common/imgui_sink.h"
#include "views/common/log_slider.h"
#include "views/common/widgets.h"
#include "views/controls/field_access.h"
#include "views/controls/memory_need.h"

namespace ts::views {
namespace {

using run::Field;

constexpr std::array kWorkloads = {run::WorkloadKind::attention, run::WorkloadKind::mlp,
                                   run::WorkloadKind::block, run::WorkloadKind::lm};
constexpr std::array kBackends = {run::AttentionBackend::naive, run::AttentionBackend::math,
                                  run::AttentionBackend::flash, run::AttentionBackend::automatic};
constexpr std::array kPasses = {run::Pass::forward, run::Pass::forward_backward,
                                run::Pass::full_step};
constexpr std::array kDtypes = {run::DataType::fp32, run::DataType::bf16};

template <class Value, std::size_t N>
int index_of(const std::array<Value, N>& values, Value value) {
  return static_cast<int>(std::find(values.begin(), values.end(), value) - values.begin());
}

std::string reason_text(const ControlsContext& context, Field field) {
  const std::string key = run::field_reason(context.history.spec(), field);
  return key.empty() ? std::string() : std::string(context.ui.texts(key));
}

// The first problem of a field in the chosen language; empty when there is none.
std::string problem_text(const ControlsContext& context, Field field) {
  for (const run::SpecProblem& problem : run::validate(context.history.spec())) {
    if (problem.field == field) return context.ui.texts(problem.key, problem.arguments);
  }
  return {};
}

// The preset whose shape the specification has, else nothing.
const run::Preset* matching_preset(const run::WorkloadSpec& spec) {
  for (const run::Preset& preset : run::presets()) {
    if (preset.workload != spec.workload) continue;
    run::WorkloadSpec applied = spec;
    run::apply_preset(preset, applied);
    if (applied == spec) return &preset;
  }
  return nullptr;
}

std::string parameters_text(const ControlsContext& context, const run::WorkloadSpec& spec) {
  const std::int64_t count = run::parameter_count(spec);
  if (count == 0) return {};
  std::string words =
      count >= 1'000'000'000 ? text::decimal(static_cast<double>(count) / 1e9, 2) + " B"
      : count >= 1'000'000   ? text::decimal(static_cast<double>(count) / 1e6, 1) + " M"
                             : text::grouped(count);
  return context.ui.texts("controls.parameters", {{"count", words}});
}

void draw_workload(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  section(ui, ui.texts("controls.workload"));
  std::vector<Choice> choices;
  for (const run::WorkloadKind kind : kWorkloads) {
    const std::string id = run::to_string(kind);
    choices.push_back({id, ui.texts("controls.workload." + id), {}});
  }
  run::WorkloadSpec spec = context.history.spec();
  int chosen = index_of(kWorkloads, spec.workload);
  if (segmented(ui, "###workload", choices, chosen, width)) {
    spec.workload = kWorkloads[static_cast<std::size_t>(chosen)];
    for (const run::Preset& preset : run::presets()) {
      if (preset.workload != spec.workload) continue;
      run::apply_preset(preset, spec);
      break;
    }
    context.history.set(spec);
  }
  ImGui::Dummy({0, ui.px(4)});
  const run::Preset* current = matching_preset(spec);
  select(ui, "###preset", current != nullptr ? current->name : ui.texts("controls.preset.custom"),
         parameters_text(context, spec), width, [&] {
           bool changed = false;
           for (const run::Preset& preset : run::presets()) {
             if (preset.workload != spec.workload) continue;
             run::WorkloadSpec applied = spec;
             run::apply_preset(preset, applied);
             const std::string id = std::string("###preset_") + preset.id;
             if (list_row(ui, id.c_str(), preset.name, preset.source, &preset == current)) {
               context.history.set(applied);
               changed = true;
             }
           }
           return changed;
         });
}

// What the target card would need with this backend, at the right end of its row.
void draw_backend_need(const ControlsContext& context, run::AttentionBackend backend,
                       const Rect& row) {
  if (context.outlook == nullptr) return;
  const auto& needs = context.outlook->backends;
  const auto need = std::find_if(needs.begin(), needs.end(),
                                 [backend](const auto& one) { return one.backend == backend; });
  if (need == needs.end()) return;
  const Ui& ui = context.ui;
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  if (!need->unavailable.empty()) {
    tooltip(ui, need->unavailable);
    sink.text({row.x1 - ui.px(30), row.y0 + ui.px(4)}, TextStyle::body, ui.theme.text3,
              "\xe2\x80\x93");  // en dash
    return;
  }
  const bool over = need->fit == run::Fit::oom;
  const Color color = over ? ui.theme.bad : ui.theme.text;
  const text::Quantity size = text::bytes(need->needed);
  const float y = (row.y0 + row.y1 - sink.text_height(TextStyle::body)) / 2;
  const float unit_x = row.x1 - ui.px(30);
  sink.text({unit_x, y + ui.px(1)}, TextStyle::small, over ? color : ui.theme.text3, size.unit);
  const float value_x = unit_x - ui.px(6) - sink.text_width(TextStyle::body_medium, size.value);
  sink.text({value_x, y}, TextStyle::body_medium, color, size.value);
  if (over) {
    const char* word = ui.texts("controls.backend.oom");
    sink.text({unit_x - ui.px(58) - sink.text_width(TextStyle::small, word), y + ui.px(1)},
              TextStyle::small, color, word);
  }
}

void draw_backends(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  const std::string reason = reason_text(context, Field::backend);
  const bool needs = context.outlook != nullptr && !context.outlook->backends.empty();
  section(ui, ui.texts("controls.backend"),
          reason.empty() && needs ? ui.texts("controls.backend.needs") : reason);
  ImGui::BeginDisabled(!reason.empty());
  for (const run::AttentionBackend backend : kBackends) {
    run::WorkloadSpec spec = context.history.spec();
    const bool chosen = spec.backend == backend;
    const std::string id = std::string("###backend_") + run::to_string(backend);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (ImGui::InvisibleButton(id.c_str(), {width, ui.px(26)})) {
      spec.backend = backend;
      context.history.set(spec);
    }
    const Rect row{at.x, at.y, at.x + width, at.y + ui.px(26)};
    ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
    const float fade = reason.empty() ? 1.0F : 0.4F;
    if (chosen && reason.empty()) {
      sink.fill(row, ui.theme.surface3, ui.px(3));
    } else if (ImGui::IsItemHovered()) {
      sink.fill(row, with_alpha(ui.theme.surface3, 0.5F), ui.px(3));
    }
    draw_backend_mark(sink, backend, {at.x + ui.px(12), (row.y0 + row.y1) / 2}, ui.px(5),
                      with_alpha(backend_color(ui.theme.kind, backend), fade));
    sink.text({at.x + ui.px(28), (row.y0 + row.y1 - sink.text_height(TextStyle::body)) / 2},
              chosen ? TextStyle::body_medium : TextStyle::body, with_alpha(ui.theme.text, fade),
              ui.texts(std::string("controls.backend.") + run::to_string(backend)));
    if (reason.empty()) draw_backend_need(context, backend, row);
  }
  ImGui::EndDisabled();
}

void draw_pass(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  section(ui, ui.texts("controls.pass"));
  std::vector<Choice> choices;
  for (const run::Pass pass : kPasses) {
    // Labels are short so that three fit; the reason why a pass is impossible is its tooltip.
    run::WorkloadSpec tried = context.history.spec();
    tried.pass = pass;
    std::string reason;
    for (const run::SpecProblem& problem : run::validate(tried)) {
      if (problem.field == Field::pass) reason = ui.texts(problem.key, problem.arguments);
    }
    const char* names[] = {"forward", "forward_backward", "full_step"};
    const std::string id = names[static_cast<std::size_t>(pass)];
    choices.push_back({id, ui.texts("controls.pass." + id), reason});
  }
  run::WorkloadSpec spec = context.history.spec();
  int chosen = index_of(kPasses, spec.pass);
  if (segmented(ui, "###pass", choices, chosen, width)) {
    spec.pass = kPasses[static_cast<std::size_t>(chosen)];
    context.history.set(spec);
  }
}

void draw_precision(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  section(ui, ui.texts("controls.precision"));
  std::vector<Choice> choices;
  choices.reserve(kDtypes.size());
  for (const run::DataType type : kDtypes)
    choices.push_back({run::to_string(type), run::to_string(type), {}});
  run::WorkloadSpec spec = context.history.spec();
  int chosen = index_of(kDtypes, spec.dtype);
  if (segmented(ui, "###dtype", choices, chosen, width)) {
    spec.dtype = kDtypes[static_cast<std::size_t>(chosen)];
    context.history.set(spec);
  }
}

void draw_device(const ControlsContext& context, float width) {
  if (context.engine == nullptr || context.engine->devices.size() < 2) return;
  const Ui& ui = context.ui;
  section(ui, ui.texts("controls.device"));
  run::WorkloadSpec spec = context.history.spec();
  std::string name;
  for (const run::DeviceInfo& device : context.engine->devices) {
    if (device.kind == spec.device && device.index == spec.device_index) name = device.name;
  }
  select(ui, "###device", name, "", width, [&] {
    bool changed = false;
    for (const run::DeviceInfo& device : context.engine->devices) {
      const bool chosen = device.kind == spec.device && device.index == spec.device_index;
      const std::string id =
          std::string("###device_") + run::to_string(device.kind) + std::to_string(device.index);
      if (list_row(ui, id.c_str(), device.name, text::bytes(device.memory_bytes).joined(), chosen,
                   device.unavailable)) {
        spec.device = device.kind;
        spec.device_index = device.index;
        context.history.set(spec);
        changed = true;
      }
    }
    return changed;
  });
}

void draw_memory_bar(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  const run::Gpu* gpu = context.gpus.find(context.history.spec().target_gpu);
  if (gpu == nullptr) return;
  MemoryNeed need;
  if (context.outlook != nullptr && context.outlook->target != nullptr) {
    need = {context.outlook->target->prediction.needed, false, true};
  } else if (context.run != nullptr) {
    need = memory_need(*context.run);
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ui.px(8);
  ImGui::Dummy({width, height});
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  sink.fill({at.x, at.y, at.x + width, at.y + height}, ui.theme.surface3);
  if (need.bytes > 0 && gpu->memory_bytes > 0) {
    const float part =
        std::min(1.0F, static_cast<float>(need.bytes) / static_cast<float>(gpu->memory_bytes));
    const bool over = need.bytes > gpu->memory_bytes;
    const Color color = over ? ui.theme.bad : need.at_least ? ui.theme.text3 : ui.theme.ok;
    sink.fill({at.x, at.y, at.x + std::max(1.0F, width * part), at.y + height}, color);
    const std::string size = text::bytes(need.bytes).joined();
    const std::string left = text::bytes(std::abs(gpu->memory_bytes - need.bytes)).joined();
    // A run that did not end says nothing about what would be left.
    section(ui,
            need.at_least    ? ui.texts("controls.target.at_least", {{"size", size}})
            : need.predicted ? ui.texts("controls.target.needed", {{"size", size}})
                             : ui.texts("controls.target.peak", {{"size", size}}),
            over            ? ui.texts("controls.target.over", {{"size", left}})
            : need.at_least ? std::string()
                            : ui.texts("controls.target.spare", {{"size", left}}));
  }
  std::string facts;
  const auto add = [&facts](const std::string& words) {
    facts += (facts.empty() ? "" : ", ") + words;
  };
  if (gpu->bf16_tflops) add(text::decimal(*gpu->bf16_tflops, 0) + " TFLOP/s bf16");
  if (!gpu->bf16_tflops && gpu->fp16_tflops)
    add(text::decimal(*gpu->fp16_tflops, 0) + " TFLOP/s fp16");
  add(text::decimal(gpu->bandwidth_gb_s, 0) + " GB/s");
  add(ui.texts("controls.target.compute", {{"version", gpu->compute_capability}}));
  wrapped_text(ui, TextStyle::small, ui.theme.text3, facts, ui.px(16));
}

}  // namespace

void draw_size_slider(const ControlsContext& context, Field field, float width, float label_width) {
  const Ui& ui = context.ui;
  const run::WorkloadSpec& spec = context.history.spec();
  const std::string reason = reason_text(context, field);
  const std::string problem = reason.empty() ? problem_text(context, field) : std::string();
  SliderLook look;
  look.label = ui.texts(std::string("controls.field.") + run::field_name(field));
  look.value = *number_of(spec, field);
  look.reason = reason;
  look.problem = problem;
  look.label_width = label_width;
  if (context.outlook != nullptr) {
    if (const run::SizeEdge* edge = context.outlook->edge(field))
      look.bad_from = edge->first_too_large;
  }
  const SliderEdit edit = log_slider(ui, run::field_name(field), look, slider_scale(field), width);
  run::WorkloadSpec changed = spec;
  if (edit.value) set_number(changed, field, *edit.value);
  // What cannot be read stays as it was; what can be read but not run is shown with its problem.
  if (edit.typed) static_cast<void>(run::set_field(changed, run::field_name(field), *edit.typed));
  if (changed != spec) context.history.preview(changed);
  if (edit.finished) context.history.commit();
}

void draw_backend_select(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  run::WorkloadSpec spec = context.history.spec();
  const auto label = [&ui](run::AttentionBackend backend) {
    return std::string(ui.texts(std::string("controls.backend.") + run::to_string(backend)));
  };
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto choose = [&] {
    for (const run::AttentionBackend backend : kBackends) {
      const std::string id = std::string("###backend_") + run::to_string(backend);
      if (list_row(ui, id.c_str(), label(backend), "", backend == spec.backend,
                   reason_text(context, Field::backend))) {
        spec.backend = backend;
        context.history.set(spec);
        return true;
      }
    }
    return false;
  };
  select(ui, "###backend", label(spec.backend), "", width, choose, ui.px(18));
  ImGuiSink sink(*ImGui::GetWindowDrawList(), ui.faces, ui.metrics.scale);
  draw_backend_mark(sink, spec.backend, {at.x + ui.px(16), at.y + ui.px(14)}, ui.px(5),
                    backend_color(ui.theme.kind, spec.backend));
}

void draw_target_select(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  run::WorkloadSpec spec = context.history.spec();
  const run::Gpu* gpu = context.gpus.find(spec.target_gpu);
  select(ui, "###target", spec.target_gpu,
         gpu != nullptr ? text::bytes(gpu->memory_bytes).joined() : std::string(), width, [&] {
           for (const run::Gpu& card : context.gpus.gpus()) {
             if (list_row(ui, ("###target_" + card.name).c_str(), card.name,
                          text::bytes(card.memory_bytes).joined(), card.name == spec.target_gpu)) {
               spec.target_gpu = card.name;
               context.history.set(spec);
               return true;
             }
           }
           return false;
         });
}

void draw_controls(const ControlsContext& context) {
  const Ui& ui = context.ui;
  const float width = ImGui::GetContentRegionAvail().x;
  const auto gap = [&ui] { ImGui::Dummy({0, ui.px(4)}); };
  draw_workload(context, width);
  gap();
  section(ui, ui.texts("controls.shape"));
  for (const Field field : {Field::B, Field::T, Field::d_model, Field::heads, Field::d_head,
                            Field::layers, Field::d_ff, Field::vocab}) {
    draw_size_slider(context, field, width);
  }
  gap();
  draw_precision(context, width);
  gap();
  draw_backends(context, width);
  gap();
  draw_pass(context, width);
  gap();
  run::WorkloadSpec spec = context.history.spec();
  if (toggle(ui, "###causal", ui.texts("controls.causal"), spec.causal, width,
             reason_text(context, Field::causal))) {
    context.history.set(spec);
  }
  gap();
  draw_device(context, width);
  section(ui, ui.texts("controls.target"), ui.texts("controls.target.remark"));
  draw_target_select(context, width);
  gap();
  draw_memory_bar(context, width);
}

}  // namespace ts::views
