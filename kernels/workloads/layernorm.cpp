#include <ATen/ops/add.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sub.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/observe/module_scope.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

constexpr double kRangeEpsilon = 1e-5;

// The scales of the input: 1e-3 to 1e4, three a decade.
std::vector<double> all_scales() {
  constexpr int kFrom = -9, kTo = 12, kInADecade = 3;
  std::vector<double> scales;
  for (int i = kFrom; i <= kTo; ++i) scales.push_back(std::pow(10.0, i / double{kInADecade}));
  return scales;
}

// How the numbers are computed. apart: mean, squares, mean of the squares and rsqrt are separate
// operators, each of which rounds to the type; else it is LibTorch's one operator, which keeps its
// statistics in fp32.
struct NormScheme {
  std::string name;
  at::ScalarType type;
  bool apart = true;
};

const std::array<NormScheme, 5>& norm_schemes() {
  static const std::array<NormScheme, 5> all = {{{"fp32", at::kFloat},
                                                 {"fp16", at::kHalf},
                                                 {"bf16", at::kBFloat16},
                                                 {"fp16 (mean, var fp32)", at::kHalf, false},
                                                 {"bf16 (mean, var fp32)", at::kBFloat16, false}}};
  return all;
}

// Counts the numbers of a tensor that are inf or nan.
std::int64_t not_finite(const at::Tensor& tensor) {
  return tensor.numel() - tensor.isfinite().sum().item<std::int64_t>();
}

// The larger of a number and the largest absolute value of a tensor; NaN after the first NaN.
double larger(double so_far, const at::Tensor& tensor) {
  const double here = tensor.abs().max().item<double>();
  return std::isnan(so_far) || so_far > here ? so_far : here;
}

at::Tensor scaled(const NormScheme& scheme, const at::Tensor& x, double scale) {
  return at::mul(x, scale).to(scheme.type);
}

// (x - mean) / sqrt(mean of the squares + epsilon) over the last dimension. `bad`, if given, is
// increased by the numbers that came out as inf or nan in between and at the end.
at::Tensor normalised_apart(const at::Tensor& x, std::int64_t* bad) {
  const at::Tensor centred = at::sub(x, at::mean(x, {-1}, /*keepdim=*/true));
  const at::Tensor squares = at::mul(centred, centred);
  const at::Tensor variance = at::mean(squares, {-1}, /*keepdim=*/true);
  at::Tensor out = at::mul(centred, at::rsqrt(at::add(variance, kRangeEpsilon)));
  if (bad != nullptr) {
    for (const at::Tensor& one : {centred, squares, variance, out}) *bad += not_finite(one);
  }
  return out;
}

at::Tensor normalised(const NormScheme& scheme, const at::Tensor& x, std::int64_t* bad = nullptr) {
  if (scheme.apart) return normalised_apart(x, bad);
  at::Tensor out = at::layer_norm(x, {x.size(-1)}, {}, {}, kRangeEpsilon);
  if (bad != nullptr) *bad += not_finite(out);
  return out;
}

// The exercise on LayerNorm in 16 bits: an input x ~ normal [B, T, d_model], times a scale, rounded
// to each type and normalised over d_model in it.
class LayerNormRange final : public Workload {
 public:
  LayerNormRange(Builder& builder, const spec::WorkloadSpec& spec)
      : scales_(all_scales()),
        x_(builder.normal_input(std::array{spec.batch, spec.seq_len, spec.d_model}, false)) {}

  at::Tensor forward() override {
    at::Tensor last;
    for (const NormScheme& scheme : norm_schemes()) {
      const ModuleScope scope(scheme.name);
      for (const double scale : scales_) last = normalised(scheme, scaled(scheme, x_, scale));
    }
    return last;
  }

  // The count of numbers that came out as inf or nan, over all scales.
  [[nodiscard]] std::vector<run::NamedNumber> results() override {
    compare();
    return results_;
  }

  // The largest difference over the largest exact value, by scale: exact is fp64 on the same
  // rounded input. NaN where a result is inf or nan.
  [[nodiscard]] std::vector<run::ResultCurve> curves() override {
    compare();
    return curves_;
  }

 private:
  // Once, in pieces, so that fp64 takes no more memory than a step.
  void compare() {
    if (x_.is_meta() || !curves_.empty()) return;
    constexpr std::int64_t kPieces = 4;
    const std::vector<at::Tensor> pieces = x_.flatten(0, 1).chunk(kPieces);
    for (const NormScheme& scheme : norm_schemes()) {
      run::ResultCurve curve{scheme.name, scales_, {}};
      std::int64_t bad = 0;
      for (const double scale : scales_) {
        double largest = 0, difference = 0;
        for (const at::Tensor& piece : pieces) {
          const at::Tensor x = scaled(scheme, piece, scale);
          const at::Tensor exact = normalised_apart(x.to(at::kDouble), nullptr);
          const at::Tensor out = normalised(scheme, x, &bad);
          largest = larger(largest, exact);
          difference = larger(difference, at::sub(exact, out));
        }
        const double error = difference / largest;
        curve.y.push_back(std::isfinite(error) ? error : std::numeric_limits<double>::quiet_NaN());
      }
      curves_.push_back(std::move(curve));
      results_.push_back({scheme.name, static_cast<double>(bad), 0});
    }
  }

  std::vector<double> scales_;
  at::Tensor x_;
  std::vector<run::ResultCurve> curves_;
  std::vector<run::NamedNumber> results_;
};

}  // namespace

std::unique_ptr<Workload> make_layernorm(Builder& builder, const spec::WorkloadSpec& spec) {
  return std::make_unique<LayerNormRange>(builder, spec);
}

}  // namespace ts::kernels
