#include "kernels/dry_run/onednn.h"

#include <algorithm>
#include <type_traits>

#include "kernels/dry_run/local_functions.h"

// The one class of oneDNN's C++ layer in LibTorch that can be found by name.
namespace ideep {
struct engine {
  static engine& cpu_engine();
};
}  // namespace ideep

namespace ts::kernels {

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
