#pragma once

namespace torch {
class Library;
}

namespace ts::kernels {

// Registers the operators our workloads use that LibTorch has no meta kernel for, and those whose
// blocks on a real device are others than LibTorch's meta kernel takes. Each kernel computes the
// shapes and asks for the blocks that the real operator would, by the rules of the calling thread's
// dry run (DryRecording::options). Once; any thread.
void register_meta_kernels();

// The parts, each on its own subject.
void register_meta_arithmetic(torch::Library& library);  // +, -, *, / with mixed types; reductions
void register_meta_attention(torch::Library& library);   // fused attention on cpu
void register_meta_attention_cuda(torch::Library& library);  // and on cuda
void register_meta_embedding(torch::Library& library);
void register_meta_norm(torch::Library& library);
void register_meta_products(torch::Library& library);

}  // namespace ts::kernels
