#include "core/allocator/allocator_settings.h"
#include "core/exported/model_file.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_problems.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_spec.h"
#include "core/spec/workload_traits.h"
#include "core/text/numbers.h"
#include "core/text/utf8.h"

namespace ts::spec {

namespace {

bool holds(const NumberField& field, std::int64_t value) {
  return value >= field.range.min && value <= field.range.max;
}
bool holds(const RealField& field, double value) {
  return value >= field.min && value <= field.max;
}

// Each kind by itself: numbers, then reals.
template <class Kind>
void check_ranges(const WorkloadSpec& spec, Problems& problems) {
  for (const FieldRow& row : field_rows()) {
    const auto* kind = std::get_if<Kind>(&row.kind);
    if (kind == nullptr || holds(*kind, spec.*kind->member)) continue;
    problems.add(row.field, std::move(in_range(row.field, spec.*kind->member).error()));
  }
}

void check_memory_limit(const WorkloadSpec& spec, Problems& problems) {
  const auto [least, most] = field_as<BytesField>(Field::memory_limit)->range;
  if (spec.memory_limit == 0) return;
  if (spec.memory_limit >= least && spec.memory_limit <= most) return;
  problems.add(Field::memory_limit, "memory_limit",
               {{"min", text::bytes(least).joined()},
                {"max", text::bytes(most).joined()},
                {"value", text::bytes(spec.memory_limit).joined()}});
}

// Printable UTF-8 of limited length: other text cannot be written to JSON or drawn.
bool is_plain_text(std::string_view text, std::size_t longest) {
  if (text.size() > longest) return false;
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t count = text::character_bytes(text);
    if (count == 0 || lead < 0x20 || lead == 0x7F) return false;
    text.remove_prefix(count);
  }
  return true;
}

void check_corpus_name(const WorkloadSpec& spec, Problems& problems) {
  constexpr std::size_t kLongestPath = 4096;
  if (is_plain_text(spec.corpus, kLongestPath)) return;
  problems.add(Field::corpus, "corpus_name");
}

void check_target(const WorkloadSpec& spec, Problems& problems) {
  constexpr std::size_t kLongestName = 100;
  if (is_plain_text(spec.target_gpu, kLongestName)) return;
  problems.add(Field::target_gpu, "target_name");
}

void check_alloc_conf(const WorkloadSpec& spec, Problems& problems) {
  constexpr std::size_t kLongestSettings = 1000;
  if (!is_plain_text(spec.alloc_conf, kLongestSettings)) {
    problems.add(Field::alloc_conf, "alloc_conf_text");
    return;
  }
  auto settings = allocator::AllocatorSettings::parse(spec.alloc_conf);
  if (!settings) problems.add(Field::alloc_conf, std::move(settings.error()));
}

void check_model(const WorkloadSpec& spec, Problems& problems) {
  constexpr std::size_t kLongestPath = 4096;
  if (!is_plain_text(spec.model, kLongestPath)) {
    problems.add(Field::model, "model_name");
    return;
  }
  if (!traits_of(spec.workload).from_file) return;
  if (spec.model.empty()) {
    problems.add(Field::model, "no_model");
    return;
  }
  const auto model = exported::open_model(spec.model);
  if (!model) {
    problems.add(Field::model, model.error());
    return;
  }
  for (const Field field : kDimensionFields) {
    const exported::Dimension* const open = open_dimension(**model, field);
    const std::int64_t value = number_of(spec, field);
    const bool as_exported = value == 0 && field != Field::B && field != Field::T;
    if (open == nullptr || as_exported || (value >= open->min && value <= open->max)) continue;
    problems.add(field, "model_range",
                 {{"field", field_name(field)},
                  {"label", open->label},
                  {"min", text::grouped(open->min)},
                  {"max", text::grouped(open->max)},
                  {"value", text::grouped(value)}});
  }
}

}  // namespace

std::vector<SpecProblem> validate(const WorkloadSpec& spec) {
  Problems problems;
  check_ranges<NumberField>(spec, problems);
  check_ranges<RealField>(spec, problems);
  check_memory_limit(spec, problems);
  check_target(spec, problems);
  check_corpus_name(spec, problems);
  check_alloc_conf(spec, problems);
  check_model(spec, problems);
  // Combinations are checked only if every value is in its range.
  if (problems.empty()) {
    check_combinations(spec, problems);
  }
  return problems.take();
}

}  // namespace ts::spec
