#include "app/session/opened_files.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "app/session/is_ready.h"
#include "core/base/freed_memory.h"
#include "core/io/file.h"
#include "core/io/unpack.h"
#include "core/text/message.h"

namespace ts::app {

namespace {

// The time for one script in one frame: many records must not block the window.
constexpr std::int64_t kLiveTime = 8'000'000;  // nanoseconds

std::filesystem::file_time_type written_at(const std::filesystem::path& path) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(path, error);
  return error ? std::filesystem::file_time_type::min() : time;
}

// Marks a beginning whose rest does not come.
void set_fault(OpenedFiles::Entry& entry, base::Message fault) {
  entry.opened->arrives = false;
  files::OpenedTrace* const trace = entry.opened->trace.get();
  (trace != nullptr ? trace->about.fault : entry.opened->file.fault) = std::move(fault);
}

}  // namespace

bool OpenedFiles::Entry::changed_on_disk() const {
  return written == std::filesystem::file_time_type::min() || written_at(path) != written;
}

OpenedFiles::Entry& OpenedFiles::entry_for(const std::filesystem::path& path) {
  const auto found = std::ranges::find(entries_, path, &Entry::path);
  if (found != entries_.end()) return *found;
  Entry entry;
  entry.id = ++last_id_;
  entry.path = path;
  return entries_.emplace_back(std::move(entry));
}

std::uint64_t OpenedFiles::half_of_memory() {
  const auto pages = std::max<long>(::sysconf(_SC_PHYS_PAGES), 0);
  const auto page = std::max<long>(::sysconf(_SC_PAGESIZE), 0);
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 2;
}

void OpenedFiles::open(const std::filesystem::path& path) {
  const std::uint64_t bytes = io::likely_unpacked(path);
  if (bytes <= most_bytes_) return open(path, {});
  Entry& entry = entry_for(path);
  if (entry.reading != nullptr) entry.reading->cancel();
  entry.reading.reset();
  entry.problem = {};
  entry.asks = bytes;
  current_ = static_cast<std::size_t>(&entry - entries_.data());
}

void OpenedFiles::open(const std::filesystem::path& path, const base::FileRange& range) {
  Entry& entry = entry_for(path);
  entry.asks.reset();
  entry.range = range;
  if (entry.reading != nullptr) entry.reading->cancel();  // it may have changed since
  entry.problem = {};
  entry.reading = std::make_shared<base::Progress>();
  current_ = static_cast<std::size_t>(&entry - entries_.data());
  auto handover = std::make_shared<Handover>();
  readers_.push_back(
      {path, entry.reading, handover,
       std::async(std::launch::async, [read_file = reading_, path, range, progress = entry.reading,
                                       handover] {
         Answer answer;
         answer.written = written_at(path);
         const auto keep = [&handover](std::unique_ptr<files::OpenedFile> opened) {
           files::prepare_for_view(*opened);
           const std::lock_guard lock(handover->mutex);
           handover->beginning = std::move(opened);
         };
         if (auto read =
                 read_file(path, {.progress = progress.get(), .beginning = keep, .range = range})) {
           answer.opened = std::move(*read);
           files::prepare_for_view(*answer.opened);
         } else {
           answer.problem = read.error();
         }
         base::give_back_freed_memory();
         return answer;
       })});
}

void OpenedFiles::add(std::unique_ptr<files::OpenedFile> opened) {
  Entry& entry = entry_for(opened->path);
  entry.device = opened->first_shown();
  entry.written = written_at(opened->path);
  files::prepare_for_view(*opened);
  entry.opened = std::move(opened);
  current_ = static_cast<std::size_t>(&entry - entries_.data());
}

OpenedFiles::~OpenedFiles() {
  for (const Reader& reader : readers_) reader.progress->cancel();
}

void OpenedFiles::stop_reading(std::size_t index) {
  Entry& entry = entries_[index];
  if (entry.reading == nullptr) return;
  entry.reading->cancel();
  if (entry.opened == nullptr) return close(index);
  entry.reading.reset();
  if (entry.in_part)
    set_fault(entry, io::read_in_part(entry.path, text::message("file_error.stopped")));
}

