#pragma once

#include <cstddef>
#include <string>

#include "core/base/string_table.h"
#include "core/trace/trace_store.h"

namespace ts::app {

// The timeline of a trace as a page of HTML that needs neither network nor this program: its tracks
// in the order of the window, zoom, and for each slice its name, times and module. Of more than
// `most` slices the shortest are left out, those of threads first, which the page says. `title`
// names the file.
std::string trace_page(const trace::TraceStore& store, const base::StringTable& strings,
                       const std::string& title, std::size_t most = 60'000);

}  // namespace ts::app
