#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file_range.h"
#include "core/base/message.h"
#include "core/base/progress.h"
#include "core/files/corrections.h"
#include "core/files/live_file.h"
#include "core/files/memory_part.h"
#include "core/files/opened_file.h"
#include "core/files/replay_answer.h"

namespace ts::app {

// The files that are open beside the run. Each is read on its own thread, so that a large one never
// blocks the window; an unreadable one stays in the list with its error. Of a large one the
// beginning is shown while the rest is read. One owner thread.
class OpenedFiles {
 public:
  // Reads a file on a thread.
  using Reading = std::function<base::Result<std::unique_ptr<files::OpenedFile>>(
      const std::filesystem::path&, const files::Opening&)>;

  explicit OpenedFiles(Reading reading = files::open_file) : reading_(std::move(reading)) {}
  ~OpenedFiles();
  OpenedFiles(const OpenedFiles&) = delete;
  OpenedFiles& operator=(const OpenedFiles&) = delete;

  struct Entry {
    int id = 0;  // constant while it is open
    std::filesystem::path path;
    // Unset: being read, or nothing can be shown. While it is read it may be its beginning.
    // Always set where `live` is.
    std::shared_ptr<files::OpenedFile> opened;
    base::Message problem;   // why nothing can be shown
    std::size_t device = 0;  // of opened->devices; their number stands for the trace
    std::map<std::size_t, files::Corrections> corrections = {};  // by device
    std::filesystem::file_time_type written = {};                // when the file was read
    std::shared_ptr<base::Progress> reading = {};                // set while it is read
    // Set while it is asked which events of a file are read that may not fit into memory: its
    // bytes, a guess where it is packed.
    std::optional<std::uint64_t> asks = {};
    base::FileRange range = {};  // that was read, or is
    bool in_part = false;        // `opened` is the beginning of a file that was not read to its end
    // Set while `opened` is a part of the memory of one of its devices, `whole_device`.
    std::shared_ptr<files::OpenedFile> whole = {};
    std::size_t whole_device = 0;
    files::MemoryPart wanted = {};  // that is shown, or made
    // Set for a script that is recorded now, or was and left no file: `path` is its name.
    std::shared_ptr<files::LiveFile> live = {};
    // `opened` still changes on this thread: no other one may read it.
    [[nodiscard]] bool grows() const { return live != nullptr && live->grows(); }
    [[nodiscard]] bool loading() const { return reading != nullptr; }
    // All that was read of the file.
    [[nodiscard]] const std::shared_ptr<files::OpenedFile>& all() const {
      return whole != nullptr ? whole : opened;
    }
    [[nodiscard]] std::size_t device_of_all() const {
      return whole != nullptr ? whole_device : device;
    }
    // The file is gone, or was written since.
    [[nodiscard]] bool changed_on_disk() const;
  };

  // Starts to read the file and selects it. A file that is already open is read again; what was
  // read of it stays until all is read anew. One that may need more than a share of the memory is
  // not read until it is opened with a range.
  void open(const std::filesystem::path& path);
  void open(const std::filesystem::path& path, const base::FileRange& range);
  // A larger unpacked file asks. At first half of the machine's memory.
  void ask_above(std::uint64_t bytes) { most_bytes_ = bytes; }
  [[nodiscard]] std::uint64_t asks_above() const { return most_bytes_; }
  // For tests.
  void read_with(Reading reading) { reading_ = std::move(reading); }
  // Adds a file that was read before, and prepares it for its view on this thread.
  void add(std::unique_ptr<files::OpenedFile> opened);
  // A script whose recording arrives; it is selected.
  void follow(std::shared_ptr<live::Incoming> incoming);
  void close(std::size_t index);
  // Ends the reading of a file. What is shown of it stays, be it the beginning or what was read
  // before; where nothing is, the file is closed.
  void stop_reading(std::size_t index);
  // Selects the shown file; unset: the run.
  void choose(std::optional<std::size_t> index) { current_ = index; }
  void choose_device(std::size_t device);
  // Shows a part of the memory of a file's shown device, or all of it; a part is made on another
  // thread. Of a snapshot that was read; else nothing happens.
  void narrow(const files::MemoryPart& part);
  void narrow(std::size_t index, const files::MemoryPart& part);
  // As a session has it: the device that is shown of a file that was read, and what was corrected,
  // by device. No other thread may read the logs meanwhile. What the file does not have is left
  // out.
  using CorrectionsByDevice = std::map<std::size_t, std::vector<files::Correction>>;
  void restore(std::size_t index, std::size_t device, CorrectionsByDevice corrections);

