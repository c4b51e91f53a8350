#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/base/file_range.h"

namespace ts::allocator {

// Chooses the events of one trace that say something of a range of it: those inside; before it the
// allocations of what is alive when it begins; after it what is needed to take the final segments
// back to its end. `Event` is whatever stands for an event, `Kept` a vector of it. Memory: what is
// alive at the beginning, and the addresses that are used after the end.
template <class Event, class Kept = std::vector<Event>>
class RangeKeeper {
 public:
  using Place = base::FileRange::Place;

  // The next event of the trace. Those to keep by now are appended in their order.
  void take(Place place, TraceAction action, std::uint64_t address, Event event, Kept& kept) {
    ++number_;
    if (place == Place::before) return take_before(action, address, std::move(event));
    begin(kept);
    if (place == Place::inside) {
      kept.push_back(std::move(event));
    } else {
      take_after(action, address, std::move(event));
    }
  }
  // After the last event.
  void finish(Kept& kept) {
    begin(kept);
    for (auto* const states : {&after_, &segments_after_}) {
      for (auto& [address, state] : *states) {
        add({&state.asked, &state.freed, &state.made}, late_);
      }
      states->clear();
    }
    flush(late_, kept);
  }

 private:
  struct Numbered {
    std::uint64_t number = 0;
    Event event;
  };
  // A block that is alive before the range.
  struct Before {
    std::optional<Numbered> made;
    std::optional<Numbered> asked;  // to free it
  };
  // A block or a segment after the range.
  struct After {
    std::optional<Numbered> asked;  // to free what was there at the end of the range
    std::optional<Numbered> freed;  // that
    std::optional<Numbered> made;   // what is there at the end of the trace
    bool used = false;              // what was there is gone, or nothing was
  };

  void take_before(TraceAction action, std::uint64_t address, Event&& event) {
    if (action == TraceAction::alloc) {
      before_[address] = {.made = Numbered{number_, std::move(event)}, .asked = {}};
    } else if (action == TraceAction::free_completed) {
      before_.erase(address);
    } else if (action == TraceAction::free_requested) {
      const auto block = before_.find(address);
      if (block != before_.end()) block->second.asked = Numbered{number_, std::move(event)};
    }
  }

  void begin(Kept& kept) {
    std::vector<Numbered> alive;
    for (auto& [address, one] : before_) add({&one.made, &one.asked}, alive);
    before_.clear();
    flush(alive, kept);
  }

  void take_after(TraceAction action, std::uint64_t address, Event&& event) {
    switch (action) {
      case TraceAction::alloc:
      case TraceAction::segment_alloc: {
        After& after = after_of(action, address);
        after.made = Numbered{number_, std::move(event)};
        after.used = true;
        break;
      }
      case TraceAction::free_completed:
      case TraceAction::segment_free: {
        After& after = after_of(action, address);
        if (!after.used) after.freed = Numbered{number_, std::move(event)};
        after.made.reset();
        after.used = true;
        break;
      }
      case TraceAction::free_requested: {
        After& after = after_of(action, address);
        if (!after.used && !after.asked) after.asked = Numbered{number_, std::move(event)};
        break;
      }
      case TraceAction::segment_map:
      case TraceAction::segment_unmap:
        late_.push_back({number_, std::move(event)});
        break;
      default:
        break;
    }
  }

  After& after_of(TraceAction action, std::uint64_t address) {
    const bool segment =
        action == TraceAction::segment_alloc || action == TraceAction::segment_free;
    return (segment ? segments_after_ : after_)[address];
  }

  static void add(std::initializer_list<std::optional<Numbered>*> ones, std::vector<Numbered>& to) {
    for (std::optional<Numbered>* const one : ones)
      if (*one) to.push_back(std::move(**one));
  }

  static void flush(std::vector<Numbered>& numbered, Kept& kept) {
    std::ranges::sort(numbered, {}, &Numbered::number);
    for (Numbered& one : numbered) kept.push_back(std::move(one.event));
    numbered.clear();
  }

  std::uint64_t number_ = 0;
  std::unordered_map<std::uint64_t, Before> before_;  // by address
  std::unordered_map<std::uint64_t, After> after_;
  std::unordered_map<std::uint64_t, After> segments_after_;
  std::vector<Numbered> late_;
};

}  // namespace ts::allocator
