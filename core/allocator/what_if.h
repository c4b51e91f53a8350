#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocator/replay.h"
#include "core/allocator/reserved_parts.h"
#include "core/allocator/snapshot.h"
#include "core/base/result.h"

namespace ts::allocator {

// A request of a program to the allocator. Requests are in the program's order.
struct Request {
  enum class Kind : std::uint8_t {
    alloc,
    free,
    empty_cache,
    refused,   // an allocation whose refusal the program survives
    elsewhere  // private pools take (or give back) `bytes` of the device
  };
  Kind kind = Kind::alloc;
  std::uint32_t block = 0;  // of alloc and free: any number that no live block has
  std::int64_t bytes = 0;
  std::int64_t stream = 0;
  std::int64_t event = -1;  // of the trace; -1: of none, or it lived before the first
};

struct RequestList {
  std::vector<Request> requests;
  // Requests after the moment. On a device with a capacity they tell what is refused then.
  std::vector<Request> later = {};
  AllocatorSettings settings;            // as the program ran
  CachingAllocator::Device device = {};  // without a fraction
  std::optional<Asked> asked;            // at the moment after the last request
  PrivateBytes in_private_pools;         // at that moment
};

// The memory that the allocator's model reserves after the last of `requests`.
struct Played {
  bool refused = false;  // a request was refused, also a later one; what follows is not played
  std::int64_t refused_event = -1;  // its event
  std::int64_t served = 0;          // of the requests whose refusal the program survived
  std::int64_t peak_reserved = 0;
  ReservedParts parts;
};

// One change, and everything else as it was.
struct WhatIf {
  enum class Kind : std::uint8_t {
    unchanged,    // for comparison: from an empty allocator
    expandable,   // expandable_segments on, or off
    split_size,   // max_split_size_mb, or without
    divisions,    // roundup_power2_divisions, or without
    garbage,      // garbage_collection_threshold, or without
    empty_cache,  // called at this moment
    kept_first    // what lives at this moment is allocated before all others
  };
  Kind kind = Kind::unchanged;
  std::string setting = {};  // "max_split_size_mb:128"; without one that was set: its name
  bool taken_away = false;
  Played played;
};
// The one that has no change; nullptr where none was played.
const WhatIf* unchanged_of(const std::vector<WhatIf>& what_ifs);
// The name in JSON and of its text: "kept_first".
std::string_view to_string(WhatIf::Kind kind);

// Plays the requests with each change. The garbage collector needs a limit: it is the device's
// capacity, else what is reserved at most without a change. It leaves expandable segments alone, so
// it is not tried with them.
std::vector<WhatIf> what_ifs(const RequestList& list);

// The change that makes a part of `now` smallest without a refusal; of equal ones that which
// reserves least. A change counts only if it takes more away than there is between `now` and the
// same requests unchanged, from an empty allocator. nullptr: none.
const WhatIf* best_for(const std::vector<WhatIf>& what_ifs, const ReservedParts& now,
                       ReservedPart part);
// The same for all that is reserved.
const WhatIf* best_of(const std::vector<WhatIf>& what_ifs, const ReservedParts& now);

// Why more is reserved than is asked for, at one moment of a snapshot's trace.
struct ReservedAnswer {
  std::size_t position = 0;    // events that have happened
  std::optional<Asked> asked;  // by the event at position - 1, else by the next one that asks
  bool asked_next = false;
  ReservedParts parts;
  std::int64_t peak_reserved = 0;           // until then
  std::optional<SimulatedRefusal> refused;  // the first, also after the moment
  // Only empty_cache(), which is called at the moment itself, if the others are not known: see
  // `unanswered`.
  std::vector<WhatIf> what_ifs;
  enum class Unanswered : std::uint8_t {
    nothing,
    too_short,   // nothing is asked for after something was freed
    from_before  // nothing was reserved between the beginning and the moment, all before
  };
  Unanswered unanswered = Unanswered::nothing;
};

// `position`: unset: the first refusal, else where most is reserved. A moment inside a request (a
// segment was taken, the block not yet) or inside an empty_cache() is moved to its end. Parts are
// those of replay() with these options. Changes, but not empty_cache(), are played from an empty
// allocator, in which the blocks that lived before the recording come first. Errors as replay().
// About ten replays.
base::Result<ReservedAnswer> explain_reserved(const Snapshot& snapshot, std::size_t device,
                                              const ReplayOptions& options,
                                              std::optional<std::size_t> position = std::nullopt);

// One result of the model with a setting of PYTORCH_CUDA_ALLOC_CONF changed, for all of a trace.
struct SettingTrial {
  std::string setting;             // "max_split_size_mb:128"
  std::int64_t refused = 0;        // requests
  std::int64_t peak_reserved = 0;  // bytes; without a limit of the device that is what it takes
};

// Replays the recording with sizes above which blocks are not split, and all other settings
// unchanged, so that the results can be compared with ExpandableAnswer::without: what lived before
// the recording is allocated anew. Only sizes that the recording did not have. Errors as replay().
base::Result<std::vector<SettingTrial>> try_split_sizes(const Snapshot& snapshot,
                                                        std::size_t device);

}  // namespace ts::allocator
