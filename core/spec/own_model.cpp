#include "core/spec/own_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/io/json_parse.h"
#include "core/spec/model_config.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "core/text/message.h"

namespace ts::spec {

std::shared_ptr<const exported::ModelFile> model_of(const WorkloadSpec& spec) {
  if (!comes_from_file(spec) || spec.model.empty()) return nullptr;
  auto model = exported::open_model(spec.model);
  return model ? std::move(*model) : nullptr;
}

std::shared_ptr<const exported::ModelFile> model_to_run(const WorkloadSpec& spec) {
  auto model = model_of(spec);
  const bool again = model && checkpointing(spec) == Checkpoint::blocks;
  return again ? model->checkpointed() : model;
}

base::Result<void> choose_model(const std::string& path, WorkloadSpec& spec) {
  if (is_model_config(path)) {
    TS_TRY(const auto config, io::read_json(path));
    auto applied = apply_model_config(config, spec);
    if (applied) return {};
    return text::fail("model_error.read",
                      {{"path", path}, text::argument("reason", std::move(applied.error()))});
  }
  if (path.ends_with(".json")) return tl::unexpected(reason_no_config(path));
  TS_TRY(auto model, exported::open_model(path));
  const exported::ModelFile& file = *model;
  spec.workload = WorkloadKind::own_model;
  spec.model = path;
  for (const Field field : kDimensionFields) {
    const exported::Dimension* const open = open_dimension(file, field);
    const std::int64_t fixed = field == Field::B   ? file.fixed_batch().value_or(1)
                               : field == Field::T ? file.fixed_sequence().value_or(1)
                                                   : 0;
    spec.*field_as<NumberField>(field)->member = open != nullptr ? open->example : fixed;
  }
  spec.dtype = file.main_type() == exported::ElementType::bf16   ? DataType::bf16
               : file.main_type() == exported::ElementType::fp16 ? DataType::fp16
                                                                 : DataType::fp32;
  spec.backend = AttentionBackend::automatic;
  spec.checkpoint = Checkpoint::off;
  if (spec.pass == Pass::generate) spec.pass = Pass::full_step;
  if (file.parameter_count() == 0) spec.pass = Pass::forward;
  return {};
}

base::Message lacks_numbers(const WorkloadSpec& spec) {
  const auto model = model_of(spec);
  const exported::ModelFile::Holds holds = model ? model->holds() : exported::ModelFile::Holds{};
  if (holds.without_numbers == 0) return {};
  return text::message("model_note.initialised",
                       {{"count", std::to_string(holds.without_numbers)},
                        {"all", std::to_string(holds.all)},
                        {"file", std::filesystem::path(spec.model).filename().string()}});
}

bool is_dimension(Field field) {
  return std::ranges::find(kDimensionFields, field) != kDimensionFields.end();
}

const exported::Dimension* open_dimension(const exported::ModelFile& model, Field field) {
  const auto all = model.dimensions();
  const auto at = [&](std::optional<std::size_t> index) {
    return index && *index < all.size() ? &all[*index] : nullptr;
  };
  if (field == Field::B) return at(model.batch());
  if (field == Field::T && model.sequence()) return at(model.sequence());
  constexpr auto kFirst = static_cast<std::size_t>(Field::dim1);
  constexpr std::size_t kOthers = static_cast<std::size_t>(Field::dim4) - kFirst + 1;
  const std::size_t named = (model.batch() ? 1U : 0U) + (model.sequence() ? 1U : 0U);
  const std::size_t other = field == Field::T ? kOthers : static_cast<std::size_t>(field) - kFirst;
  return at(named + other);
}

base::Message holds_dimensions(const WorkloadSpec& spec) {
  const auto model = model_of(spec);
  if (!model) return {};
  std::string names;
  for (const exported::Dimension& one : model->dimensions()) {
    const bool set = std::ranges::any_of(
        kDimensionFields, [&](Field field) { return open_dimension(*model, field) == &one; });
    if (!set)
      names += (names.empty() ? "" : ", ") + one.label + " = " + std::to_string(one.example);
  }
  if (names.empty()) return {};
  return text::message(
      "model_note.held",
      {{"names", names}, {"file", std::filesystem::path(spec.model).filename().string()}});
}

const char* reason_not_open(const exported::ModelFile& model, Field field) {
  if (open_dimension(model, field) != nullptr) return nullptr;
  const bool fixed =
      (field == Field::B && model.fixed_batch()) || (field == Field::T && model.fixed_sequence());
  return fixed ? "field.reason.fixed_in_model" : "field.reason.no_dimension";
}

FieldRange size_range(const WorkloadSpec& spec, Field field) {
  const auto model = is_dimension(field) ? model_of(spec) : nullptr;
  const exported::Dimension* const open = model ? open_dimension(*model, field) : nullptr;
  if (open != nullptr) return {open->min, open->max};
  FieldRange range = field_range(field);
  if (field == Field::T && spec.max_positions > 0 && field_applies(spec, Field::max_positions)) {
    const std::int64_t others = context_length(spec) - spec.seq_len;
    range.max = std::clamp(spec.max_positions - others, range.min, range.max);
  }
  return range;
}

std::string dimensions_text(const WorkloadSpec& spec) {
  constexpr std::int64_t kNoEnd = std::int64_t{1} << 20;  // what a size without one ends at
  std::string words;
  const auto model = model_of(spec);
  for (const Field field : kDimensionFields) {
    const exported::Dimension* const open = model ? open_dimension(*model, field) : nullptr;
    if (open == nullptr) continue;
    const std::string range = open->max >= kNoEnd ? fmt::format("from {}", open->min)
                                                  : fmt::format("{} to {}", open->min, open->max);
    words += fmt::format("{}{} = {} ({}, {})", words.empty() ? "" : ", ", field_name(field),
                         field_text(spec, field), open->label, range);
  }
  return words;
}

std::vector<std::int64_t> symbol_values(const WorkloadSpec& spec,
                                        const exported::ModelFile& model) {
  std::vector<std::int64_t> values;
  for (const exported::Symbol& symbol : model.program().symbols) values.push_back(symbol.example);
  for (const exported::Dimension& open : model.dimensions()) values[open.symbol] = open.example;
  for (const Field field : kDimensionFields) {
    const exported::Dimension* const open = open_dimension(model, field);
    const std::int64_t value = number_of(spec, field);
    if (open != nullptr && value > 0) values[open->symbol] = value;
  }
  return values;
}

bool comes_from_file(const WorkloadSpec& spec) {
  return traits_of(spec.workload).from_file;
}

bool is_offered(WorkloadKind kind, const WorkloadSpec& spec) {
  if (traits_of(kind).one_operator) return kind == spec.workload;
  return !traits_of(kind).from_file || !spec.model.empty();
}

}  // namespace ts::spec
