#include "core/live/reception.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "core/base/check.h"
#include "core/io/file.h"
#include "core/run/recording.h"
#include "core/run/recording_stream.h"
#include "core/text/message.h"

namespace ts::live {
namespace {

// How long a line may stay that nobody looks at.
constexpr int kListenMs = 200;
// Read of one script before the next has its turn.
constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20;

// Different from those of the worker, which count from 1, and of files, which count down.
run::RunId next_run() {
  static std::atomic<run::RunId> last{run::RunId{1} << 62};
  return ++last;
}

}  // namespace

Incoming::Ending Incoming::ending() const {
  const std::lock_guard lock(mutex_);
  return ending_;
}

void Incoming::set_ending(Ending ending) {
  const std::lock_guard lock(mutex_);
  ending_ = std::move(ending);
}

struct Reception::Line {
  explicit Line(Listener::Caller caller)
      : socket(std::move(caller.socket)),
        incoming(std::make_shared<Incoming>(next_run(), caller.process)),
        reader(incoming->id, incoming->strings) {}

  Descriptor socket;
  std::shared_ptr<Incoming> incoming;
  run::RecordingStreamReader reader;
  bool handed_out = false;
  base::Message problem;
};

base::Result<std::unique_ptr<Reception>> Reception::open(const std::filesystem::path& folder) {
  TS_TRY(auto listener, Listener::open(folder));
  Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.is_open())
    return text::fail("live.no_socket",
                      {{"path", listener.path().string()}, io::system_reason(errno)});
  return std::unique_ptr<Reception>(new Reception(std::move(listener), std::move(wake)));
}

Reception::Reception(Listener listener, Descriptor wake)
    : listener_(std::move(listener)), wake_(std::move(wake)), thread_([this] { run(); }) {}

Reception::~Reception() {
  const std::uint64_t one = 1;
  TS_CHECK(::write(wake_.number(), &one, sizeof(one)) == sizeof(one));
  thread_.join();
}

std::vector<std::shared_ptr<Incoming>> Reception::take_new() {
  const std::lock_guard lock(mutex_);
  return std::exchange(new_, {});
}

void Reception::run() {
  while (true) {
    std::vector<pollfd> all = {{.fd = wake_.number(), .events = POLLIN, .revents = 0},
                               {.fd = listener_.number(), .events = POLLIN, .revents = 0}};
    for (const auto& line : lines_)
      all.push_back({.fd = line->socket.number(), .events = POLLIN, .revents = 0});
    ::poll(all.data(), all.size(), kListenMs);
    if (all[0].revents != 0) return;
    std::size_t at = 2;
    std::erase_if(lines_, [&](const std::unique_ptr<Line>& line) {
      if (all[at++].revents != 0 && !read(*line)) {
        end_line(*line);
        return true;
      }
      return line->incoming->left();
    });
    if (all[1].revents != 0) take_callers();
  }
}

void Reception::take_callers() {
  while (auto caller = listener_.accept()) {
    if (lines_.size() < kMostCallers) lines_.push_back(std::make_unique<Line>(std::move(*caller)));
  }
}

// False: nothing more comes.
bool Reception::read(Line& line) {
  std::array<char, std::size_t{64} << 10> buffer{};
  std::vector<run::Update> updates;
  bool goes_on = true;
  for (std::size_t taken = 0; goes_on && taken < kBytesAtOnce;) {
    const ssize_t count = ::recv(line.socket.number(), buffer.data(), buffer.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count <= 0) {
      goes_on = false;
    } else {
      taken += static_cast<std::size_t>(count);
      const auto fed = line.reader.feed(
          std::string_view(buffer.data(), static_cast<std::size_t>(count)), updates);
      if (!fed) line.problem = fed.error();
      goes_on = fed.has_value();
    }
  }
  for (run::Update& update : updates) line.incoming->updates.push(std::move(update));
  if (line.reader.begun() && !line.handed_out) {
    line.handed_out = true;
    line.incoming->script = line.reader.script();
    const std::lock_guard lock(mutex_);
    new_.push_back(line.incoming);
  }
  return goes_on;
}

void Reception::end_line(Line& line) {
  using State = Incoming::State;
  if (!line.problem.empty()) {
    line.incoming->set_ending(
        {State::wrong, text::message("live.wrong", {text::argument("reason", line.problem)})});
  } else if (line.reader.ended()) {
    line.incoming->set_ending({State::ended, {}, line.reader.file()});
  } else {
    line.incoming->set_ending({State::cut, run::cut_off()});
  }
}

}  // namespace ts::live
