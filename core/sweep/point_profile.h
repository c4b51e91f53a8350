#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/string_table.h"
#include "core/io/text_table.h"
#include "core/sweep/sweep.h"

namespace ts::sweep {

// The profile of the recorded steps of one point, so that two of them can be compared later, also
// by another program: self time by operator and by module, memory at the peak by category, operator
// and module.
//   spec, backend_ran, steps, step_ms (median of timed steps, null: none), peak_allocated,
//   operators {name: {calls, self_ms}}, modules {path: {calls, total_ms}},
//   kernels {name: {calls, total_ms}} (of a GPU's streams)   per step
//   peak {categories {name: bytes}, operators {name: bytes}, modules {path: bytes}}
nlohmann::json profile_of(const run::Run& run, const base::StringTable& strings);

// "flash,bf16_T=512": the file of a point, without its ending; unique for each point of a sweep. It
// consists of the series' label and the place on the axes. Characters that a file name cannot hold
// are written as %XX, so the label can be read back. Only a label that is too long for a file
// system is cut; a digest of the whole label then follows after "~".
std::string profile_name(const Sweep& sweep, std::size_t point);

// The name in earlier versions, "flash_bf16_T=512". Punctuation and letters that are not ASCII are
// left out, so points may share one.
std::string older_profile_name(const Sweep& sweep, std::size_t point);

// One name of two profiles; negative where a profile lacks it.
struct ProfileRow {
  std::string name;
  double calls_a = -1, calls_b = -1;  // per step; of times only
  double a = -1, b = -1;              // milliseconds per step, or bytes
  [[nodiscard]] double difference() const { return (b < 0 ? 0 : b) - (a < 0 ? 0 : a); }
};

struct ProfileComparison {
  double step_a = -1, step_b = -1;  // medians, milliseconds
  double peak_a = -1, peak_b = -1;  // bytes
  // The largest difference first.
  std::vector<ProfileRow> operators, kernels, modules;               // times
  std::vector<ProfileRow> categories, operator_bytes, module_bytes;  // at the peak
};
// Matched by name and by module path. Throws nlohmann::json::exception if a document is not a
// profile.
ProfileComparison compare_profiles(const nlohmann::json& a, const nlohmann::json& b);

nlohmann::json to_json(const ProfileComparison& comparison);
// The summary and the tables of all lists, with at most `most` rows each.
std::string comparison_markdown(const ProfileComparison& comparison, const std::string& name_a,
                                const std::string& name_b, std::size_t most);

}  // namespace ts::sweep
