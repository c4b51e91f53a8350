#pragma once

// The functions of a kernel's file for `tensorscope kernel FILE --check attention`.
// All tensors are dense and fp32: q, k, v, o, their gradients d_..., of [heads][length][d_head].
// The functions launch kernels as CUDA does, or compute in plain C++. With `causal` query i sees
// the keys 0 to i. The scale of the scores is 1 / sqrt(d_head).
extern "C" {
void attention(const float* q, const float* k, const float* v, float* o, int heads, int length,
               int d_head, bool causal);

// Not needed; where it is defined, gradients are checked.
void attention_backward(const float* q, const float* k, const float* v, const float* d_o,
                        float* d_q, float* d_k, float* d_v, int heads, int length, int d_head,
                        bool causal);
}