void OpenedFiles::follow(std::shared_ptr<live::Incoming> incoming) {
  Entry entry;
  entry.id = ++last_id_;
  entry.path = incoming->script;
  entry.live = std::make_shared<files::LiveFile>(std::move(incoming));
  entry.live->update(kLiveTime);  // its beginning is there: a live entry is never without `opened`
  entry.opened = entry.live->opened();
  entries_.push_back(std::move(entry));
  current_ = entries_.size() - 1;
}

void OpenedFiles::close(std::size_t index) {
  if (entries_[index].reading != nullptr) entries_[index].reading->cancel();
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index));
  if (!current_ || *current_ < index) return;
  if (*current_ > index) {
    --*current_;
  } else if (entries_.empty()) {
    current_.reset();
  } else {
    current_ = std::min(index, entries_.size() - 1);
  }
}

void OpenedFiles::choose_device(std::size_t device) {
  if (!current_) return;
  entries_[*current_].device = device;
  entries_[*current_].wanted = {};
}

void OpenedFiles::restore(std::size_t index, std::size_t device, CorrectionsByDevice corrections) {
  Entry& entry = entries_[index];
  if (entry.opened == nullptr) return;
  std::vector<files::OpenedDevice>& devices = entry.opened->devices;
  const std::size_t shown = devices.size() + (entry.opened->trace != nullptr ? 1 : 0);
  if (device < shown) entry.device = device;
  for (auto& [number, all] : corrections) {
    if (number >= devices.size()) continue;
    for (files::Correction& one : all) entry.corrections[number].add(devices[number], one);
  }
}

void OpenedFiles::narrow(const files::MemoryPart& part) {
  if (current_) narrow(*current_, part);
}

void OpenedFiles::narrow(std::size_t index, const files::MemoryPart& part) {
  Entry& entry = entries_[index];
  if (entry.loading() || entry.opened == nullptr || entry.opened->trace != nullptr ||
      entry.device >= entry.opened->devices.size())
    return;
  entry.wanted = part;
  const std::size_t device = entry.device_of_all();
  if (part.is_all()) {
    entry.opened = entry.all();
    entry.whole.reset();
    entry.device = device;
    return;
  }
  narrowers_.push_back({entry.id, entry.all(), device, part,
                        std::async(std::launch::async, [whole = entry.all(), device, part] {
                          auto opened = files::narrowed(*whole, {&whole->devices[device], 1}, part);
                          files::prepare_for_view(*opened);
                          return opened;
                        })});
}

// Nothing where another part was chosen since, or the file was read anew.
void OpenedFiles::take_part(Narrower& narrower) {
  std::unique_ptr<files::OpenedFile> part = narrower.answer.get();
  const auto entry = std::ranges::find(entries_, narrower.entry, &Entry::id);
  if (entry == entries_.end() || entry->all() != narrower.whole || entry->wanted != narrower.part ||
      entry->device_of_all() != narrower.device)
    return;
  entry->whole = narrower.whole;
  entry->whole_device = narrower.device;
  entry->opened = std::move(part);
  entry->device = 0;
}

bool OpenedFiles::update_narrowers() {
  bool news = false;
  for (std::size_t i = 0; i < narrowers_.size();) {
    if (!is_ready(narrowers_[i].answer)) {
      ++i;
      continue;
    }
    take_part(narrowers_[i]);
    narrowers_.erase(narrowers_.begin() + static_cast<std::ptrdiff_t>(i));
    news = true;
  }
  return news;
}

OpenedFiles::Entry* OpenedFiles::correctable() {
  if (!current_) return nullptr;
  Entry& entry = entries_[*current_];
  const bool read_elsewhere =
      entry.loading() ||
      std::ranges::any_of(narrowers_, [&](const Narrower& one) { return one.entry == entry.id; });
  if (read_elsewhere || entry.opened == nullptr || entry.device >= entry.opened->devices.size())
    return nullptr;
  return &entry;
}

void OpenedFiles::follow_whole(Entry& entry) {
  if (entry.whole == nullptr) return;
  files::take_categories(entry.opened->devices[0], entry.whole->devices[entry.whole_device]);
}

