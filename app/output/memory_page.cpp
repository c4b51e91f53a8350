#include "app/output/memory_page.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "app/output/data_page.h"
#include "assets/assets.h"
#include "core/blocks/stack_parts.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

using Json = nlohmann::json;

// The colours of the categories, readable on light and on dark.
constexpr std::array<const char*, memory::kCategoryCount> kColors{
    "#4693d8", "#c978a8", "#e69f00", "#56b4e9", "#2a9d77", "#d8c34a", "#8a919c"};

std::string category_text(std::size_t category) {
  return text::message("memory.category." + std::string(memory::kCategoryNames[category])).sentence;
}

// The largest blocks, in the order in which they are stacked.
std::vector<memory::BlockIndex> drawn_blocks(const memory::AllocationLog& log, std::size_t most) {
  const auto blocks = log.blocks();
  std::vector<memory::BlockIndex> order(blocks.size());
  std::iota(order.begin(), order.end(), memory::BlockIndex{0});
  most = std::min(most, order.size());
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(most),
                           [&](memory::BlockIndex a, memory::BlockIndex b) {
                             return std::tuple(blocks[b].size, a) < std::tuple(blocks[a].size, b);
                           });
  order.resize(most);
  std::ranges::sort(order, {},
                    [&](memory::BlockIndex i) { return std::tuple(blocks[i].category, i); });
  return order;
}

// (event, bytes) where the sum of the blocks that are not drawn changes, at most some thousand.
Json rest_of(const blocks::BlockSource& source, const std::vector<memory::BlockIndex>& drawn) {
  const memory::AllocationLog& log = source.log;
  constexpr std::size_t kMost = 4000;
  std::vector<bool> is_drawn(log.blocks().size(), false);
  for (const memory::BlockIndex i : drawn) is_drawn[i] = true;
  auto rest = Json::array();
  if (drawn.size() == log.blocks().size()) return rest;
  const auto events = log.events();
  const std::size_t each = std::max<std::size_t>(1, events.size() / kMost);
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const memory::Event& event = events[i];
    const bool counts = event.block != memory::kNone && !is_drawn[event.block];
    if (counts && event.action == memory::Action::alloc) bytes += log.blocks()[event.block].size;
    if (counts && event.action == memory::Action::free_completed)
      bytes -= log.blocks()[event.block].size;
    const auto at = static_cast<memory::EventIndex>(i);
    const std::int64_t number = source.number_of(at);
    const bool first = number < 0 && i + 1 < events.size() && source.number_of(at + 1) >= 0;
    if (i % each == 0 || first) rest.push_back({number, bytes});
  }
  return rest;
}

Json blocks_json(const blocks::BlockSource& source, const std::vector<memory::BlockIndex>& drawn,
                 Json& stacks) {
  const memory::AllocationLog& log = source.log;
  const std::int64_t begin = log.time_range().begin;
  const auto microseconds = [&](memory::EventIndex event) {
    return (log.events()[event].time_ns - begin) / 1000;
  };
  std::unordered_map<allocator::StackIndex, std::size_t> numbers;
  Json columns;
  for (const char* const name :
       {"alloc", "free", "size", "category", "stack", "alloc_us", "freed_us", "address"})
    columns[name] = Json::array();
  for (const memory::BlockIndex i : drawn) {
    const memory::Block& block = log.blocks()[i];
    const allocator::StackIndex stack = source.stack_of(i);
    const auto [number, fresh] = numbers.try_emplace(stack, stacks.size());
    if (fresh) stacks.push_back(blocks::stack_text(source.snapshot, stack));
    const bool stays = block.free_event == memory::kNone;
    columns["alloc"].push_back(source.number_of(block.alloc_event));
    columns["free"].push_back(stays ? -1 : source.number_of(block.free_event));
    columns["size"].push_back(block.size);
    columns["category"].push_back(static_cast<int>(block.category));
    columns["stack"].push_back(number->second);
    columns["alloc_us"].push_back(microseconds(block.alloc_event));
    columns["freed_us"].push_back(stays ? Json(-1) : Json(microseconds(block.free_event)));
    columns["address"].push_back(text::hexadecimal(block.address));
  }
  return columns;
}

// A note on a block that is not drawn one by one is about its moment.
Json notes_json(const blocks::BlockSource& source, const std::vector<memory::BlockIndex>& drawn,
                std::span<const files::Note> notes) {
  const memory::AllocationLog& log = source.log;
  auto all = Json::array();
  for (const files::Note& note : notes) {
    if (note.block && *note.block >= log.blocks().size()) continue;  // of another file
    const memory::EventIndex event = log.event_at(note.time_ns);
    std::ptrdiff_t block = -1;
    if (note.block) {
      const auto found = std::ranges::find(drawn, *note.block);
      if (found != drawn.end()) block = found - drawn.begin();
    }
    all.push_back({{"event", event == memory::kNone ? 0 : source.number_of(event)},
                   {"us", (note.time_ns - log.time_range().begin) / 1000},
                   {"block", block},
                   {"text", note.text}});
  }
  return all;
}

}  // namespace

std::string memory_page(const blocks::BlockSource& source, const std::string& title, PageStyle look,
                        std::span<const files::Note> notes, std::size_t most) {
  const memory::AllocationLog& log = source.log;
  const std::vector<memory::BlockIndex> drawn = drawn_blocks(log, most);
  auto stacks = Json::array();
  const auto& traces = source.snapshot.device_traces;
  const std::size_t listed = source.device < traces.size() ? traces[source.device].size() : 0;
  const bool earlier = !log.events().empty() && source.number_of(0) < 0;
  const memory::EventIndex peak = log.peak_event();
  Json data = {{"title", title},
               {"first", earlier ? -1 : 0},
               {"events", std::max<std::size_t>(listed, 1)},
               {"peak_event", peak == memory::kNone ? 0 : source.number_of(peak)},
               {"by_stack", look.by_stack},
               {"blocks", blocks_json(source, drawn, stacks)},
               {"rest", rest_of(source, drawn)}};
  data["stacks"] = std::move(stacks);
  data["notes"] = notes_json(source, drawn, notes);
  for (std::size_t i = 0; i < kColors.size(); ++i)
    data["categories"].push_back({{"name", category_text(i)}, {"color", kColors[i]}});
  const auto left_out = static_cast<std::int64_t>(log.blocks().size() - drawn.size());
  data["rest_words"] = text::counted(left_out, "block") + ", each smaller than those drawn";
  data["about"] = "Peak " + text::bytes(log.peak_bytes()).joined() + " allocated, device " +
                  std::to_string(source.device) + ", " + text::counted(listed, "event") + ", " +
                  text::counted(log.blocks().size(), "block") +
                  (look.by_stack  ? ". A colour is the stack that allocated."
                   : look.guessed ? ". Categories are guessed."
                                  : ".");
  return data_page(assets::memory_page(), data);
}

}  // namespace ts::app
