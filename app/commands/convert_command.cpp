#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/output/file_page.h"
#include "app/output/file_question.h"
#include "app/output/trace_page.h"
#include "core/files/cut.h"
#include "core/files/opened_file.h"
#include "core/files/rank_folder.h"
#include "core/files/saved_session.h"
#include "core/io/file.h"
#include "core/io/file_kind.h"
#include "core/io/input.h"
#include "core/io/unpack.h"
#include "core/snapshot/snapshot_read.h"
#include "core/snapshot/snapshot_write.h"
#include "core/text/message.h"
#include "core/trace_file/trace_copy.h"
#include "core/trace_file/trace_read.h"
#include "core/trace_file/trace_write.h"

namespace ts::app {
namespace {

struct ConvertCommand {
  std::filesystem::path in;
  std::filesystem::path out;
  std::optional<std::int64_t> device;  // of a page; unset: the first one
  std::filesystem::path session;       // whose notes a page gets; empty: none
  PartOptions part;
};

// "a.json" and the packed "a.json.gz" both end with .json.
bool ends_with_one_of(const std::filesystem::path& path,
                      std::initializer_list<const char*> endings) {
  return std::ranges::find(endings, io::unpacked_name(path).extension().string()) != endings.end();
}

// 0, or reported.
int check_trace_name(const std::filesystem::path& out) {
  if (ends_with_one_of(out, {".csv", ".html", ".json"})) return 0;
  return report("a trace becomes .json, .csv or .html, not " + out.filename().string(), 2);
}

// 1 where the file could not be written, 2 where something else was asked for than there is.
int report_unwritten(const base::Error& error) {
  return report(error, error.key == "file_error.write" ? 1 : 2);
}

int write_csv(const ConvertCommand& command, const base::Result<trace_file::TraceFile>& file) {
  if (!file) return report(file.error(), 2);
  if (!file->fault.empty()) report(file->fault, 0);
  const auto written = trace_file::write_trace_csv(command.out, *file);
  return written ? 0 : report_unwritten(written.error());
}

// 0, or reported: why nothing was written, or not all of it.
int check_copy(const base::Result<base::Message>& fault) {
  if (!fault) return report(fault.error(), 2);
  if (!fault->empty()) report(*fault, 0);
  return 0;
}

// The notes of the session on that device, or on the part of it. None without a session.
base::Result<std::vector<files::Note>> notes_of(const ConvertCommand& command,
                                                const FileQuestion& question, std::size_t device) {
  if (command.session.empty()) return std::vector<files::Note>();
  TS_TRY(const auto session, files::read_session(command.session));
  std::error_code ignored;
  for (const files::SavedFile& saved : session.files) {
    if (!std::filesystem::equivalent(saved.path, command.in, ignored)) continue;
    if (saved.range != question.range) continue;
    if (!question.part.is_all()) {
      if (saved.part == question.part && saved.shown_device == device) return saved.part_view.notes;
      continue;
    }
    const auto found = std::ranges::find(saved.devices, device, &files::SavedDevice::index);
    return found == saved.devices.end() ? std::vector<files::Note>() : found->view.notes;
  }
  return base::fail(command.session.string() + " does not have what is asked for of " +
                    command.in.string());
}

int write_trace_page(const ConvertCommand& command, base::Result<trace_file::TraceFile> file,
                     const FileQuestion& question) {
  if (!file) return report(file.error(), 2);
  if (!file->fault.empty()) report(file->fault, 0);
  const auto opened = files::open_trace(std::move(*file), 1);
  if (!opened) {
    return report(text::message("file_error.trace", {{"path", command.in.string()},
                                                     text::argument("reason", opened.error())}),
                  2);
  }
  constexpr std::size_t kTrace = 0;  // a session counts it after the devices, of which it has none
  const auto notes = notes_of(command, question, kTrace);
  if (!notes) return report(notes.error(), 2);
  const auto written =
      io::write_file(command.out, trace_page(*opened, command.in.filename().string(), *notes));
  return written ? 0 : report_unwritten(written.error());
}

int convert_trace(const ConvertCommand& command, io::Input& input, const FileQuestion& question) {
  if (ends_with_one_of(command.out, {".csv"}))
    return write_csv(command, trace_file::read_trace(command.in, input, question.range));
  if (ends_with_one_of(command.out, {".html"})) {
    return write_trace_page(command, trace_file::read_trace(command.in, input, question.range),
                            question);
  }
  return check_copy(trace_file::copy_trace(command.in, input, question.range, command.out));
}

int convert_ranks(const ConvertCommand& command, const FileQuestion& question) {
  if (ends_with_one_of(command.out, {".csv"}))
    return write_csv(command, files::read_ranks(command.in));
  if (ends_with_one_of(command.out, {".html"}))
    return write_trace_page(command, files::read_ranks(command.in), question);
  return check_copy(files::copy_ranks(command.in, command.out));
}

// The page of one device.
base::Result<void> write_page(const ConvertCommand& command, const files::OpenedFile& file,
                              const FileQuestion& question,
                              const std::vector<std::int64_t>& numbers) {
  const std::int64_t first = file.devices.empty() ? 0 : file.devices.front().number;
  const std::int64_t number = command.device.value_or(first);
  const auto device = std::ranges::find(file.devices, number, &files::OpenedDevice::number);
  if (device == file.devices.end()) {
    return base::fail(command.in.string() + " has nothing of device " + std::to_string(number));
  }
  const auto in_all = std::ranges::find(numbers, number) - numbers.begin();
  TS_TRY(const auto notes, notes_of(command, question, static_cast<std::size_t>(in_all)));
  const auto index = static_cast<std::size_t>(device - file.devices.begin());
  return io::write_file(command.out, file_page(file, index, notes));
}

base::Result<void> write(const ConvertCommand& command, snapshot::SnapshotFile&& file,
                         const FileQuestion& question) {
  const bool page = ends_with_one_of(command.out, {".html"});
  const auto format = snapshot::snapshot_format_of(command.out);
  if (!page && question.part.is_all())
    return snapshot::write_snapshot(command.out, file.snapshot, format);
  auto whole = files::opened_snapshot(command.in, std::move(file));
  std::vector<std::int64_t> numbers;  // of all devices
  for (const files::OpenedDevice& device : whole->devices) numbers.push_back(device.number);
  TS_TRY(const auto opened, asked_part(std::move(whole), question));
  if (page) return write_page(command, *opened, question, numbers);
  return snapshot::write_snapshot(command.out, opened->file.snapshot, format);
}

int convert_snapshot(const ConvertCommand& command, io::Input& input,
                     const FileQuestion& question) {
  if (!ends_with_one_of(command.out, {".html", ".json", ".pickle", ".pkl"})) {
    return report(
        "a memory snapshot becomes .pickle, .json or .html, not " + command.out.filename().string(),
        2);
  }
  auto file = snapshot::read_snapshot(command.in, input, nullptr, question.range);
  if (!file) return report(file.error(), 2);
  files::cut(*file, question.range);
  if (!file->fault.empty()) report(file->fault, 0);
  const auto written = write(command, std::move(*file), question);
  return written ? 0 : report_unwritten(written.error());
}

// Rewrites a snapshot or a trace in the format given by the name of OUT. Unreadable parts are
// reported and left out.
int convert(const ConvertCommand& command) {
  const auto asked = question_of(command.part);
  if (!asked) return report(asked.error(), 2);
  if (!command.session.empty() && !ends_with_one_of(command.out, {".html"}))
    return report("--session gives its notes to a page, and a page is named FILE.html", 2);
  if (io::is_packed_name(command.out) && ends_with_one_of(command.out, {".html"})) {
    return report("a page is named FILE.html: no browser opens " + command.out.filename().string(),
                  2);
  }
  std::error_code ignored;
  if (asked->of_all() && std::filesystem::is_directory(command.in, ignored)) {
    if (const int problem = check_trace_name(command.out); problem != 0) return problem;
    return convert_ranks(command, *asked);
  }
  if (std::filesystem::equivalent(command.in, command.out, ignored))
    return report(text::message("file_error.same", {{"path", command.in.string()}}), 2);
  if (const auto other = file_of_other_commands(command.in)) return report(other->sentence, 2);
  if (command.device && !ends_with_one_of(command.out, {".html"}))
    return report("--device chooses whose page is written, and a page is named FILE.html", 2);
  auto input = io::Input::open(command.in);
  if (!input) return report(input.error(), 2);
  const io::FileKind kind = io::kind_of(*input);
  if (kind == io::FileKind::snapshot) return convert_snapshot(command, *input, *asked);
  if (!asked->part.is_all()) return report(only_of_snapshots(command.in).value(), 2);
  if (kind == io::FileKind::trace && command.device)
    return report("--device chooses the device of a memory snapshot's page, not of a trace's", 2);
  if (kind == io::FileKind::trace) {
    const int problem = check_trace_name(command.out);
    return problem != 0 ? problem : convert_trace(command, *input, *asked);
  }
  return report(command.in.string() + " is neither a memory snapshot nor a trace of a profiler.",
                2);
}

}  // namespace

ParsedCommand convert_command(CLI::App& app) {
  const auto options = std::make_shared<ConvertCommand>();
  app.add_option(
         "IN", options->in,
         "Memory snapshot or trace, packed by gzip or not, or a folder of the traces of ranks")
      ->option_text(" ")
      ->required();
  app.add_option(
         "OUT", options->out,
         "The file to write: .pickle, .json or .html (a page that opens anywhere) of a "
         "snapshot, .json, .csv or .html of a trace; but for a page .gz may follow, which packs "
         "it by gzip")
      ->option_text(" ")
      ->required();
  app.add_option("--device", options->device, "Of a page: the device; the first one if not given")
      ->type_name("N");
  app.add_option("--session", options->session,
                 "Of a page: the session of a window, whose notes on IN become marks")
      ->type_name("FILE.session");
  add_part_options(app, options->part);
  return parsed_command(options, convert);
}

}  // namespace ts::app
