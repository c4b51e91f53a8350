#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/calculate/figure.h"

namespace ts::stepper {

// Activation checkpointing (Chen et al. 2016) of a stack of equal layers, cut into segments: the
// forward keeps the input of each segment, the backward computes a segment again before it goes
// through it. Counted are the inputs of layers, which their backward needs; of one layer at a time.
class Checkpoints {
 public:
  // Inputs layers, segment.
  explicit Checkpoints(const calculate::Chosen& chosen);

  enum class Phase : std::uint8_t { begin, forward, recompute, backward };
  // gone: freed, or not there yet.
  enum class Input : std::uint8_t { gone, kept, recomputed };
  struct State {
    Phase phase = Phase::begin;
    std::int64_t layer = -1;
    std::vector<Input> inputs;  // [layers]
    std::int64_t live = 0;      // of the inputs
  };

  [[nodiscard]] std::size_t steps() const { return states_.size(); }
  [[nodiscard]] const State& state(std::size_t step) const { return states_[step]; }
  [[nodiscard]] std::int64_t layers() const { return layers_; }
  [[nodiscard]] std::int64_t segments() const { return (layers_ + segment_ - 1) / segment_; }
  [[nodiscard]] std::int64_t peak() const;
  // ceil(layers / segment) + segment - 1: what is kept, and one segment. Reached where the segments
  // are equal.
  [[nodiscard]] std::int64_t formula() const;

  [[nodiscard]] std::vector<double> row(std::size_t step) const;
  [[nodiscard]] base::Message said(std::size_t step) const;
  [[nodiscard]] std::vector<calculate::Figure> figures() const;

 private:
  void add(Phase phase, std::int64_t layer, std::vector<Input>& inputs);

  std::int64_t layers_, segment_;
  std::vector<State> states_;
};

}  // namespace ts::stepper
