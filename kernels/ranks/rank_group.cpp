#include "kernels/ranks/rank_group.h"

#include <ATen/ops/from_blob.h>
#include <arpa/inet.h>
#include <c10/util/Logging.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <limits>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/base/clock.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/failure.h"
#include "kernels/ranks/gloo_backend.h"
#include "kernels/ranks/rank_handles.h"

namespace ts::kernels {
namespace {

using std::chrono::milliseconds;

milliseconds timeout_of(const run::World& world) {
  return milliseconds(static_cast<std::int64_t>(world.timeout_s * 1e3));
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string seconds_of(const run::World& world) {
  return text::decimal(world.timeout_s, 0);
}

// The address of this machine on the way to another, by the routes: a datagram socket that is
// connected sends nothing. Empty if there is no way.
std::string address_towards(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), "9", &hints, &found) != 0) return {};
  std::string address;
  for (const addrinfo* one = found; one != nullptr && address.empty(); one = one->ai_next) {
    const int descriptor = socket(one->ai_family, SOCK_DGRAM, 0);
    if (descriptor < 0) continue;
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    char text[NI_MAXHOST] = "";
    if (connect(descriptor, one->ai_addr, one->ai_addrlen) == 0 &&
        getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
        getnameinfo(reinterpret_cast<sockaddr*>(&own), length, text, sizeof text, nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      address = text;
    }
    close(descriptor);
  }
  freeaddrinfo(found);
  return address;
}

// Calls `attempt` with a short time-out until it succeeds, as long as the world says; a wait in one
// piece could not be cancelled. The last failure is thrown.
template <class Attempt>
auto patiently(const run::World& world, Attempt attempt) {
  constexpr milliseconds kSlice(500);
  const std::int64_t latest = base::now_ns() + static_cast<std::int64_t>(world.timeout_s * 1e9);
  for (;;) {
    check_cancelled();
    try {
      return attempt(kSlice);
    } catch (const c10::DistError&) {
      if (base::now_ns() >= latest) throw;
    }
  }
}

c10::intrusive_ptr<c10d::Store> meet(const run::World& world) {
  c10d::TCPStoreOptions options;
  options.port = world.place.port;
  options.isServer = world.place.rank == 0 && !world.place.store_of_launcher;
  options.waitWorkers = false;
  options.multiTenant = true;
  if (options.isServer && world.place.listen_fd >= 0)
    options.masterListenFd = world.place.listen_fd;
  auto store = patiently(world, [&](milliseconds slice) {
    // The server meets itself.
    options.timeout = options.isServer ? timeout_of(world) : slice;
    return c10::make_intrusive<c10d::TCPStore>(world.place.host, options);
  });
  store->setTimeout(timeout_of(world));
  return c10::make_intrusive<c10d::PrefixStore>("tensorscope/" + world.place.attempt,
                                                std::move(store));
}

std::vector<std::uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

void wait_for(c10d::Store& store, const run::World& world, const std::string& key) {
  patiently(world, [&](milliseconds slice) {
    store.wait({key}, slice);
    return true;
  });
}

// Every rank reads what rank 0 has written. A rank that has something else ends, and the others
// wait for it in vain.
void compare_with_first(c10d::Store& store, const run::World& world,
                        const std::vector<std::pair<std::string, std::string>>& agreed) {
  // No value has a line break.
  std::string all;
  for (const auto& [what, mine] : agreed) all += what + '\t' + mine + '\n';
  if (world.place.rank == 0) {
    store.set("first", bytes_of(all));
    return;
  }
  wait_for(store, world, "first");
  const std::vector<std::uint8_t> bytes = store.get("first");
  const std::string first(bytes.begin(), bytes.end());
  if (first == all) return;
  for (const auto& [what, mine] : agreed) {
    const std::string before = what + '\t';
    const std::size_t line = first.starts_with(before) ? 0 : first.find('\n' + before);
    const std::size_t begin =
        line == std::string::npos ? first.size() : line + before.size() + (line == 0 ? 0 : 1);
    const std::string of_first = first.substr(begin, first.find('\n', begin) - begin);
    if (of_first == mine) continue;
    throw BadInput(text::message("ranks.mismatch", {{"rank", std::to_string(world.place.rank)},
                                                    {"what", what},
                                                    {"mine", mine},
                                                    {"first", of_first}}));
  }
}

// Every rank is at the meeting and has what rank 0 has, before anybody connects to anybody.
void wait_for_all(c10d::Store& store, const run::World& world) {
  store.set("here/" + std::to_string(world.place.rank), bytes_of("1"));
  for (int rank = 0; rank < world.place.size; ++rank)
    wait_for(store, world, "here/" + std::to_string(rank));
}

template <class T>
at::Tensor tensor_on(T& value, at::ScalarType type) {
  return at::from_blob(&value, {1}, at::TensorOptions().dtype(type));
}

}  // namespace

