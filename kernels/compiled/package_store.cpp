#include "kernels/compiled/package_store.h"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "core/io/file.h"

namespace ts::kernels {
namespace {

namespace fs = std::filesystem;

fs::path cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "tensorscope" / "compiled";
  const char* const home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "") / ".cache" / "tensorscope" / "compiled";
}

fs::path time_file(const fs::path& package) {
  return package.string() + ".seconds";
}

}  // namespace

fs::path package_path(const PackageRequest& request) {
  std::ostringstream name;
  name << std::hex << std::hash<std::string>{}(request.key) << ".pt2";
  return cache_folder() / name.str();
}

base::Result<void> note_seconds_to_make(const fs::path& package, double seconds) {
  return io::write_file(time_file(package), std::to_string(seconds));
}

double seconds_to_make(const fs::path& package) {
  std::ifstream file(time_file(package));
  double seconds = 0;
  return file >> seconds && seconds > 0 ? seconds : 0;
}

void rename_package(const fs::path& from, const fs::path& to) {
  fs::rename(time_file(from), time_file(to));
  fs::rename(from, to);
}

void remove_package(const fs::path& package) {
  fs::remove(time_file(package));
  fs::remove(package);
}

}  // namespace ts::kernels