void OpenedFiles::correct(files::Correction correction) {
  Entry* const entry = correctable();
  if (entry == nullptr) return;
  if (entry->whole != nullptr)
    correction.blocks = files::in_whole(entry->opened->devices[0], correction.blocks);
  const std::size_t device = entry->device_of_all();
  entry->corrections[device].add(entry->all()->devices[device], std::move(correction));
  follow_whole(*entry);
}

const files::Corrections* OpenedFiles::corrections() const {
  const Entry* const entry = current();
  if (entry == nullptr || entry->opened == nullptr) return nullptr;
  const auto found = entry->corrections.find(entry->device_of_all());
  return found == entry->corrections.end() ? nullptr : &found->second;
}

bool OpenedFiles::can_undo() const {
  return corrections() != nullptr && corrections()->can_undo();
}

bool OpenedFiles::can_redo() const {
  return corrections() != nullptr && corrections()->can_redo();
}

void OpenedFiles::undo() {
  Entry* const entry = correctable();
  if (entry == nullptr || !can_undo()) return;
  const std::size_t device = entry->device_of_all();
  entry->corrections[device].undo(entry->all()->devices[device]);
  follow_whole(*entry);
}

void OpenedFiles::redo() {
  Entry* const entry = correctable();
  if (entry == nullptr || !can_redo()) return;
  const std::size_t device = entry->device_of_all();
  entry->corrections[device].redo(entry->all()->devices[device]);
  follow_whole(*entry);
}

bool OpenedFiles::growing() const {
  return std::ranges::any_of(entries_, &Entry::grows);
}

bool OpenedFiles::loading() const {
  return !readers_.empty() || !narrowers_.empty() || explaining() ||
         std::ranges::any_of(replays_,
                             [](const Replay& replay) { return !replay.answer.has_value(); });
}

const OpenedFiles::Replay* OpenedFiles::replay_of_shown() const {
  const Entry* const entry = current();
  if (entry == nullptr || entry->opened == nullptr) return nullptr;
  const auto found = std::ranges::find_if(replays_, [entry](const Replay& replay) {
    return replay.opened == entry->opened && replay.device == entry->device;
  });
  return found == replays_.end() ? nullptr : &*found;
}

const files::ReplayAnswer* OpenedFiles::replayed() const {
  const Replay* const replay = replay_of_shown();
  return replay != nullptr && replay->answer ? &*replay->answer : nullptr;
}

void OpenedFiles::finish_replay() {
  update_replays();
  const Replay* const replay = replay_of_shown();
  if (replay != nullptr && !replay->answer) replay->running.wait();
  update_replays();
}

bool OpenedFiles::update_replays() {
  bool news = false;
  for (Replay& replay : replays_) {
    if (replay.answer || !is_ready(replay.running)) continue;
    replay.answer = replay.running.get();
    news = true;
  }
  // Drop results of closed files.
  std::erase_if(replays_, [this](const Replay& replay) {
    return replay.answer &&
           std::ranges::find(entries_, replay.opened, &Entry::opened) == entries_.end();
  });
  const Entry* const entry = current();
  const bool arrives = entry != nullptr && entry->in_part && entry->loading();
  const bool replays = entry != nullptr && entry->opened != nullptr && !arrives &&
                       entry->device < entry->opened->devices.size();  // a trace has none
  if (replays && replay_of_shown() == nullptr) {
    auto running = std::async(std::launch::async, [opened = entry->opened, device = entry->device] {
      files::ReplayAnswer answer = files::replay_answer(*opened, opened->devices[device].number);
      base::give_back_freed_memory();
      return answer;
    });
    replays_.push_back({entry->opened, entry->device, std::move(running), std::nullopt});
  }
  return news;
}

void OpenedFiles::explain(std::optional<std::size_t> position) {
  const Entry* const entry = current();
  if (explaining_ || entry == nullptr || entry->opened == nullptr || entry->in_part ||
      entry->device >= entry->opened->devices.size())
    return;
  if (explained_ && explained_->is_of(*entry) && explained_->answers(position)) return;
  auto running =
      std::async(std::launch::async, [opened = entry->opened, device = entry->device, position] {
        return files::reserved_moment(*opened, opened->devices[device].number, position);
      });
  explaining_ = Explanation{entry->opened, entry->device, position, std::move(running)};
}

