#include "app/output/block_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/allocator/snapshot_of_log.h"
#include "core/blocks/block_difference.h"
#include "core/blocks/growth.h"
#include "core/blocks/stack_parts.h"

namespace ts::app {
namespace {

using Json = nlohmann::json;

memory::EventIndex moment_of(const memory::AllocationLog& log, bool at_end) {
  if (!at_end) return log.peak_event();
  return log.events().empty() ? memory::kNone
                              : static_cast<memory::EventIndex>(log.events().size() - 1);
}

// A file without a clock has lifetimes in events.
blocks::Weight weight_of(const files::OpenedFile& file, const BlockQuestion& question) {
  const bool counts = question.weight == blocks::Weight::lifetime && !has_clock(file.file.snapshot);
  return counts ? blocks::Weight::events : question.weight;
}

const char* weight_text(blocks::Weight weight, bool at_end) {
  if (weight == blocks::Weight::allocated) return "allocated";
  if (weight == blocks::Weight::lifetime) return "bytes x seconds";
  if (weight == blocks::Weight::events) return "bytes x events";
  return at_end ? "alive at the end" : "alive at the peak";
}

// The device of that number; in files of one device each, as those of ranks, that one. Else null.
const files::OpenedDevice* other_of(const files::OpenedFile& a, const files::OpenedDevice& device,
                                    const files::OpenedFile& b) {
  const auto same = std::ranges::find(b.devices, device.number, &files::OpenedDevice::number);
  if (same != b.devices.end()) return &*same;
  return a.devices.size() == 1 && b.devices.size() == 1 ? &b.devices.front() : nullptr;
}

}  // namespace

Json block_table_json(const files::OpenedFile& file, const BlockQuestion& question) {
  const blocks::Weight weight = weight_of(file, question);
  auto devices = Json::array();
  for (const files::OpenedDevice& device : file.devices) {
    const blocks::BlockSource source = files::blocks_of(file, device);
    auto rows = Json::array();
    double total = 0;
    for (const blocks::BlockGroup& group : blocks::group_blocks(
             source, question.by, weight, moment_of(source.log, question.at_end))) {
      total += group.weight;
      Json row = {{"name", group.name}, {"blocks", group.count}, {"largest", group.largest}};
      if (weight == blocks::Weight::lifetime) {
        row["byte_seconds"] = group.weight;
      } else if (weight == blocks::Weight::events) {
        row["byte_events"] = group.weight;
      } else {
        row["bytes"] = static_cast<std::int64_t>(group.weight);
      }
      rows.push_back(std::move(row));
    }
    devices.push_back({{"device", device.number}, {"total", total}, {"rows", std::move(rows)}});
  }
  return {{"by", blocks::kGroupNames[static_cast<std::size_t>(question.by)]},
          {"weight", weight_text(weight, question.at_end)},
          {"devices", std::move(devices)}};
}

Json growth_json(const files::OpenedFile& file) {
  auto devices = Json::array();
  for (const files::OpenedDevice& device : file.devices) {
    const blocks::Growth growth = blocks::find_growth(files::blocks_of(file, device));
    auto rows = Json::array();
    for (const blocks::GrowingStack& one : growth.stacks) {
      const double grown = static_cast<double>(one.last_bytes - one.first_bytes);
      rows.push_back(
          {{"stack", blocks::frames_text(file.file.snapshot, one.frames, blocks::Paths::names)},
           {"first_bytes", one.first_bytes},
           {"last_bytes", one.last_bytes},
           {"first_blocks", one.first_count},
           {"last_blocks", one.last_count},
           {"bytes_per_step", grown / static_cast<double>(growth.intervals())}});
    }
    devices.push_back({{"device", device.number},
                       {"steps", growth.ends.size()},
                       {"known", growth.known()},
                       {"first_total", growth.first_total},
                       {"last_total", growth.last_total},
                       {"rows", std::move(rows)}});
  }
  return {{"devices", std::move(devices)}};
}

Json difference_json(const files::OpenedFile& a, const files::OpenedFile& b, bool at_end) {
  auto devices = Json::array();
  for (const files::OpenedDevice& device : a.devices) {
    const files::OpenedDevice* const other = other_of(a, device, b);
    if (other == nullptr) continue;
    const blocks::BlockSource of_a = files::blocks_of(a, device);
    const blocks::BlockSource of_b = files::blocks_of(b, *other);
    auto rows = Json::array();
    for (const blocks::BlockDifference& one : blocks::difference_of(
             {of_a, moment_of(of_a.log, at_end)}, {of_b, moment_of(of_b.log, at_end)})) {
      rows.push_back({{"stack", one.stack},
                      {"size", one.size},
                      {"blocks_a", one.count_a},
                      {"blocks_b", one.count_b},
                      {"bytes", one.bytes()}});
    }
    devices.push_back(
        {{"device", device.number}, {"device_b", other->number}, {"rows", std::move(rows)}});
  }
  return devices;
}

}  // namespace ts::app
