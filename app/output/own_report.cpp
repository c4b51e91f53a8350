#include "app/output/own_report.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/output/report_pages.h"
#include "app/output/saved_results.h"

namespace ts::app {

base::Result<void> write_own_report(const std::filesystem::path& folder, const text::Texts& texts) {
  TS_TRY(const auto result, read_saved_result(folder));
  TS_TRY_DONE(write_settings(result, folder));
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    std::error_code ignored;
    const bool page = name.starts_with("report.") || name.starts_with('.');
    if (!page && entry.is_regular_file(ignored)) files.push_back(std::move(name));
  }
  std::ranges::sort(files);
  std::vector<io::Block> blocks = {{io::Block::Kind::title, texts("results.title")}};
  for (io::Block& block : blocks_of(result, ".", files, texts)) blocks.push_back(std::move(block));
  for (io::Block& block : environments_of({&result, 1}, texts)) blocks.push_back(std::move(block));
  return write_report_pages(folder, blocks, texts.language());
}

base::Result<void> finish_with_report(OutputFolder& folder, const std::filesystem::path& path,
                                      const SaveParts& parts, const text::Texts& texts) {
  if (parts.has(SavePart::report)) {
    folder.remove_leftovers();  // the report names what is there
    if (auto written = write_own_report(path, texts); !written) return written;
  }
  return folder.finish();
}

}  // namespace ts::app
