#include "core/base/file_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace ts::base {
namespace {

std::uint64_t page() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// The system's functions take memory that may be written.
void* start_of(std::string_view part) {
  return const_cast<char*>(part.data());
}

}  // namespace

FileMap::FileMap(int descriptor, std::uint64_t bytes) {
  void* const at = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  if (at != MAP_FAILED) all_ = {static_cast<const char*>(at), bytes};
}

FileMap::FileMap(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat facts = {};
  if (fstat(file, &facts) == 0 && facts.st_size > 0)
    *this = FileMap(file, static_cast<std::uint64_t>(facts.st_size));
  close(file);
}

FileMap::~FileMap() {
  if (!all_.empty()) munmap(start_of(all_), all_.size());
}

bool FileMap::load(std::uint64_t offset, std::uint64_t bytes) const {
  const std::uint64_t first = offset / page() * page();
  const std::string_view part = all_.substr(first, offset + bytes - first);
  constexpr int kPopulateRead = 22;  // MADV_POPULATE_READ of Linux 5.14
  if (madvise(start_of(part), part.size(), kPopulateRead) == 0) return true;
  // An older system does not know it: the first touch reads.
  return errno == EINVAL;
}

std::uint64_t FileMap::resident() const {
  if (all_.empty()) return 0;
  std::vector<unsigned char> there((all_.size() + page() - 1) / page());
  if (mincore(start_of(all_), all_.size(), there.data()) != 0) return 0;
  const auto pages =
      std::ranges::count_if(there, [](unsigned char one) { return (one & 1U) != 0; });
  return std::min<std::uint64_t>(static_cast<std::uint64_t>(pages) * page(), all_.size());
}

}  // namespace ts::base
