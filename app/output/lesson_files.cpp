#include "app/output/lesson_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

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

bool is_picture(const std::string& file) {
  return file.ends_with(".svg") || file.ends_with(".png");
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

}  // namespace

base::Result<void> write_lesson_report(const std::filesystem::path& folder,
                                       lessons::ReportInput input, const text::Texts& texts,
                                       const nlohmann::json& environment) {
  if (auto made = io::make_folder(folder); !made) return made;
  input.files = files_in(folder);
  input.pictures = pictures_of(input, input.files);
  add_flat(environment, "", input.environment);
  std::vector<std::string> on_pages = input.pictures;
  // A figure in both formats appears once on a page.
  std::erase_if(on_pages, [&](const std::string& file) {
    return file.ends_with(".png") &&
           std::ranges::find(input.pictures, file.substr(0, file.size() - 4) + ".svg") !=
               input.pictures.end();
  });
  lessons::ReportInput for_pages = input;
  for_pages.pictures = std::move(on_pages);
  lessons::ReportInput for_latex = std::move(input);
  std::erase_if(for_latex.pictures, [](const std::string& one) { return one.ends_with(".svg"); });
  const auto blocks = lessons::report_blocks(for_pages, texts);
  const io::TextTable values = lessons::values_table(for_pages, texts);
  const io::TextTable checks = lessons::checks_table(for_pages, texts);
  const text::Language language = texts.language();
  const std::vector<std::pair<const char*, std::string>> files = {
      {"report.md", lessons::to_markdown(blocks)},
      {"report.html", lessons::to_html(blocks, language)},
      {"report.tex", lessons::to_latex(lessons::report_blocks(for_latex, texts), language)},
      {"values.csv", io::to_csv(values)},
      {"values.md", io::to_markdown(values)},
      {"values.tex", io::to_latex(values, texts("lesson.report.numbers"), "values")},
      {"checks.csv", io::to_csv(checks)},
      {"checks.md", io::to_markdown(checks)},
      {"checks.tex", io::to_latex(checks, texts("lesson.report.checks"), "checks")},
      {"commands.csv", io::to_csv(lessons::commands_table(for_pages, texts))}};
  for (const auto& [name, content] : files) {
    if (auto written = io::write_file(folder / name, content); !written) return written;
  }
  return {};
}

}  // namespace ts::app
