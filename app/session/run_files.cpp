#include "app/session/run_files.h"

#include <nlohmann/json.hpp>

#include "app/output/check_files.h"
#include "app/output/environment.h"
#include "app/output/named_files.h"
#include "core/allocator/snapshot_of_log.h"
#include "core/base/clock.h"
#include "core/checks/run_checks.h"
#include "core/files/trace_of_run.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/report/kernel_report.h"
#include "core/report/operator_report.h"
#include "core/report/result_curves.h"
#include "core/report/run_json.h"
#include "core/snapshot/snapshot_write.h"
#include "core/spec/workload_traits.h"
#include "core/trace_file/trace_write.h"

namespace ts::app {
namespace {

// Writes the run's memory in the format of PyTorch's viewers: the recording of PyTorch's allocator,
// else with the segments that it would have.
base::Result<void> write_memory_snapshot(const std::filesystem::path& path,
                                         const Session& session) {
  const run::Run& run = *session.run();
  if (run.snapshot != nullptr)
    return snapshot::write_snapshot(path, *run.snapshot, snapshot::SnapshotFormat::pickle);
  allocator::SnapshotOfLogOptions options;
  options.memory_limit = run.limit;
  options.unix_offset_ns = base::unix_now_ns() - base::now_ns();
  const allocator::Snapshot snapshot =
      allocator::snapshot_of(run.memory, session.strings(), options);
  return snapshot::write_snapshot(path, snapshot, snapshot::SnapshotFormat::pickle);
}

base::Result<void> write_tables(const std::filesystem::path& folder, const run::Run& run,
                                const base::StringTable& strings) {
  const auto operators = [&](stats::GroupBy group) {
    return stats::operator_table(run.trace, run.memory, strings, group);
  };
  if (auto written = write_checks(folder, checks::of_run(run, strings)); !written) return written;
  std::vector<NamedFile> files = {
      {"operators.csv", io::to_csv(report::operator_text(operators(stats::GroupBy::op), strings))},
      {"stacks.txt", report::folded_stacks(operators(stats::GroupBy::stack))},
      {"operators.md", report::operators_markdown(run, strings)}};
  if (!run.facts.curves.empty()) {
    const auto& curves = spec::traits_of(run.spec.workload).curves;
    files.push_back({"curves.csv", io::to_csv(report::curve_table(run.facts, curves))});
  }
  const stats::KernelTable kernels = stats::kernel_table(run.trace, run.launches, strings);
  if (!kernels.rows.empty()) {
    const auto capability = report::compute_capability(run);
    files.push_back({"kernels.csv", io::to_csv(report::kernel_text(kernels, strings, capability))});
  }
  return write_files(folder, files);
}

}  // namespace

nlohmann::json notes_json(const run::Run& run, const base::StringTable& strings,
                          std::span<const files::Note> notes) {
  const base::TimeRange range = run.trace.range();
  const std::int64_t begin = range.empty() ? run.memory.time_range().begin : range.begin;
  auto all = nlohmann::json::array();
  for (const files::Note& note : notes) {
    nlohmann::json one = {{"at_ms", static_cast<double>(note.time_ns - begin) * 1e-6},
                          {"text", note.text}};
    if (note.block && *note.block < run.memory.blocks().size()) {
      const memory::Block& block = run.memory.blocks()[*note.block];
      one["block"] = {{"size", block.size}, {"op", strings.view(block.op)}};
    }
    all.push_back(std::move(one));
  }
  return all;
}

nlohmann::json document_of(const Session& session) {
  return report::to_json(*session.run(), environment_json(read_machine(), session.engine()),
                         session.strings());
}

base::Result<void> write_run(const std::filesystem::path& folder, const Session& session,
                             const nlohmann::json& document, const SaveParts& parts) {
  if (auto made = io::make_folder(folder); !made) return made;
  auto written = io::write_file(folder / "run.json", io::json_text(document));
  if (written && parts.has(SavePart::trace)) {
    const nlohmann::json metadata = {{"spec", document.at("spec")},
                                     {"environment", document.at("environment")}};
    written = trace_file::write_trace(folder / "trace.json",
                                      files::trace_of_run(*session.run(), session.strings()),
                                      metadata.dump());
  }
  if (written && parts.has(SavePart::snapshot))
    written = write_memory_snapshot(folder / "snapshot.pickle", session);
  if (written && parts.has(SavePart::tables))
    written = write_tables(folder, *session.run(), session.strings());
  return written;
}

}  // namespace ts::app
