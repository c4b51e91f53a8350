#include "core/loader/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "core/io/child_process.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::loader {
namespace {

using nlohmann::json;

constexpr int kServed = STDIN_FILENO;
constexpr std::size_t kLongest = std::size_t{1} << 26;  // bytes of a reply without its batch

// The head of every message: the bytes of the text, then those of the batch behind it.
struct Head {
  std::uint64_t text = 0;
  std::uint64_t batch = 0;
};
struct Order {
  std::uint64_t number = 0;
  std::uint64_t slot = 0;
};

bool send_all(int socket, const void* from, std::size_t bytes) {
  const auto* at = static_cast<const std::byte*>(from);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* to, std::size_t bytes) {
  auto* at = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const ssize_t got = ::recv(socket, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

// The vectors of a batch one behind the other.
struct Part {
  void* data;
  std::size_t bytes;
};
std::vector<Part> parts_of(Buffers& buffers) {
  return {{buffers.pixels.data(), buffers.pixels.size() * sizeof(float)},
          {buffers.tokens.data(), buffers.tokens.size() * sizeof(std::int32_t)},
          {buffers.begins.data(), buffers.begins.size() * sizeof(std::int32_t)}};
}

std::size_t bytes_of(Buffers& buffers) {
  std::size_t bytes = 0;
  for (const Part& part : parts_of(buffers)) bytes += part.bytes;
  return bytes;
}

constexpr std::pair<const char*, double WorkerTimes::*> kTimes[] = {
    {"read", &WorkerTimes::read},           {"decode", &WorkerTimes::decode},
    {"resize", &WorkerTimes::resize},       {"assemble", &WorkerTimes::assemble},
    {"processor", &WorkerTimes::processor}, {"queued", &WorkerTimes::queued}};
constexpr std::pair<const char*, std::uint64_t Made::*> kCounts[] = {
    {"samples", &Made::samples}, {"tokens", &Made::tokens},       {"left_out", &Made::left_out},
    {"bytes", &Made::bytes},     {"preloaded", &Made::preloaded}, {"resident", &Made::resident}};
constexpr std::pair<const char*, std::uint64_t ImageCaches::Counts::*> kCaches[] = {
    {"uses", &ImageCaches::Counts::uses},
    {"memory", &ImageCaches::Counts::memory},
    {"disk", &ImageCaches::Counts::disk}};

// All sums so far; faults and spans since the last reply, which are taken out.
json to_reply(Made& made, const ImageCaches::Counts& caches) {
  json reply;
  for (const auto& [name, member] : kTimes) reply["times"][name] = made.times.*member;
  for (const auto& [name, member] : kCounts) reply["counts"][name] = made.*member;
  for (const auto& [name, member] : kCaches) reply["caches"][name] = caches.*member;
  reply["faults"] = json::array();
  for (const base::Message& fault : std::exchange(made.faults, {}))
    reply["faults"].push_back({{"sentence", fault.sentence}, {"text", text::text_json(fault)}});
  reply["spans"] = json::array();
  for (const simulate::Interval& span : std::exchange(made.spans, {}))
    reply["spans"].push_back({span.name, span.begin, span.end, static_cast<int>(span.kind)});
  return reply;
}

void take_reply(const json& reply, std::size_t lane, Made& made) {
  for (const auto& [name, member] : kTimes) made.times.*member = reply.at("times").at(name);
  for (const auto& [name, member] : kCounts) made.*member = reply.at("counts").at(name);
  for (const auto& [name, member] : kCaches) made.caches.*member = reply.at("caches").at(name);
  for (const json& fault : reply.at("faults"))
    made.note(text::message_from_json(fault.at("sentence"), fault.at("text")));
  for (const json& span : reply.at("spans")) {
    made.span(lane, span.at(0).get<std::string>().c_str(), span.at(1), span.at(2),
              static_cast<simulate::Interval::Kind>(span.at(3).get<int>()));
  }
}

// The most since this program began; getrusage() counts the process before exec, too.
std::uint64_t resident_bytes() {
  const std::string kibibytes = io::line_value("/proc/self/status", "VmHWM", ':');
  return std::strtoull(kibibytes.c_str(), nullptr, 10) * 1024;
}

std::optional<json> received_json(int socket) {
  Head head;
  if (!receive_all(socket, &head, sizeof head) || head.text > kLongest) return std::nullopt;
  std::string words(head.text, '\0');
  if (!receive_all(socket, words.data(), words.size())) return std::nullopt;
  auto read = io::parse_json(words);
  return read ? std::optional(std::move(*read)) : std::nullopt;
}

// Serves until the socket is closed.
void serve(const json& job, const Shop& shop, Maker& maker, SharedMemory& memory) {
  Buffers buffers;
  Order order;
  for (std::size_t made = 0; receive_all(kServed, &order, sizeof order); ++made) {
    if (made > 0 && job.at("dies").get<bool>()) std::raise(SIGKILL);
    MadeBatch batch = maker.make(order.number, std::move(buffers));
    buffers = std::move(batch.buffers);
    const double end = shop.watch.now();
    const std::size_t bytes = bytes_of(buffers);
    if (memory.data() != nullptr) {
      std::byte* to = memory.data() + order.slot * job.at("slot_bytes").get<std::size_t>();
      for (const Part& part : parts_of(buffers)) {
        if (part.bytes > 0) std::memcpy(to, part.data, part.bytes);
        to += part.bytes;
      }
    }
    maker.made.resident = resident_bytes();
    json reply = to_reply(maker.made, shop.caches.counts());
    reply["begun"] = batch.begun;
    reply["end"] = end;
    reply["sizes"] = {buffers.pixels.size(), buffers.tokens.size(), buffers.begins.size()};
    const std::string words = reply.dump();
    const Head head{words.size(), memory.data() != nullptr ? 0 : bytes};
    if (!send_all(kServed, &head, sizeof head) || !send_all(kServed, words.data(), words.size()))
      return;
    if (head.batch == 0) continue;
    for (const Part& part : parts_of(buffers))
      if (!send_all(kServed, part.data, part.bytes)) return;
  }
}

}  // namespace

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

base::Result<void> SharedMemory::map() {
  void* const at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
  if (at == MAP_FAILED)
    return text::fail("loader_error.no_shared_memory", {io::system_reason(errno)});
  data_ = static_cast<std::byte*>(at);
  return {};
}

base::Result<void> SharedMemory::make(std::size_t slots, std::size_t slot_bytes) {
  bytes_ = std::max<std::size_t>(1, slots * slot_bytes);
  file_ = io::Descriptor(memfd_create("batches", MFD_CLOEXEC));
  if (!file_.is_open() || ftruncate(file_.number(), static_cast<off_t>(bytes_)) != 0)
    return text::fail("loader_error.no_shared_memory", {io::system_reason(errno)});
  return map();
}

base::Result<void> SharedMemory::open(const std::string& path, std::size_t bytes) {
  bytes_ = bytes;
  file_ = io::Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file_.is_open())
    return text::fail("loader_error.no_shared_memory", {io::system_reason(errno)});
  return map();
}

std::string SharedMemory::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_.number());
}

