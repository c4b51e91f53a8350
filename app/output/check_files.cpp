#include "app/output/check_files.h"

#include "app/output/named_files.h"
#include "core/base/result_files.h"

namespace ts::app {

base::Result<void> write_checks(const std::filesystem::path& folder,
                                const std::vector<report::CheckResult>& checks) {
  if (checks.empty()) return {};
  const io::TextTable table = report::checks_table(checks);
  return write_files(folder, {{base::kChecksCsv, io::to_csv(table)},
                              {base::kChecksMarkdown, io::to_markdown(table)}});
}

}  // namespace ts::app
