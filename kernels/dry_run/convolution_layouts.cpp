#include "kernels/dry_run/convolution_layouts.h"

#include <ATen/Parallel.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#include "kernels/dry_run/local_functions.h"

// The one class of oneDNN's C++ layer in LibTorch that can be found by name.
namespace ideep {
struct engine {
  static engine& cpu_engine();
};
}  // namespace ideep

namespace ts::kernels {
namespace {

using Sizes = std::vector<std::int64_t>;

// The functions of oneDNN's C interface that are used here, in the oneDNN inside LibTorch.
class OneDnn {
 public:
  // Null where LibTorch does not tell where they are.
  static const OneDnn* find() {
    static const OneDnn* const found = [] {
      auto* const made = new OneDnn;
      return made->look_up() ? made : nullptr;
    }();
    return found;
  }

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

  dnnl_engine_t engine = nullptr;
  dnnl_primitive_attr_t attributes = nullptr;

 private:
  bool look_up() {
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
    // LibTorch hands every primitive its scratch, so that it passes the allocator.
    return engine_create(&engine, dnnl_cpu, 0) == dnnl_success &&
           attr_create(&attributes) == dnnl_success &&
           attr_set_scratchpad(attributes, dnnl_scratchpad_mode_user) == dnnl_success;
  }
};

// A layout: sizes, type and where the elements lie.
class Layout {
 public:
  // Any that the primitive prefers.
  static Layout any(const OneDnn& onednn, const Sizes& sizes, dnnl_data_type_t type) {
    Layout made(onednn);
    onednn.desc_with_tag(&made.desc_, static_cast<int>(sizes.size()), sizes.data(), type,
                         dnnl_format_tag_any);
    return made;
  }
  static Layout plain(const OneDnn& onednn, const Sizes& sizes, const Sizes& strides,
                      dnnl_data_type_t type) {
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

Sizes contiguous_strides(const Sizes& sizes) {
  Sizes strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

Sizes channels_last_strides(const Sizes& sizes) {
  Sizes strides(sizes.size(), 1);
  std::int64_t step = sizes[1];
  for (std::size_t i = sizes.size(); i-- > 2;) {
    strides[i] = step;
    step *= sizes[i];
  }
  strides[0] = step;
  return strides;
}

std::optional<dnnl_data_type_t> type_of(at::ScalarType type) {
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

// The three primitives of a convolution, described.
class Primitives {
 public:
  Primitives(const OneDnn& onednn, const Convolution& of, dnnl_data_type_t type)
      : onednn_(onednn), type_(type), channels_last_(of.channels_last) {
    input_ = of.input.sizes().vec();
    output_ = of.output;
    lay_out_weight(of);
    Sizes dilation = of.dilation;
    for (std::int64_t& one : dilation) --one;  // oneDNN counts the gaps
    const Layout input = free_layout(input_), output = free_layout(output_);
    const Layout weight = Layout::any(onednn, weight_, type);
    const Layout bias = Layout::any(onednn, {output_[1]}, type);
    const_dnnl_memory_desc_t const with_bias = of.bias ? bias.get() : nullptr;
    const OneDnn::Describe& describe = of.transposed ? onednn.deconvolution : onednn.convolution;
    const dnnl_alg_kind_t kind =
        of.transposed ? dnnl_deconvolution_direct : dnnl_convolution_direct;
    const std::int64_t *const stride = of.stride.data(), *const gaps = dilation.data(),
                              *const padding = of.padding.data();
    const auto made = [](dnnl_status_t status) { return status == dnnl_success; };
    described_ = made(describe.forward(&forward_, onednn.engine, dnnl_forward, kind, input.get(),
                                       weight.get(), with_bias, output.get(), stride, gaps, padding,
                                       padding, onednn.attributes)) &&
                 made(describe.to_input(&to_input_, onednn.engine, kind, input.get(), weight.get(),
                                        output.get(), stride, gaps, padding, padding, forward_,
                                        onednn.attributes)) &&
                 made(describe.to_weight(&to_weight_, onednn.engine, kind, input.get(),
                                         weight.get(), with_bias, output.get(), stride, gaps,
                                         padding, padding, forward_, onednn.attributes));
  }
  ~Primitives() {
    for (dnnl_primitive_desc_t one : {forward_, to_input_, to_weight_}) {
      if (one != nullptr) onednn_.primitive_destroy(one);
    }
  }
  Primitives(const Primitives&) = delete;
  Primitives& operator=(const Primitives&) = delete;

  [[nodiscard]] std::optional<ConvolutionLayouts> layouts() const {
    if (!described_) return std::nullopt;
    const Sizes plain_input = image_strides(input_), plain_output = image_strides(output_);
    ConvolutionLayouts found;
    found.forward.first = copy(forward_, dnnl_query_src_md, input_, plain_input);
    found.forward.second = copy(forward_, dnnl_query_weights_md, weight_, weight_strides_);
    put_result(found.forward, forward_, dnnl_query_dst_md, output_);
    found.to_input.first = copy(to_input_, dnnl_query_diff_dst_md, output_, plain_output);
    found.to_input.second = copy(to_input_, dnnl_query_weights_md, weight_, weight_strides_);
    put_result(found.to_input, to_input_, dnnl_query_diff_src_md, input_);
    found.to_weight.first = copy(to_weight_, dnnl_query_diff_dst_md, output_, plain_output);
    found.to_weight.second = copy(to_weight_, dnnl_query_src_md, input_, plain_input);
    put_result(found.to_weight, to_weight_, dnnl_query_diff_weights_md, weight_);
    return found;
  }

 private:
  [[nodiscard]] Sizes image_strides(const Sizes& sizes) const {
    return channels_last_ ? channels_last_strides(sizes) : contiguous_strides(sizes);
  }
  // As oneDNN counts its dimensions: group, output channel, input channel, window.
  void lay_out_weight(const Convolution& of) {
    weight_ = of.weight.sizes().vec();
    weight_strides_ = image_strides(weight_);
    if (of.groups > 1) {
      weight_[0] /= of.groups;
      weight_.insert(weight_.begin(), of.groups);
      weight_strides_.insert(weight_strides_.begin(), weight_strides_[0] * weight_[1]);
    }
    if (!of.transposed) return;
    const std::size_t first = of.groups > 1 ? 1 : 0;
    std::swap(weight_[first], weight_[first + 1]);
    std::swap(weight_strides_[first], weight_strides_[first + 1]);
  }
  // An image that is channels last stays so; else the primitive chooses.
  [[nodiscard]] Layout free_layout(const Sizes& sizes) const {
    return channels_last_ ? Layout::plain(onednn_, sizes, image_strides(sizes), type_)
                          : Layout::any(onednn_, sizes, type_);
  }

  [[nodiscard]] const_dnnl_memory_desc_t desc(dnnl_primitive_desc_t primitive,
                                              dnnl_query_t what) const {
    return onednn_.primitive_desc_of(primitive, what, 0);
  }
  [[nodiscard]] std::int64_t bytes(dnnl_primitive_desc_t primitive, dnnl_query_t what) const {
    const const_dnnl_memory_desc_t found = desc(primitive, what);
    return found == nullptr ? 0 : static_cast<std::int64_t>(onednn_.desc_size(found));
  }
  [[nodiscard]] std::int64_t copy(dnnl_primitive_desc_t primitive, dnnl_query_t what,
                                  const Sizes& sizes, const Sizes& strides) const {
    const Layout given = Layout::plain(onednn_, sizes, strides, type_);
    const bool same = onednn_.desc_equal(given.get(), desc(primitive, what)) != 0;
    return same ? 0 : bytes(primitive, what);
  }
  void put_result(PrimitiveBlocks& blocks, dnnl_primitive_desc_t primitive, dnnl_query_t what,
                  const Sizes& sizes) const {
    blocks.result = bytes(primitive, what);
    blocks.scratch = bytes(primitive, dnnl_query_scratchpad_md);
    int tiles = 0;
    const const_dnnl_memory_desc_t found = desc(primitive, what);
    onednn_.desc_query(found, dnnl_query_inner_nblks_s32, &tiles);
    dnnl_dims_t* strides = nullptr;
    if (tiles != 0 || sizes.size() > input_.size() ||
        onednn_.desc_query(found, dnnl_query_strides, &strides) != dnnl_success) {
      return;
    }
    const Sizes lie(*strides, *strides + sizes.size());
    if (lie != contiguous_strides(sizes)) blocks.result_strides = lie;
  }

  const OneDnn& onednn_;
  dnnl_data_type_t type_;
  bool channels_last_;
  Sizes input_, weight_, weight_strides_, output_;
  dnnl_primitive_desc_t forward_ = nullptr, to_input_ = nullptr, to_weight_ = nullptr;
  bool described_ = false;
};

}  // namespace

std::optional<ConvolutionLayouts> convolution_layouts(const Convolution& of) {
  const auto type = type_of(of.input.scalar_type());
  const OneDnn* const onednn = OneDnn::find();
  if (onednn == nullptr || !type) return std::nullopt;
  static std::mutex mutex;
  static std::map<Sizes, std::optional<ConvolutionLayouts>> answers;
  Sizes key = {at::get_num_threads(), *type, of.groups, int{of.bias}, int{of.transposed},
               int{of.channels_last}};
  for (const Sizes& part : {of.input.sizes().vec(), of.weight.sizes().vec(), of.output, of.stride,
                            of.padding, of.dilation}) {
    key.insert(key.end(), part.begin(), part.end());
  }
  const std::lock_guard lock(mutex);
  if (const auto found = answers.find(key); found != answers.end()) return found->second;
  return answers.emplace(std::move(key), Primitives(*onednn, of, *type).layouts()).first->second;
}

}  // namespace ts::kernels
