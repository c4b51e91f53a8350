#include "kernels/dry_run/sdpa.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/text/message.h"
#include "kernels/dry_run/meta_autocast.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/failure.h"
#include "kernels/observe/name_cache.h"

namespace ts::kernels {
namespace {

using spec::AttentionBackend;

struct Problem {
  const at::Tensor& q;
  bool grouped;             // several heads of queries share one of keys and values
  bool masked;              // by a tensor
  bool one_width;           // heads of values are as wide as those of queries
  std::int32_t capability;  // major * 10 + minor
  bool keeps_graph;
  bool drops;
  [[nodiscard]] std::int64_t d_head() const { return q.size(-1); }
  [[nodiscard]] bool reduced() const {
    return q.scalar_type() == at::kBFloat16 || q.scalar_type() == at::kHalf;
  }
};

// The rules of sdp::select_sdp_backend on cuda, PyTorch 2.11 with cuDNN 9.19
// (ATen/native/transformers/cuda/sdp_utils.cpp), for four-dimensional inputs.
bool cudnn_can(const Problem& problem) {
  if (!problem.one_width) return false;
  const std::int64_t widest = problem.capability == 90 ? 256 : 128;
  return problem.reduced() && problem.capability >= 80 && problem.d_head() % 8 == 0 &&
         problem.d_head() <= widest;
}

bool flash_can(const Problem& problem) {
  if (problem.masked || !problem.one_width) return false;
  constexpr std::array kNarrow = {86, 89, 120, 121};
  const bool narrow = std::ranges::find(kNarrow, problem.capability) != kNarrow.end();
  const bool too_wide =
      narrow && problem.keeps_graph && problem.d_head() > 192 && problem.d_head() <= 224;
  return problem.reduced() && problem.capability >= 80 && problem.d_head() <= 256 && !too_wide;
}

bool efficient_can(const Problem& problem) {
  if (problem.grouped) return false;
  if (problem.q.scalar_type() == at::kBFloat16 && problem.capability < 80) return false;
  const bool tensor_cores =
      problem.capability >= 80 || (problem.capability >= 70 && problem.reduced());
  const std::int64_t alignment = tensor_cores ? (problem.reduced() ? 8 : 4) : 1;
  return problem.d_head() % alignment == 0;
}

std::string capability_text(const Problem& problem) {
  return std::to_string(problem.capability / 10) + "." + std::to_string(problem.capability % 10);
}

// Why flash_can() is false. validate() has refused wider types and heads before.
base::Message why_not_flash(const Problem& problem) {
  const std::string capability = capability_text(problem);
  if (problem.capability < 80) {
    return text::message("prediction.flash_card", {{"capability", capability}});
  }
  return text::message("prediction.flash_head_backward",
                       {{"d_head", std::to_string(problem.d_head())}, {"capability", capability}});
}

// Why the one kernel that is allowed cannot run; PyTorch then says "No available kernel".
base::Message no_kernel(AttentionBackend backend, const Problem& problem) {
  return text::message("prediction.no_kernel", {{"backend", spec::to_string(backend)},
                                                {"d_head", std::to_string(problem.d_head())},
                                                {"capability", capability_text(problem)}});
}

// The same where the call itself is the reason.
base::Message no_kernel_here(AttentionBackend backend) {
  return text::message("prediction.no_kernel_here", {{"backend", spec::to_string(backend)}});
}

// Respects torch.nn.attention.sdpa_kernel() and the switches of torch.backends.cuda.
AttentionKernel choose_among_allowed(const Problem& problem) {
  const at::Context& allowed = at::globalContext();
  const bool cudnn = allowed.userEnabledCuDNNSDP() && cudnn_can(problem);
  const bool prefers_cudnn = problem.capability == 90 || problem.capability == 100;
  if (prefers_cudnn && cudnn) return AttentionKernel::cudnn;
  if (allowed.userEnabledFlashSDP() && flash_can(problem)) return AttentionKernel::flash;
  if (allowed.userEnabledMemEfficientSDP() && efficient_can(problem))
    return AttentionKernel::efficient;
  if (allowed.userEnabledMathSDP()) return AttentionKernel::math;
  if (cudnn) return AttentionKernel::cudnn;
  throw BadInput(no_kernel(AttentionBackend::automatic, problem));
}

AttentionKernel choose_on_cuda(AttentionBackend backend, const Problem& problem) {
  if (backend == AttentionBackend::math) return AttentionKernel::math;
  if (backend == AttentionBackend::flash) {
    if (flash_can(problem)) return AttentionKernel::flash;
    if (problem.masked || !problem.one_width) throw BadInput(no_kernel_here(backend));
    throw BadInput(why_not_flash(problem));
  }
  if (backend == AttentionBackend::cudnn) {
    if (cudnn_can(problem)) return AttentionKernel::cudnn;
    throw BadInput(no_kernel(backend, problem));
  }
  if (backend == AttentionBackend::efficient) {
    if (efficient_can(problem)) return AttentionKernel::efficient;
    throw BadInput(no_kernel(backend, problem));
  }
  return choose_among_allowed(problem);
}

// On cpu flash supports every type of ours, and comes first; it has no dropout.
AttentionKernel choose_on_cpu(AttentionBackend backend, const Problem& problem) {
  const bool flash = problem.one_width && !problem.drops;
  if (backend == AttentionBackend::flash && !flash) throw BadInput(no_kernel_here(backend));
  return flash && backend != AttentionBackend::math ? AttentionKernel::flash
                                                    : AttentionKernel::math;
}

// The shapes that the fused kernels take (check_attn_mask_shape); math takes all, and alone gives a
// mask gradients.
bool fused_can_mask(const at::Tensor& mask, const at::Tensor& q, const at::Tensor& k) {
  if (mask.requires_grad() || (mask.dim() != 2 && mask.dim() != 4)) return false;
  const std::array whole = {q.size(0), q.size(1), q.size(2), k.size(2)};
  for (std::int64_t i = 1; i <= mask.dim(); ++i) {
    const std::int64_t size = mask.size(-i);
    if (size != 1 && size != whole[static_cast<std::size_t>(4 - i)]) return false;
  }
  return true;
}

// Minus infinity. On cpu its block is requested by attention itself, not by an operator of its own.
at::Tensor never(const at::Tensor& q, bool for_cuda) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  if (for_cuda) return at::scalar_tensor(kNever, q.options());
  RECORD_FUNCTION("aten::scaled_dot_product_attention", c10::ArrayRef<const c10::IValue>{});
  return at::empty({}, q.options());
}

// convert_boolean_attn_mask: zeros, and minus infinity where nothing is attended to.
at::Tensor added_to_scores(const at::Tensor& mask, const at::Tensor& q, bool for_cuda) {
  if (mask.scalar_type() != at::kBool) return mask;
  return at::where(mask, 0.0, never(q, for_cuda));
}

// preprocess_mask: rows of a multiple of sixteen numbers, for every head.
at::Tensor aligned_for_efficient(const at::Tensor& mask, const at::Tensor& q, const at::Tensor& k) {
  constexpr std::int64_t kAlignment = 16;
  const std::int64_t keys = k.size(2);
  at::Tensor whole = mask.expand({q.size(0), q.size(1), q.size(2), keys});
  if (keys % kAlignment != 0) {
    return at::constant_pad_nd(whole, {0, kAlignment - keys % kAlignment}).slice(-1, 0, keys);
  }
  for (int i = 0; i < 3; ++i) {
    if (whole.stride(i) % kAlignment != 0) return whole.contiguous();
  }
  return whole;
}

// Heads are padded to a multiple of eight numbers before the operator and cut after it.
at::Tensor flash_on_cuda(bool causal, double dropout, const at::Tensor& q, const at::Tensor& k,
                         const at::Tensor& v) {
  const std::int64_t d_head = q.size(-1);
  const auto padded = [d_head](const at::Tensor& x) {
    return d_head % 8 == 0 ? x : at::constant_pad_nd(x, {0, 8 - d_head % 8});
  };
  const double scale = 1 / std::sqrt(static_cast<double>(d_head));
  const at::Tensor padded_q = padded(q), padded_k = padded(k), padded_v = padded(v);
  at::Tensor output = std::get<0>(at::_scaled_dot_product_flash_attention(
      padded_q, padded_k, padded_v, dropout, causal, /*return_debug_mask=*/false, scale));
  return output.size(-1) == d_head ? output : output.slice(-1, 0, d_head);
}

}  // namespace

