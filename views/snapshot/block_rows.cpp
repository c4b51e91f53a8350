#include "views/snapshot/block_rows.h"

#include <array>
#include <string>
#include <vector>

#include "core/text/numbers.h"
#include "views/charts/labels.h"
#include "views/snapshot/weight_text.h"

namespace ts::views {
namespace {

constexpr std::array kHeadings = {"file.groups.share", "file.groups.bytes", "file.groups.count",
                                  "file.groups.largest", "file.groups.name"};
constexpr std::size_t kCount = 2;
constexpr std::size_t kLargest = 3;

std::string name_text(const ViewContext& context, const blocks::BlockGroup& group,
                      blocks::GroupBy by, bool whole) {
  if (by == blocks::GroupBy::category) {
    return context.texts(category_key(context.run->memory.blocks()[group.first].category));
  }
  if (!group.name.empty()) return whole ? group.name : group.brief;
  return context.texts(by == blocks::GroupBy::op ? "file.groups.no_operator" : "flame.no_stack");
}

}  // namespace

RowTable::Answer draw_block_rows(const Ui& ui, const ViewContext& context, RowTable& table,
                                 std::span<const blocks::BlockGroup> groups, std::uint64_t version,
                                 blocks::GroupBy by, blocks::Weight weight) {
  double all = 0;
  for (const blocks::BlockGroup& group : groups) all += group.weight;
  return table.draw(
      ui, {.id = "###blocks",
           .headings = kHeadings,
           .rows = groups.size(),
           .version = version,
           .value =
               [&](std::size_t row, std::size_t column) {
                 const blocks::BlockGroup& group = groups[row];
                 if (column == kCount) return static_cast<double>(group.count);
                 return column == kLargest ? static_cast<double>(group.largest) : group.weight;
               },
           .cells =
               [&](std::size_t row) {
                 const blocks::BlockGroup& group = groups[row];
                 return std::vector<std::string>{
                     text::decimal(all > 0 ? 100 * group.weight / all : 0, 1) + " %",
                     weight_text(context.texts, group.weight, weight), text::grouped(group.count),
                     text::bytes(group.largest).joined(), name_text(context, group, by, false)};
               },
           .hover = [&](std::size_t row) { return name_text(context, groups[row], by, true); }});
}

}  // namespace ts::views
