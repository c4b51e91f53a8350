#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/predict/share.h"
#include "kernels/share/shard_exchange.h"

namespace ts::kernels {

// The parameters of one rank as PyTorch 2.11's fully_shard (FSDP2) keeps them, with its default
// arguments: torch/distributed/fsdp/_fully_shard. As there over Gloo, a collective is waited for
// where it begins. A dry run sends nothing, and by the rules of the CPU has Gloo's own copies: of
// what it gathers, and of what it sums.
//
// Parameters come in units: each block of a model is one, what is left is the root. A rank has its
// own of equal parts of each parameter, cut along its first dimension and padded with zeros, which
// stay zeros. The parameters of a unit are gathered into one buffer, and copied from there into
// blocks of their own:
//   forward    A unit gathers before its forward. Its buffer stays until the next unit has its
//              parameters, so two buffers and the parameters live at once. After its forward a
//              block frees its parameters with zero3, and keeps them with zero2.
//   backward   With zero3 a block gathers before its backward; the buffer of the block before it
//              is made then, too. After its backward a unit frees its parameters. Its gradients
//              are copied into one buffer, which stays until the next unit's turn, and summed into
//              the rank's part, one block a unit.
// The root keeps its parameters from the forward to the end of the backward. Made of parameters
// that have no memory any more (Builder). Worker thread.
class FullyShard {
 public:
  struct Whole {
    std::string name;
    at::Tensor tensor;
    at::Tensor part;  // the rank's; undefined in a dry run
  };
  // `together`: how many blocks are one unit. `exchange`: null in a dry run, else outlives this.
  FullyShard(const std::vector<Whole>& parameters, const predict::Share& share,
             std::int64_t together, ShardExchange* exchange);

  // The rank's parts, in the order of the parameters. Their gradients are set by backwards.
  struct Part {
    std::string name;
    at::Tensor tensor;
  };
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }

  static constexpr std::size_t kRoot = 0;  // block i is in unit 1 + i / together
  void before_forward(std::size_t unit);
  void after_forward(std::size_t unit);
  void before_backward(std::size_t unit);
  void after_backward(std::size_t unit);
  void end_backward();

  // The one of the running step on this thread, null outside of one.
  static FullyShard* current() noexcept;
  class Scope {
   public:
    explicit Scope(FullyShard* sharded);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    FullyShard* outer_;
  };

 private:
  struct Sharded {
    at::Tensor whole;
    std::size_t part = 0;      // of parts_
    std::int64_t numbers = 0;  // of a rank, with padding
  };
  struct Unit {
    std::vector<Sharded> parameters;
    at::Tensor gathered;  // the buffer; undefined: none
    bool present = false;
  };
  void gather(Unit& unit);
  void copy_out(Unit& unit, bool forward);
  void drop(Unit& unit);

  void copy_in(const Unit& unit, const std::vector<at::Tensor>& gradients,
               const at::Tensor& to) const;
  void sum_gradients(const Unit& unit, std::vector<at::Tensor> gradients);

  const std::int64_t ranks_;
  const std::int64_t rank_;
  const bool keeps_;  // zero2
  ShardExchange* const exchange_;
  std::vector<Part> parts_;
  std::vector<Unit> units_;
  at::Tensor last_gathered_;  // of the forward
  at::Tensor to_scatter_;     // of the unit whose backward ended last
};

// The rank's part of a parameter, in memory of its own.
at::Tensor part_of_rank(const at::Tensor& whole, std::int64_t rank, std::int64_t ranks);

// Around the forward of a unit that takes x: what a rank does at its ends, in the forward and in
// the backward. They return x itself where nothing is sharded.
at::Tensor enter_unit(at::Tensor x, std::size_t unit);
at::Tensor leave_unit(at::Tensor x, std::size_t unit);

}  // namespace ts::kernels
