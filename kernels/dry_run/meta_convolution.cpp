// Convolutions. LibTorch has none for meta tensors: the device decides which library computes one.
// On cpu that is oneDNN, which copies operands into layouts of its own, or products of unfolded
// images; on cuda cuDNN, whose workspace no dry run can know.
// (ATen/native/Convolution.cpp, mkldnn/Conv.cpp, ConvolutionMM2d.cpp and ideep's operators/conv.hpp
// of PyTorch 2.11.)
#include <ATen/core/Tensor.h>
#include <ATen/native/ConvUtils.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/record_function.h>
#include <torch/library.h>

#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/dry_run/convolution_layouts.h"
#include "kernels/dry_run/meta_kernels.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;
using at::native::ConvBackend;
using OptionalTensor = std::optional<Tensor>;
using Sizes = std::vector<std::int64_t>;

Tensor bytes_block(std::int64_t bytes, const Tensor& like) {
  return bytes > 0 ? at::empty({bytes}, like.options().dtype(at::kByte)) : Tensor();
}

// One call of the operator, with images of one dimension seen as two.
class Call {
 public:
  Call(Tensor input, Tensor weight, c10::SymIntArrayRef stride, c10::SymIntArrayRef padding,
       c10::SymIntArrayRef dilation, bool transposed, c10::SymIntArrayRef output_padding,
       c10::SymInt groups, bool bias)
      : input_(std::move(input)),
        weight_(std::move(weight)),
        stride_(C10_AS_INTARRAYREF_SLOW(stride).vec()),
        padding_(C10_AS_INTARRAYREF_SLOW(padding).vec()),
        dilation_(C10_AS_INTARRAYREF_SLOW(dilation).vec()),
        output_padding_(C10_AS_INTARRAYREF_SLOW(output_padding).vec()),
        transposed_(transposed),
        groups_(groups.expect_int()),
        bias_(bias) {
    for (Sizes* const one : {&stride_, &padding_, &dilation_, &output_padding_}) {
      one->resize(static_cast<std::size_t>(input_.dim() - 2), one->empty() ? 0 : one->back());
    }
    one_dimension_ = input_.dim() == 3;
    if (one_dimension_) {
      input_ = input_.unsqueeze(2);
      weight_ = weight_.unsqueeze(2);
      stride_.insert(stride_.begin(), 1);
      padding_.insert(padding_.begin(), 0);
      dilation_.insert(dilation_.begin(), 1);
      output_padding_.insert(output_padding_.begin(), 0);
    }
  }

  [[nodiscard]] bool one_dimension() const { return one_dimension_; }

  Tensor forward() {
    RECORD_FUNCTION("aten::_convolution", c10::ArrayRef<const c10::IValue>{});
    if (DryRecording::current()->for_cuda()) return forward_on_cuda();
    choose_on_cpu();
    input_ = input_.contiguous(format_);
    weight_ = weight_.contiguous(format_);
    if (backend_ == ConvBackend::Slow2d) return forward_unfolded();
    return transposed_ ? forward_in_onednn() : forward_in_mkldnn_operator();
  }

  std::tuple<Tensor, Tensor, Tensor> backward(Tensor gradient, std::array<bool, 3> wanted) {
    if (one_dimension_) gradient = gradient.unsqueeze(2);
    if (DryRecording::current()->for_cuda()) return backward_on_cuda(std::move(gradient), wanted);
    choose_on_cpu();
    input_ = input_.contiguous(format_);
    weight_ = weight_.contiguous(format_);
    if (backend_ != ConvBackend::Slow2d) gradient = gradient.contiguous(format_);
    return backend_ == ConvBackend::Slow2d ? backward_unfolded(gradient, wanted)
                                           : backward_in_onednn(gradient, wanted);
  }

 private:
  [[nodiscard]] Sizes output_sizes() const {
    if (!transposed_) {
      return at::native::conv_output_size(input_.sizes(), weight_.sizes(), padding_, stride_,
                                          dilation_);
    }
    return at::native::conv_input_size(input_.sizes(), weight_.sizes(), padding_, output_padding_,
                                       stride_, dilation_, groups_);
  }

