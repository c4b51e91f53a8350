#include "app/output/comparison_files.h"

#include <nlohmann/json.hpp>

#include "app/output/check_files.h"
#include "app/output/named_files.h"
#include "core/checks/comparison_checks.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/io/text_table.h"
#include "core/report/compare_report.h"

namespace ts::app {

base::Result<void> write_comparison(const std::filesystem::path& folder,
                                    const run::Comparison& comparison,
                                    const nlohmann::json& document, const SaveParts& parts) {
  if (auto made = io::make_folder(folder); !made) return made;
  const std::vector<report::CheckResult> checks = checks::of_comparison(comparison, true);
  nlohmann::json whole = document;
  whole["checks"] = report::to_json(checks);
  auto written = io::write_file(folder / "comparison.json", io::json_text(whole));
  if (!parts.has(SavePart::tables)) return written;
  if (written)
    written = write_comparison_tables(folder, comparison, report::sides_text(comparison));
  return written ? write_checks(folder, checks) : written;
}

base::Result<void> write_comparison_tables(const std::filesystem::path& folder,
                                           const run::Comparison& comparison,
                                           const std::string& sides) {
  const io::TextTable table = report::comparison_table(comparison);
  return write_files(folder, {{"comparison.csv", io::to_csv(table)},
                              {"comparison.md",
                               (sides.empty() ? "" : sides + "\n") + io::to_markdown(table) + "\n" +
                                   report::comparison_sentence(comparison).sentence + "\n"}});
}

}  // namespace ts::app
