#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/text/message.h"
#include "kernels/observe/cancellation.h"
#include "kernels/observe/dry_recording.h"
#include "kernels/observe/failure.h"
#include "kernels/observe/module_scope.h"
#include "kernels/optim/optimizer.h"

namespace ts::kernels {
namespace {

constexpr std::int64_t kBlock = 256;     // numbers that share a scale
constexpr std::int64_t kSmall = 4096;    // smaller tensors have moments in fp32
constexpr std::int64_t kFewBlocks = 64;  // at least, for a thread
constexpr std::size_t kCodes = 256;

// The 256 numbers between -1 (signed) or 0 and 1 that a code stands for: dynamic tree quantisation
// (Dettmers et al. 2022, "8-bit Optimizers via Block-wise Quantization", section 1.3). Each of the
// seven decades below 1 has twice the numbers of the one before it, at equal distances.
class Codes {
 public:
  explicit Codes(bool with_sign) {
    constexpr int kDecades = 7;
    std::size_t count = 0;
    for (int i = 0; i < kDecades; ++i) {
      const int numbers = 1 << (with_sign ? i : i + 1);
      const double largest = std::pow(10.0, i - (kDecades - 1));
      for (int k = 0; k < numbers; ++k) {
        const double middle = 0.1 + 0.9 * (k + 0.5) / numbers;
        values_[count++] = static_cast<float>(largest * middle);
        if (with_sign) values_[count++] = static_cast<float>(-largest * middle);
      }
    }
    values_[count++] = 0;
    values_[count++] = 1;
    std::ranges::sort(values_);
    for (std::size_t i = 0; i + 1 < kCodes; ++i) middles_[i] = (values_[i] + values_[i + 1]) / 2;
    middles_.back() = std::numeric_limits<float>::infinity();
    // Numbers that share sign, exponent and seven bits lie closer together than two codes.
    for (std::uint32_t i = 0; i < least_.size(); ++i) {
      const std::uint32_t first = i << kShared, last = first | ((1U << kShared) - 1);
      least_[i] = std::min(search(std::bit_cast<float>(first)), search(std::bit_cast<float>(last)));
    }
  }

  [[nodiscard]] float value(std::uint8_t code) const { return values_[code]; }

  // The code of the nearest number.
  [[nodiscard]] std::uint8_t nearest(float value) const {
    const std::uint8_t least = least_[std::bit_cast<std::uint32_t>(value) >> kShared];
    return static_cast<std::uint8_t>(least + (middles_[least] < value ? 1 : 0));
  }

 private:
  static constexpr std::uint32_t kShared = 16;  // bits of a number that least_ does not see
  [[nodiscard]] std::uint8_t search(float value) const {
    return static_cast<std::uint8_t>(std::ranges::lower_bound(middles_, value) - middles_.begin());
  }

  std::array<float, kCodes> values_{};
  std::array<float, kCodes> middles_{};  // to the number of the next code
  std::array<std::uint8_t, 1U << (32 - kShared)> least_{};
};

std::int64_t blocks_of(const at::Tensor& parameter) {
  return (parameter.numel() + kBlock - 1) / kBlock;
}

// One of the moments of a parameter.
struct Moment {
  at::Tensor numbers;  // codes, or fp32 where the parameter is small
  at::Tensor scales;  // the largest magnitude of each block; undefined where the parameter is small
};

struct State {
  Moment first, second;
};

// The numbers of a step that are the same for all parameters.
struct Step {
  double beta1 = 0, beta2 = 0, epsilon = 0;
  double rate = 0;     // with the corrections of both moments
  double decayed = 0;  // what the decay leaves of a parameter
};

const Codes& signed_codes() {
  static const Codes codes(true);
  return codes;
}

const Codes& unsigned_codes() {
  static const Codes codes(false);
  return codes;
}

// A moment of the numbers of one block while they are updated.
class OpenBlock {
 public:
  OpenBlock(const Moment& moment, const Codes& codes, std::int64_t block, std::int64_t count)
      : codes_(codes), count_(count) {
    if (!moment.scales.defined()) {
      small_ = moment.numbers.data_ptr<float>() + block * kBlock;
      std::copy_n(small_, count, values_.begin());
      return;
    }
    stored_ = moment.numbers.data_ptr<std::uint8_t>() + block * kBlock;
    scale_ = moment.scales.data_ptr<float>() + block;
    for (std::int64_t i = 0; i < count; ++i)
      values_[static_cast<std::size_t>(i)] = codes.value(stored_[i]) * *scale_;
  }
  [[nodiscard]] float& operator[](std::int64_t i) { return values_[static_cast<std::size_t>(i)]; }

  void close() {
    if (small_ != nullptr) {
      std::copy_n(values_.begin(), count_, small_);
      return;
    }
    float most = 0;
    for (std::int64_t i = 0; i < count_; ++i) most = std::max(most, std::abs((*this)[i]));
    *scale_ = most;
    for (std::int64_t i = 0; i < count_; ++i)
      stored_[i] = codes_.nearest(most > 0 ? (*this)[i] / most : 0);
  }

