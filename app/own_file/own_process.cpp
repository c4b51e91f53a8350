#include "app/own_file/own_process.h"

#include <charconv>
#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/own_file/own_python.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Heard = io::LineChild::Heard;

constexpr auto kLook = 10ms;     // how late a Stop is seen
constexpr auto kWeigh = 100ms;   // from one look at the files of an answer to the next
constexpr auto kPolite = 500ms;  // from SIGTERM to SIGKILL
// With a server that was told to stop, and until the process of a question begins on a busy
// machine.
constexpr std::chrono::seconds kPatience = 5s, kLongest = 60s;
constexpr int kStarts = 3;  // of a server that ends before it is asked

// The number of "began 12".
std::optional<int> number_after(std::string_view line, std::string_view word) {
  if (!line.starts_with(word)) return std::nullopt;
  line.remove_prefix(word.size());
  int number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  const bool whole = error == std::errc() && end == line.data() + line.size();
  return whole ? std::optional(number) : std::nullopt;
}

// The sizes of a folder's files, added up. Those that come or go meanwhile may be left out.
std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (!at->is_regular_file(gone)) continue;
    if (const std::uintmax_t size = at->file_size(gone); !gone) bytes += size;
  }
  return bytes;
}

}  // namespace

struct OwnProcess::Question {
  const Request& request;
  const base::CancelToken& cancel;
  const std::function<bool()>& given_up;
  Clock::time_point begin = Clock::now();
  Clock::time_point weighed = begin;
  bool too_much = false;

  void weigh() {
    weighed = Clock::now();
    too_much = too_much || bytes_in(request.file.parent_path()) > request.most_bytes;
  }
  [[nodiscard]] bool late() const {
    return request.limit.count() > 0 && Clock::now() - begin > request.limit;
  }
  [[nodiscard]] bool stopped() const {
    return cancel.cancelled() || (given_up && given_up()) || late() || too_much;
  }
  [[nodiscard]] tl::unexpected<base::Error> why() const {
    if (too_much) {
      return text::fail(
          "own_file.too_much",
          {{"file", request.about},
           {"most", text::bytes(static_cast<std::int64_t>(request.most_bytes)).joined()}});
    }
    if (!late()) return text::fail("engine.cancelled");
    return text::fail("file_error.no_end", {{"program", request.about},
                                            {"seconds", std::to_string(request.limit.count())}});
  }
};

void OwnProcess::end() {
  child_.reset();
  folder_.reset();
  ready_ = false;
}

base::Result<void> OwnProcess::start(const fs::path& python) {
  end();
  std::error_code error;
  TS_TRY(auto folder, io::PrivateFolder::make(fs::temp_directory_path(error), "tensorscope-"));
  io::ChildCommand command = own_python_command(python, {"own", "serve"});
  command.log = folder.path() / "log";
  TS_TRY(auto child, io::LineChild::start(command));
  folder_.emplace(std::move(folder));
  child_.emplace(std::move(child));
  python_ = python;
  return {};
}

// False: it has ended meanwhile, as it does after its first thread did.
base::Result<bool> OwnProcess::get_ready(const Question& question) {
  const bool fresh = !child_ || python_ != question.request.python;
  if (fresh) {
    TS_TRY_DONE(start(question.request.python));
  }
  while (!ready_) {
    std::string line;
    const Heard heard = child_->hear(line, kLook);
    if (heard == Heard::end) {
      std::string reason = io::last_line(folder_->path() / "log");
      end();
      if (!fresh) return false;
      return text::fail("own_file.python",
                        {{"python", question.request.python.string()}, {"reason", reason}});
    }
    ready_ = heard == Heard::line && line == "ready";
    if (ready_ || !question.stopped()) continue;
    if (question.late()) end();  // else it goes on to get ready for a later question
    return question.why();
  }
  return true;
}

// Asks the processes of the answer to end, then ends them.
void OwnProcess::end_answer(pid_t group) {
  const auto ended_within = [this](std::chrono::milliseconds time) {
    const auto until = Clock::now() + time;
    std::string line;
    while (Clock::now() < until) {
      const Heard heard = child_->hear(line, kLook);
      if (heard == Heard::end) return false;
      if (heard == Heard::line && number_after(line, "ended ")) return true;
    }
    return false;
  };
  ::kill(-group, SIGTERM);
  if (ended_within(kPolite)) return;
  ::kill(-group, SIGKILL);
  if (!ended_within(kPatience)) end();
}

base::Result<int> OwnProcess::answer(Question& question) {
  ready_ = false;
  pid_t group = 0;
  const auto begin = Clock::now();
  while (true) {
    std::string line;
    const Heard heard = child_->hear(line, kLook);
    if (heard == Heard::end) {  // the user's code has ended what it was forked from
      end();
      return 128 + SIGKILL;
    }
    if (heard == Heard::line) {
      if (const auto code = number_after(line, "ended ")) {
        question.weigh();
        if (question.too_much) return question.why();
        return *code;
      }
      if (const auto began = number_after(line, "began "); began && *began > 1 && group == 0)
        group = *began;
    }
    if (Clock::now() - question.weighed > kWeigh) question.weigh();
    const bool stopped = question.stopped();
    if (group != 0) {
      if (!stopped) continue;
      end_answer(group);
      return question.why();
    }
    if (Clock::now() - begin < (stopped ? kPatience : kLongest)) continue;
    end();
    if (stopped) return question.why();
    return 128 + SIGKILL;
  }
}

base::Result<int> OwnProcess::ask(const Request& request, const base::CancelToken& cancel) {
  Question question{request, cancel, given_up_};
  for (int i = 0; i < kStarts; ++i) {
    TS_TRY(const auto ready, get_ready(question));
    if (ready && child_->tell(request.file.string())) return answer(question);
    end();
  }
  return 128 + SIGKILL;
}

}  // namespace ts::app
