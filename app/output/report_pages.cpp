#include "app/output/report_pages.h"

#include <nlohmann/json.hpp>

#include "app/output/named_files.h"
#include "core/base/result_files.h"
#include "core/io/file.h"
#include "core/io/zip_write.h"

namespace ts::app {
namespace {

void add_flat(const nlohmann::json& json, const std::string& prefix,
              std::vector<std::pair<std::string, std::string>>& rows) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      add_flat(value, prefix + key + " ", rows);
    } else if (!value.is_null()) {
      rows.emplace_back(prefix + key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
}

// Without a slash at the end, so that it has a name.
std::filesystem::path named(const std::filesystem::path& folder) {
  const auto path = std::filesystem::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

base::Result<void> write_report_pages(const std::filesystem::path& folder,
                                      const std::vector<io::Block>& blocks,
                                      text::Language language) {
  const std::vector<io::Block> pages = io::each_figure_once(blocks);
  return write_files(folder, {{base::kReportMarkdown, io::to_markdown(pages)},
                              {base::kReportHtml, io::to_html(pages, language)},
                              {base::kReportLatex, io::to_latex(blocks, language)}});
}

std::filesystem::path zip_beside(const std::filesystem::path& folder) {
  return named(folder).string() + ".zip";
}

base::Result<void> write_zip_beside(const std::filesystem::path& folder) {
  return io::write_zip(zip_beside(folder), folder, named(folder).filename().string());
}

std::vector<std::pair<std::string, std::string>> flat_rows(const nlohmann::json& json) {
  std::vector<std::pair<std::string, std::string>> rows;
  add_flat(json, "", rows);
  return rows;
}

}  // namespace ts::app
