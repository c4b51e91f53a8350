#include "kernels/compiled/package_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/io/file.h"
#include "core/io/input_file.h"
#include "core/io/json_parse.h"
#include "core/io/sha256.h"
#include "core/io/user_folder.h"
#include "core/text/message.h"

namespace ts::kernels {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoteFile = "made.json";
constexpr mode_t kOthersWrite = 0022;
constexpr std::string_view kMakingName = "making-";
constexpr std::chrono::hours kLongestMaking(24);

// The status of the path itself: a link is not followed.
std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

// Checks that nobody but this user can change it, and that it is of the expected kind.
base::Result<void> check_owner(const fs::path& path, bool folder) {
  const auto status = status_of(path);
  if (!status || (folder ? !S_ISDIR(status->st_mode) : !S_ISREG(status->st_mode))) {
    return text::fail("package_error.kind",
                      {{"path", path.string()}, {"kind", folder ? "folder" : "file"}});
  }
  if (status->st_uid != ::geteuid()) {
    return text::fail("package_error.owner", {{"path", path.string()}});
  }
  if ((status->st_mode & kOthersWrite) != 0) {
    return text::fail("package_error.writable", {{"path", path.string()}});
  }
  return {};
}

struct PackageNote {
  std::string digest;
  double seconds = 0;
};

std::optional<PackageNote> read_note(const fs::path& folder) {
  const auto text = io::read_file(folder / kNoteFile);
  const auto json = io::parse_json(text ? std::string_view(*text) : std::string_view());
  if (!json || !json->is_object()) return std::nullopt;
  const auto digest = json->find("sha256");
  const auto seconds = json->find("seconds");
  if (digest == json->end() || !digest->is_string()) return std::nullopt;
  if (seconds == json->end() || !seconds->is_number()) return std::nullopt;
  return PackageNote{digest->get<std::string>(), seconds->get<double>()};
}

// Held while packages are moved; released when the process ends. Best effort: not every file system
// supports it, and then the only harm is that a damaged package may be replaced twice.
io::Descriptor locked(const fs::path& store) {
  io::Descriptor folder(::open(store.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (folder.is_open() && ::flock(folder.number(), LOCK_EX) != 0 && errno == EINTR) {
  }
  return folder;
}

bool all_of(std::string_view text, std::string_view letters) {
  return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

bool take_ending(std::string_view& name, std::string_view ending) {
  if (!name.ends_with(ending)) return false;
  name.remove_suffix(ending.size());
  return true;
}

// Earlier versions kept "HASH.pt2", which is no longer loaded, and "HASH.pt2.seconds" beside it;
// either name had ".new.pt2" appended while it was made.
bool is_file_of_older_version(std::string_view name) {
  take_ending(name, ".seconds");
  take_ending(name, ".new.pt2");
  return take_ending(name, ".pt2") && all_of(name, "0123456789abcdef");
}

// Their temporary folder: "HASH.pt2.new.pt2.PID". A living process still uses it.
bool is_folder_of_older_version(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view digits = name.substr(dot + 1);
  pid_t process = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), process);
  if (error != std::errc() || end != digits.data() + digits.size() || process <= 0) return false;
  name.remove_suffix(name.size() - dot);
  if (!take_ending(name, ".new.pt2") || !is_file_of_older_version(name)) return false;
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

// A temporary folder of a process that was killed. Making a package takes minutes.
bool is_abandoned(const fs::directory_entry& entry) {
  constexpr std::size_t kLetters = 6;
  const std::string name = entry.path().filename().string();
  if (!name.starts_with(kMakingName) || name.size() != kMakingName.size() + kLetters) return false;
  std::error_code error;
  const auto written = entry.last_write_time(error);
  return !error && fs::file_time_type::clock::now() - written > kLongestMaking;
}

void remove_leftovers(const fs::path& store) {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (auto entry = fs::directory_iterator(store, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    const auto type = entry->symlink_status(ignored).type();
    const bool goes = type == fs::file_type::directory
                          ? is_folder_of_older_version(name) || is_abandoned(*entry)
                          : type == fs::file_type::regular && is_file_of_older_version(name);
    if (goes) leftovers.push_back(entry->path());
  }
  for (const fs::path& path : leftovers) fs::remove_all(path, error);
}

}  // namespace

base::Result<fs::path> package_store() {
  const auto cache = io::user_folder("XDG_CACHE_HOME", ".cache");
  if (!cache)
    return text::fail("package_error.not_kept", {text::argument("reason", cache.error())});
  TS_TRY_DONE(io::make_folder(*cache));
  const fs::path store = *cache / "compiled";
  if (::mkdir(store.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return text::fail("file_error.folder", {{"path", store.string()}, io::system_reason(errno)});
  }
  TS_TRY_DONE(check_owner(store, true));
  // Earlier versions made it readable for others.
  if (::chmod(store.c_str(), S_IRWXU) != 0) {
    return text::fail("package_error.not_closed",
                      {{"path", store.string()}, io::system_reason(errno)});
  }
  remove_leftovers(store);
  return store;
}

fs::path package_folder(const fs::path& store, const PackageRequest& request) {
  return store / io::sha256(request.key);
}

fs::path package_file(const fs::path& folder) {
  return folder / "step.pt2";  // PyTorch requires the ending
}

base::Result<void> note_package(const fs::path& folder, double seconds_to_make) {
  TS_TRY(const auto package, io::read_file(package_file(folder)));
  const nlohmann::json note = {{"sha256", io::sha256(package)}, {"seconds", seconds_to_make}};
  return io::write_file(folder / kNoteFile, note.dump() + "\n");
}

base::Result<void> check_package(const fs::path& folder) {
  const fs::path package = package_file(folder);
  if (!status_of(package)) return text::fail("engine.not_compiled");
  if (auto good = check_owner(folder, true); !good) return good;
  if (auto good = check_owner(package, false); !good) return good;
  TS_TRY(const auto content, io::read_file(package));
  const auto note = read_note(folder);
  if (note && note->digest == io::sha256(content)) return {};
  return text::fail("package_error.changed", {{"path", folder.string()}});
}

double seconds_to_make(const fs::path& folder) {
  const auto note = read_note(folder);
  return note && note->seconds > 0 ? note->seconds : 0;
}

base::Result<io::PrivateFolder> folder_for_making(const fs::path& store) {
  return io::PrivateFolder::make(store, std::string(kMakingName));
}

base::Result<void> keep_package(const fs::path& made, const fs::path& folder) {
  // One process at a time: a good package of another process is never moved, not even for a moment.
  const io::Descriptor lock = locked(folder.parent_path());
  // rename() never replaces a folder that is not empty.
  if (::rename(made.c_str(), folder.c_str()) == 0) return {};
  if ((errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) && check_package(folder)) {
    return {};
  }
  // Moves it out of the way, to a name that no other process has.
  TS_TRY(auto away, io::PrivateFolder::make(folder.parent_path(), "old-"));
  ::rename(folder.c_str(), (away.path() / "old").c_str());
  if (::rename(made.c_str(), folder.c_str()) == 0) return {};
  const int error = errno;
  if (check_package(folder)) return {};
  return text::fail("package_error.not_stored",
                    {{"path", folder.string()}, io::system_reason(error)});
}

}  // namespace ts::kernels
