#include "app/output/check_files.h"

#include <utility>

#include "core/io/file.h"

namespace ts::app {

base::Result<void> write_checks(const std::filesystem::path& folder,
                                const std::vector<report::CheckResult>& checks) {
  if (checks.empty()) return {};
  const io::TextTable table = report::checks_table(checks);
  for (const auto& [name, content] :
       {std::pair{"checks.csv", io::to_csv(table)}, {"checks.md", io::to_markdown(table)}}) {
    if (auto written = io::write_file(folder / name, content); !written) return written;
  }
  return {};
}

}  // namespace ts::app
