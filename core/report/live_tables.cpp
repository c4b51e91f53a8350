#include "core/report/live_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/base/phase.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traffic.h"
#include "core/text/numbers.h"

namespace ts::report {

namespace {

std::string mebibytes(std::int64_t bytes) {
  return fmt::format("{:.3f}", static_cast<double>(bytes) / (1 << 20));
}

std::vector<memory::BlockIndex> larger_first(const memory::AllocationLog& log,
                                             memory::EventIndex event) {
  if (event == memory::kNone) return {};
  std::vector<memory::BlockIndex> live = log.live_after(event);
  const auto blocks = log.blocks();
  std::ranges::sort(live, [&](memory::BlockIndex a, memory::BlockIndex b) {
    return blocks[a].size != blocks[b].size ? blocks[a].size > blocks[b].size : a < b;
  });
  return live;
}

struct Held {
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;
};

// The bytes as a multiple of all parameters plus a remainder; empty if they are no such multiple.
std::string made_of(std::int64_t bytes, std::int64_t parameters, std::int64_t element) {
  const std::int64_t once = parameters * element;
  if (once == 0 || bytes < once) return {};
  const std::int64_t times = bytes / once;
  const std::int64_t rest = bytes % once;
  if (rest > once / 100) return {};
  std::string words = times > 1 ? fmt::format("{} x ", times) : std::string();
  words += fmt::format("{} x {} B", text::grouped(parameters), element);
  if (rest > 0) words += fmt::format(" + {} B", text::grouped(rest));
  return words;
}

}  // namespace

io::TextTable live_table(const memory::AllocationLog& log, const base::StringTable& strings,
                         memory::EventIndex event) {
  io::TextTable table;
  table.columns = {"bytes", "MiB", "category", "operator", "module", "phase", "step"};
  table.right = {true, true, false, false, false, false, true};
  for (const memory::BlockIndex index : larger_first(log, event)) {
    const memory::Block& block = log.blocks()[index];
    table.rows.push_back(
        {std::to_string(block.size), mebibytes(block.size),
         std::string(memory::category_name(block.category)), std::string(strings.view(block.op)),
         std::string(strings.view(block.module)), std::string(base::phase_name(block.phase)),
         block.step < 0 ? std::string() : std::to_string(block.step + 1)});
  }
  return table;
}

io::TextTable accounting_table(const memory::AllocationLog& log, memory::EventIndex event,
                               const spec::WorkloadSpec& spec, std::int64_t parameters) {
  std::array<Held, memory::kCategoryCount> held{};
  Held all;
  for (const memory::BlockIndex index : larger_first(log, event)) {
    const memory::Block& block = log.blocks()[index];
    Held& one = held[static_cast<std::size_t>(block.category)];
    ++one.blocks;
    ++all.blocks;
    one.bytes += block.size;
    all.bytes += block.size;
  }
  io::TextTable table;
  table.columns = {"category", "blocks", "bytes", "MiB", "made of"};
  table.right = {false, true, true, true, false};
  const auto add = [&](std::string name, const Held& one, std::string words) {
    table.rows.push_back({std::move(name), std::to_string(one.blocks), std::to_string(one.bytes),
                          mebibytes(one.bytes), std::move(words)});
  };
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i].blocks == 0) continue;
    const auto category = static_cast<memory::Category>(i);
    const bool counted = category == memory::Category::parameter ||
                         category == memory::Category::gradient ||
                         category == memory::Category::optimizer_state;
    const bool trained = category != memory::Category::parameter;
    const bool adapters = trained && spec::trains_adapters(spec);
    const bool wider = adapters || (category == memory::Category::optimizer_state &&
                                    spec::optimizer_state(spec) != spec::OptimizerState::parameter);
    const std::int64_t element = wider ? 4 : bytes_of(spec.dtype);
    const std::int64_t numbers =
        trained && spec::freezes(spec) ? spec::trained_count(spec) : parameters;
    add(std::string(memory::category_name(category)), held[i],
        counted ? made_of(held[i].bytes, numbers, element) : std::string());
  }
  add("total", all, {});
  return table;
}

}  // namespace ts::report
