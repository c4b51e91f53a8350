#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/base/cancel.h"
#include "core/base/string_table.h"
#include "core/run/engine.h"
#include "core/run/protocol.h"
#include "core/run/update.h"

// One run from prepare() to its verdict, by the rules of Protocol. Does not depend on threads, a
// window or a clock of its own.
namespace ts::run {

// The services that a measurement needs. `emit` is called from the calling thread and from the
// collector's.
struct MeasureContext {
  Engine& engine;
  base::StringTable& strings;
  RunId id = 0;
  base::CancelToken cancel;
  std::function<void(Update)> emit;
  std::function<std::int64_t()> clock;  // nanoseconds; base::now_ns outside of tests
};

// Runs the spec. Emits progress, batches, facts and samples, in order. Returns the FinishedUpdate,
// with end_ns on context.clock, after the execution and all its memory are destroyed. The records
// before a failure are emitted; an exception of the engine is a failure.
FinishedUpdate measure(const spec::WorkloadSpec& spec, const Protocol& protocol, std::int64_t limit,
                       const MeasureContext& context);

// The two rules, for samples in any unit of time.
enum class Warmup : std::uint8_t { cold, warm, unstable };
Warmup warmup_state(std::span<const double> samples, double elapsed_s, const Protocol& protocol);
// `sorted` ascending: the unrecorded timed samples so far.
bool timing_is_enough(std::span<const double> sorted, double elapsed_s, const Protocol& protocol);

}  // namespace ts::run