 private:
  const Codes& codes_;
  std::int64_t count_;
  std::array<float, kBlock> values_;
  float* small_ = nullptr;
  std::uint8_t* stored_ = nullptr;
  float* scale_ = nullptr;
};

template <class Number>
void update_block(Number* parameter, const Number* gradient, const State& state, std::int64_t block,
                  std::int64_t count, const Step& step) {
  OpenBlock first(state.first, signed_codes(), block, count);
  OpenBlock second(state.second, unsigned_codes(), block, count);
  const auto beta1 = static_cast<float>(step.beta1), beta2 = static_cast<float>(step.beta2);
  const auto rest1 = static_cast<float>(1 - step.beta1), rest2 = static_cast<float>(1 - step.beta2);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto g = static_cast<float>(gradient[i]);
    first[i] = beta1 * first[i] + rest1 * g;
    second[i] = beta2 * second[i] + rest2 * g * g;
    const float change = static_cast<float>(step.rate) * first[i] /
                         (std::sqrt(second[i]) + static_cast<float>(step.epsilon));
    const float decayed = static_cast<float>(step.decayed) * static_cast<float>(parameter[i]);
    parameter[i] = static_cast<Number>(decayed - change);
  }
  first.close();
  second.close();
}

class EightBitAdamW final : public Optimizer {
 public:
  EightBitAdamW(std::vector<TrainedTensor> trained, const OptimizerSettings& settings)
      : settings_(settings), trained_(std::move(trained)), states_(trained_.size()) {
    const bool on_gpu = !trained_.empty() && trained_.front().tensor.is_cuda();
    if (on_gpu) throw BadInput(text::message("engine.eight_bit_moments"));
  }

  void step(double learning_rate, const at::Tensor& /*found_inf*/) override {
    const at::NoGradGuard no_grad;
    ++step_count_;
    const double correction1 = 1 - std::pow(settings_.beta1, step_count_);
    const double correction2 = std::sqrt(1 - std::pow(settings_.beta2, step_count_));
    const Step step{.beta1 = settings_.beta1,
                    .beta2 = settings_.beta2,
                    .epsilon = settings_.epsilon * correction2,
                    .rate = learning_rate * correction2 / correction1,
                    .decayed = 1 - learning_rate * settings_.weight_decay};
    for (std::size_t i = 0; i < trained_.size(); ++i) {
      if (trained_[i].tensor.grad().defined()) update_one(i, step);
    }
  }

  [[nodiscard]] std::vector<at::Tensor> state() const override {
    std::vector<at::Tensor> all = tables_;
    for (const State& one : states_) {
      for (const Moment* const moment : {&one.first, &one.second}) {
        if (moment->numbers.defined()) all.push_back(moment->numbers);
        if (moment->scales.defined()) all.push_back(moment->scales);
      }
    }
    return all;
  }

 private:
  // In the order of bitsandbytes: tables of the codes, once, which a GPU has for itself; both
  // moments, then their scales.
  void make_state(const at::Tensor& parameter, State& state) {
    if (parameter.numel() < kSmall) {
      state.first.numbers = at::zeros_like(parameter, parameter.options().dtype(at::kFloat));
      state.second.numbers = at::zeros_like(parameter, parameter.options().dtype(at::kFloat));
      return;
    }
    const auto floats = parameter.options().dtype(at::kFloat);
    if (tables_.empty() && DryRecording::follows_cuda()) {
      for (int i = 0; i < 2; ++i)
        tables_.push_back(at::empty({static_cast<std::int64_t>(kCodes)}, floats));
    }
    state.first.numbers = at::zeros_like(parameter, parameter.options().dtype(at::kByte));
    state.second.numbers = at::zeros_like(parameter, parameter.options().dtype(at::kByte));
    state.first.scales = at::zeros({blocks_of(parameter)}, floats);
    state.second.scales = at::zeros({blocks_of(parameter)}, floats);
  }

  void update_one(std::size_t i, const Step& step) {
    check_cancelled();
    const at::Tensor& parameter = trained_[i].tensor;
    const PlaceScope place(trained_[i].module);
    State& state = states_[i];
    if (!state.first.numbers.defined()) make_state(parameter, state);
    RECORD_FUNCTION("tensorscope::adamw_8bit", c10::ArrayRef<const c10::IValue>{});
    const at::Tensor gradient = parameter.grad().contiguous();
    if (parameter.is_meta()) return;
    const std::int64_t numbers = parameter.numel();
    AT_DISPATCH_FLOATING_TYPES_AND2(
        at::kBFloat16, at::kHalf, parameter.scalar_type(), "adamw_8bit", [&] {
          auto* const to = parameter.data_ptr<scalar_t>();
          const auto* const from = gradient.const_data_ptr<scalar_t>();
          at::parallel_for(0, blocks_of(parameter), kFewBlocks,
                           [&](std::int64_t first, std::int64_t end) {
                             for (std::int64_t block = first; block < end; ++block) {
                               const std::int64_t begin = block * kBlock;
                               update_block(to + begin, from + begin, state, block,
                                            std::min(kBlock, numbers - begin), step);
                             }
                           });
        });
  }

  OptimizerSettings settings_;
  std::vector<TrainedTensor> trained_;
  std::vector<State> states_;  // by parameter; not made before its first update
  std::vector<at::Tensor> tables_;
  double step_count_ = 0;
};

}  // namespace

std::unique_ptr<Optimizer> make_adamw_8bit(std::vector<TrainedTensor> trained,
                                           const OptimizerSettings& settings) {
  return std::make_unique<EightBitAdamW>(std::move(trained), settings);
}

}  // namespace ts::kernels
