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

// Exit code 1 where the file could not be written, 2 where something else was asked for than there
// is.
tl::expected<void, Ended> or_unwritten(const base::Result<void>& result) {
  return result.map_error(
      [](const base::Error& why) { return Ended(why, why.key == "file_error.write" ? 1 : 2); });
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

base::Result<void> write_trace_page(const ConvertCommand& command, trace_file::TraceFile&& file,
                                    const FileQuestion& question) {
  const auto opened = files::open_trace(std::move(file), 1);
  if (!opened) {
    return text::fail("file_error.trace",
                      {{"path", command.in.string()}, text::argument("reason", opened.error())});
  }
  constexpr std::size_t kTrace = 0;  // a session counts it after the devices, of which it has none
  TS_TRY(const auto notes, notes_of(command, question, kTrace));
  return io::write_file(command.out, trace_page(*opened, command.in.filename().string(), notes));
}

// A trace, or the traces of ranks as one. `read` has all of it in memory, `copy` does not.
Exit convert_trace(const ConvertCommand& command, const FileQuestion& question,
                   const std::function<base::Result<trace_file::TraceFile>()>& read,
                   const std::function<base::Result<base::Message>()>& copy) {
  if (ends_with_one_of(command.out, {".json"})) {
    TS_TRY(const auto fault, copy());
    return fault.empty() ? 0 : report(fault, 0);
  }
  if (!ends_with_one_of(command.out, {".csv", ".html"}))
    return base::fail("a trace becomes .json, .csv or .html, not " +
                      command.out.filename().string());
  TS_TRY(auto file, read());
  if (!file.fault.empty()) report(file.fault, 0);
  if (ends_with_one_of(command.out, {".csv"})) {
    TS_TRY_DONE(or_unwritten(trace_file::write_trace_csv(command.out, file)));
  } else {
    TS_TRY_DONE(or_unwritten(write_trace_page(command, std::move(file), question)));
  }
  return 0;
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

Exit convert_snapshot(const ConvertCommand& command, io::Input& input,
                      const FileQuestion& question) {
  if (!ends_with_one_of(command.out, {".html", ".json", ".pickle", ".pkl"})) {
    return base::fail("a memory snapshot becomes .pickle, .json or .html, not " +
                      command.out.filename().string());
  }
  TS_TRY(auto file, snapshot::read_snapshot(command.in, input, nullptr, question.range));
  files::cut(file, question.range);
  if (!file.fault.empty()) report(file.fault, 0);
  TS_TRY_DONE(or_unwritten(write(command, std::move(file), question)));
  return 0;
}

// Rewrites a snapshot or a trace in the format given by the name of OUT. Unreadable parts are
// reported and left out.
Exit convert(const ConvertCommand& command) {
  TS_TRY(const auto asked, question_of(command.part));
  if (!command.session.empty() && !ends_with_one_of(command.out, {".html"}))
    return base::fail("--session gives its notes to a page, and a page is named FILE.html");
  if (io::is_packed_name(command.out) && ends_with_one_of(command.out, {".html"})) {
    return base::fail("a page is named FILE.html: no browser opens " +
                      command.out.filename().string());
  }
  std::error_code ignored;
  if (asked.of_all() && std::filesystem::is_directory(command.in, ignored)) {
    return convert_trace(
        command, asked, [&] { return files::read_ranks(command.in); },
        [&] { return files::copy_ranks(command.in, command.out); });
  }
  if (std::filesystem::equivalent(command.in, command.out, ignored))
    return text::fail("file_error.same", {{"path", command.in.string()}});
  if (const auto other = file_of_other_commands(command.in)) return tl::unexpected(*other);
  if (command.device && !ends_with_one_of(command.out, {".html"}))
    return base::fail("--device chooses whose page is written, and a page is named FILE.html");
  TS_TRY(auto input, io::Input::open(command.in));
  const io::FileKind kind = io::kind_of(input);
  if (kind == io::FileKind::snapshot) return convert_snapshot(command, input, asked);
  if (!asked.part.is_all()) return only_of_snapshots(command.in);
  if (kind == io::FileKind::trace && command.device)
    return base::fail("--device chooses the device of a memory snapshot's page, not of a trace's");
  if (kind == io::FileKind::trace) {
    return convert_trace(
        command, asked, [&] { return trace_file::read_trace(command.in, input, asked.range); },
        [&] { return trace_file::copy_trace(command.in, input, asked.range, command.out); });
  }
  return base::fail(command.in.string() +
                    " is neither a memory snapshot nor a trace of a profiler.");
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