  // Corrects the categories of the shown device. No other thread may read its log meanwhile.
  void correct(files::Correction correction);
  void undo();
  void redo();
  [[nodiscard]] bool can_undo() const;
  [[nodiscard]] bool can_redo() const;

  // Takes over what has been read since the last call. True when there was anything.
  bool update();

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::optional<std::size_t> current_index() const { return current_; }
  [[nodiscard]] const Entry* current() const { return current_ ? &entries_[*current_] : nullptr; }
  // The result of the replay of the shown device; null while it runs. Started by update().
  [[nodiscard]] const files::ReplayAnswer* replayed() const;
  // Asks why more is reserved than was asked for on the shown device, after so many events; unset:
  // at a refusal, else at the peak. While one question is answered only the last one waits.
  void explain(std::optional<std::size_t> position);
  // The last answer for the shown device; null: none yet.
  [[nodiscard]] const files::ReservedMoment* explained() const;
  // True while an answer is being computed.
  [[nodiscard]] bool explaining() const { return explaining_.has_value(); }
  // True while a script sends its recording.
  [[nodiscard]] bool growing() const;
  // True while files are being read or replayed.
  [[nodiscard]] bool loading() const;
  // Waits for the replay of the shown file, for pictures.
  void finish_replay();
  // And for the answer of explain().
  void finish_explanation();

 private:
  struct Answer {
    std::unique_ptr<files::OpenedFile> opened;
    base::Message problem;
    std::filesystem::file_time_type written;
  };
  // Passed on by a reading thread before it ends.
  struct Handover {
    std::mutex mutex;
    std::unique_ptr<files::OpenedFile> beginning;
  };
  struct Reader {
    std::filesystem::path path;
    std::shared_ptr<base::Progress> progress;
    std::shared_ptr<Handover> handover;
    std::future<Answer> answer;
  };
  // A part that is being made.
  struct Narrower {
    int entry = 0;  // id
    std::shared_ptr<files::OpenedFile> whole;
    std::size_t device = 0;
    files::MemoryPart part;
    std::future<std::unique_ptr<files::OpenedFile>> answer;
  };
  // The replay of one device of a file that is, or was, shown.
  struct Replay {
    std::shared_ptr<const files::OpenedFile> opened;
    std::size_t device = 0;
    std::future<files::ReplayAnswer> running;  // valid until answer is set
    std::optional<files::ReplayAnswer> answer;
  };
  struct Explanation {
    std::shared_ptr<const files::OpenedFile> opened;
    std::size_t device = 0;
    std::optional<std::size_t> position;
    std::future<files::ReservedMoment> running;  // valid until moment is set
    files::ReservedMoment moment = {};
    [[nodiscard]] bool is_of(const Entry& entry) const {
      return opened == entry.opened && device == entry.device;
    }
    [[nodiscard]] bool answers(std::optional<std::size_t> asked) const {
      return position == asked || (asked && moment.answer && moment.answer->position == *asked);
    }
  };
  bool update_explanation();
  [[nodiscard]] const Replay* replay_of_shown() const;
  bool update_replays();
  bool take_beginning(Reader& reader);
  void take_answer(Reader& reader);
  bool update_live();
  bool update_narrowers();
  void take_part(Narrower& narrower);
  // Whose blocks may be corrected now; null: none, or another thread reads its log.
  [[nodiscard]] Entry* correctable();
  // After a change of the whole's categories.
  static void follow_whole(Entry& entry);
  void keep_as_file(Entry& entry);
  // Null: no snapshot is shown, or nothing was corrected.
  [[nodiscard]] const files::Corrections* corrections() const;
  Entry& entry_for(const std::filesystem::path& path);
  static std::uint64_t half_of_memory();

  Reading reading_;
  std::uint64_t most_bytes_ = half_of_memory();
  std::vector<Entry> entries_;
  std::optional<std::size_t> current_;
  std::vector<Reader> readers_;
  std::vector<Narrower> narrowers_;
  std::vector<Replay> replays_;
  std::optional<Explanation> explaining_;
  std::optional<Explanation> explained_;
  int last_id_ = 0;
};

}  // namespace ts::app
