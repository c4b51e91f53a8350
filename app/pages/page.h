#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace ts::app {

// The content of the window or a picture: one of the five pages, or one panel (pictures only).
enum class Page : std::uint8_t {
  run,
  sweep,
  hunt,
  compare,
  lessons,
  timeline,
  memory,
  segments,
  reserved,
  blocks,
  flame,
  difference,
  growth,
  operators,
  agreement,
  controls,
  inspector,
  kernels
};

// The pages that the tabs at the top choose between, in their order.
inline constexpr std::array kPages = {Page::run, Page::sweep, Page::hunt, Page::compare,
                                      Page::lessons};
constexpr bool is_panel(Page page) {
  return page > Page::lessons;
}

// A page, with the controls and sizes of the projector or without.
struct ShownPage {
  Page page = Page::run;
  bool projector = false;
};
const char* page_name(Page page);  // "memory"
// By the names of `shot --workspace`: "ab" is Page::compare, "projector" is the page of runs on a
// projector. A sentence with all names for any other.
base::Result<ShownPage> page_from_name(const std::string& name);

}  // namespace ts::app
