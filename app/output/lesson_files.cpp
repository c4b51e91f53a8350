#include "app/output/lesson_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/output/named_files.h"
#include "app/output/report_pages.h"
#include "core/base/result_files.h"
#include "core/io/file.h"
#include "core/io/text_table.h"

namespace ts::app {
namespace {

// The files of the steps and of the lesson itself, relative to its folder, sorted by name.
std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (auto entry = std::filesystem::recursive_directory_iterator(folder, error);
       !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) {
      found.push_back(std::filesystem::relative(entry->path(), folder, ignored).string());
    }
  }
  // An SVG comes before the PNG of the same name.
  std::ranges::sort(found, [](const std::string& a, const std::string& b) {
    const auto key = [](const std::string& file) {
      return std::pair(file.substr(0, file.rfind('.')), !file.ends_with(".svg"));
    };
    return std::pair(key(a), a) < std::pair(key(b), b);
  });
  return found;
}

std::vector<std::string> pictures_of(const lessons::ReportInput& input,
                                     const std::vector<std::string>& files) {
  std::vector<std::string> found;
  for (const std::string& file : files) {
    const bool figure = file.starts_with("figure-") && is_picture(file);
    const bool wanted =
        std::ranges::any_of(input.lesson->deliverables, [&](const lessons::Deliverable& one) {
          return is_picture(file) && file == "step-" + one.step + "/" + one.file;
        });
    // Also the PNG of a figure that is handed in as SVG: LaTeX cannot read the SVG.
    const bool other =
        file.ends_with(".png") &&
        std::ranges::find(found, file.substr(0, file.size() - 4) + ".svg") != found.end();
    if (figure || wanted || other) found.push_back(file);
  }
  return found;
}

}  // namespace

base::Result<void> write_lesson_report(const std::filesystem::path& folder,
                                       lessons::ReportInput input, const text::Texts& texts,
                                       const nlohmann::json& environment) {
  if (auto made = io::make_folder(folder); !made) return made;
  input.files = files_in(folder);
  input.pictures = pictures_of(input, input.files);
  input.environment = flat_rows(environment);
  const auto blocks = lessons::report_blocks(input, texts);
  const io::TextTable values = lessons::values_table(input, texts);
  const io::TextTable checks = lessons::checks_table(input, texts);
  auto pages = write_report_pages(folder, blocks, texts.language());
  if (!pages) return pages;
  const std::vector<NamedFile> files = {
      {"values.csv", io::to_csv(values)},
      {"values.md", io::to_markdown(values)},
      {"values.tex", io::to_latex(values, texts("lesson.report.numbers"), "values")},
      {base::kChecksCsv, io::to_csv(checks)},
      {base::kChecksMarkdown, io::to_markdown(checks)},
      {"checks.tex", io::to_latex(checks, texts("lesson.report.checks"), "checks")},
      {"commands.csv", io::to_csv(lessons::commands_table(input, texts))}};
  if (auto written = write_files(folder, files); !written) return written;
  return write_zip_beside(folder);
}

}  // namespace ts::app
