#include "core/stepper/cached_cycles.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::stepper {
namespace {

using allocator::Request;
using allocator::ReservedPart;
using allocator::WhatIf;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr std::int64_t kLeastSplit = 20;  // MiB; PyTorch refuses less

std::string text_of(std::int64_t bytes) {
  return text::bytes(bytes).joined();
}

}  // namespace

CachedCycles::CachedCycles(const calculate::Chosen& chosen)
    : base_(chosen.number("base_mib") * kMebibyte),
      large_(chosen.number("large_mib") * kMebibyte),
      kept_(chosen.number("kept_mib") * kMebibyte),
      empty_every_(chosen.number("empty_every")) {
  list_.settings.expandable_segments = chosen.number("expandable") == 1;
  if (const std::int64_t split = chosen.number("max_split_mib"); split > 0)
    list_.settings.max_split_size = std::max(split, kLeastSplit) * kMebibyte;
  list_.device.total_memory = std::int64_t{1} << 40;
  list_.asked = allocator::Asked{large_, 0};
  std::uint32_t block = 0;
  const auto take = [&](std::int64_t bytes) {
    if (bytes > 0) list_.requests.push_back({Request::Kind::alloc, block, bytes, 0});
    return block++;
  };
  const auto give = [&](std::uint32_t taken) {
    list_.requests.push_back({Request::Kind::free, taken, 0, 0});
  };
  take(base_);
  ends_.push_back(list_.requests.size());
  for (std::int64_t cycle = 1; cycle <= chosen.number("cycles"); ++cycle) {
    const std::uint32_t first = take(large_), second = take(large_ / 2);
    take(kept_);
    give(first);
    give(second);
    if (empty_every_ > 0 && cycle % empty_every_ == 0)
      list_.requests.push_back({Request::Kind::empty_cache, 0, 0, 0});
    ends_.push_back(list_.requests.size());
  }
  play();
}

void CachedCycles::play() {
  allocator::CachingAllocator allocator(list_.settings, list_.device);
  std::unordered_map<std::uint32_t, std::uint64_t> places;
  std::size_t next = 0;
  for (const std::size_t end : ends_) {
    std::int64_t grown = 0;
    for (; next < end; ++next) {
      const Request& request = list_.requests[next];
      const std::int64_t before = allocator.stats().reserved;
      if (request.kind == Request::Kind::alloc) {
        places[request.block] = allocator.allocate(request.bytes).value_or(0);
      } else if (request.kind == Request::Kind::free) {
        allocator.free(places[request.block]);
      } else {
        allocator.empty_cache();
      }
      grown += std::max<std::int64_t>(0, allocator.stats().reserved - before);
    }
    auto segments = allocator.segments();
    const auto parts = reserved_parts(segments, list_.settings, list_.asked);
    states_.push_back({parts, grown, std::move(segments)});
  }
  peak_ = allocator.stats().peak_reserved;
}

allocator::RequestList CachedCycles::requests(std::size_t step) const {
  allocator::RequestList list = list_;
  list.requests.resize(ends_[step]);
  return list;
}

std::vector<double> CachedCycles::row(std::size_t step) const {
  const State& now = states_[step];
  const auto of = [&now](ReservedPart part) { return static_cast<double>(now.parts[part]); };
  return {static_cast<double>(now.parts.requested),
          static_cast<double>(now.parts.reserved),
          static_cast<double>(now.grown),
          of(ReservedPart::rounding) + of(ReservedPart::unsplit),
          of(ReservedPart::too_small),
          of(ReservedPart::barred),
          of(ReservedPart::usable),
          of(ReservedPart::elsewhere),
          of(ReservedPart::cached)};
}

base::Message CachedCycles::said(std::size_t step) const {
  const State& now = states_[step];
  if (step == 0)
    return text::message("stepper.said.cycles_begin",
                         {{"base", text_of(base_)}, {"reserved", text_of(now.parts.reserved)}});
  return text::message(now.grown > 0 ? "stepper.said.cycles_grew" : "stepper.said.cycles_same",
                       {{"cycle", std::to_string(step)},
                        {"first", text_of(large_)},
                        {"second", text_of(large_ / 2)},
                        {"kept", text_of(kept_)},
                        {"grown", text_of(now.grown)}});
}

std::vector<calculate::Figure> CachedCycles::figures() const {
  const auto bytes = [](const char* name, std::int64_t value) {
    return calculate::Figure{name, static_cast<double>(value), calculate::Unit::bytes};
  };
  const allocator::ReservedParts& parts = states_.back().parts;
  std::vector<calculate::Figure> figures = {
      bytes("requested_bytes", parts.requested), bytes("reserved_bytes", parts.reserved),
      bytes("between_bytes", parts.gap()), bytes("reserved_most", peak_)};
  for (const WhatIf& one : what_ifs(list_)) {
    const char* name = one.kind == WhatIf::Kind::expandable    ? "other_expandable"
                       : one.kind == WhatIf::Kind::split_size  ? "other_split"
                       : one.kind == WhatIf::Kind::empty_cache ? "other_emptied"
                       : one.kind == WhatIf::Kind::kept_first  ? "other_order"
                                                               : nullptr;
    const bool known = std::ranges::any_of(
        figures, [&](const auto& figure) { return name != nullptr && figure.name == name; });
    if (name != nullptr && !known) figures.push_back(bytes(name, one.played.parts.reserved));
  }
  return figures;
}

}  // namespace ts::stepper
