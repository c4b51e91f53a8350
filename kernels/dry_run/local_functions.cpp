#include "kernels/dry_run/local_functions.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace ts::kernels {
namespace {

// A file in memory, read where it is looked at.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat facts = {};
    if (fstat(file, &facts) == 0 && facts.st_size > 0) {
      size_ = static_cast<std::size_t>(facts.st_size);
      void* const begin = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      begin_ = begin == MAP_FAILED ? nullptr : static_cast<const std::byte*>(begin);
    }
    close(file);
  }
  ~MappedFile() {
    if (begin_ != nullptr) munmap(const_cast<std::byte*>(begin_), size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Empty where the file does not reach so far.
  template <class T>
  [[nodiscard]] std::span<const T> at(std::size_t offset, std::size_t bytes) const {
    if (begin_ == nullptr || offset > size_ || bytes > size_ - offset) return {};
    return {reinterpret_cast<const T*>(begin_ + offset), bytes / sizeof(T)};
  }

 private:
  const std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

std::string_view text_at(std::span<const char> texts, std::size_t offset) {
  if (offset >= texts.size()) return {};
  const std::span<const char> rest = texts.subspan(offset);
  return {rest.data(), strnlen(rest.data(), rest.size())};
}

}  // namespace

std::vector<void*> local_functions(const void* inside, const std::vector<const char*>& names) {
  std::vector<void*> found(names.size());
  Dl_info library = {};
  if (dladdr(inside, &library) == 0 || library.dli_fname == nullptr) return found;
  const MappedFile file(library.dli_fname);
  const auto header = file.at<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return found;
  const auto sections =
      file.at<Elf64_Shdr>(header[0].e_shoff, header[0].e_shnum * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names_of = sections[section.sh_link];
    const auto texts = file.at<char>(names_of.sh_offset, names_of.sh_size);
    for (const Elf64_Sym& symbol : file.at<Elf64_Sym>(section.sh_offset, section.sh_size)) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value == 0) continue;
      const std::string_view name = text_at(texts, symbol.st_name);
      const auto place = std::find(names.begin(), names.end(), name);
      if (place == names.end()) continue;
      found[static_cast<std::size_t>(place - names.begin())] =
          static_cast<std::byte*>(library.dli_fbase) + symbol.st_value;
    }
  }
  return found;
}

}  // namespace ts::kernels