std::size_t slot_bytes(const Plan& plan, const std::vector<Batch>& batches) {
  std::size_t most = 0;
  for (const Batch& batch : batches) {
    std::size_t samples = 0;
    for (const Row& row : batch.rows) samples += row.samples.size();
    const std::size_t numbers =
        plan.images ? samples * image_bytes(plan) : batch.rows.size() * batch.width + samples + 1;
    most = std::max(most, numbers * sizeof(float));
  }
  constexpr std::size_t kPage = 4096;
  return (most + kPage - 1) / kPage * kPage;
}

WorkerProcess::~WorkerProcess() {
  socket_.close();
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  int ignored = 0;
  waitpid(process_, &ignored, 0);
}

base::Result<void> WorkerProcess::start(const Job& job) {
  lane_ = job.lane;
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return text::fail("loader_error.no_process", {io::system_reason(errno)});
  socket_ = io::Descriptor(sockets[0]);
  const io::SpawnArguments words(job.words);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, sockets[1], kServed);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const int error =
      posix_spawn(&process_, job.words.front().c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(sockets[1]);
  if (error != 0) {
    process_ = 0;
    return text::fail("loader_error.no_process", {io::system_reason(error)});
  }
  const json said = {{"cache_folder", job.cache_folder.string()},
                     {"memory", job.memory != nullptr ? job.memory->path() : ""},
                     {"memory_bytes", job.memory != nullptr ? job.memory->bytes() : 0},
                     {"slot_bytes", job.slot_bytes},
                     {"begin_ns", job.begin_ns},
                     {"dies", job.dies}};
  const std::string text = said.dump();
  const Head head{text.size(), 0};
  // One that has ended is named when a batch is asked of it.
  if (send_all(socket_.number(), &head, sizeof head))
    send_all(socket_.number(), text.data(), text.size());
  return {};
}

