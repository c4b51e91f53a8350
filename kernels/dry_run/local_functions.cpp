#include "kernels/dry_run/local_functions.h"

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "core/base/file_map.h"

namespace ts::kernels {
namespace {

// Empty where the file does not reach so far.
template <class T>
std::span<const T> at(std::string_view file, std::size_t offset, std::size_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset) return {};
  return {reinterpret_cast<const T*>(file.data() + offset), bytes / sizeof(T)};
}

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
  const base::FileMap map(library.dli_fname);
  const std::string_view file = map.all();
  const auto header = at<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr));
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return found;
  const auto sections =
      at<Elf64_Shdr>(file, header[0].e_shoff, header[0].e_shnum * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names_of = sections[section.sh_link];
    const auto texts = at<char>(file, names_of.sh_offset, names_of.sh_size);
    for (const Elf64_Sym& symbol : at<Elf64_Sym>(file, section.sh_offset, section.sh_size)) {
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
