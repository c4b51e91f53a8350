#include "app/output/prediction_files.h"

#include <nlohmann/json.hpp>

#include "app/output/named_files.h"
#include "core/allocator/snapshot_of_log.h"
#include "core/base/clock.h"
#include "core/io/json_parse.h"
#include "core/io/text_table.h"
#include "core/report/live_tables.h"
#include "core/snapshot/snapshot_write.h"

namespace ts::app {

namespace {

base::Result<void> write_tables(const std::filesystem::path& folder,
                                const predict::Forecast& forecast, const spec::WorkloadSpec& spec,
                                const base::StringTable& strings) {
  const memory::AllocationLog& log = forecast.run.log;
  const memory::EventIndex peak = forecast.prediction.peak_event;
  const io::TextTable live = report::live_table(log, strings, peak);
  const io::TextTable accounting =
      report::accounting_table(log, strings, peak, spec, forecast.run.parameters);
  return write_files(folder, {{"peak.csv", io::to_csv(live)},
                              {"peak.md", io::to_markdown(live)},
                              {"accounting.csv", io::to_csv(accounting)},
                              {"accounting.md", io::to_markdown(accounting)}});
}

}  // namespace

base::Result<void> write_predicted_snapshot(const std::filesystem::path& path,
                                            const predict::Forecast& forecast,
                                            const allocator::AllocatorSettings& settings,
                                            const base::StringTable& strings) {
  allocator::SnapshotOfLogOptions options;
  options.settings = settings;
  options.memory_limit = forecast.target.capacity();
  options.unix_offset_ns = base::unix_now_ns();
  options.user_metadata = allocator::predicted_note(forecast.target.name);
  const allocator::Snapshot snapshot = allocator::snapshot_of(forecast.run.log, strings, options);
  return snapshot::write_snapshot(path, snapshot, snapshot::SnapshotFormat::pickle);
}

base::Result<void> write_prediction(const std::filesystem::path& folder,
                                    const predict::Forecast& forecast,
                                    const spec::WorkloadSpec& spec,
                                    const base::StringTable& strings,
                                    const nlohmann::json& document, const SaveParts& parts) {
  if (auto made = io::make_folder(folder); !made) return made;
  auto written = io::write_file(folder / "prediction.json", io::json_text(document));
  if (written && parts.has(SavePart::tables))
    written = write_tables(folder, forecast, spec, strings);
  if (written && parts.has(SavePart::snapshot)) {
    written = write_predicted_snapshot(folder / "predicted_snapshot.pickle", forecast,
                                       predict::allocator_settings_of(spec), strings);
  }
  return written;
}

}  // namespace ts::app
