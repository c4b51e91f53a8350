#include "core/live/outgoing.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace ts::live {
namespace {

// How long the thread may not notice that it is to stop.
constexpr int kPauseMs = 50;

}  // namespace

Outgoing::Outgoing(Descriptor socket, const base::StringTable& strings, const run::Run& run,
                   std::size_t most_waiting)
    : socket_(std::move(socket)), writer_(strings), most_waiting_(most_waiting) {
  push(writer_.begin(run));
  thread_ = std::thread([this] { this->run(); });
}

Outgoing::~Outgoing() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Outgoing::push(std::string piece) {
  {
    const std::lock_guard lock(mutex_);
    waiting_bytes_ += piece.size();
    waiting_.push_back(std::move(piece));
  }
  changed_.notify_all();
}

void Outgoing::add(const capture::Batch& batch, std::int64_t peak) {
  if (gone()) return;
  bool room = false;
  {
    const std::lock_guard lock(mutex_);
    room = waiting_bytes_ < most_waiting_;
  }
  if (room) {
    push(writer_.piece(batch, peak));
  } else {
    writer_.skip(batch);
    lost_ += batch.slices.size() + batch.memory.size();
  }
}

void Outgoing::end(const run::Run& run, const std::string& file,
                   std::chrono::milliseconds patience) {
  if (gone()) return;
  push(writer_.end(run, file));
  std::uint64_t before = sent_;
  std::unique_lock lock(mutex_);
  const auto done = [this] { return waiting_.empty() || gone(); };
  while (!changed_.wait_for(lock, patience, done)) {
    if (sent_ == before) return;
    before = sent_;
  }
}

void Outgoing::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    const std::string& piece = waiting_.front();  // stays where it is while others come
    lock.unlock();
    const bool sent = send_all(piece);
    lock.lock();
    if (!sent && !stop_) gone_ = true;
    waiting_bytes_ -= waiting_.front().size();
    waiting_.pop_front();
    if (gone_) {
      waiting_.clear();
      waiting_bytes_ = 0;
    }
    changed_.notify_all();
  }
}

bool Outgoing::send_all(const std::string& piece) {
  for (std::size_t at = 0; at < piece.size();) {
    const ssize_t count =
        ::send(socket_.number(), piece.data() + at, piece.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      at += static_cast<std::size_t>(count);
      sent_ += static_cast<std::uint64_t>(count);
      continue;
    }
    if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
    pollfd wait{.fd = socket_.number(), .events = POLLOUT, .revents = 0};
    ::poll(&wait, 1, kPauseMs);
    if (stop_) return false;
  }
  return true;
}

}  // namespace ts::live
