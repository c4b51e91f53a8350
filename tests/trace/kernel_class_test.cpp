#include "core/trace/kernel_class.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace ts::trace {
namespace {

TEST(KernelClass, kernels_of_a_transformer_step) {
  EXPECT_EQ(classify_kernel("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn"),
            SliceClass::matmul);
  EXPECT_EQ(classify_kernel("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT"), SliceClass::matmul);
  EXPECT_EQ(classify_kernel("void cublasLt::splitKreduce_kernel<32, 16, int, float>"),
            SliceClass::matmul);
  EXPECT_EQ(classify_kernel("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64>>"),
            SliceClass::attention);
  EXPECT_EQ(classify_kernel("fmha_cutlassF_bf16_aligned_64x64_rf_sm80"), SliceClass::attention);
  EXPECT_EQ(
      classify_kernel("void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float>"),
      SliceClass::softmax);
  EXPECT_EQ(classify_kernel("void at::native::vectorized_layer_norm_kernel<float, float>"),
            SliceClass::norm);
  EXPECT_EQ(classify_kernel("void at::native::elementwise_kernel<128, 4, "
                            "at::native::gpu_kernel_impl<at::native::direct_copy_kernel_cuda>>"),
            SliceClass::copy);
  EXPECT_EQ(
      classify_kernel("void at::native::vectorized_elementwise_kernel<4, GeluCUDAKernelImpl>"),
      SliceClass::elementwise);
  EXPECT_EQ(classify_kernel("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>"),
            SliceClass::other);
  EXPECT_EQ(classify_kernel(""), SliceClass::other);
}

std::string used(std::string_view name) {
  switch (tensor_cores_of(name)) {
    case TensorCores::yes:
      return "yes";
    case TensorCores::no:
      return "no";
    case TensorCores::unknown:
      break;
  }
  return "unknown";
}

TEST(TensorCores, by_the_names_of_kernels) {
  EXPECT_EQ(used("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn"), "yes");
  EXPECT_EQ(used("turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn"), "yes");
  EXPECT_EQ(used("void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128>"), "yes");
  EXPECT_EQ(used("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT"), "yes");
  EXPECT_EQ(used("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64>>"), "yes");
  EXPECT_EQ(used("fmha_cutlassF_bf16_aligned_64x64_rf_sm80"), "yes");
  EXPECT_EQ(used("void pytorch_flash::flash_bwd_dot_do_o_kernel<true>"), "no");
  EXPECT_EQ(used("ampere_sgemm_128x64_tn"), "no");
  EXPECT_EQ(used("cudnn_infer_volta_scudnn_128x64_relu_medium_nn_v1"), "no");
  EXPECT_EQ(used("void at::native::vectorized_elementwise_kernel<4, Gelu>"), "no");
  EXPECT_EQ(used("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>"), "no");
  EXPECT_EQ(used("triton_poi_fused_addmm_gelu_view_17"), "no");
  EXPECT_EQ(used("bitsandbytes kgemm"), "unknown");
  EXPECT_EQ(used("triton__0d1d2d"), "unknown");
}

TEST(TensorCores, kernels_named_xmma_by_the_types_they_multiply) {
  EXPECT_EQ(used("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64"), "yes");
  EXPECT_EQ(used("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n"), "yes");
  EXPECT_EQ(used("sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32"), "yes");
  EXPECT_EQ(used("sm80_xmma_wgrad_implicit_gemm_f32f32_f32f32_f32_g1_tensor16x8x8_x"), "yes");
  EXPECT_EQ(used("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_warpsize1x2x1_ffma_x"),
            "no");
  EXPECT_EQ(used("sm90_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8"), "unknown");
}

TEST(TensorCores, matrix_cores_of_amd) {
  EXPECT_EQ(used("Cijk_Alik_Bljk_BBS_BH_MT128x128x32_MI16x16x16x1_SE"), "yes");
  EXPECT_EQ(used("Cijk_Ailk_Bljk_SB_MT64x64x16_MI32x32x2x1_SN"), "yes");
  EXPECT_EQ(used("Cijk_Ailk_Bljk_SB_MT64x64x8_SE_K1_MIAV0_TT4_4"), "unknown");
  EXPECT_EQ(classify_kernel("Cijk_Ailk_Bljk_SB_MT64x64x8_SE"), SliceClass::matmul);
  EXPECT_EQ(used("igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt64x64x16"), "yes");
  EXPECT_EQ(used("_ZN2ck16kernel_grouped_conv_fwd_xdl_cshuffle_v3"), "yes");
  EXPECT_EQ(used("void paged_attention_ll4mi_QKV_mfma16_kernel<0>"), "yes");
}

}  // namespace
}  // namespace ts::trace
