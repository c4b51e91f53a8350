#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/lessons/lesson.h"

namespace ts::lessons {

// An error or a doubt of the material, and the correct statement.
struct MaterialError {
  std::string id;                 // "E-19"
  std::vector<std::string> rows;  // the exercises it is in
  Words published;
  Words correct;
  std::string evidence;  // the id of a kind of evidence
  std::string shown_by;  // the command that shows it, without "tensorscope"; empty: none does
  // The lesson "e-19", in which both variants run one after the other; unset: they cannot run here.
  std::optional<Lesson> both;
};

struct MaterialErrors {
  std::vector<MaterialError> errors;
  std::vector<NamedText> evidence;
  [[nodiscard]] const NamedText* kind(std::string_view id) const;
  // Those in one of the rows, in the order of their numbers.
  [[nodiscard]] std::vector<const MaterialError*> of(std::span<const std::string> rows) const;
};
// assets/lesson_errors.json. The error of the result names the place.
base::Result<MaterialErrors> read_material_errors(std::string_view json,
                                                  const spec::GpuCatalogue& gpus);

}  // namespace ts::lessons
