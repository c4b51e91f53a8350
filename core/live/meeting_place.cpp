#include "core/live/meeting_place.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/environment.h"
#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::live {
namespace {

constexpr std::string_view kBeginning = "window-";
constexpr int kWaitingCallers = 16;

Descriptor unix_socket() {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Nothing if the path is longer than a socket's may be.
std::optional<sockaddr_un> address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& name = path.native();
  if (name.size() >= sizeof(address.sun_path)) return std::nullopt;
  std::memcpy(address.sun_path, name.data(), name.size());
  return address;
}

const sockaddr* plain(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

std::optional<ucred> peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer;
}

base::Result<void> private_folder(const std::filesystem::path& folder) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0)
    return text::fail("live.no_folder", {{"path", folder.string()}, io::system_reason(errno)});
  const bool ours = S_ISDIR(found.st_mode) && found.st_uid == ::geteuid();
  if (!ours || (found.st_mode & 077) != 0)
    return text::fail("live.not_private", {{"path", folder.string()}});
  return {};
}

// 0: it is no window's.
pid_t process_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kBeginning)) return 0;
  pid_t process = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kBeginning.size(), end, process);
  return read.ec == std::errc() && read.ptr == end ? process : 0;
}

// The sockets of windows, the newest first.
std::vector<std::filesystem::path> sockets_in(const std::filesystem::path& folder) {
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (process_of(it->path()) > 0) found.emplace_back(it->last_write_time(ignored), it->path());
  }
  std::ranges::sort(found, std::greater<>());
  std::vector<std::filesystem::path> paths;
  for (auto& [time, path] : found) paths.push_back(std::move(path));
  return paths;
}

// Nothing if nobody listens there, or somebody else.
std::optional<Descriptor> call(const std::filesystem::path& path) {
  const auto address = address_of(path);
  Descriptor socket = unix_socket();
  if (!address || !socket.is_open()) return std::nullopt;
  if (::connect(socket.number(), plain(*address), sizeof(*address)) != 0) return std::nullopt;
  const auto peer = peer_of(socket.number());
  if (!peer || peer->uid != ::geteuid()) return std::nullopt;
  return socket;
}

void remove_left_over(const std::filesystem::path& folder) {
  for (const std::filesystem::path& path : sockets_in(folder)) {
    const bool gone = ::kill(process_of(path), 0) != 0 && errno == ESRCH;
    if (gone && !call(path)) ::unlink(path.c_str());
  }
}

}  // namespace

std::filesystem::path meeting_folder() {
  const std::filesystem::path named = base::environment_variable("XDG_RUNTIME_DIR");
  if (named.is_absolute()) return named / "tensorscope";
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored) /
         ("tensorscope-" + std::to_string(::geteuid()));
}

base::Result<Listener> Listener::open(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return text::fail("live.no_folder", {{"path", folder.string()}, io::system_reason(errno)});
  TS_TRY_DONE(private_folder(folder));
  remove_left_over(folder);
  const std::filesystem::path path =
      folder / (std::string(kBeginning) + std::to_string(::getpid()));
  ::unlink(path.c_str());
  const auto address = address_of(path);
  if (!address) return text::fail("live.long_path", {{"path", path.string()}});
  Descriptor socket = unix_socket();
  // Nobody can call before listen(), so nobody finds it with another mode.
  const bool made =
      socket.is_open() && ::bind(socket.number(), plain(*address), sizeof(*address)) == 0 &&
      ::chmod(path.c_str(), 0600) == 0 && ::listen(socket.number(), kWaitingCallers) == 0;
  if (!made)
    return text::fail("live.no_socket", {{"path", path.string()}, io::system_reason(errno)});
  return Listener(std::move(socket), path);
}

Listener::~Listener() {
  if (socket_.is_open()) ::unlink(path_.c_str());
}

std::optional<Listener::Caller> Listener::accept() {
  while (true) {
    Descriptor socket(::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.is_open()) return std::nullopt;
    const auto peer = peer_of(socket.number());
    if (peer && peer->uid == ::geteuid()) return Caller{std::move(socket), peer->pid};
  }
}

base::Result<Descriptor> call_window(const std::filesystem::path& folder) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0) return text::fail("live.no_window");
  TS_TRY_DONE(private_folder(folder));
  for (const std::filesystem::path& path : sockets_in(folder)) {
    if (auto socket = call(path)) return std::move(*socket);
  }
  return text::fail("live.no_window");
}

}  // namespace ts::live
