#include "core/files/opened_file.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <utility>

#include "core/allocator/snapshot_figures.h"
#include "core/files/cut.h"
#include "core/files/opened_recording.h"
#include "core/files/rank_folder.h"
#include "core/io/file.h"
#include "core/io/file_kind.h"
#include "core/io/input.h"
#include "core/io/unpack.h"
#include "core/text/message.h"
#include "core/trace_file/trace_read.h"

namespace ts::files {
namespace {

// Different from the ids of runs, which count up from 1.
run::RunId next_id() {
  static std::atomic<run::RunId> last{~run::RunId{0}};
  return last--;
}

}  // namespace

OpenedDevice open_device(const allocator::Snapshot& snapshot, std::int64_t number) {
  const auto index = static_cast<std::size_t>(number);
  allocator::SnapshotLog converted = allocator::log_of_snapshot(snapshot, index);
  run::StartedUpdate started;
  started.id = next_id();
  OpenedDevice device{.number = number,
                      .run = run::Run(started),
                      .stacks = std::move(converted.stacks),
                      .entries = std::move(converted.entries),
                      .event_entries = std::move(converted.event_entries),
                      .blocks_before = converted.blocks_before,
                      .bytes_before = converted.bytes_before,
                      .peak_reserved = converted.peak_reserved,
                      .end_reserved = converted.end_reserved,
                      .free_stacks = std::move(converted.free_stacks),
                      .guessed_share = converted.guessed_share};
  device.run.memory = std::move(converted.log);
  device.run.finished = true;
  device.run.stage = run::Stage::done;
  if (index < snapshot.device_traces.size()) {
    device.trace_events = snapshot.device_traces[index].size();
  }
  device.parts = parts_of(snapshot, index);
  return device;
}

std::unique_ptr<OpenedFile> opened_snapshot(const std::filesystem::path& path,
                                            snapshot::SnapshotFile&& file,
                                            base::Progress* progress) {
  auto opened = std::make_unique<OpenedFile>();
  opened->path = path;
  opened->file = std::move(file);
  const allocator::Snapshot& snapshot = opened->file.snapshot;
  const std::vector<std::size_t> numbers = allocator::devices_of(snapshot);
  if (progress != nullptr) progress->part(1);
  for (const std::size_t number : numbers) {
    if (!base::goes_on(progress, opened->devices.size(), numbers.size())) return nullptr;
    opened->devices.push_back(open_device(snapshot, static_cast<std::int64_t>(number)));
  }
  return opened;
}

namespace {

blocks::BlockSource blocks_of(const allocator::Snapshot& snapshot, const OpenedDevice& device) {
  return {.snapshot = snapshot,
          .device = static_cast<std::size_t>(device.number),
          .log = device.run.memory,
          .stacks = device.stacks,
          .entries = device.entries,
          .event_entries = device.event_entries,
          .free_stacks = device.free_stacks};
}

void prepare_for_view(const allocator::Snapshot& snapshot, OpenedDevice& device) {
  const blocks::BlockSource source = blocks_of(snapshot, device);
  device.history = std::make_unique<blocks::AllocatorHistory>(source);
  device.growth = std::make_unique<const blocks::Growth>(blocks::find_growth(source));
}

}  // namespace

blocks::BlockSource blocks_of(const OpenedFile& file, const OpenedDevice& device) {
  return blocks_of(file.file.snapshot, device);
}

void prepare_for_view(OpenedFile& file) {
  for (OpenedDevice& device : file.devices) prepare_for_view(file.file.snapshot, device);
}

std::optional<std::int64_t> device_of_file(const OpenedFile* file, const OpenedDevice* device) {
  if (file == nullptr || device == nullptr || file->devices.size() < 2) return std::nullopt;
  return device->number;
}

bool has_categories(const memory::AllocationLog& log) {
  return std::ranges::any_of(log.blocks(), [](const memory::Block& block) {
    return block.category != memory::Category::unknown;
  });
}

bool knows_categories(const run::Run& run, const OpenedDevice* device) {
  constexpr double kMost = 0.5;
  if (device != nullptr && device->guessed_share) return *device->guessed_share > kMost;
  // A script names them as it goes on.
  return has_categories(run.memory) || !run.finished;
}

RecordingForms forms_of(const run::Run& run, const std::shared_ptr<base::StringTable>& strings) {
  snapshot::SnapshotFile file = snapshot_of_run(run, *strings, 0);
  OpenedDevice device = open_device(file.snapshot, 0);
  prepare_for_view(file.snapshot, device);
  return {figures_of(run, strings, 0), std::move(file), std::move(device)};
}

void OpenedFile::take(RecordingForms&& forms) {
  file = std::move(forms.file);
  devices.push_back(std::move(forms.device));
  trace->about = std::move(forms.figures.about);
  trace->summary = std::move(forms.figures.summary);
  trace->findings = std::move(forms.figures.findings);
}

namespace {

using Opened = base::Result<std::unique_ptr<OpenedFile>>;

Opened lay_out(const std::filesystem::path& path, base::Result<trace_file::TraceFile>&& file,
               base::Progress* progress) {
  if (!file) return tl::unexpected(file.error());
  if (progress != nullptr) progress->part(1);
  auto trace = open_trace(std::move(*file), next_id());
  if (!trace) {
    return text::fail("file_error.trace",
                      {{"path", path.string()}, text::argument("reason", trace.error())});
  }
  auto opened = std::make_unique<OpenedFile>();
  opened->path = path;
  trace->path = path;
  opened->trace = std::make_unique<OpenedTrace>(std::move(*trace));
  return opened;
}

Opened open_trace_file(const std::filesystem::path& path, io::Input& input,
                       base::Progress* progress, const base::FileRange& range = {}) {
  return lay_out(path, trace_file::read_trace(path, input, range), progress);
}

Opened open_recording_file(const std::filesystem::path& path, std::string_view content) {
  auto recording = open_recording(content, next_id());
  if (!recording) {
    return text::fail(
        "recording_error.not_shown",
        {{"path", path.string()}, text::argument("reason", std::move(recording.error()))});
  }
  auto opened = std::make_unique<OpenedFile>();
  opened->path = path;
  recording->path = path;
  opened->file = snapshot_of_run(recording->run, *recording->about.strings, content.size());
  opened->devices.push_back(open_device(opened->file.snapshot, 0));
  opened->trace = std::make_unique<OpenedTrace>(std::move(*recording));
  return opened;
}

Opened lay_out(const std::filesystem::path& path, snapshot::SnapshotFile&& file,
               base::Progress* progress) {
  auto opened = opened_snapshot(path, std::move(file), progress);
  if (opened == nullptr) return text::fail("file_error.stopped");
  if (opened->devices.empty()) return text::fail("file_error.nothing", {{"path", path.string()}});
  return opened;
}

// The size of the file that `about` has the beginning of: what it unpacks to is not known yet.
template <class About>
void set_size(About& about, std::uintmax_t bytes) {
  const bool packed = about.packed > 0;
  about.bytes = packed ? 0 : bytes;
  about.packed = packed ? bytes : 0;
}

// Nothing where the beginning alone cannot be shown. The segments of a snapshot tell what was alive
// at its end: without the events between they say nothing of the beginning.
std::unique_ptr<OpenedFile> open_beginning(const std::filesystem::path& path, std::size_t most) {
  auto input = io::Input::open(path, {.most = most});
  if (!input) return nullptr;
  const io::FileKind kind = io::kind_of(*input);
  auto fault = io::beginning_of(path);
  std::error_code no_size;
  const std::uintmax_t bytes = std::filesystem::file_size(path, no_size);
  if (kind == io::FileKind::trace) {
    auto opened = open_trace_file(path, *input, nullptr);
    if (!opened) return nullptr;
    (*opened)->trace->about.fault = std::move(fault);
    if (!no_size) set_size((*opened)->trace->about, bytes);
    (*opened)->arrives = true;
    return std::move(*opened);
  }
  if (kind != io::FileKind::snapshot) return nullptr;
  auto file = snapshot::read_snapshot(path, *input);
  if (!file) return nullptr;
  file->snapshot.segments.clear();
  file->fault = std::move(fault);
  if (!no_size) set_size(*file, bytes);
  auto opened = lay_out(path, std::move(*file), nullptr);
  if (!opened) return nullptr;
  (*opened)->arrives = true;
  return std::move(*opened);
}

std::size_t beginning_bytes(const std::filesystem::path& path, const Opening::Sizes& sizes) {
  constexpr std::uint64_t kPart = 8;
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(sizes.beginning, io::likely_unpacked(path) / kPart));
}

}  // namespace

