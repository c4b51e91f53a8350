#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/memory/allocation_log.h"
#include "core/trace/trace_store.h"

namespace ts::io {

// Writes slices (complete events, microseconds with three decimals), forward-backward flows, the
// allocated-bytes counter and `metadata` (a JSON object as text) as Chrome JSON for Perfetto and
// chrome://tracing. Streams; 1 M events in <= 2 s.
base::Result<void> write_chrome_trace(const std::filesystem::path& path,
                                      const base::StringTable& strings,
                                      const trace::TraceStore& trace,
                                      const memory::AllocationLog& memory,
                                      const std::string& metadata);

}  // namespace ts::io
