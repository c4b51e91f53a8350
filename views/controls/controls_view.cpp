#include "views/controls/controls_view.h"

#include <imgui.h>

#include <algorithm>
#include <cstdlib>

#include "core/spec/own_model.h"
#include "core/spec/presets.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "core/text/numbers.h"
#include "views/common/exact_bytes.h"
#include "views/common/glossary.h"
#include "views/common/imgui_sink.h"
#include "views/common/log_slider.h"
#include "views/common/spec_text.h"
#include "views/common/widgets.h"
#include "views/controls/card_numbers.h"
#include "views/controls/field_access.h"
#include "views/controls/field_controls.h"
#include "views/controls/memory_need.h"

namespace ts::views {
namespace {

using spec::Field;

constexpr std::array kShape = {Field::B,      Field::T,      Field::d_model, Field::heads,
                               Field::d_head, Field::layers, Field::d_ff,    Field::vocab};
constexpr std::array kImages = {Field::image,          Field::patch,         Field::image_tokens,
                                Field::images,         Field::encoder_width, Field::encoder_heads,
                                Field::encoder_layers, Field::encoder_ff};
constexpr std::array kDimensions = {Field::dim1, Field::dim2, Field::dim3, Field::dim4};
constexpr std::array kAttention = {
    Field::kv_heads,   Field::T_kv,         Field::tile_q,     Field::tile_k,  Field::softmax,
    Field::mask,       Field::window,       Field::full_every, Field::softcap, Field::packed,
    Field::padding,    Field::attn_dropout, Field::head_width, Field::kv_rank, Field::q_rank,
    Field::rope_width, Field::v_width};
constexpr std::array kModel = {Field::mlp,
                               Field::ffn,
                               Field::norm,
                               Field::positions,
                               Field::max_positions,
                               Field::bias,
                               Field::qkv_bias,
                               Field::qk_norm,
                               Field::block_form,
                               Field::post_norm,
                               Field::tied,
                               Field::head_bias,
                               Field::logit_softcap,
                               Field::projections,
                               Field::fused_qkv,
                               Field::silu,
                               Field::cross_entropy,
                               Field::products,
                               Field::kernels,
                               Field::lora_rank,
                               Field::lora_on,
                               Field::lora_alpha,
                               Field::lora_merged,
                               Field::dropout,
                               Field::experts,
                               Field::experts_per_token,
                               Field::capacity,
                               Field::expert_ff,
                               Field::shared_ff,
                               Field::shared_gate,
                               Field::dense_layers,
                               Field::expert_every,
                               Field::expert_weights,
                               Field::expert_scale,
                               Field::patches,
                               Field::stem_norm,
                               Field::pool,
                               Field::projector,
                               Field::frozen,
                               Field::frozen_layers};
constexpr std::array kMixedPrecision = {Field::autocast, Field::grad_scaler, Field::init_scale,
                                        Field::growth_interval, Field::rope_fp32};
constexpr std::array kOptimizer = {Field::optimizer,    Field::optimizer_state, Field::lr,
                                   Field::weight_decay, Field::momentum,        Field::schedule,
                                   Field::warmup_steps, Field::cycle_steps,     Field::min_lr,
                                   Field::clip,         Field::zero_grad};
constexpr std::array kMemory = {Field::checkpoint, Field::checkpoint_every, Field::accumulate,
                                Field::keep_graph};
constexpr std::array kData = {Field::corpus,   Field::tokenizer,   Field::new_tokens,
                              Field::kv_cache, Field::temperature, Field::top_k};
constexpr std::array kMeasurement = {Field::warmups,    Field::cache,   Field::threads,
                                     Field::cuda_graph, Field::compile, Field::habit};

// The preset that the specification has apart from the backend, else nothing.
const spec::Preset* matching_preset(const spec::WorkloadSpec& spec) {
  for (const spec::Preset& preset : spec::presets()) {
    if (preset.workload != spec.workload) continue;
    spec::WorkloadSpec applied = spec;
    spec::apply_preset(preset, applied);
    applied.backend = spec.backend;
    if (applied == spec) return &preset;
  }
  return nullptr;
}

// "3.41 B", "76.4 M"; empty for none.
std::string count_text(std::int64_t count) {
  if (count == 0) return {};
  return count >= 1'000'000'000 ? text::decimal(static_cast<double>(count) / 1e9, 2) + " B"
         : count >= 1'000'000   ? text::decimal(static_cast<double>(count) / 1e6, 1) + " M"
                                : text::grouped(count);
}

std::string parameters_text(const ControlsContext& context, const spec::WorkloadSpec& spec) {
  const std::string count = count_text(spec::parameter_count(spec));
  if (count.empty()) return {};
  if (spec::experts(spec).any()) {
    return context.ui.texts("controls.active",
                            {{"active", count_text(spec::active_count(spec))}, {"count", count}});
  }
  if (!spec::freezes(spec)) {
    return context.ui.texts("controls.parameters", {{"count", count}});
  }
  return context.ui.texts("controls.trained",
                          {{"trained", count_text(spec::trained_count(spec))}, {"count", count}});
}

// All workloads as joined buttons.
void draw_kinds(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  spec::WorkloadSpec spec = context.history.spec();
  std::vector<Choice> choices;
  std::vector<spec::WorkloadKind> kinds;
  int chosen = 0;
  const auto names = spec::field_choices(Field::workload);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto kind = static_cast<spec::WorkloadKind>(i);
    if (!spec::is_offered(kind, spec)) continue;
    if (kind == spec.workload) chosen = static_cast<int>(kinds.size());
    kinds.push_back(kind);
    choices.push_back({names[i], ui.texts(std::string("controls.workload.") + names[i]), {}});
  }
  if (!choice_grid(ui, "###workload", choices, chosen, width)) return;
  spec::choose_workload(kinds[static_cast<std::size_t>(chosen)], spec);
  context.history.set(spec);
}

// The file in place of a preset. Another path makes its model the workload.
void draw_model(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  const std::string before = context.history.spec().model;
  draw_field(context, Field::model, width);
  spec::WorkloadSpec spec = context.history.spec();
  if (spec.model != before && spec::choose_model(spec.model, spec)) context.history.set(spec);
  const auto model = spec::model_of(spec);
  if (!model) return;
  const std::string count = parameters_text(context, spec);
  const exported::Program& program = model->program();
  std::string facts = program.class_name;
  for (const std::string& fact : {count, "torch " + program.torch_version}) {
    if (!fact.empty()) facts += (facts.empty() ? "" : ", ") + fact;
  }
  wrapped_text(ui, TextStyle::small, ui.theme.text3, facts);
}

void draw_workload(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  section(ui, ui.texts("controls.workload"));
  draw_kinds(context, width);
  ImGui::Dummy({0, ui.px(4)});
  const spec::WorkloadSpec& spec = context.history.spec();
  if (spec::comes_from_file(spec)) return draw_model(context, width);
  const spec::Preset* current = matching_preset(spec);
  select(
      ui, "###preset",
      current != nullptr ? preset_text(ui.texts, *current) : ui.texts("controls.preset.custom"),
      parameters_text(context, spec), width, [&] {
        bool changed = false;
        for (const spec::Preset& preset : spec::presets()) {
          if (preset.workload != spec.workload) continue;
          spec::WorkloadSpec applied = spec;
          spec::apply_preset(preset, applied);
          const std::string id = std::string("###preset_") + preset.id;
          // The sizes in model names do not always match the formulas.
          const std::string count = count_text(spec::parameter_count(applied));
          const std::string right =
              preset_source_text(ui.texts, preset) + (count.empty() ? "" : ", " + count);
          if (list_row(ui, id.c_str(), preset_text(ui.texts, preset), right, &preset == current)) {
            context.history.set(applied);
            changed = true;
          }
        }
        return changed;
      });
}

// Joined buttons over the whole width, under a heading.
void draw_wide_choice(const ControlsContext& context, Field field, std::string_view title,
                      float width) {
  const Ui& ui = context.ui;
  section(ui, title);
  tooltip(ui, meaning(ui.texts, spec::field_name(field)));
  const std::vector<Choice> choices = field_choices_of(context, field);
  const auto* kind = spec::field_as<spec::ChoiceField>(field);
  spec::WorkloadSpec spec = context.history.spec();
  int chosen = kind->get(spec);
  const std::string id = std::string("###") + spec::field_name(field);
  const SortedChoices sorted = sorted_choices(choices, chosen);
  const auto grid = [&](const std::string& name, const std::vector<std::size_t>& shown) {
    std::vector<Choice> some;
    int pressed = -1;
    for (const std::size_t i : shown) {
      if (static_cast<int>(i) == chosen) pressed = static_cast<int>(some.size());
      some.push_back(choices[i]);
    }
    if (!choice_grid(ui, name.c_str(), some, pressed, width)) return;
    kind->set(spec, static_cast<int>(shown[static_cast<std::size_t>(pressed)]));
    context.history.set(spec);
  };
  grid(id, sorted.possible);
  if (draw_refused_fold(ui, (id + "_refused").c_str(), sorted)) grid(id, sorted.refused);
}

void draw_device(const ControlsContext& context, float width) {
  if (context.engine == nullptr || context.engine->devices.size() < 2) return;
  const Ui& ui = context.ui;
  section(ui, ui.texts("controls.device"));
  spec::WorkloadSpec spec = context.history.spec();
  std::string name;
  for (const run::DeviceInfo& device : context.engine->devices) {
    if (device.kind == spec.device && device.index == spec.device_index) name = device.name;
  }
  select(ui, "###device", name, "", width, [&] {
    bool changed = false;
    for (const run::DeviceInfo& device : context.engine->devices) {
      const bool chosen = device.kind == spec.device && device.index == spec.device_index;
      const std::string id =
          std::string("###device_") + to_string(device.kind) + std::to_string(device.index);
      if (list_row(ui, id.c_str(), device.name, text::bytes(device.memory_bytes).joined(), chosen,
                   message_text(ui.texts, device.unavailable))) {
        spec.device = device.kind;
        spec.device_index = device.index;
        context.history.set(spec);
        changed = true;
      }
    }
    return changed;
  });
}

// The card's memory that is left for tensors, and why it is less than the advertised size.
void draw_usable(const Ui& ui, const spec::Gpu& gpu) {
  const std::int64_t usable = predict::target_of(gpu).capacity();
  wrapped_text(ui, TextStyle::small, ui.theme.text3,
               ui.texts("controls.target.usable", {{"size", text::bytes(usable).joined()}}));
  std::string why = ui.texts("controls.target.usable_why",
                             {{"usable", exact_bytes(ui.texts, usable)},
                              {"memory", exact_bytes(ui.texts, gpu.memory_bytes)},
                              {"context", text::bytes(predict::kContextBytes).joined()}});
  if (gpu.box_bytes > 0) {
    why += "\n" +
           ui.texts("controls.target.counted", {{"memory", text::bytes(gpu.memory_bytes).joined()},
                                                {"box", text::bytes(gpu.box_bytes).joined()}});
  }
  tooltip(ui, why);
}

void draw_memory_bar(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  const spec::Gpu* gpu = context.gpus.find(context.history.spec().target_gpu);
  if (gpu == nullptr) return;
  MemoryNeed need;
  std::int64_t scratch = 0;  // the most that kernels may use in addition
  if (context.outlook != nullptr && context.outlook->target != nullptr) {
    need = {context.outlook->target->prediction.needed, false, true};
    scratch = context.outlook->target->prediction.scratch_high;
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
    const float end = at.x + std::max(1.0F, width * part);
    sink.fill({at.x, at.y, end, at.y + height}, color);
    // Memory that no dry run sees is a band after the needed memory.
    const float band = width * static_cast<float>(scratch) / static_cast<float>(gpu->memory_bytes);
    sink.fill({end, at.y, std::min(at.x + width, end + band), at.y + height},
              with_alpha(color, 0.4F));
    const std::string size = text::bytes(need.bytes).joined();
    const std::string left = text::bytes(std::abs(gpu->memory_bytes - need.bytes)).joined();
    // A run that did not end gives no information about free memory.
    section(ui,
            need.at_least    ? ui.texts("controls.target.at_least", {{"size", size}})
            : need.predicted ? ui.texts("controls.target.needed", {{"size", size}})
                             : ui.texts("controls.target.peak", {{"size", size}}),
            over            ? ui.texts("controls.target.over", {{"size", left}})
            : need.at_least ? std::string()
                            : ui.texts("controls.target.spare", {{"size", left}}));
    exact_bytes_tip(ui, need.bytes);
  }
  draw_usable(ui, *gpu);
  std::string facts;
  const auto add = [&facts](const std::string& words) {
    facts += (facts.empty() ? "" : ", ") + words;
  };
  if (gpu->bf16_tflops) add(text::decimal(*gpu->bf16_tflops, 0) + " TFLOP/s bf16");
  if (!gpu->bf16_tflops && gpu->fp16_tflops)
    add(text::decimal(*gpu->fp16_tflops, 0) + " TFLOP/s fp16");
  if (gpu->bandwidth_gb_s > 0) add(text::decimal(gpu->bandwidth_gb_s, 0) + " GB/s");
  add(ui.texts("controls.target.compute", {{"version", gpu->compute_capability}}));
  wrapped_text(ui, TextStyle::small, ui.theme.text3, facts);
}

// Input that cannot be parsed changes nothing and is reported. Input that can be parsed but not run
// is shown with its problem.
void apply(const ControlsContext& context, Field field, const SliderEdit& edit) {
  spec::WorkloadSpec changed = context.history.spec();
  if (edit.value) set_slider_number(changed, field, *edit.value);
  if (edit.typed) set_typed(context, field, *edit.typed, changed);
  if (changed != context.history.spec()) context.history.preview(changed);
  if (edit.finished) context.history.commit();
  draw_refusal(context, field);
}

// The sizes that matter for the workload. The others are folded.
void draw_shape(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  section(ui, ui.texts("controls.shape"));
  const bool from_file = spec::comes_from_file(context.history.spec());
  std::vector<Field> idle, shown(kShape.begin(), kShape.end());
  // A model has few of these, the other workloads none.
  for (const Field field : kDimensions) {
    if (from_file && spec::field_applies(context.history.spec(), field)) {
      shown.insert(shown.begin() + 2, field);
    }
  }
  // Only workloads with images have these.
  for (const Field field : kImages) {
    const bool sees = spec::field_applies(context.history.spec(), Field::image);
    if (sees && spec::field_applies(context.history.spec(), field)) shown.push_back(field);
  }
  for (const Field field : shown) {
    if (reason_text(context, field).empty()) {
      draw_size_slider(context, field, width);
    } else {
      idle.push_back(field);
    }
  }
  draw_idle_fields(ui, "###idle_shape", idle,
                   [&](Field field) { draw_size_slider(context, field, width); });
}

// The meaning of a size. A dimension that a model's file leaves open has its name and its range.
std::string size_meaning(const ControlsContext& context, Field field) {
  const Ui& ui = context.ui;
  const spec::WorkloadSpec& spec = context.history.spec();
  const auto model = spec::is_dimension(field) ? spec::model_of(spec) : nullptr;
  const exported::Dimension* const open = model ? spec::open_dimension(*model, field) : nullptr;
  if (open == nullptr) return meaning(ui.texts, spec::field_name(field));
  return ui.texts("controls.dimension", {{"label", open->label},
                                         {"min", text::grouped(open->min)},
                                         {"max", text::grouped(open->max)}});
}

void draw_causal(const ControlsContext& context, float width) {
  spec::WorkloadSpec spec = context.history.spec();
  if (toggle(context.ui, "###causal", context.ui.texts("controls.causal"), spec.causal, width,
             reason_text(context, Field::causal))) {
    context.history.set(spec);
  }
}

// The settings of attention. One line if the workload has no attention.
void draw_attention(const ControlsContext& context, float width) {
  const Ui& ui = context.ui;
  const bool used = reason_text(context, Field::backend).empty();
  const bool open = used || folded_section(ui, "###idle_backend", ui.texts("controls.backend"),
                                           ui.texts("controls.not_used"));
  if (open) draw_backends(context, width);
  if (open) ImGui::Dummy({0, ui.px(4)});
  if (open || reason_text(context, Field::causal).empty()) draw_causal(context, width);
}

void draw_seed(const ControlsContext& context, float width) {
  const SliderEdit edit =
      number_row(context.ui, spec::field_name(Field::seed), context.ui.texts("controls.field.seed"),
                 std::to_string(context.history.spec().seed), width);
  apply(context, Field::seed, edit);
}

}  // namespace