bool WorkerProcess::receive(void* to, std::size_t bytes, const base::CancelToken& cancel) const {
  constexpr int kPollMs = 20;  // how often a cancel is seen
  pollfd waits{socket_.number(), POLLIN, 0};
  while (poll(&waits, 1, kPollMs) <= 0) {
    if (cancel.cancelled()) return false;
  }
  return receive_all(socket_.number(), to, bytes);
}

base::Error WorkerProcess::end_of(std::size_t number) {
  made.ended = true;
  int status = 0;
  // Its socket is closed a moment before it is gone; one that hangs so is ended.
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries && waitpid(process_, &status, WNOHANG) == 0; ++i) {
    if (i + 1 == kTries) kill(process_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::string process = std::to_string(std::exchange(process_, 0));
  const std::string worker = text::grouped(lane_ + 1);
  const std::string batch = text::grouped(number + 1);
  if (WIFSIGNALED(status)) {
    return text::message("loader.killed", {{"worker", worker},
                                           {"process", process},
                                           {"signal", std::to_string(WTERMSIG(status))},
                                           {"name", strsignal(WTERMSIG(status))},
                                           {"batch", batch}});
  }
  return text::message("loader.exited", {{"worker", worker},
                                         {"process", process},
                                         {"code", std::to_string(WEXITSTATUS(status))},
                                         {"batch", batch}});
}

base::Result<MadeBatch> WorkerProcess::make(std::size_t number, Buffers buffers, const Watch& watch,
                                            const base::CancelToken& cancel) {
  const Order order{number, buffers.slot};
  Head head;
  std::string words;
  const bool replied = [&] {
    if (!send_all(socket_.number(), &order, sizeof order)) return false;
    if (!receive(&head, sizeof head, cancel) || head.text > kLongest) return false;
    words.resize(head.text);
    return receive(words.data(), words.size(), cancel);
  }();
  if (cancel.cancelled()) return text::fail("loader_error.cancelled");
  const auto reply = replied ? io::parse_json(words) : base::Result<json>(json());
  if (!replied || !reply) return tl::unexpected(end_of(number));
  take_reply(*reply, lane_, made);
  const json& sizes = reply->at("sizes");
  if (head.batch > 0) {
    buffers.pixels.resize(sizes.at(0));
    buffers.tokens.resize(sizes.at(1));
    buffers.begins.resize(sizes.at(2));
    for (const Part& part : parts_of(buffers)) {
      if (part.bytes > 0 && !receive(part.data, part.bytes, cancel))
        return tl::unexpected(end_of(number));
    }
  }
  made.times.handover += watch.now() - reply->at("end").get<double>();
  made.handed +=
      sizes.at(0).get<std::uint64_t>() * sizeof(float) +
      (sizes.at(1).get<std::uint64_t>() + sizes.at(2).get<std::uint64_t>()) * sizeof(std::int32_t);
  return MadeBatch{.begun = reply->at("begun"), .buffers = std::move(buffers)};
}

int serve_batches(const Plan& plan, const std::filesystem::path& data) {
  const auto job = received_json(kServed);
  const auto set = open_data_set(data, plan.images);
  if (!job || !set) return 1;
  SharedMemory memory;
  if (const std::string path = job->at("memory"); !path.empty()) {
    if (!memory.open(path, job->at("memory_bytes"))) return 1;
  }
  const std::vector<Batch> batches = planned_batches(plan, *set);
  ImageCaches caches = caches_for(plan, batches, job->at("cache_folder").get<std::string>());
  const base::CancelToken never;
  Shop shop{.plan = plan,
            .set = *set,
            .batches = batches,
            .first_use = first_uses(batches),
            .caches = caches,
            .cancel = never,
            .watch = Watch(job->at("begin_ns").get<std::int64_t>())};
  if (plan.preload) shop.kept = all_samples(*set, never);
  Maker maker(shop, 0);
  for (const std::string& one : shop.kept) maker.made.preloaded += one.size();
  serve(*job, shop, maker, memory);
  return 0;
}

}  // namespace ts::loader
