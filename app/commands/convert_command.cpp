#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "core/io/file_kind.h"
#include "core/io/unpack.h"
#include "core/snapshot/snapshot_read.h"
#include "core/snapshot/snapshot_write.h"
#include "core/trace_file/trace_read.h"
#include "core/trace_file/trace_write.h"

namespace ts::app {
namespace {

struct ConvertCommand {
  std::filesystem::path in;
  std::filesystem::path out;
};

bool ends_with_one_of(const std::filesystem::path& path,
                      std::initializer_list<const char*> endings) {
  return std::ranges::find(endings, path.extension().string()) != endings.end();
}

int convert_trace(const ConvertCommand& command, io::UnpackedFile&& unpacked) {
  const bool csv = ends_with_one_of(command.out, {".csv"});
  if (!csv && !ends_with_one_of(command.out, {".json"})) {
    return report("a trace becomes .json or .csv, not " + command.out.filename().string(), 2);
  }
  const auto file = trace_file::read_trace(command.in, std::move(unpacked));
  if (!file) return report(file.error().sentence, 2);
  if (!file->fault.empty()) report(file->fault, 0);
  const auto written = csv ? trace_file::write_trace_csv(command.out, *file)
                           : trace_file::write_trace(command.out, *file);
  return written ? 0 : report(written.error().sentence, 2);
}

int convert_snapshot(const ConvertCommand& command, io::UnpackedFile&& unpacked) {
  if (!ends_with_one_of(command.out, {".json", ".pickle", ".pkl"})) {
    return report(
        "a memory snapshot becomes .pickle or .json, not " + command.out.filename().string(), 2);
  }
  const auto file = snapshot::read_snapshot(command.in, std::move(unpacked));
  if (!file) return report(file.error().sentence, 2);
  if (!file->fault.empty()) report(file->fault, 0);
  const auto written = snapshot::write_snapshot(command.out, file->snapshot,
                                                snapshot::snapshot_format_of(command.out));
  return written ? 0 : report(written.error().sentence, 2);
}

// Rewrites a snapshot or a trace in the format given by the name of OUT. Unreadable parts are
// reported and left out.
int convert(const ConvertCommand& command) {
  auto unpacked = io::read_unpacked(command.in);
  if (!unpacked) return report(unpacked.error().sentence, 2);
  const io::FileKind kind = io::kind_of_content(unpacked->content);
  if (kind == io::FileKind::trace) return convert_trace(command, std::move(*unpacked));
  if (kind == io::FileKind::snapshot) return convert_snapshot(command, std::move(*unpacked));
  return report(command.in.string() + " is neither a memory snapshot nor a trace of a profiler.",
                2);
}

}  // namespace

ParsedCommand convert_command(CLI::App& app) {
  const auto options = std::make_shared<ConvertCommand>();
  app.add_option("IN", options->in, "Memory snapshot or trace, packed by gzip or not")
      ->option_text(" ")
      ->required();
  app.add_option("OUT", options->out,
                 "The file to write: .pickle or .json of a snapshot, .json or .csv of a trace")
      ->option_text(" ")
      ->required();
  return parsed_command(options, convert);
}

}  // namespace ts::app
