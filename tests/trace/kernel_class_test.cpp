#include "core/trace/kernel_class.h"

#include <gtest/gtest.h>

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

TEST(TensorCores, by_the_names_of_kernels) {
  EXPECT_TRUE(uses_tensor_cores("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn"));
  EXPECT_TRUE(uses_tensor_cores("turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn"));
  EXPECT_TRUE(
      uses_tensor_cores("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_gmma"));
  EXPECT_TRUE(uses_tensor_cores("void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128>"));
  EXPECT_TRUE(uses_tensor_cores("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT"));
  EXPECT_TRUE(
      uses_tensor_cores("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64>>"));
  EXPECT_TRUE(uses_tensor_cores("fmha_cutlassF_bf16_aligned_64x64_rf_sm80"));
  EXPECT_FALSE(uses_tensor_cores("fmha_cutlassF_f32_aligned_64x64_rf_sm75"));
  EXPECT_FALSE(uses_tensor_cores("void pytorch_flash::flash_bwd_dot_do_o_kernel<true>"));
  EXPECT_FALSE(uses_tensor_cores("ampere_sgemm_128x64_tn"));
  EXPECT_FALSE(uses_tensor_cores("void at::native::vectorized_elementwise_kernel<4, Gelu>"));
}

}  // namespace
}  // namespace ts::trace