at::Tensor attend_sdpa_dry(AttentionBackend backend, const SdpaOptions& options,
                           const at::Tensor& given_q, const at::Tensor& given_k,
                           const at::Tensor& given_v) {
  // From last to first, as in every call that autocast changes.
  std::optional<at::Tensor> mask;
  if (options.mask) mask = meta_autocast(*options.mask);
  const at::Tensor v = meta_autocast(given_v), k = meta_autocast(given_k);
  const at::Tensor q = meta_autocast(given_q);
  const NoMetaAutocast cast_already;
  const DryRecording* const dry = DryRecording::current();
  const bool for_cuda = dry != nullptr && dry->for_cuda();
  const bool keeps_graph =
      at::GradMode::is_enabled() && (q.requires_grad() || k.requires_grad() || v.requires_grad());
  const bool grouped = q.size(1) != k.size(1);
  const bool causal = options.causal;
  const Problem problem{.q = q,
                        .grouped = grouped,
                        .masked = mask.has_value(),
                        .one_width = v.size(-1) == q.size(-1),
                        .capability = dry != nullptr ? dry->options().compute_capability : 0,
                        .keeps_graph = keeps_graph,
                        .drops = options.dropout > 0};
  AttentionKernel kernel =
      for_cuda ? choose_on_cuda(backend, problem) : choose_on_cpu(backend, problem);
  if (options.broadcasts || (mask && !fused_can_mask(*mask, q, k))) {
    const bool may = backend == AttentionBackend::automatic || backend == AttentionBackend::math;
    if (!may) throw BadInput(no_kernel_here(backend));
    kernel = AttentionKernel::math;
  }
  if (mask) mask = added_to_scores(*mask, q, for_cuda);
  switch (kernel) {
    case AttentionKernel::flash:
      if (for_cuda) return flash_on_cuda(causal, options.dropout, q, k, v);
      return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(
          q, k, v, options.dropout, causal, mask, options.scale));
    case AttentionKernel::efficient:
      if (mask) mask = aligned_for_efficient(*mask, q, k);
      return std::get<0>(at::_scaled_dot_product_efficient_attention(
          q, k, v, mask, keeps_graph, options.dropout, causal, options.scale));
    case AttentionKernel::cudnn:
      return std::get<0>(at::_scaled_dot_product_cudnn_attention(
          q, k, v, mask, keeps_graph, options.dropout, causal, /*return_debug_mask=*/false,
          options.scale));
    default:
      return std::get<0>(at::_scaled_dot_product_attention_math(
          q, k, v, mask, options.dropout, causal,
          /*dropout_mask=*/{}, options.scale, grouped && !options.broadcasts));
  }
}

}  // namespace ts::kernels
