#include "kernels/optim/wide_update.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>

namespace ts::kernels {
namespace {

bool has_16_bits(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kBFloat16 || tensor.scalar_type() == at::kHalf;
}

}  // namespace

WideUpdate::WideUpdate(std::vector<TrainedTensor> trained, spec::OptimizerState state) {
  for (TrainedTensor& one : trained) {
    parameters_.push_back(std::move(one.tensor));
    places_.push_back(std::move(one.module));
  }
  wide_ = state != spec::OptimizerState::parameter && !parameters_.empty() &&
          has_16_bits(parameters_.front());
  if (!wide_ || state != spec::OptimizerState::fp32_master) return;
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const PlaceScope here = place(i);
    masters_.push_back(parameters_[i].to(at::kFloat));
  }
}

at::Tensor WideUpdate::moment(std::size_t i) const {
  const PlaceScope here = place(i);
  const at::Tensor& parameter = parameters_[i];
  return wide_ ? at::zeros_like(parameter, parameter.options().dtype(at::kFloat))
               : at::zeros_like(parameter);
}

WideUpdate::Part WideUpdate::whole(std::size_t i) const {
  const at::Tensor& parameter = parameters_[i];
  if (!wide_) return {parameter, parameter.grad()};
  return {masters_.empty() ? parameter.to(at::kFloat) : masters_[i],
          parameter.grad().to(at::kFloat)};
}

WideUpdate::Part WideUpdate::piece(std::size_t i, std::int64_t begin, std::int64_t count) const {
  const auto cut = [&](const at::Tensor& tensor) {
    return tensor.view(-1).narrow(0, begin, count);
  };
  return {masters_.empty() ? cut(parameters_[i]).to(at::kFloat) : cut(masters_[i]),
          cut(parameters_[i].grad()).to(at::kFloat)};
}

void WideUpdate::put_back(std::size_t i, const Part& part) const {
  if (wide_) parameters_[i].copy_(part.parameter);
}

void WideUpdate::put_back(std::size_t i, const Part& part, std::int64_t begin,
                          std::int64_t count) const {
  if (wide_) parameters_[i].view(-1).narrow(0, begin, count).copy_(part.parameter);
}

}  // namespace ts::kernels