void draw_size_slider(const ControlsContext& context, Field field, float width, float label_width) {
  const Ui& ui = context.ui;
  const spec::WorkloadSpec& spec = context.history.spec();
  const std::string reason = reason_text(context, field);
  const std::string problem = reason.empty() ? problem_text(context, field) : std::string();
  SliderSettings look;
  const std::string label = size_text(ui.texts, spec, field);
  look.label = label;
  look.value = *slider_number(spec, field);
  look.reason = reason;
  look.problem = problem;
  look.label_width = label_width;
  const std::string meant = size_meaning(context, field);
  look.meaning = meant;
  // If the card cannot run the settings, the known edge belongs to other settings.
  if (context.outlook != nullptr && context.outlook->target != nullptr) {
    if (const predict::SizeEdge* edge = context.outlook->edge(field))
      look.bad_from = edge->first_too_large;
  }
  const SliderEdit edit =
      log_slider(ui, spec::field_name(field), look, slider_scale(spec, field), width);
  apply(context, field, edit);
}

void draw_controls(const ControlsContext& context) {
  const Ui& ui = context.ui;
  const float width = ImGui::GetContentRegionAvail().x;
  const auto gap = [&ui] { ImGui::Dummy({0, ui.px(4)}); };
  draw_workload(context, width);
  gap();
  draw_shape(context, width);
  gap();
  draw_wide_choice(context, Field::dtype, ui.texts("controls.precision"), width);
  gap();
  draw_attention(context, width);
  draw_seed(context, width);
  gap();
  draw_wide_choice(context, Field::pass, ui.texts("controls.pass"), width);
  gap();
  if (spec::comes_from_file(context.history.spec())) {
    draw_field(context, Field::loss, width);
    gap();
  }
  const auto folded = [&](const char* id, const char* title, std::span<const Field> fields) {
    draw_folded_fields(context, id, title, fields, width);
  };
  folded("###more_attention", ui.texts("controls.more.attention"), kAttention);
  folded("###more_model", ui.texts("controls.more.model"), kModel);
  folded("###more_precision", ui.texts("controls.more.precision"), kMixedPrecision);
  folded("###more_optimizer", ui.texts("controls.more.optimizer"), kOptimizer);
  folded("###more_memory", ui.texts("controls.more.memory"), kMemory);
  folded("###more_data", ui.texts("controls.more.data"), kData);
  folded("###more_measurement", ui.texts("controls.more.measurement"), kMeasurement);
  gap();
  draw_device(context, width);
  section(ui, ui.texts("controls.target"), ui.texts("controls.target.remark"));
  tooltip(ui, meaning(ui.texts, "target_gpu"));
  draw_target_select(context, width);
  gap();
  draw_memory_bar(context, width);
  draw_card_numbers(context, width);
  draw_field(context, Field::memory_limit, width);
  gap();
  draw_allocator(context, width);
}

}  // namespace ts::views
