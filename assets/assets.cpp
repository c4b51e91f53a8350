#include "assets/assets.h"

#include "assets/asset_view.h"

TS_ASSET(zh_cn)
TS_ASSET(zh_tw)
TS_ASSET(gpus)
TS_ASSET(cuda_scratch)
TS_ASSET(sweeps)
TS_ASSET(reference_points)
TS_ASSET(lesson_rows)
TS_ASSET(demos)
TS_ASSET(trees)
TS_ASSET(links)
TS_ASSET(lesson_errors)
TS_ASSET(memory_page)
TS_ASSET(trace_page)
TS_ASSET(page_style)
TS_ASSET(page_notes)

namespace ts::assets {

std::string_view locale_zh_cn() {
  return view_zh_cn();
}
std::string_view locale_zh_tw() {
  return view_zh_tw();
}
std::string_view gpus() {
  return view_gpus();
}
std::string_view cuda_scratch() {
  return view_cuda_scratch();
}
std::string_view sweeps() {
  return view_sweeps();
}
std::string_view links() {
  return view_links();
}
std::string_view reference_points() {
  return view_reference_points();
}
std::string_view memory_page() {
  return view_memory_page();
}
std::string_view page_style() {
  return view_page_style();
}
std::string_view page_notes() {
  return view_page_notes();
}
std::string_view trace_page() {
  return view_trace_page();
}
std::string_view lesson_rows() {
  return view_lesson_rows();
}

std::string_view lesson_errors() {
  return view_lesson_errors();
}

std::string_view trees() {
  return view_trees();
}

std::string_view demos() {
  return view_demos();
}

}  // namespace ts::assets
