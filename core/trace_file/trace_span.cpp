#include "core/trace_file/trace_span.h"

#include <algorithm>
#include <optional>

namespace ts::trace_file {

Span span_of(const TraceFile& file) {
  std::optional<Span> work;
  std::optional<Span> window;
  for (const Event& event : file.events) {  // by begin
    std::optional<Span>& span = event.kind == EventKind::window ? window : work;
    if (!span) span = {event.begin_ns, event.end_ns()};
    span->end = std::max(span->end, event.end_ns());
  }
  return work ? *work : window.value_or(Span{});
}

}  // namespace ts::trace_file
