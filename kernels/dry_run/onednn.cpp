#include "kernels/dry_run/onednn.h"

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
#include <type_traits>
#include <vector>

// The one class of oneDNN's C++ layer in LibTorch that can be found by name.
namespace ideep {
struct engine {
  static engine& cpu_engine();
};
}  // namespace ideep

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

// Addresses of functions that a loaded ELF library keeps to itself: local symbols, which dlsym
// cannot find and the library's symbol table can. `inside` is any address of the library. One
// result for each name, null where the library was stripped of its table or has no such function.
// Reads the library's file (0.1 s for LibTorch). Any thread.
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

}  // namespace

const OneDnn* OneDnn::find() {
  static const OneDnn* const found = [] {
    auto* const made = new OneDnn;
    return made->look_up() ? made : nullptr;
  }();
  return found;
}

bool OneDnn::look_up() {
  const std::vector<const char*> names = {
      "dnnl_engine_create",
      "dnnl_memory_desc_create_with_tag",
      "dnnl_memory_desc_create_with_strides",
      "dnnl_memory_desc_destroy",
      "dnnl_memory_desc_equal",
      "dnnl_memory_desc_get_size",
      "dnnl_memory_desc_query",
      "dnnl_primitive_attr_create",
      "dnnl_primitive_attr_set_scratchpad_mode",
      "dnnl_primitive_desc_destroy",
      "dnnl_primitive_desc_query_md",
      "dnnl_convolution_forward_primitive_desc_create",
      "dnnl_convolution_backward_data_primitive_desc_create",
      "dnnl_convolution_backward_weights_primitive_desc_create",
      "dnnl_deconvolution_forward_primitive_desc_create",
      "dnnl_deconvolution_backward_data_primitive_desc_create",
      "dnnl_deconvolution_backward_weights_primitive_desc_create",
      "dnnl_lstm_forward_primitive_desc_create",
      "dnnl_lstm_backward_primitive_desc_create",
  };
  const auto found =
      local_functions(reinterpret_cast<const void*>(&ideep::engine::cpu_engine), names);
  if (std::find(found.begin(), found.end(), nullptr) != found.end()) return false;
  auto next = found.begin();
  const auto take = [&next](auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(*next++);
  };
  take(engine_create);
  take(desc_with_tag);
  take(desc_with_strides);
  take(desc_destroy);
  take(desc_equal);
  take(desc_size);
  take(desc_query);
  take(attr_create);
  take(attr_set_scratchpad);
  take(primitive_destroy);
  take(primitive_desc_of);
  for (Describe* const of : {&convolution, &deconvolution}) {
    take(of->forward);
    take(of->to_input);
    take(of->to_weight);
  }
  take(lstm_forward);
  take(lstm_backward);
  // LibTorch hands every primitive its scratch, so that it passes the allocator.
  return engine_create(&engine, dnnl_cpu, 0) == dnnl_success &&
         attr_create(&attributes) == dnnl_success &&
         attr_set_scratchpad(attributes, dnnl_scratchpad_mode_user) == dnnl_success;
}

std::optional<dnnl_data_type_t> onednn_type(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return dnnl_f32;
    case at::kBFloat16:
      return dnnl_bf16;
    case at::kHalf:
      return dnnl_f16;
    default:
      return std::nullopt;
  }
}

}  // namespace ts::kernels