  // LibTorch's own choice, for cpu tensors of these sizes.
  void choose_on_cpu() {
    const auto stand_in = [](const Tensor& of) {
      return at::from_blob(nullptr, of.sizes(), of.strides(), of.options().device(at::kCPU));
    };
    const Tensor input = stand_in(input_), weight = stand_in(weight_);
    backend_ = at::native::select_conv_backend(
        input, weight, std::nullopt, c10::fromIntArrayRefSlow(stride_),
        c10::fromIntArrayRefSlow(padding_), c10::fromIntArrayRefSlow(dilation_), transposed_,
        c10::fromIntArrayRefSlow(output_padding_), groups_, std::nullopt);
    format_ = at::native::_determine_backend_memory_format(input, weight, backend_);
    if (backend_ == ConvBackend::Mkldnn || backend_ == ConvBackend::MkldnnTranspose) {
      const bool channels_last =
          format_ == at::MemoryFormat::ChannelsLast || format_ == at::MemoryFormat::ChannelsLast3d;
      layouts_ = convolution_layouts({.input = input_,
                                      .weight = weight_,
                                      .output = output_sizes(),
                                      .stride = stride_,
                                      .padding = padding_,
                                      .dilation = dilation_,
                                      .groups = groups_,
                                      .transposed = transposed_,
                                      .bias = bias_,
                                      .channels_last = channels_last});
    }
    const bool unfolded = backend_ == ConvBackend::Slow2d && groups_ == 1;
    TORCH_CHECK_NOT_IMPLEMENTED(layouts_ || unfolded, "the blocks of this convolution are unknown");
  }

  // A copy of the operand as the primitive wants it, else nothing.
  [[nodiscard]] Tensor copy(std::int64_t bytes) const { return bytes_block(bytes, weight_); }

  // The result as LibTorch returns it, from the primitive's own layout.
  [[nodiscard]] Tensor dense(at::IntArrayRef sizes, const PrimitiveBlocks& blocks) const {
    Tensor made = at::empty(sizes, weight_.options());
    if (!blocks.result_strides.empty()) {
      made.as_strided_(sizes, blocks.result_strides);
      return made.contiguous();
    }
    return made;
  }
  [[nodiscard]] bool channels_last() const { return format_ != at::MemoryFormat::Contiguous; }

  Tensor forward_in_mkldnn_operator() {
    RECORD_FUNCTION("aten::mkldnn_convolution", c10::ArrayRef<const c10::IValue>{});
    return forward_in_onednn();
  }

  Tensor forward_in_onednn() {
    const PrimitiveBlocks& blocks = layouts_->forward;
    const Sizes sizes = output_sizes();
    Tensor result;
    if (channels_last()) {
      result = at::empty(sizes, input_.options().memory_format(format_));
      const Tensor scratch = copy(blocks.scratch), input = copy(blocks.first);
      const Tensor weight = copy(blocks.second);
      return result;
    }
    Tensor own;
    {
      const Tensor scratch = copy(blocks.scratch), input = copy(blocks.first);
      const Tensor weight = copy(blocks.second);
      own = copy(blocks.result);
    }
    return dense(sizes, blocks);
  }

  std::tuple<Tensor, Tensor, Tensor> backward_in_onednn(const Tensor& gradient,
                                                        std::array<bool, 3> wanted) {
    Tensor to_input, to_weight, to_bias;
    if (wanted[0]) to_input = gradient_of_input(layouts_->to_input);
    if (wanted[1] || wanted[2]) {
      std::tie(to_weight, to_bias) = gradient_of_weight(layouts_->to_weight, gradient, wanted[2]);
    }
    return {to_input, to_weight, to_bias};
  }

  Tensor gradient_of_input(const PrimitiveBlocks& blocks) {
    if (channels_last()) {
      Tensor result = at::empty(input_.sizes(), input_.options().memory_format(format_));
      const Tensor gradient = copy(blocks.first), weight = copy(blocks.second);
      const Tensor scratch = copy(blocks.scratch);
      return result;
    }
    Tensor own;
    {
      const Tensor gradient = copy(blocks.first), weight = copy(blocks.second);
      own = copy(blocks.result);
      const Tensor scratch = copy(blocks.scratch);
    }
    return dense(input_.sizes(), blocks);
  }

  std::tuple<Tensor, Tensor> gradient_of_weight(const PrimitiveBlocks& blocks,
                                                const Tensor& gradient, bool with_bias) {
    const Sizes channels = {gradient.size(1)};
    Tensor own_bias, own;
    {
      const Tensor output = copy(blocks.first), input = copy(blocks.second);
      own = copy(blocks.result);
      const Tensor scratch = copy(blocks.scratch);
      if (with_bias) own_bias = at::empty(channels, weight_.options());
    }
    Tensor to_bias = with_bias ? at::empty(channels, weight_.options()) : Tensor();
    Tensor to_weight = dense(weight_.sizes(), blocks);
    if (channels_last()) to_weight = to_weight.to(format_);
    return {std::move(to_weight), std::move(to_bias)};
  }

  // The patches of every image as columns; a kernel of one element needs none.
  [[nodiscard]] Tensor columns(const Sizes& output) const {
    const bool one_element = weight_.size(2) == 1 && weight_.size(3) == 1 && stride_[0] == 1 &&
                             stride_[1] == 1 && padding_[0] == 0 && padding_[1] == 0;
    if (one_element) return {};
    return at::empty({input_.size(0), weight_.numel() / weight_.size(0), output[2] * output[3]},
                     input_.options());
  }

