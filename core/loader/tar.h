#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ts::loader {

// A file inside of a tar archive.
struct TarMember {
  std::string name;
  std::uint64_t offset = 0;  // of its content in the archive
  std::uint64_t bytes = 0;
};

// Reads up to `most` bytes at `offset` to `to`; returns how many there were.
using ReadAt = std::function<std::size_t(std::uint64_t offset, char* to, std::size_t most)>;

// The regular files of an archive of `size` bytes, in their order, by its headers alone: POSIX
// ustar, with long names as GNU tar or a pax header writes them. What else it has (folders, links)
// is passed over. An archive of other kinds, cut off or with a wrong sum is an error with its
// place. Memory: names and places of at most kMostMembers.
inline constexpr std::size_t kMostMembers = 4'000'000;
base::Result<std::vector<TarMember>> tar_members(const ReadAt& read, std::uint64_t size);

// A member as ustar, padded to whole blocks. `name` has at most 100 bytes.
std::string tar_member(std::string_view name, std::string_view content);
// The end of an archive.
std::string tar_end();

}  // namespace ts::loader
