#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file_range.h"
#include "core/base/result.h"
#include "core/files/corrections.h"
#include "core/files/memory_part.h"
#include "core/files/notes.h"
#include "core/io/file_mark.h"
#include "core/run/compare.h"
#include "core/spec/workload_spec.h"

namespace ts::files {

// The work of a window as one file: a ZIP archive with session.json, the recording of each
// run, the journal of the sweep with recordings of its points, and the newest comparison. Opened
// files are named by path and checked by their content; nothing of them is inside. It holds no
// tensor, no environment and no program: reading it runs nothing.

inline constexpr const char* kSessionEnding = ".session";
inline constexpr int kSessionVersion = 1;

// The view of a run, of a trace or of a device of a snapshot. Times and blocks are those of
// the recording; the reader checks that they exist.
struct SavedView {
  base::TimeRange visible;  // empty: all
  std::optional<base::TimeRange> marked;
  std::optional<std::int64_t> cursor_ns;
  std::optional<memory::BlockIndex> selected_block;
  std::string axis;    // name of a views' memory axis
  std::string colors;  // name of the blocks' colours
  std::uint32_t detail = 0xFFFFFFFFU;
  std::string search;
  std::vector<Note> notes;  // with those that are not on screen
  friend bool operator==(const SavedView&, const SavedView&) = default;
};

struct SavedRun {
  std::shared_ptr<const std::string> recording;  // see run::read_recording()
  SavedView view;
};

struct SavedDevice {
  std::size_t index = 0;  // among the devices; their number stands for the trace
  std::vector<Correction> corrections = {};
  SavedView view = {};
};

struct SavedFile {
  std::filesystem::path path;
  io::FileMark mark = {};
  std::size_t shown_device = 0;
  std::vector<SavedDevice> devices = {};
  base::FileRange range = {};  // of its events that was read
  MemoryPart part = {};        // of the shown device, that is shown
  SavedView part_view = {};    // of that part; its blocks have their numbers in it
};

// A file beside the journal: a point's recording or its profile.
struct SavedPoint {
  std::string name;  // of the file, without a folder
  std::shared_ptr<const std::string> content;
};

struct SavedSweep {
  std::filesystem::path folder;  // where it was; empty: it was on no disk
  std::string journal;           // see sweep::parse_journal()
  std::vector<SavedPoint> points = {};
};

struct SavedHunt {
  struct Axis {
    std::string field;
    std::int64_t low = 1, high = 1;
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  // A cell that was run for real.
  struct Run {
    spec::WorkloadSpec spec;
    bool fits = true;
    std::int64_t peak = 0;  // bytes
    std::string device;
  };
  Axis x, y;
  bool here = false;
  std::string compare;  // backend of the second frontier; empty: none
  std::vector<Run> runs;
};

// Sizes of the panels around the timeline as fractions of the window; unset: as they come.
struct SavedLayout {
  std::optional<double> left, right, below;
  std::string enlarged;  // the panel over the whole page; empty: none
  friend bool operator==(const SavedLayout&, const SavedLayout&) = default;
};

struct SavedSession {
  std::string program;       // that wrote it
  std::int64_t unix_ns = 0;  // when
  std::string page;          // that is shown
  SavedLayout layout;
  spec::WorkloadSpec spec;     // the settings
  std::vector<SavedRun> runs;  // the oldest first
  std::optional<std::size_t> shown_run;
  std::vector<SavedFile> files;
  std::optional<std::size_t> shown_file;  // unset: the run
  std::optional<SavedSweep> sweep;
  std::optional<SavedHunt> hunt;
  std::shared_ptr<const run::Comparison> comparison;  // that has ended; null: none
  std::filesystem::path lesson;                       // folder of the open lesson; empty: none
};

// The limits of what is read: a session of many days stays far below.
inline constexpr std::size_t kMostSavedRuns = 64;
inline constexpr std::size_t kMostSavedFiles = 256;
inline constexpr std::size_t kMostSavedPoints = 4096;
inline constexpr std::size_t kMostSessionText = std::size_t{256} << 20;  // bytes, each text
// Recordings, journal, points and comparison together, unpacked.
inline constexpr std::size_t kMostSessionBytes = std::size_t{1} << 30;

// Whether a name is that of a file without a folder, and of no hidden one.
bool is_point_name(std::string_view name);

// The bytes of the file. An error: they are more than an archive can hold.
base::Result<std::string> session_bytes(const SavedSession& session);

// Any thread; the error is one sentence: damaged, of a newer version, or no session.
base::Result<SavedSession> parse_session(std::string content);
base::Result<SavedSession> read_session(const std::filesystem::path& path);

}  // namespace ts::files
