#include "app/output/block_json.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/allocator/snapshot_figures.h"
#include "core/blocks/block_difference.h"
#include "core/blocks/growth.h"
#include "core/blocks/stack_parts.h"

namespace ts::app {
namespace {

using Json = nlohmann::json;

// Calls visit(device, blocks) for each device that has anything.
void for_each_device(const allocator::Snapshot& snapshot,
                     const std::function<void(std::size_t, const blocks::BlockSource&)>& visit) {
  for (const std::size_t device : allocator::devices_of(snapshot)) {
    const allocator::SnapshotLog log = allocator::log_of_snapshot(snapshot, device);
    visit(device, blocks::source_of(snapshot, device, log));
  }
}

memory::EventIndex moment_of(const memory::AllocationLog& log, bool at_end) {
  if (!at_end) return log.peak_event();
  return log.events().empty() ? memory::kNone
                              : static_cast<memory::EventIndex>(log.events().size() - 1);
}

const char* weight_words(const BlockQuestion& question) {
  if (question.weight == blocks::Weight::allocated) return "allocated";
  if (question.weight == blocks::Weight::lifetime) return "bytes x seconds";
  return question.at_end ? "alive at the end" : "alive at the peak";
}

}  // namespace

Json block_table_json(const allocator::Snapshot& snapshot, const BlockQuestion& question) {
  const bool times = question.weight == blocks::Weight::lifetime;
  auto devices = Json::array();
  for_each_device(snapshot, [&](std::size_t device, const blocks::BlockSource& source) {
    auto rows = Json::array();
    double total = 0;
    for (const blocks::BlockGroup& group : blocks::group_blocks(
             source, question.by, question.weight, moment_of(source.log, question.at_end))) {
      total += group.weight;
      Json row = {{"name", group.name}, {"blocks", group.count}, {"largest", group.largest}};
      if (times) {
        row["byte_seconds"] = group.weight;
      } else {
        row["bytes"] = static_cast<std::int64_t>(group.weight);
      }
      rows.push_back(std::move(row));
    }
    devices.push_back({{"device", device}, {"total", total}, {"rows", std::move(rows)}});
  });
  return {{"by", blocks::kGroupNames[static_cast<std::size_t>(question.by)]},
          {"weight", weight_words(question)},
          {"devices", std::move(devices)}};
}

Json growth_json(const allocator::Snapshot& snapshot) {
  auto devices = Json::array();
  for_each_device(snapshot, [&](std::size_t device, const blocks::BlockSource& source) {
    const blocks::Growth growth = blocks::find_growth(source);
    auto rows = Json::array();
    for (const blocks::GrowingStack& one : growth.stacks) {
      const double grown = static_cast<double>(one.last_bytes - one.first_bytes);
      rows.push_back({{"stack", blocks::frames_words(snapshot, one.frames, blocks::Paths::names)},
                      {"first_bytes", one.first_bytes},
                      {"last_bytes", one.last_bytes},
                      {"first_blocks", one.first_count},
                      {"last_blocks", one.last_count},
                      {"bytes_per_step", grown / static_cast<double>(growth.intervals())}});
    }
    devices.push_back({{"device", device},
                       {"steps", growth.ends.size()},
                       {"known", growth.known()},
                       {"first_total", growth.first_total},
                       {"last_total", growth.last_total},
                       {"rows", std::move(rows)}});
  });
  return {{"devices", std::move(devices)}};
}

Json difference_json(const allocator::Snapshot& a, const allocator::Snapshot& b, bool at_end) {
  const std::vector<std::size_t> others = allocator::devices_of(b);
  auto devices = Json::array();
  for_each_device(a, [&](std::size_t device, const blocks::BlockSource& of_a) {
    if (std::ranges::find(others, device) == others.end()) return;
    const allocator::SnapshotLog log = allocator::log_of_snapshot(b, device);
    const blocks::BlockSource of_b = blocks::source_of(b, device, log);
    auto rows = Json::array();
    for (const blocks::BlockDifference& one : blocks::difference_of(
             {of_a, moment_of(of_a.log, at_end)}, {of_b, moment_of(of_b.log, at_end)})) {
      rows.push_back({{"stack", one.stack},
                      {"size", one.size},
                      {"blocks_a", one.count_a},
                      {"blocks_b", one.count_b},
                      {"bytes", one.bytes()}});
    }
    devices.push_back({{"device", device}, {"rows", std::move(rows)}});
  });
  return devices;
}

}  // namespace ts::app
