#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace ts::kernels {

// Autocast of meta tensors, which LibTorch does not provide: operators of its lists for cpu or for
// cuda, by the rules of the thread's dry run, take their floating-point tensors in the 16-bit type,
// in fp32, or in the widest type of all, with the same casts and the same cache of cast weights.
// (ATen/autocast_mode.h and autocast_mode.cpp of PyTorch 2.11.) Of the calling thread.

// The 16-bit type; nothing: off.
std::optional<at::ScalarType> meta_autocast_type();
void set_meta_autocast_type(std::optional<at::ScalarType> type);
// Frees the cast weights.
void clear_meta_autocast_cache();

// The tensor as an operator of the 16-bit list takes it; unchanged while autocast is off.
at::Tensor meta_autocast(const at::Tensor& tensor);

// While it lives operators take their tensors unchanged, as inside an operator that was cast.
class NoMetaAutocast {
 public:
  NoMetaAutocast();
  ~NoMetaAutocast();
  NoMetaAutocast(const NoMetaAutocast&) = delete;
  NoMetaAutocast& operator=(const NoMetaAutocast&) = delete;

 private:
  bool excluded_before_;
};

// Registers the lists. Once; any thread.
void register_meta_autocast();

}  // namespace ts::kernels
