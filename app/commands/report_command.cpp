#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/output/output_folder.h"
#include "app/output/report_pages.h"
#include "app/output/saved_results.h"
#include "app/session/languages.h"
#include "core/base/result_files.h"
#include "core/text/message.h"
#include "core/text/printable.h"

namespace ts::app {
namespace {

struct ReportCommand {
  std::vector<std::filesystem::path> folders;
  std::filesystem::path out;
  std::string title;
  std::string language = "en";
};

// The copies of an earlier report.
void remove_results(const OutputFolder& folder, const std::filesystem::path& path) {
  std::vector<std::filesystem::path> old;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("result-") && folder.wrote(name)) old.push_back(entry.path());
  }
  for (const auto& one : old) std::filesystem::remove_all(one, error);
}

// Copies the results into one folder, with report.md, .html and .tex, and zips it. Returns 2 when a
// folder holds no result.
Exit make_report(const ReportCommand& command) {
  TS_TRY(const auto texts, built_in_texts(command.language));
  std::vector<SavedResult> results;
  for (const auto& path : command.folders) {
    TS_TRY(auto result, read_saved_result(path));
    results.push_back(std::move(result));
  }
  TS_TRY(auto folder,
         OutputFolder::claim(command.out, names_of({base::kReportPages, {"result-*"}})));
  std::error_code ignored;
  const auto archive = zip_beside(command.out);
  if (std::filesystem::exists(archive, ignored) && !folder.wrote(base::kReportMarkdown)) {
    return text::fail("save_error.foreign", {{"path", archive.parent_path().string()},
                                             {"name", archive.filename().string()}});
  }
  remove_results(folder, command.out);
  std::vector<io::Block> blocks = {
      {io::Block::Kind::title, command.title.empty() ? texts("results.title") : command.title}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string where = "result-" + std::to_string(i + 1) + "-" + to_string(results[i].kind);
    TS_TRY(const auto files, or_failed(copy_result(results[i], command.out / where)));
    for (io::Block& block : blocks_of(results[i], where, files, texts))
      blocks.push_back(std::move(block));
  }
  for (io::Block& block : environments_of(results, texts)) blocks.push_back(std::move(block));
  TS_TRY_DONE(or_failed(write_report_pages(command.out, blocks, texts.language())));
  TS_TRY_DONE(or_failed(folder.finish()));
  TS_TRY_DONE(or_failed(write_zip_beside(command.out)));
  std::fprintf(stderr, "Wrote %s and %s\n", text::printable(command.out.string()).c_str(),
               text::printable(archive.string()).c_str());
  return 0;
}

}  // namespace

ParsedCommand report_command(CLI::App& app) {
  const auto options = std::make_shared<ReportCommand>();
  app.add_option("DIR", options->folders,
                 "What run, predict, sweep, hunt or ab wrote with --out, or the window saved")
      ->option_text("...")
      ->required();
  app.add_option("--out", options->out, "Write the report and copies of all files there")
      ->type_name("DIR")
      ->required();
  app.add_option("--title", options->title, "The heading of the report");
  add_language(app, options->language);
  return parsed_command(options, make_report);
}

}  // namespace ts::app
