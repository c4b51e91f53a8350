#include "core/report/live_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
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

// "[4, 64] bf16" in two parts.
struct ShapeStrings {
  std::string sizes, type;
};
ShapeStrings shape_text(std::string_view shape) {
  const std::size_t space = shape.rfind(' ');
  if (space == std::string_view::npos) return {};
  return {std::string(shape.substr(0, space)), std::string(shape.substr(space + 1))};
}

// Parameters by the path of their module and their shape; two that are alike get no name.
class ParameterNames {
 public:
  ParameterNames(const memory::AllocationLog& log, const base::StringTable& strings,
                 const std::vector<memory::BlockIndex>& live)
      : strings_(strings) {
    for (const memory::BlockIndex index : live) {
      const memory::Block& block = log.blocks()[index];
      if (block.category != memory::Category::parameter) continue;
      const std::string_view path = strings.view(block.module);
      const std::string_view module = path.substr(0, path.rfind('.'));
      auto [found, first] = names_.try_emplace({std::string(module), block.shape}, path);
      if (!first) found->second = {};
    }
  }
  [[nodiscard]] std::string of(const memory::Block& block) const {
    if (block.category == memory::Category::parameter)
      return std::string(strings_.view(block.module));
    if (block.category != memory::Category::gradient &&
        block.category != memory::Category::optimizer_state)
      return {};
    const auto found = names_.find({std::string(strings_.view(block.module)), block.shape});
    const bool known = block.shape != base::kNoString && found != names_.end();
    return known ? std::string(found->second) : std::string();
  }

 private:
  const base::StringTable& strings_;
  std::map<std::pair<std::string, base::StringId>, std::string_view> names_;
};

// The blocks as shapes and how often each is there, those with the most bytes first, and the bytes
// of which no shape is known.
class ShapeSum {
 public:
  void add(const memory::Block& block) {
    if (block.shape == base::kNoString) {
      other_bytes_ += block.size;
    } else {
      Held& held = shapes_[block.shape];
      ++held.blocks;
      held.bytes += block.size;
    }
  }
  [[nodiscard]] std::string words(const base::StringTable& strings) const {
    std::vector<std::pair<base::StringId, Held>> all(shapes_.begin(), shapes_.end());
    std::ranges::stable_sort(all, std::greater(), [](const auto& one) { return one.second.bytes; });
    std::string words;
    for (const auto& [shape, held] : all) {
      if (!words.empty()) words += " + ";
      if (held.blocks > 1) words += fmt::format("{} x ", held.blocks);
      words += strings.view(shape);
    }
    if (other_bytes_ > 0 && !words.empty())
      words += fmt::format(" + {} B", text::grouped(other_bytes_));
    return words;
  }

 private:
  std::map<base::StringId, Held> shapes_;
  std::int64_t other_bytes_ = 0;
};

}  // namespace

io::TextTable live_table(const memory::AllocationLog& log, const base::StringTable& strings,
                         memory::EventIndex event) {
  io::TextTable table{.columns = {"bytes", "MiB", "category", "tensor", "shape", "dtype",
                                  "operator", "module", "phase", "step"},
                      .right = {true, true, false, false, false, false, false, false, false, true}};
  const std::vector<memory::BlockIndex> live = larger_first(log, event);
  const ParameterNames names(log, strings, live);
  for (const memory::BlockIndex index : live) {
    const memory::Block& block = log.blocks()[index];
    const ShapeStrings shape = shape_text(strings.view(block.shape));
    table.rows.push_back({std::to_string(block.size), mebibytes(block.size),
                          std::string(memory::category_name(block.category)), names.of(block),
                          shape.sizes, shape.type, std::string(strings.view(block.op)),
                          std::string(strings.view(block.module)),
                          std::string(base::phase_name(block.phase)),
                          block.step < 0 ? std::string() : std::to_string(block.step + 1)});
  }
  return table;
}

io::TextTable accounting_table(const memory::AllocationLog& log, const base::StringTable& strings,
                               memory::EventIndex event, const spec::WorkloadSpec& spec,
                               std::int64_t parameters) {
  std::array<Held, memory::kCategoryCount> held{};
  std::array<ShapeSum, memory::kCategoryCount> shapes;
  Held all;
  for (const memory::BlockIndex index : larger_first(log, event)) {
    const memory::Block& block = log.blocks()[index];
    Held& one = held[static_cast<std::size_t>(block.category)];
    shapes[static_cast<std::size_t>(block.category)].add(block);
    ++one.blocks;
    ++all.blocks;
    one.bytes += block.size;
    all.bytes += block.size;
  }
  io::TextTable table{.columns = {"category", "blocks", "bytes", "MiB", "made of"},
                      .right = {false, true, true, true, false}};
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
    std::string words = counted ? made_of(held[i].bytes, numbers, element) : std::string();
    if (words.empty()) words = shapes[i].words(strings);
    add(std::string(memory::category_name(category)), held[i], std::move(words));
  }
  add("total", all, {});
  return table;
}

}  // namespace ts::report
