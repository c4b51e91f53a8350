#include "app/run_files.h"

#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "app/environment.h"
#include "core/base/clock.h"
#include "core/io/chrome_trace.h"
#include "core/io/file.h"
#include "core/io/snapshot_write.h"
#include "core/memory/snapshot_of_log.h"
#include "core/run/courses.h"
#include "core/run/kernel_report.h"
#include "core/run/operator_report.h"
#include "core/run/run_json.h"

namespace ts::app {
namespace {

// The run's memory as PyTorch's viewers open it: what PyTorch's allocator recorded, else with the
// segments that it would have.
base::Result<void> write_memory_snapshot(const std::filesystem::path& path,
                                         const Session& session) {
  const run::Run& run = *session.run();
  if (run.snapshot != nullptr)
    return io::write_snapshot(path, *run.snapshot, io::SnapshotFormat::pickle);
  memory::SnapshotOfLogOptions options;
  options.memory_limit = run.limit;
  options.unix_offset_ns = base::unix_now_ns() - base::now_ns();
  const memory::Snapshot snapshot = memory::snapshot_of(run.memory, session.strings(), options);
  return io::write_snapshot(path, snapshot, io::SnapshotFormat::pickle);
}

}  // namespace

nlohmann::json document_of(const Session& session) {
  const run::Run& run = *session.run();
  nlohmann::json document = run::to_json(run, environment_json(read_machine(), session.engine()));
  if (run.spec.device == run::DeviceKind::cuda)
    document["gpu"] = run::kernels_json(run, session.strings());
  return document;
}

base::Result<void> write_run(const std::filesystem::path& folder, const Session& session,
                             const nlohmann::json& document) {
  if (auto made = io::make_folder(folder); !made) return made;
  if (auto written = io::write_file(folder / "run.json", document.dump(2) + "\n"); !written) {
    return written;
  }
  const nlohmann::json metadata = {{"spec", document.at("spec")},
                                   {"environment", document.at("environment")}};
  if (auto written =
          io::write_chrome_trace(folder / "trace.json", session.strings(), session.run()->trace,
                                 session.run()->memory, metadata.dump());
      !written) {
    return written;
  }
  if (auto written = write_memory_snapshot(folder / "snapshot.pickle", session); !written) {
    return written;
  }
  const run::Run& run = *session.run();
  const base::StringTable& strings = session.strings();
  if (!run.facts.courses.empty()) {
    const io::TextTable courses = run::course_table(run.facts, run::course_axes(run.spec.workload));
    if (auto written = io::write_file(folder / "course.csv", io::to_csv(courses)); !written) {
      return written;
    }
  }
  const auto by_operator =
      stats::operator_table(run.trace, run.memory, strings, stats::GroupBy::op);
  if (auto written = io::write_file(folder / "operators.csv",
                                    io::to_csv(run::operator_text(by_operator, strings)));
      !written) {
    return written;
  }
  const auto by_stack =
      stats::operator_table(run.trace, run.memory, strings, stats::GroupBy::stack);
  if (auto written = io::write_file(folder / "stacks.txt", run::folded_stacks(by_stack));
      !written) {
    return written;
  }
  if (auto written = io::write_file(folder / "operators.md", run::operators_markdown(run, strings));
      !written) {
    return written;
  }
  const stats::KernelTable kernels = stats::kernel_table(run.trace, run.launches, strings);
  if (!kernels.rows.empty()) {
    if (auto written = io::write_file(
            folder / "kernels.csv",
            io::to_csv(run::kernel_text(kernels, strings, run::compute_capability(run))));
        !written) {
      return written;
    }
  }
  return {};
}

}  // namespace ts::app
