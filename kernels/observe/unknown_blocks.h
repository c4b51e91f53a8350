#pragma once

#include <ATen/record_function.h>

#include <string_view>

namespace ts::kernels {

// Operators of LibTorch whose blocks in a run are not those of a dry run: kernels with scratch that
// is not known, and backwards that look at numbers. docs/own_models.md ("Gradients of every form")
// lists them; tests/record/gradients_test.py holds the others against runs.

// By the name alone, "aten::prod": an overload of it, or some of its calls, may be one of them.
bool may_have_unknown_blocks(std::string_view name);
// At the end of a call, by a callback that needs outputs.
bool has_unknown_blocks(const at::RecordFunction& function);

}  // namespace ts::kernels
