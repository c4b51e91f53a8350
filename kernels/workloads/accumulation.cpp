#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <array>

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
  Accumulation(Builder& builder, const run::WorkloadSpec& spec) : additions_(spec.seq_len) {
    for (const Scheme& scheme : schemes()) {
      const at::TensorOptions options = builder.options();
      sums_.push_back(builder.keep_input(at::zeros({1}, options.dtype(scheme.sum))));
      terms_.push_back(builder.keep_input(at::full({1}, kTerm, options.dtype(scheme.term))));
    }
  }

  at::Tensor forward() override {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const Scheme& scheme = schemes()[i];
      const ModuleScope scope(scheme.name);
      sums_[i].zero_();
      for (std::int64_t n = 0; n < additions_; ++n) {
        sums_[i].add_(scheme.converts ? terms_[i].to(scheme.sum) : terms_[i]);
      }
    }
    return sums_.front();
  }

  [[nodiscard]] std::vector<run::NamedNumber> results() const override {
    std::vector<run::NamedNumber> results;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].is_meta()) return {};
      results.push_back(
          {schemes()[i].name, sums_[i].item<double>(), kTerm * static_cast<double>(additions_)});
    }
    return results;
  }

 private:
  static const std::array<Scheme, 5>& schemes() {
    static const std::array<Scheme, 5> all = {
        {{"fp32 += fp32", at::kFloat, at::kFloat},
         {"fp16 += fp16", at::kHalf, at::kHalf},
         {"bf16 += bf16", at::kBFloat16, at::kBFloat16},
         {"fp32 += fp16", at::kFloat, at::kHalf},
         {"fp32 += fp32(fp16)", at::kFloat, at::kHalf, true}}};
    return all;
  }

  std::int64_t additions_;
  std::vector<at::Tensor> sums_;
  std::vector<at::Tensor> terms_;
};

}  // namespace

std::unique_ptr<Workload> make_accumulation(Builder& builder, const run::WorkloadSpec& spec) {
  return std::make_unique<Accumulation>(builder, spec);
}

}  // namespace ts::kernels
