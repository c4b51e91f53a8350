#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/lessons/material_errors.h"
#include "views/common/ui.h"

namespace ts::views {

// "E-4, E-14": the errors of the material in those rows; empty: none is known.
std::string error_ids(const lessons::MaterialErrors& all, std::span<const std::string> rows);

// Draws the errors of the material in those rows, the right statements and the evidence, folded in
// the current Dear ImGui window. Returns the lesson that the user wants to see as evidence.
std::optional<std::string> draw_error_list(const Ui& ui, const lessons::MaterialErrors& all,
                                           std::span<const std::string> rows);

}  // namespace ts::views
