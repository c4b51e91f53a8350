#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "core/trace/slice.h"

namespace ts::trace {
namespace {

struct Named {
  SliceClass slice_class;
  std::vector<std::string_view> names;
};

TEST(ClassifyOperator, KnowsOperatorsAndNodes) {
  const std::vector<Named> all = {
      {SliceClass::matmul,
       {"aten::mm", "aten::bmm", "aten::addmm", "aten::addmm_", "aten::baddbmm", "aten::matmul",
        "aten::linear", "aten::_scaled_mm", "aten::einsum", "mm", "MmBackward0", "BmmBackward0",
        "AddmmBackward0", "BaddbmmBackward0", "LinearBackward0",
        "autograd::engine::evaluate_function: MmBackward0", "aten::linear_backward",
        "aoti_torch_cpu_addmm_out", "aoti_torch_cpu_bmm_out"}},
      {SliceClass::softmax,
       {"aten::softmax", "aten::_softmax", "aten::log_softmax", "aten::_log_softmax",
        "aten::_safe_softmax", "aten::_softmax_backward_data", "aten::_log_softmax_backward_data",
        "SoftmaxBackward0", "autograd::engine::evaluate_function: LogSoftmaxBackward0",
        "graph_0_cpp_fused__softmax_div_masked_fill_1"}},
      {SliceClass::norm,
       {"aten::rms_norm", "aten::_fused_rms_norm", "aten::_fused_rms_norm_backward",
        "aten::layer_norm", "aten::native_layer_norm", "aten::native_layer_norm_backward",
        "NativeLayerNormBackward0", "FusedRmsNormBackward0",
        "graph_1_cpp_fused_native_layer_norm_relu_0"}},
      {SliceClass::copy,
       {"aten::copy_", "aten::clone", "aten::contiguous", "aten::_to_copy", "aten::to", "aten::cat",
        "CopyBackwards", "CloneBackward0", "ToCopyBackward0", "CatBackward0",
        "autograd::engine::evaluate_function: ToCopyBackward0"}},
      {SliceClass::attention,
       {"aten::scaled_dot_product_attention", "aten::_scaled_dot_product_attention_math",
        "aten::_scaled_dot_product_flash_attention",
        "aten::_scaled_dot_product_flash_attention_for_cpu",
        "aoti_torch_cpu__scaled_dot_product_flash_attention_for_cpu",
        "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
        "aten::_scaled_dot_product_efficient_attention", "aten::_flash_attention_forward",
        "aten::_flash_attention_backward", "aten::_efficient_attention_forward",
        "aten::_scaled_dot_product_cudnn_attention",
        "ScaledDotProductFlashAttentionForCpuBackward0",
        "ScaledDotProductEfficientAttentionBackward0",
        "autograd::engine::evaluate_function: ScaledDotProductFlashAttentionBackward0"}},
      {SliceClass::elementwise,
       {"aten::add",
        "aten::add_",
        "aten::mul",
        "aten::div",
        "aten::sub",
        "aten::pow",
        "aten::gelu",
        "aten::gelu_backward",
        "aten::silu",
        "aten::silu_backward",
        "aten::where",
        "aten::masked_fill",
        "aten::masked_fill_",
        "aten::tril",
        "aten::exp",
        "aten::rsqrt",
        "aten::fill_",
        "aten::zero_",
        "aten::_foreach_add_",
        "aten::_fused_adamw_",
        "aten::lerp_",
        "aten::addcdiv_",
        "aten::native_dropout",
        "aten::threshold_backward",
        "MulBackward0",
        "AddBackward0",
        "GeluBackward0",
        "SiluBackward0",
        "MaskedFillBackward0",
        "PowBackward1",
        "RsqrtBackward0",
        "WhereBackward0"}},
      {SliceClass::other,
       {"aten::view",
        "aten::transpose",
        "aten::embedding",
        "aten::sum",
        "aten::mean",
        "aten::nll_loss_forward",
        "aten::empty",
        "aten::norm",
        "aten::_foreach_norm",
        "torch::autograd::AccumulateGrad",
        "ViewBackward0",
        "TBackward0",
        "MeanBackward1",
        "EmbeddingBackward0",
        "Optimizer.step#AdamW.step",
        "",
        "_",
        "aten::",
        "Backward0",
        "0",
        "autograd::engine::evaluate_function: ",
        "mmm",
        "aten::m"}},
  };
  for (const Named& group : all) {
    for (const std::string_view name : group.names) {
      EXPECT_EQ(classify_operator(name), group.slice_class) << name;
    }
  }
}

TEST(ClassifyOperator, TakesAnyBytes) {
  for (int byte = 0; byte < 256; ++byte) {
    const char text[3] = {static_cast<char>(byte), static_cast<char>(byte), '0'};
    EXPECT_EQ(classify_operator({text, 3}), SliceClass::other) << byte;
  }
}

}  // namespace
}  // namespace ts::trace