const files::ReservedMoment* OpenedFiles::explained() const {
  const Entry* const entry = current();
  const bool known = entry != nullptr && explained_ && explained_->is_of(*entry);
  return known ? &explained_->moment : nullptr;
}

bool OpenedFiles::update_explanation() {
  const auto is_closed = [this](const Explanation& one) {
    return std::ranges::find(entries_, one.opened, &Entry::opened) == entries_.end();
  };
  if (explained_ && is_closed(*explained_)) explained_.reset();
  if (!explaining_ || !is_ready(explaining_->running)) return false;
  explaining_->moment = explaining_->running.get();
  explained_ = std::exchange(explaining_, std::nullopt);
  return true;
}

void OpenedFiles::finish_explanation() {
  explain(std::nullopt);
  if (explaining_) explaining_->running.wait();
  update_explanation();
}

// Nothing for a reader that was stopped, or whose file was closed, or of which more is shown.
bool OpenedFiles::take_beginning(Reader& reader) {
  std::unique_ptr<files::OpenedFile> beginning;
  {
    const std::lock_guard lock(reader.handover->mutex);
    beginning = std::move(reader.handover->beginning);
  }
  const auto entry = std::ranges::find(entries_, reader.progress, &Entry::reading);
  if (entry == entries_.end() || beginning == nullptr) return false;
  if (entry->opened != nullptr && !entry->in_part) return false;
  entry->device = beginning->first_shown();
  entry->corrections.clear();
  entry->opened = std::move(beginning);
  entry->in_part = true;
  return true;
}

void OpenedFiles::take_answer(Reader& reader) {
  Answer answer = reader.answer.get();
  const auto entry = std::ranges::find(entries_, reader.progress, &Entry::reading);
  if (entry == entries_.end()) return;
  entry->reading.reset();
  if (answer.opened == nullptr && entry->in_part) return set_fault(*entry, answer.problem);
  entry->device = answer.opened != nullptr ? answer.opened->first_shown() : 0;
  entry->corrections.clear();
  entry->opened = std::move(answer.opened);
  entry->whole.reset();
  entry->wanted = {};
  entry->written = answer.written;
  entry->problem = std::move(answer.problem);
  entry->in_part = false;
}

// A script that ended well left a file with the same content.
void OpenedFiles::keep_as_file(Entry& entry) {
  const std::filesystem::path file = entry.live->file();
  const auto is_this = [&](const Entry& other) { return other.path == file; };
  if (file.empty() || std::ranges::any_of(entries_, is_this)) return;
  std::error_code error;
  const auto written = written_at(file);
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  if (error || written == std::filesystem::file_time_type::min()) return;
  entry.path = file;
  entry.opened->path = file;
  entry.opened->trace->path = file;
  entry.opened->trace->about.bytes = bytes;
  entry.written = written;
  entry.live.reset();
}

bool OpenedFiles::update_live() {
  bool news = false;
  for (Entry& entry : entries_) {
    if (entry.live == nullptr || entry.live->complete()) continue;
    news = entry.live->update(kLiveTime) || news;
    entry.opened = entry.live->opened();
    if (!entry.live->complete()) continue;
    entry.device = entry.opened->first_shown();
    keep_as_file(entry);
  }
  return news;
}

bool OpenedFiles::update() {
  const bool grown = update_live();
  const bool narrowed = update_narrowers();
  const bool explained = update_explanation();
  bool news = grown || narrowed || explained;
  for (std::size_t i = 0; i < readers_.size();) {
    Reader& reader = readers_[i];
    if (!is_ready(reader.answer)) {
      news |= take_beginning(reader);
      ++i;
      continue;
    }
    take_answer(reader);
    readers_.erase(readers_.begin() + static_cast<std::ptrdiff_t>(i));
    news = true;
  }
  // Last: the replay of a file that was read just now begins in the same frame, so that loading()
  // holds from the first byte to the last row.
  return update_replays() || news;
}

}  // namespace ts::app
