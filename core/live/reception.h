#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/message.h"
#include "core/base/result.h"
#include "core/base/string_table.h"
#include "core/live/meeting_place.h"
#include "core/run/update.h"

namespace ts::live {

// A script that is recorded elsewhere, as it arrives: what the reception's thread read of it waits
// here until the window takes it. Any thread.
class Incoming {
 public:
  Incoming(run::RunId run, pid_t sender) : id(run), process(sender) {}

  const run::RunId id;
  const pid_t process;
  base::StringTable strings;
  // The first is a StartedUpdate. A stream that tells its end has a FinishedUpdate.
  run::UpdateQueue updates;
  std::string script;  // as it says; set before the reception hands this out

  enum class State : std::uint8_t {
    live,
    ended,  // as the script said: see its FinishedUpdate
    cut,    // the script's process ended and did not say so
    wrong,  // something came that is no recording
  };
  struct Ending {
    State state = State::live;
    base::Message why = {};  // of cut and wrong
    std::string file = {};   // of ended: where the script left its recording; empty: nowhere
  };
  // Once it is not live any more, no update comes.
  [[nodiscard]] Ending ending() const;
  void set_ending(Ending ending);

  // Nobody looks at it any more: the line to the script is cut.
  void leave() { left_ = true; }
  [[nodiscard]] bool left() const { return left_; }

 private:
  mutable std::mutex mutex_;
  Ending ending_;
  std::atomic<bool> left_{false};
};

// Listens for scripts on a thread of its own. Runs nothing of what comes: bytes go to the reader of
// recordings. One owner thread.
class Reception {
 public:
  // Scripts at once; one more is sent away.
  static constexpr std::size_t kMostCallers = 16;

  static base::Result<std::unique_ptr<Reception>> open(const std::filesystem::path& folder);
  ~Reception();
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;

  // Scripts that began since the last call.
  std::vector<std::shared_ptr<Incoming>> take_new();
  [[nodiscard]] const std::filesystem::path& path() const { return listener_.path(); }

 private:
  struct Line;
  Reception(Listener listener, Descriptor wake);
  void run();
  void take_callers();
  bool read(Line& line);
  void end_line(Line& line);

  Listener listener_;
  Descriptor wake_;                           // readable: the thread is to end
  std::vector<std::unique_ptr<Line>> lines_;  // of the thread
  std::mutex mutex_;
  std::vector<std::shared_ptr<Incoming>> new_;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace ts::live
