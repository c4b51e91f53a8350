#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/io/document.h"

namespace ts::app {

// Writes report.md, report.html and report.tex into the folder. Pictures that are there as SVG and
// PNG stand once on each: LaTeX reads the PNG.
base::Result<void> write_report_pages(const std::filesystem::path& folder,
                                      const std::vector<io::Block>& blocks,
                                      text::Language language);

// A file that a page can show.
inline bool is_picture(std::string_view file) {
  return file.ends_with(".svg") || file.ends_with(".png");
}

// "homework.zip" beside the folder "homework", and all of its files in it.
std::filesystem::path zip_beside(const std::filesystem::path& folder);
base::Result<void> write_zip_beside(const std::filesystem::path& folder);

// The values of nested objects as rows: "cpu model", "AMD EPYC".
std::vector<std::pair<std::string, std::string>> flat_rows(const nlohmann::json& json);

}  // namespace ts::app
