#pragma once

namespace torch {
class Library;
}

namespace ts::kernels {

// Registers the operators of our workloads that have no meta kernel in LibTorch, and those whose
// blocks on a real device differ from those of LibTorch's meta kernel. Each kernel computes the
// shapes and requests the blocks that the real operator would, by the rules of the calling thread's
// dry run (DryRecording::options). Once; any thread.
void register_meta_kernels();

// Kernels that run before autograd's own: of operators that are made of others, or whose backward
// is written here.
torch::Library& autograd_meta_library();

// The parts, one per subject.
void register_meta_activations(torch::Library& library);
void register_meta_arithmetic(torch::Library& library);  // +, -, *, / with mixed types; reductions
void register_meta_attention(torch::Library& library);   // fused attention on cpu
void register_meta_attention_cuda(torch::Library& library);  // and on cuda
void register_meta_convolution(torch::Library& library);
void register_meta_dropout(torch::Library& library);
void register_meta_embedding(torch::Library& library);
void register_meta_images(torch::Library& library);  // pooling, resizing
void register_meta_losses(torch::Library& library);
void register_meta_moves(torch::Library& library);
void register_meta_norm(torch::Library& library);
void register_meta_products(torch::Library& library);
void register_meta_recurrent(torch::Library& library);
void register_meta_statistics(torch::Library& library);  // spreads and other reductions

}  // namespace ts::kernels
