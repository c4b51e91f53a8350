#include "app/own_file/own_lines.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "core/allocator/stack_origin.h"

namespace ts::app {

std::vector<OwnLine> bytes_by_line(const memory::AllocationLog& log,
                                   const base::StringTable& strings, memory::EventIndex event) {
  if (event == memory::kNone) return {};
  std::map<std::string, OwnLine> found;
  for (const memory::BlockIndex index : log.live_after(event)) {
    const memory::Block& block = log.blocks()[index];
    const allocator::SourceLine line = allocator::parts_of_place(strings.view(block.module)).line;
    std::string name(line.file);
    if (!name.empty()) name += ":" + std::to_string(line.number);
    OwnLine& one = found[name];
    one.line = std::move(name);
    one.bytes += block.size;
    ++one.blocks;
  }
  std::vector<OwnLine> lines;
  lines.reserve(found.size());
  for (auto& [name, line] : found) lines.push_back(std::move(line));
  std::ranges::stable_sort(lines, std::greater(), &OwnLine::bytes);
  return lines;
}

}  // namespace ts::app
