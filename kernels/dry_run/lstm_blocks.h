#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <optional>

namespace ts::kernels {

// One layer of an LSTM in one direction, as oneDNN gets it on cpu.
struct LstmLayer {
  std::int64_t tokens = 0;
  std::int64_t batch = 0;
  std::int64_t input = 0;   // numbers of a token
  std::int64_t hidden = 0;  // and of a state
  bool reverse = false;
  bool trains = false;  // the forward keeps what a backward needs
  c10::ScalarType type = c10::ScalarType::Float;
};

// Bytes of the blocks that oneDNN's primitives need beside operands and results. A weight that lies
// as the primitive wants it is not copied.
struct LstmBlocks {
  std::int64_t workspace = 0;  // from the forward to the backward
  struct Run {
    std::int64_t input_weight = 0;  // its copy; 0: none
    std::int64_t state_weight = 0;
    std::int64_t scratch = 0;
  };
  Run forward, backward;
  // Gradients of the weights and the bias as the backward makes them.
  std::int64_t to_input_weight = 0;
  std::int64_t to_state_weight = 0;
  std::int64_t to_bias = 0;
};

// The answer of the oneDNN in LibTorch for this machine's processor and the thread's number of
// threads; nothing is computed. Nothing where it is not found or has no such primitive. Cached. Any
// thread.
std::optional<LstmBlocks> lstm_blocks(const LstmLayer& layer);

}  // namespace ts::kernels
