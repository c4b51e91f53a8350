#pragma once

#include <cstdint>

namespace ts::kernels {

// Installs the callbacks that record every ATen operator and autograd node on every thread into
// the active Recording, with the work of c10d's collectives; of a script also the ranges of
// torch.profiler.record_function. The result takes them out again.
std::uint64_t install_operator_callbacks();
void remove_operator_callbacks(std::uint64_t callbacks);

}  // namespace ts::kernels
