#include "core/exported/module_lists.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <set>

namespace ts::exported {

namespace {

std::int64_t module_of(const Program& program, const Repetition& list, const Place& place) {
  for (const std::uint32_t module : place.modules) {
    const Numbered found = numbered(program.modules[module].path, list.prefix);
    if (found.number >= 0) return found.number;
  }
  return kOutside;
}

}  // namespace

Numbered numbered(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return {};
  path.remove_prefix(prefix.size());
  Numbered found;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), found.number);
  path.remove_prefix(static_cast<std::size_t>(end - path.data()));
  const bool whole = error == std::errc() && found.number >= 0 && (path.empty() || path[0] == '.');
  return whole ? Numbered{found.number, path} : Numbered{};
}

std::vector<Repetition> module_lists(const Program& program, std::int64_t least) {
  // A program that was cut down has places of modules that are gone.
  std::set<std::uint32_t> used;
  for (const Node& node : program.graphs.front().nodes) {
    const Place& place = program.places[node.place];
    used.insert(place.modules.begin(), place.modules.end());
  }
  std::map<std::string, std::set<std::int64_t>, std::less<>> members;
  for (const std::uint32_t module : used) {
    const std::string_view path = program.modules[module].path;
    for (std::size_t begin = 0; begin < path.size();) {
      const std::string_view prefix = path.substr(0, begin);
      if (const Numbered found = numbered(path, prefix); found.number >= 0) {
        members[std::string(prefix)].insert(found.number);
      }
      begin = std::min(path.find('.', begin), path.size() - 1) + 1;
    }
  }
  std::vector<Repetition> lists;
  for (const auto& [prefix, numbers] : members) {
    const auto count = static_cast<std::int64_t>(numbers.size());
    if (count >= least && *numbers.rbegin() == count - 1) lists.push_back({prefix, count});
  }
  std::ranges::stable_sort(lists, std::greater<>(), &Repetition::count);
  return lists;
}

std::optional<ListNodes> nodes_of(const Program& program, const Repetition& list) {
  const Graph& graph = program.graphs.front();
  std::vector<std::int64_t> by_place;
  for (const Place& place : program.places) by_place.push_back(module_of(program, list, place));
  ListNodes found;
  found.ranges.resize(static_cast<std::size_t>(list.count));
  std::int64_t current = kOutside;
  bool after = false;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::int64_t module = by_place[graph.nodes[i].place];
    found.module_of_node.push_back(module);
    if (module == kOutside) {
      after = after || current != kOutside;
      continue;
    }
    if (after || (module != current && module != current + 1) || module >= list.count)
      return std::nullopt;
    NodeRange& range = found.ranges[static_cast<std::size_t>(module)];
    if (module != current) range.begin = i;
    range.end = i + 1;
    current = module;
  }
  if (current != list.count - 1) return std::nullopt;
  return found;
}

}  // namespace ts::exported
