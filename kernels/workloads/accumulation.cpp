#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <array>

#include "core/report/result_curves.h"
#include "kernels/observe/module_scope.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

constexpr double kTerm = 0.01;

// One way to add up: the types of the sum and of what is added, and whether the latter is converted
// before it is added.
struct Scheme {
  std::string name;
  at::ScalarType sum;
  at::ScalarType term;
  bool converts = false;
};

// The exercise on accumulation in mixed precision: 0.01 added T times to a sum that is 0 at first.
class Accumulation final : public Workload {
 public:
  Accumulation(Builder& builder, const spec::WorkloadSpec& spec) : additions_(spec.seq_len) {
    for (const Scheme& scheme : schemes()) {
      const at::TensorOptions options = builder.options();
      sums_.push_back(builder.keep_input(at::zeros({1}, options.dtype(scheme.sum))));
      terms_.push_back(builder.keep_input(at::full({1}, kTerm, options.dtype(scheme.term))));
    }
  }

  at::Tensor forward() override {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const ModuleScope scope(schemes()[i].name);
      sums_[i].zero_();
      for (std::int64_t n = 0; n < additions_; ++n) add_once(i, sums_[i]);
    }
    return sums_.front();
  }

  [[nodiscard]] std::vector<run::NamedNumber> results() override {
    std::vector<run::NamedNumber> results;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].is_meta()) return {};
      results.push_back(
          {schemes()[i].name, sums_[i].item<double>(), kTerm * static_cast<double>(additions_)});
    }
    return results;
  }

  // The running sums, at most kPlaces of them spread evenly, the last included; then the exact one.
  [[nodiscard]] std::vector<run::ResultCurve> curves() override {
    if (sums_.front().is_meta()) return {};
    if (!curves_.empty()) return curves_;
    const std::vector<double> places = additions_read();
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      curves_.push_back({schemes()[i].name, places, running_sums(i, places)});
    }
    run::ResultCurve exact{report::kExactCurve, places, {}};
    for (const double place : places) exact.y.push_back(kTerm * place);
    curves_.push_back(std::move(exact));
    return curves_;
  }

 private:
  static constexpr std::int64_t kPlaces = 512;

  static const std::array<Scheme, 5>& schemes() {
    static const std::array<Scheme, 5> all = {
        {{"fp32 += fp32", at::kFloat, at::kFloat},
         {"fp16 += fp16", at::kHalf, at::kHalf},
         {"bf16 += bf16", at::kBFloat16, at::kBFloat16},
         {"fp32 += fp16", at::kFloat, at::kHalf},
         {"fp32 += fp32(fp16)", at::kFloat, at::kHalf, true}}};
    return all;
  }

  void add_once(std::size_t i, at::Tensor& sum) const {
    const Scheme& scheme = schemes()[i];
    sum.add_(scheme.converts ? terms_[i].to(scheme.sum) : terms_[i]);
  }

  // The numbers of additions after which a sum is read.
  [[nodiscard]] std::vector<double> additions_read() const {
    const std::int64_t count = std::min(additions_, kPlaces);
    std::vector<double> places;
    for (std::int64_t k = 1; k <= count; ++k) {
      places.push_back(static_cast<double>(k * additions_ / count));
    }
    return places;
  }

  // Kept on the device and copied from there once: reading each would wait for the device.
  [[nodiscard]] std::vector<double> running_sums(std::size_t i,
                                                 const std::vector<double>& places) const {
    at::Tensor sum = at::zeros_like(sums_[i]);
    at::Tensor read = at::empty({static_cast<std::int64_t>(places.size())}, sum.options());
    std::int64_t next = 0;
    for (std::int64_t n = 1; n <= additions_; ++n) {
      add_once(i, sum);
      if (static_cast<double>(n) != places[static_cast<std::size_t>(next)]) continue;
      read.narrow(0, next++, 1).copy_(sum);
    }
    read = read.to(at::kCPU, at::kDouble);
    const auto* const values = read.const_data_ptr<double>();
    return {values, values + read.numel()};
  }

  std::int64_t additions_;
  std::vector<run::ResultCurve> curves_;
  std::vector<at::Tensor> sums_;
  std::vector<at::Tensor> terms_;
};

}  // namespace

std::unique_ptr<Workload> make_accumulation(Builder& builder, const spec::WorkloadSpec& spec) {
  return std::make_unique<Accumulation>(builder, spec);
}

}  // namespace ts::kernels
