#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "kernels/observe/cancellation.h"
#include "kernels/optim/moments.h"
#include "kernels/optim/optimizer.h"
#include "kernels/optim/wide_update.h"

namespace ts::kernels {
namespace {

// Numbers updated by one operator: about 30 ms on two cores, one kernel launch on a GPU.
constexpr std::int64_t kGroupNumbers = std::int64_t{1} << 23;

class FusedAdamW final : public Optimizer {
 public:
  FusedAdamW(std::vector<TrainedTensor> trained, const OptimizerSettings& settings)
      : settings_(settings), update_(std::move(trained), settings.state) {}

  void step(double learning_rate, const at::Tensor& found_inf) override {
    const at::NoGradGuard no_grad;
    if (update_.parameters().empty()) return;
    moments_.make_once(update_);
    if (!steps_.defined())
      steps_ = at::zeros({}, update_.parameters().front().options().dtype(at::kFloat));
    if (settings_.capturable && !found_inf.defined()) {
      steps_.add_(1);
    } else if (!found_inf.defined()) {
      steps_.fill_(static_cast<double>(++step_count_));
    } else {
      // A skipped step must not count, and only the device knows whether it was skipped.
      steps_.add_(1).sub_(found_inf.squeeze());
    }
    Group group;
    for (std::size_t i = 0; i < update_.parameters().size(); ++i) {
      const at::Tensor& parameter = update_.parameters()[i];
      if (!parameter.grad().defined()) continue;
      if (update_.wide()) {
        run_in_pieces(i, learning_rate, found_inf);
        continue;
      }
      if (group.numbers + parameter.numel() > kGroupNumbers) run(group, learning_rate, found_inf);
      group.add(update_.whole(i), moments_.first[i], moments_.second[i]);
    }
    run(group, learning_rate, found_inf);
  }

  [[nodiscard]] bool skips_itself() const override { return true; }

  [[nodiscard]] std::vector<at::Tensor> state() const override {
    std::vector<at::Tensor> state = moments_.state(update_);
    if (steps_.defined()) state.push_back(steps_);
    return state;
  }

 private:
  // The parameters that one operator updates.
  struct Group {
    std::vector<at::Tensor> parameters, gradients, first, second;
    std::int64_t numbers = 0;

    void add(const WideUpdate::Part& part, const at::Tensor& m, const at::Tensor& v) {
      parameters.push_back(part.parameter);
      gradients.push_back(part.gradient);
      first.push_back(m);
      second.push_back(v);
      numbers += part.parameter.numel();
    }
  };

  // Leaves the group empty.
  void run(Group& group, double learning_rate, const at::Tensor& found_inf) {
    if (group.parameters.empty()) return;
    check_cancelled();
    const std::vector<at::Tensor> steps(group.parameters.size(), steps_);
    const auto skip = found_inf.defined() ? std::optional(found_inf) : std::nullopt;
    at::_fused_adamw_(group.parameters, group.gradients, group.first, group.second, {}, steps,
                      learning_rate, settings_.beta1, settings_.beta2, settings_.weight_decay,
                      settings_.epsilon, /*amsgrad=*/false, /*maximize=*/false,
                      /*grad_scale=*/std::nullopt, skip);
    group = {};
  }

  // So that the copies in fp32 stay small beside the parameters.
  void run_in_pieces(std::size_t i, double learning_rate, const at::Tensor& found_inf) {
    const std::int64_t numbers = update_.parameters()[i].numel();
    for (std::int64_t begin = 0; begin < numbers; begin += kGroupNumbers) {
      const std::int64_t count = std::min(kGroupNumbers, numbers - begin);
      const auto cut = [&](const at::Tensor& moment) {
        return moment.view(-1).narrow(0, begin, count);
      };
      const PlaceScope place = update_.place(i);
      const WideUpdate::Part part = update_.piece(i, begin, count);
      Group group;
      group.add(part, cut(moments_.first[i]), cut(moments_.second[i]));
      run(group, learning_rate, found_inf);
      update_.put_back(i, part, begin, count);
    }
  }

  OptimizerSettings settings_;
  WideUpdate update_;
  Moments moments_;
  at::Tensor steps_;
  std::int64_t step_count_ = 0;
};

}  // namespace

std::unique_ptr<Optimizer> make_adamw_fused(std::vector<TrainedTensor> trained,
                                            const OptimizerSettings& settings) {
  return std::make_unique<FusedAdamW>(std::move(trained), settings);
}

}  // namespace ts::kernels
