#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "core/report/attention_stages.h"
#include "core/text/message.h"
#include "kernels/attention/attend.h"
#include "kernels/observe/failure.h"
#include "kernels/operators/on_cuda.h"
#include "kernels/own_cuda/attention.h"

namespace ts::kernels {
namespace {

using report::StageKernel;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int kFirstCapability = 75;

// The width of the kernels that take a head of d_head numbers.
std::int64_t kernel_width(std::int64_t d_head) {
  for (const int width : report::kAttentionWidths) {
    if (d_head <= width) return width;
  }
  TORCH_CHECK(false, "Our kernels for CUDA take heads of at most 256 numbers, not ", d_head);
}

// Dense, with zeros behind each row up to the width of the kernels.
at::Tensor for_kernels(const at::Tensor& x) {
  const std::int64_t more = kernel_width(x.size(3)) - x.size(3);
  return more > 0 ? at::constant_pad_nd(x, {0, more}) : x.contiguous();
}

// Some heads of those of all sequences one after the other. Undefined stays undefined.
at::Tensor some_heads(const at::Tensor& x, std::int64_t first, std::int64_t count) {
  return x.defined() ? x.flatten(0, 1).narrow(0, first, count) : x;
}

// One attention on dense tensors [B, heads, T, width]. Gradients are undefined in the forward.
struct CudaProblem {
  bool causal;
  double scale;
  at::Tensor q, k, v, o, log_sums;
  at::Tensor d_o = {}, row_sums = {}, d_q = {}, d_k = {}, d_v = {};

  [[nodiscard]] const StageKernel& kernel(std::string_view part) const {
    const int capability = capability_of(q);
    const StageKernel* fastest = nullptr;
    for (const StageKernel& one : report::kAttentionKernels) {
      // Kernels whose tiles come by the accelerator take maps of tensors that the driver makes.
      const bool mapped = std::string_view(one.stage) == "warpgroup";
      const bool typed = q.scalar_type() != at::kFloat || one.takes_fp32;
      const bool fits =
          typed && !mapped && one.first_capability <= std::max(capability, kFirstCapability);
      if (one.part == part && fits) fastest = &one;
    }
    return *fastest;
  }

  // Launches the kernel of a part, for as many heads at a time as a grid has, and as its kernels
  // can count rows.
  void launch(std::string_view part) const {
    const StageKernel& kernel = this->kernel(part);
    const auto width = static_cast<int>(q.size(3));
    const std::int64_t kv_heads = k.size(0) * k.size(1), group = q.size(1) / k.size(1);
    constexpr std::int64_t kMostBlocks = 65535;
    const std::int64_t countable = std::numeric_limits<int>::max() / q.size(2);
    const std::int64_t at_once =
        std::max<std::int64_t>(std::min(kMostBlocks, countable) / group, 1);
    for (std::int64_t first = 0; first < kv_heads; first += at_once) {
      const std::int64_t count = std::min(at_once, kv_heads - first);
      const auto problem = heads(first, count, group);
      const std::int64_t rows = kernel.of_keys ? k.size(2) : q.size(2);
      const std::int64_t blocks = (rows + kernel.rows(width) - 1) / kernel.rows(width);
      const auto [x, y] = kernel.threads(width);
      launch_own({.kernel = kernel.kernel(name_of_type(q), width),
                  .grid = {static_cast<unsigned>(blocks),
                           static_cast<unsigned>(kernel.of_keys ? count : count * group), 1},
                  .block = {x, y, 1},
                  .shared_bytes = static_cast<unsigned>(kernel.shared_bytes(width)),
                  .problem = &problem},
                 q);
    }
  }

 private:
  // The problem as a kernel sees it, with `count` heads of keys and the heads of queries that share
  // them.
  [[nodiscard]] own_cuda::Attention<void> heads(std::int64_t first, std::int64_t count,
                                                std::int64_t group) const {
    const auto of_keys = [&](const at::Tensor& x) { return some_heads(x, first, count); };
    const auto of_queries = [&](const at::Tensor& x) {
      return some_heads(x, first * group, count * group);
    };
    own_cuda::Attention<void> problem{};
    if (q.is_meta()) return problem;
    problem.q = data_of(of_queries(q));
    problem.k = data_of(of_keys(k));
    problem.v = data_of(of_keys(v));
    problem.o = data_of(of_queries(o));
    problem.log_sums = floats_of(of_queries(log_sums));
    problem.d_o = data_of(of_queries(d_o));
    problem.row_sums = floats_of(of_queries(row_sums));
    problem.d_q = data_of(of_queries(d_q));
    problem.d_k = data_of(of_keys(d_k));
    problem.d_v = data_of(of_keys(d_v));
    problem.queries = static_cast<int>(q.size(2));
    problem.keys = static_cast<int>(k.size(2));
    problem.group = static_cast<int>(group);
    problem.causal = causal ? 1 : 0;
    problem.scale = static_cast<float>(scale);
    return problem;
  }
};

class OwnAttentionOnCuda : public torch::autograd::Function<OwnAttentionOnCuda> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given_q,
                            const at::Tensor& given_k, const at::Tensor& given_v, bool causal) {
    const std::int64_t d_head = given_q.size(3);
    const at::Tensor q = for_kernels(given_q);
    const CudaProblem problem{
        .causal = causal,
        .scale = 1 / std::sqrt(static_cast<double>(d_head)),
        .q = q,
        .k = for_kernels(given_k),
        .v = for_kernels(given_v),
        .o = at::empty_like(q),
        .log_sums = at::empty({q.size(0), q.size(1), q.size(2)}, q.options().dtype(at::kFloat))};
    problem.launch("forward");
    context->save_for_backward({q, problem.k, problem.v, problem.o, problem.log_sums});
    context->saved_data["causal"] = causal;
    context->saved_data["d_head"] = d_head;
    return problem.o.narrow(3, 0, d_head);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const std::int64_t d_head = context->saved_data["d_head"].toInt();
    const CudaProblem problem{.causal = context->saved_data["causal"].toBool(),
                              .scale = 1 / std::sqrt(static_cast<double>(d_head)),
                              .q = saved[0],
                              .k = saved[1],
                              .v = saved[2],
                              .o = saved[3],
                              .log_sums = saved[4],
                              .d_o = for_kernels(gradients[0]),
                              .row_sums = at::empty_like(saved[4]),
                              .d_q = at::empty_like(saved[0]),
                              .d_k = at::empty_like(saved[1]),
                              .d_v = at::empty_like(saved[2])};
    for (const char* const part : {"row_sums", "d_q", "d_kv"}) problem.launch(part);
    return {problem.d_q.narrow(3, 0, d_head), problem.d_k.narrow(3, 0, d_head),
            problem.d_v.narrow(3, 0, d_head), at::Tensor()};
  }
};

}  // namespace

at::Tensor attend_own_on_cuda(bool causal, const at::Tensor& q, const at::Tensor& k,
                              const at::Tensor& v) {
  const int capability = capability_of(q);
  if (capability > 0 && capability < kFirstCapability) {
    throw BadInput(text::message(
        "prediction.no_kernel",
        {{"backend", spec::to_string(spec::AttentionBackend::own)},
         {"d_head", std::to_string(q.size(3))},
         {"capability", std::to_string(capability / 10) + "." + std::to_string(capability % 10)}}));
  }
  return OwnAttentionOnCuda::apply(q, k.to(q.scalar_type()), v.to(q.scalar_type()), causal);
}

}  // namespace ts::kernels
