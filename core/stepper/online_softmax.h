#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/calculate/figure.h"

namespace ts::stepper {

// Online softmax of one row (Milakov and Gimelshein 2018, with the output as in FlashAttention):
// blocks of scores in any order, with a running maximum m, a running sum l and an output acc that
// is not divided yet. In fp64, so that what is left of an error is rounding alone.
class OnlineSoftmax {
 public:
  // Inputs keys, block, order (0: as they stand, else a shuffle with that seed), causal, query,
  // drop_tail, seed.
  explicit OnlineSoftmax(const calculate::Chosen& chosen);

  struct State {
    std::int64_t first = 0, count = 0;  // keys of the block; 0: none
    double m = 0, l = 0;
    double shrink = 1;            // exp(m before - m)
    std::vector<double> acc;      // [kWidth]
    std::vector<bool> seen;       // [keys]: they are in the sums
    std::vector<double> weights;  // [keys]: exp(score - m) of those
    bool divided = false;         // acc is the output
    double error_seen = 0;        // of acc / l, from softmax over what was seen
    double error_all = 0;         // from softmax over the whole row
  };
  static constexpr std::size_t kWidth = 4;  // of a value

  [[nodiscard]] std::size_t steps() const { return states_.size(); }
  [[nodiscard]] const State& state(std::size_t step) const { return states_[step]; }
  [[nodiscard]] const std::vector<double>& scores() const { return scores_; }
  // Keys that the row sees: the mask hides the others.
  [[nodiscard]] std::int64_t visible() const { return visible_; }
  [[nodiscard]] std::int64_t block() const { return block_; }

  [[nodiscard]] std::vector<double> row(std::size_t step) const;
  [[nodiscard]] base::Message said(std::size_t step) const;
  [[nodiscard]] std::vector<calculate::Figure> figures() const;

 private:
  [[nodiscard]] std::vector<double> direct(const std::vector<bool>& of) const;
  void add_block(std::int64_t first);

  std::int64_t keys_, block_, visible_;
  std::vector<double> scores_;  // [keys]
  std::vector<double> values_;  // [keys][kWidth]
  std::vector<State> states_;
};

}  // namespace ts::stepper
