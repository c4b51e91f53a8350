#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exported/model_file.h"
#include "core/spec/workload_spec.h"

namespace ts::spec {

// The model of a spec whose workload comes from a file; null for other workloads and where the file
// cannot be read, of which validate() has the sentence. Read once for as long as the file stays as
// it is. Any thread.
std::shared_ptr<const exported::ModelFile> model_of(const WorkloadSpec& spec);

// The same as it is run: with checkpoints where the spec has them.
std::shared_ptr<const exported::ModelFile> model_to_run(const WorkloadSpec& spec);

// Makes the model at `path` the workload: a .pt2 with the sizes and the type that it was exported
// with and attention as LibTorch chooses it, a config.json (model_config.h) as our own language
// model. The error names the file; the spec stays as it was.
base::Result<void> choose_model(const std::string& path, WorkloadSpec& spec);

// The sentence for a model whose file lacks numbers of its weights; empty for any other.
base::Message lacks_numbers(const WorkloadSpec& spec);

// Whether operators and sizes are those of a file.
bool comes_from_file(const WorkloadSpec& spec);

// Whether a list should offer the workload: one that comes from a file only once there is a file,
// one operator alone only where it is chosen already.
bool is_offered(WorkloadKind kind, const WorkloadSpec& spec);

// The settings that are open dimensions of an own model: B, T, and dim1 to dim4 for the others in
// order. T is the fifth of them where the model has no sequence. Further ones keep the size of the
// example.
inline constexpr std::array kDimensionFields = {Field::B,    Field::T,    Field::dim1,
                                                Field::dim2, Field::dim3, Field::dim4};
bool is_dimension(Field field);
// The dimension that the setting is, null where the file has none for it. It lives in the model.
const exported::Dimension* open_dimension(const exported::ModelFile& model, Field field);

// The sentence for a model with more open dimensions than there are settings, with those that keep
// the size of the example; empty for any other.
base::Message holds_dimensions(const WorkloadSpec& spec);
// Why the setting cannot be changed: a key of the locale. Null where it is an open dimension.
const char* reason_not_open(const exported::ModelFile& model, Field field);

// Smallest and largest possible value of a number for this spec: the file's for an open dimension
// of an own model, else field_range().
FieldRange size_range(const WorkloadSpec& spec, Field field);

// The open dimensions with their values and ranges: "B = 4 (ids[0], 1 to 64)"; empty for other
// workloads.
std::string dimensions_text(const WorkloadSpec& spec);

// Values of the program's symbols: the settings where they are open, else the example's.
std::vector<std::int64_t> symbol_values(const WorkloadSpec& spec, const exported::ModelFile& model);

}  // namespace ts::spec