  Tensor forward_unfolded() {
    RECORD_FUNCTION("aten::_slow_conv2d_forward", c10::ArrayRef<const c10::IValue>{});
    const Sizes sizes = output_sizes();
    const Tensor unfolded = columns(sizes);
    return at::empty(sizes, input_.options());
  }

  std::tuple<Tensor, Tensor, Tensor> backward_unfolded(const Tensor& gradient,
                                                       std::array<bool, 3> wanted) {
    RECORD_FUNCTION("aten::_slow_conv2d_backward", c10::ArrayRef<const c10::IValue>{});
    Tensor to_input, to_weight, to_bias;
    if (wanted[0]) {
      const Tensor dense = gradient.contiguous(format_);
      RECORD_FUNCTION("aten::resize_as_", c10::ArrayRef<const c10::IValue>{});
      to_input = at::empty(input_.sizes(), input_.options());
    }
    if (wanted[2]) to_bias = gradient.sum({0, 2, 3});
    if (wanted[1]) {
      to_weight = at::empty(weight_.sizes(), weight_.options());
      const Tensor dense = gradient.contiguous(format_);
      const Tensor unfolded = columns(dense.sizes().vec());
    }
    return {to_input, to_weight, to_bias};
  }

  Tensor forward_on_cuda() {
    RECORD_FUNCTION(transposed_ ? "aten::cudnn_convolution_transpose" : "aten::cudnn_convolution",
                    c10::ArrayRef<const c10::IValue>{});
    const at::MemoryFormat format = input_.suggest_memory_format();
    input_ = input_.contiguous(format);
    weight_ = weight_.contiguous(format);
    return at::empty(output_sizes(), input_.options().memory_format(format));
  }

  std::tuple<Tensor, Tensor, Tensor> backward_on_cuda(Tensor gradient, std::array<bool, 3> wanted) {
    const at::MemoryFormat format = input_.suggest_memory_format();
    gradient = gradient.contiguous(format);
    Tensor to_input, to_weight, to_bias;
    if (wanted[0]) {
      to_input = at::empty(input_.sizes(), input_.options().memory_format(format));
    }
    if (wanted[1]) {
      to_weight = at::empty(weight_.sizes(), weight_.options().memory_format(format));
    }
    if (wanted[2]) {
      Sizes dims(static_cast<std::size_t>(gradient.dim()));
      for (std::size_t i = 0; i < dims.size(); ++i) dims[i] = static_cast<std::int64_t>(i);
      dims.erase(dims.begin() + 1);
      to_bias = gradient.sum(dims);
    }
    return {to_input, to_weight, to_bias};
  }

  Tensor input_, weight_;
  Sizes stride_, padding_, dilation_, output_padding_;
  bool transposed_;
  std::int64_t groups_;
  bool bias_;
  bool one_dimension_ = false;
  ConvBackend backend_ = ConvBackend::Empty;
  at::MemoryFormat format_ = at::MemoryFormat::Contiguous;
  std::optional<ConvolutionLayouts> layouts_;
};

Tensor convolution(const Tensor& input, const Tensor& weight, const OptionalTensor& bias,
                   c10::SymIntArrayRef stride, c10::SymIntArrayRef padding,
                   c10::SymIntArrayRef dilation, bool transposed,
                   c10::SymIntArrayRef output_padding, c10::SymInt groups) {
  Call call(input, weight, stride, padding, dilation, transposed, output_padding, groups,
            bias && bias->defined());
  Tensor output = call.forward();
  return call.one_dimension() ? output.squeeze(2) : output;
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor& gradient, const Tensor& input, const Tensor& weight,
    at::OptionalSymIntArrayRef bias_sizes, c10::SymIntArrayRef stride, c10::SymIntArrayRef padding,
    c10::SymIntArrayRef dilation, bool transposed, c10::SymIntArrayRef output_padding,
    c10::SymInt groups, std::array<bool, 3> wanted) {
  Call call(input, weight, stride, padding, dilation, transposed, output_padding, groups,
            bias_sizes.has_value() && wanted[2]);
  auto [to_input, to_weight, to_bias] = call.backward(gradient, wanted);
  if (!call.one_dimension()) return {to_input, to_weight, to_bias};
  const auto flat = [](const Tensor& of) { return of.defined() ? of.squeeze(2) : of; };
  return {flat(to_input), flat(to_weight), to_bias};
}

}  // namespace

void register_meta_convolution(torch::Library& library) {
  library.impl("convolution", convolution);
  library.impl("convolution_backward", convolution_backward);
}

}  // namespace ts::kernels
