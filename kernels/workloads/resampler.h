#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "kernels/attention/attend.h"
#include "kernels/layers/builder.h"
#include "kernels/layers/linear.h"

namespace ts::kernels {

// Attention of learned queries to the tokens of an encoder, one layer of a Perceiver (Jaegle et al.
// 2021) without its feed-forward part: as many tokens come out as there are queries.
class Resampler {
 public:
  // spec: of an encoder; image_tokens queries, its heads. The method attends without a mask.
  Resampler(Builder& builder, std::string path, const spec::WorkloadSpec& spec,
            AttentionMethod method);
  // x: [N, T, d_model]; the result: [N, image_tokens, d_model].
  [[nodiscard]] at::Tensor forward(const at::Tensor& x) const;

 private:
  std::string path_;
  std::int64_t heads_;
  AttentionMethod method_;
  at::Tensor queries_;  // [image_tokens, d_model]
  Linear q_proj_;
  Linear k_proj_;
  Linear v_proj_;
  Linear o_proj_;
};

}  // namespace ts::kernels
