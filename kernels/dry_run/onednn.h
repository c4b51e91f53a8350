#pragma once

#include <c10/core/ScalarType.h>
#include <oneapi/dnnl/dnnl.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace ts::kernels {

// The functions of oneDNN's C interface that are used here, in the oneDNN inside LibTorch. They are
// no part of LibTorch's interface (local_functions.h). Any thread.
class OneDnn {
 public:
  // Null where LibTorch does not tell where they are.
  static const OneDnn* find();

  decltype(&dnnl_engine_create) engine_create = nullptr;
  decltype(&dnnl_memory_desc_create_with_tag) desc_with_tag = nullptr;
  decltype(&dnnl_memory_desc_create_with_strides) desc_with_strides = nullptr;
  decltype(&dnnl_memory_desc_destroy) desc_destroy = nullptr;
  decltype(&dnnl_memory_desc_equal) desc_equal = nullptr;
  decltype(&dnnl_memory_desc_get_size) desc_size = nullptr;
  decltype(&dnnl_memory_desc_query) desc_query = nullptr;
  decltype(&dnnl_primitive_attr_create) attr_create = nullptr;
  decltype(&dnnl_primitive_attr_set_scratchpad_mode) attr_set_scratchpad = nullptr;
  decltype(&dnnl_primitive_desc_destroy) primitive_destroy = nullptr;
  decltype(&dnnl_primitive_desc_query_md) primitive_desc_of = nullptr;
  // How a primitive is described; oneDNN calls a transposed convolution a deconvolution.
  struct Describe {
    decltype(&dnnl_convolution_forward_primitive_desc_create) forward = nullptr;
    decltype(&dnnl_convolution_backward_data_primitive_desc_create) to_input = nullptr;
    decltype(&dnnl_convolution_backward_weights_primitive_desc_create) to_weight = nullptr;
  };
  Describe convolution, deconvolution;
  decltype(&dnnl_lstm_forward_primitive_desc_create) lstm_forward = nullptr;
  decltype(&dnnl_lstm_backward_primitive_desc_create) lstm_backward = nullptr;

  dnnl_engine_t engine = nullptr;
  dnnl_primitive_attr_t attributes = nullptr;

 private:
  bool look_up();
};

// A layout: sizes, type and where the elements lie.
class Layout {
 public:
  // Any that the primitive prefers.
  static Layout any(const OneDnn& onednn, const std::vector<std::int64_t>& sizes,
                    dnnl_data_type_t type) {
    Layout made(onednn);
    onednn.desc_with_tag(&made.desc_, static_cast<int>(sizes.size()), sizes.data(), type,
                         dnnl_format_tag_any);
    return made;
  }
  static Layout plain(const OneDnn& onednn, const std::vector<std::int64_t>& sizes,
                      const std::vector<std::int64_t>& strides, dnnl_data_type_t type) {
    Layout made(onednn);
    onednn.desc_with_strides(&made.desc_, static_cast<int>(sizes.size()), sizes.data(), type,
                             strides.data());
    return made;
  }
  ~Layout() {
    if (desc_ != nullptr) onednn_->desc_destroy(desc_);
  }
  Layout(Layout&& other) noexcept : onednn_(other.onednn_), desc_(other.desc_) {
    other.desc_ = nullptr;
  }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  Layout& operator=(Layout&&) = delete;

  [[nodiscard]] const_dnnl_memory_desc_t get() const { return desc_; }

 private:
  explicit Layout(const OneDnn& onednn) : onednn_(&onednn) {}
  const OneDnn* onednn_;
  dnnl_memory_desc_t desc_ = nullptr;
};

// Nothing for a type that oneDNN's primitives of LibTorch do not take.
std::optional<dnnl_data_type_t> onednn_type(at::ScalarType type);

}  // namespace ts::kernels
