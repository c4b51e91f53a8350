#pragma once

#include <cstdint>
#include <optional>

#include "core/exported/module_lists.h"
#include "core/exported/program.h"

namespace ts::exported {

struct ShortProgram {
  Program program;
  Repetition repetition;  // of the whole program
};

// So many modules are left of a list: the first three and the last, which gets the number 3.
inline constexpr std::int64_t kKeptModules = 4;

// The program with kKeptModules of its longest list of more than kKeptModules + 1 repeated modules.
// All between the second and the last but one do the same as the third: node by node, on tensors of
// the same sizes, with values of their own, of the module before, and of what stands before all;
// what follows uses the last one only. Nothing where no list repeats in this way. Values keep their
// slots.
std::optional<ShortProgram> shorten(const Program& program);

}  // namespace ts::exported
