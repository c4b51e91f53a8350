#include "kernels/dry_run/convolution_layouts.h"

#include <ATen/Parallel.h>

#include <map>
#include <mutex>
#include <utility>

#include "kernels/dry_run/onednn.h"

namespace ts::kernels {
namespace {

using Sizes = std::vector<std::int64_t>;

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
  const auto type = onednn_type(of.input.scalar_type());
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
