#include "core/spec/own_model.h"

#include <utility>

#include "core/spec/workload_traits.h"

namespace ts::spec {

std::shared_ptr<const exported::ModelFile> model_of(const WorkloadSpec& spec) {
  if (!traits_of(spec.workload).from_file || spec.model.empty()) return nullptr;
  auto model = exported::open_model(spec.model);
  return model ? std::move(*model) : nullptr;
}

base::Result<void> choose_model(const std::string& path, WorkloadSpec& spec) {
  auto model = exported::open_model(path);
  if (!model) return tl::unexpected(model.error());
  const exported::ModelFile& file = **model;
  spec.workload = WorkloadKind::own_model;
  spec.model = path;
  const auto example = [&file](std::optional<std::size_t> open, std::int64_t fixed) {
    return open ? file.dimensions()[*open].example : fixed;
  };
  spec.batch = example(file.batch(), file.fixed_batch());
  spec.seq_len = example(file.sequence(), file.fixed_sequence());
  spec.dtype = file.main_type() == exported::ElementType::bf16   ? DataType::bf16
               : file.main_type() == exported::ElementType::fp16 ? DataType::fp16
                                                                 : DataType::fp32;
  spec.backend = AttentionBackend::automatic;
  if (spec.pass == Pass::generate) spec.pass = Pass::full_step;
  if (spec.pass == Pass::full_step && file.parameter_count() == 0) spec.pass = Pass::forward;
  return {};
}

std::vector<std::int64_t> symbol_values(const WorkloadSpec& spec,
                                        const exported::ModelFile& model) {
  std::vector<std::int64_t> values;
  for (const exported::Symbol& symbol : model.program().symbols) values.push_back(symbol.example);
  for (const exported::Dimension& open : model.dimensions()) values[open.symbol] = open.example;
  if (model.batch()) values[model.dimensions()[*model.batch()].symbol] = spec.batch;
  if (model.sequence()) values[model.dimensions()[*model.sequence()].symbol] = spec.seq_len;
  return values;
}

bool is_offered(WorkloadKind kind, const WorkloadSpec& spec) {
  return !traits_of(kind).from_file || !spec.model.empty();
}

}  // namespace ts::spec
