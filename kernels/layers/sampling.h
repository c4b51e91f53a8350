#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace ts::kernels {

// One token for each row of logits [B, V], as generate() of nanoGPT draws it: logits over
// temperature, all but the top_k largest set to -inf (0: none), softmax, one sample. Temperature 0:
// the largest. The sample is that of torch.multinomial with the same generator. Result: [B, 1].
at::Tensor sample_token(const at::Tensor& logits, double temperature, std::int64_t top_k,
                        const std::optional<at::Generator>& generator);

}  // namespace ts::kernels
