#pragma once

#include <string_view>
#include <vector>

// Files embedded in the program.
namespace ts::assets {

std::string_view locale_en();
std::string_view locale_zh_cn();
std::string_view locale_zh_tw();
std::string_view gpus();              // gpus.json, read by run::GpuCatalogue
std::string_view cuda_scratch();      // cuda_scratch.json, read by run::CudaScratch
std::string_view sweeps();            // sweeps.json, read by run::SweepPresets
std::string_view reference_points();  // reference_points.json, read by run::parse_references
std::string_view memory_page();       // memory_page.html, filled by app::memory_page
std::string_view page_style();        // page_style.css, of both pages
std::string_view page_notes();        // page_notes.js, of both pages
std::string_view trace_page();        // trace_page.html, filled by app::trace_page
std::string_view lesson_rows();       // lesson_rows.json, read by lessons::read_rows
std::string_view lesson_errors();     // lesson_errors.json, read by lessons::read_material_errors
std::string_view trees();             // trees.json, read by advice::read_trees
std::string_view links();             // links.json, read by cluster::LinkCatalogue
std::string_view demos();             // demos.json, read by lessons::read_demos
// The files of assets/lessons, read by lessons::read_lesson.
struct Lesson {
  std::string_view name;  // of the file, without its ending
  std::string_view json;
};
std::vector<Lesson> lessons();
std::string_view icon_font();  // Font Awesome 6 Solid; only in builds with the window

}  // namespace ts::assets
