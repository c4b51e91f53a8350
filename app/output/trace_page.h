#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/clock.h"
#include "core/base/string_table.h"
#include "core/files/notes.h"
#include "core/files/opened_trace.h"
#include "core/trace/trace_store.h"

namespace ts::app {

struct TraceStyle {
  base::TimeRange first;               // shown at first; empty: all
  std::span<const files::Note> notes;  // become marks; of a block at its allocation
};

// The timeline of a trace as a page of HTML that needs neither network nor this program: its tracks
// in the order of the window, zoom, and for each slice its name, times and module. Of more than
// `most` slices the shortest are left out, those of threads first, which the page says. `title`
// names the file.
std::string trace_page(const trace::TraceStore& store, const base::StringTable& strings,
                       const std::string& title, const TraceStyle& look = {},
                       std::size_t most = 60'000);
// That of an opened trace, which shows its steps at first.
std::string trace_page(const files::OpenedTrace& trace, const std::string& title,
                       std::span<const files::Note> notes);

}  // namespace ts::app