RankGroup::RankGroup(const run::World& world,
                     const std::vector<std::pair<std::string, std::string>>& agreed)
    : world_(world), handles_(std::make_unique<Handles>()) {
  const run::RankPlace& place = world_.place;
  facts_.rank = place.rank;
  facts_.size = place.size;
  c10::initLogging();  // as TORCH_CPP_LOG_LEVEL says; Python does this when it loads torch
  try {
    handles_->store = meet(world_);
    compare_with_first(*handles_->store, world_, agreed);
    wait_for_all(*handles_->store, world_);
    const auto work = std::make_shared<WatchedWork>();
    auto gloo = make_gloo(c10::make_intrusive<c10d::PrefixStore>("gloo", handles_->store),
                          place.rank, place.size, address_towards(place.host), timeout_of(world_),
                          [work](const auto& began) { work->add(began); });
    handles_->backend = c10::make_intrusive<WatchedBackend>(std::move(gloo), work);
    handles_->group =
        c10::make_intrusive<c10d::ProcessGroup>(handles_->store, place.rank, place.size);
    handles_->group->setBackend(at::kCPU, c10d::ProcessGroup::BackendType::GLOO, handles_->backend);
    handles_->group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
    measure_clock();
    facts_.epoch_ns = agree(base::unix_now_ns() - base::now_ns());
  } catch (const BadInput&) {
    throw;
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    const auto* const c10_error = dynamic_cast<const c10::Error*>(&error);
    throw BadInput(text::message(
        "ranks.not_met",
        {{"rank", std::to_string(place.rank)},
         {"size", std::to_string(place.size)},
         {"place", place.host + ":" + std::to_string(place.port)},
         {"seconds", seconds_of(world_)},
         {"reason",
          first_line(c10_error != nullptr ? c10_error->what_without_backtrace() : error.what())}}));
  }
}

RankGroup::~RankGroup() = default;

std::int64_t RankGroup::agree(std::int64_t mine) {
  std::vector<at::Tensor> tensors = {tensor_on(mine, at::kLong)};
  try {
    handles_->group->broadcast(tensors)->wait();
  } catch (const std::exception&) {
    settle();
    throw;
  }
  settle();
  return mine;
}

double RankGroup::mean(double mine) {
  std::vector<at::Tensor> tensors = {tensor_on(mine, at::kDouble)};
  try {
    handles_->group->allreduce(tensors)->wait();
  } catch (const std::exception&) {
    settle();
    throw;
  }
  settle();
  return mine / world_.place.size;
}

std::string RankGroup::lost() {
  return handles_->backend->settle();
}

void RankGroup::settle() {
  const std::string reason = lost();
  if (reason.empty()) return;
  throw BadInput(text::message("ranks.lost", {{"rank", std::to_string(world_.place.rank)},
                                              {"size", std::to_string(world_.place.size)},
                                              {"seconds", seconds_of(world_)},
                                              {"reason", reason}}));
}

// As NTP does: a rank asks rank 0 for its time, and of many answers the one that came back soonest
// says most, since the answer was made within its round trip.
void RankGroup::measure_clock() {
  constexpr int kRounds = 32;
  c10d::ProcessGroup& group = *handles_->group;
  const auto send = [&](std::int64_t value, int rank) {
    std::vector<at::Tensor> tensors = {tensor_on(value, at::kLong)};
    group.send(tensors, rank, 0)->wait();
  };
  const auto receive = [&](int rank) {
    std::int64_t value = 0;
    std::vector<at::Tensor> tensors = {tensor_on(value, at::kLong)};
    group.recv(tensors, rank, 0)->wait();
    return value;
  };
  if (world_.place.rank == 0) {
    for (int rank = 1; rank < world_.place.size; ++rank) {
      for (int i = 0; i < kRounds; ++i) {
        receive(rank);
        send(base::now_ns(), rank);
      }
    }
    return;
  }
  facts_.round_trip_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kRounds; ++i) {
    const std::int64_t begin = base::now_ns();
    send(begin, 0);
    const std::int64_t of_first = receive(0);
    const std::int64_t end = base::now_ns();
    if (end - begin >= facts_.round_trip_ns) continue;
    facts_.round_trip_ns = end - begin;
    facts_.clock_offset_ns = of_first - (begin + (end - begin) / 2);
  }
}

}  // namespace ts::kernels