bool is_large(const std::filesystem::path& path, const Opening::Sizes& sizes) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return !error && bytes >= (io::is_packed_name(path) ? sizes.large_packed : sizes.large);
}

base::Result<std::unique_ptr<OpenedFile>> open_file(const std::filesystem::path& path,
                                                    const Opening& waiting) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return lay_out(path, read_ranks(path, waiting.progress), waiting.progress);
  if (waiting.beginning && waiting.range.is_all() && is_large(path, waiting.sizes)) {
    if (auto beginning = open_beginning(path, beginning_bytes(path, waiting.sizes)))
      waiting.beginning(std::move(beginning));
  }
  // The rest of the progress is for the layout.
  constexpr float kRead = 0.6F;
  if (waiting.progress != nullptr) waiting.progress->part(kRead);
  TS_TRY(auto input, io::Input::open(path, {.progress = waiting.progress}));
  const io::FileKind kind = io::kind_of(input);
  if (kind == io::FileKind::trace)
    return open_trace_file(path, input, waiting.progress, waiting.range);
  if (kind == io::FileKind::recording) {
    const std::string content = input.rest();
    if (input.problem()) return tl::unexpected(*input.problem());
    return open_recording_file(path, content);
  }
  TS_TRY(auto read, snapshot::read_snapshot(path, input, waiting.progress, waiting.range));
  cut(read, waiting.range);
  return lay_out(path, std::move(read), waiting.progress);
}

}  // namespace ts::files
