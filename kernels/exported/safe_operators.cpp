#include "kernels/exported/safe_operators.h"

#include <algorithm>
#include <array>
#include <string>

namespace ts::kernels {
namespace {

constexpr std::string_view kLibrary = "aten::";

// Parts of names.
constexpr std::array<std::string_view, 12> kRefusedParts = {
    "_backward", "sparse", "nested", "quantized", "fbgemm", "mkldnn",
    "cudnn",     "miopen", "resize", "from_file", "cslt",   "record_stream"};

constexpr std::array<std::string_view, 8> kRefused = {
    "set", "set_", "set_data", "data", "rename", "rename_", "retain_grad", "quantize_per_tensor"};

// Operators whose name begins with an underscore are PyTorch's own parts. Models have these; each
// is followed by a space.
constexpr std::string_view kParts =
    "__and__ __iand__ __ilshift__ __ior__ __irshift__ __ixor__ __lshift__ __or__ "
    "__rshift__ __xor__ _adaptive_avg_pool2d _adaptive_avg_pool3d _add_relu _add_relu_ "
    "_addmm_activation _aminmax _assert_async _assert_scalar _assert_tensor_metadata "
    "_batch_norm_impl_index _batch_norm_no_update _batch_norm_with_update "
    "_batch_norm_with_update_functional _cdist_forward _conj _conj_copy _conj_physical "
    "_convolution _convolution_mode _ctc_loss _efficientzerotensor _embedding_bag "
    "_euclidean_dist _fft_c2c _fft_c2r _fft_r2c _functional_assert_async "
    "_functional_assert_scalar _fused_dropout _fused_rms_norm _grouped_mm _int_mm "
    "_is_all_true _is_any_true _linalg_check_errors _linalg_det _linalg_eigh "
    "_linalg_slogdet _linalg_solve_ex _linalg_svd _local_scalar_dense _log_softmax "
    "_logcumsumexp _lu_with_info _masked_softmax _native_batch_norm_legit "
    "_native_batch_norm_legit_functional _native_batch_norm_legit_no_training "
    "_native_multi_head_attention _neg_view _pack_padded_sequence _pad_packed_sequence "
    "_pdist_forward _prelu_kernel _reshape_alias _safe_softmax "
    "_scaled_dot_product_attention_math _scaled_dot_product_efficient_attention "
    "_scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_for_cpu "
    "_scaled_mm _softmax _stack _thnn_fused_gru_cell _thnn_fused_lstm_cell _to_copy "
    "_transform_bias_rescale_qkv _transformer_encoder_layer_fwd _trilinear _unique "
    "_unique2 _unsafe_index _unsafe_index_put _unsafe_masked_index _unsafe_view "
    "_upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_nearest_exact1d "
    "_upsample_nearest_exact2d _weight_norm _weight_norm_interface ";

bool is_known_part(std::string_view name) {
  const std::string word = std::string(name) + " ";
  const std::size_t at = kParts.find(word);
  return at != std::string_view::npos && (at == 0 || kParts[at - 1] == ' ');
}

}  // namespace

bool may_call(std::string_view name) {
  if (!name.starts_with(kLibrary)) return false;
  name.remove_prefix(kLibrary.size());
  const bool refused = std::ranges::any_of(kRefusedParts, [name](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
  if (refused || std::ranges::find(kRefused, name) != kRefused.end()) return false;
  return !name.starts_with('_') || is_known_part(name);
}

}  // namespace ts::kernels
