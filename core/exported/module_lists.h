#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/exported/program.h"

// Lists of modules in a program, by the paths of its nodes.
namespace ts::exported {

// Modules of a list that come one after the other: "model.layers.0", "model.layers.1" ... of a
// Transformer.
struct Repetition {
  std::string prefix;  // "model.layers."
  std::int64_t count = 0;
};

inline constexpr std::int64_t kOutside = -1;  // before or after the modules

// The number that a path has behind the prefix, and what follows it.
struct Numbered {
  std::int64_t number = kOutside;
  std::string_view rest;
};
Numbered numbered(std::string_view path, std::string_view prefix);

// Lists of at least so many modules, those with the most members first.
std::vector<Repetition> module_lists(const Program& program, std::int64_t least);

struct NodeRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};
struct ListNodes {
  std::vector<NodeRange> ranges;             // by module
  std::vector<std::int64_t> module_of_node;  // kOutside: of none
};
// The nodes of each module. Nothing unless they stand together, in the order of the list.
std::optional<ListNodes> nodes_of(const Program& program, const Repetition& list);

}  // namespace ts::exported
