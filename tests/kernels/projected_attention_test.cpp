// Attention with projections, against products in plain fp64 loops around the reference attention.
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/capture/shape_text.h"
#include "core/spec/workload_math.h"
#include "core/stats/operator_flops.h"
#include "tests/kernels/attention_reference.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using Vector = std::vector<double>;

// Sizes of x [B, T, width] and of one projection to heads x d_head.
struct Sizes {
  std::size_t batch, length, width, heads, d_head;
  // The index of number c of head h at position t of sequence b, in [B, heads, T, d_head].
  [[nodiscard]] std::size_t at(std::size_t b, std::size_t h, std::size_t t, std::size_t c) const {
    return ((b * heads + h) * length + t) * d_head + c;
  }
};

template <class Visit>
void each_product(const Sizes& s, Visit visit) {
  for (std::size_t b = 0; b < s.batch; ++b)
    for (std::size_t h = 0; h < s.heads; ++h)
      for (std::size_t t = 0; t < s.length; ++t)
        for (std::size_t c = 0; c < s.d_head; ++c)
          for (std::size_t i = 0; i < s.width; ++i)
            visit(s.at(b, h, t, c), (h * s.d_head + c) * s.width + i,
                  (b * s.length + t) * s.width + i);
}

// x W^T, its heads apart.
at::Tensor projected(const Sizes& s, const Vector& x, const Vector& weight) {
  const auto size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  at::Tensor out =
      at::zeros({size(s.batch), size(s.heads), size(s.length), size(s.d_head)}, at::kDouble);
  auto* const y = out.mutable_data_ptr<double>();
  each_product(
      s, [&](std::size_t to, std::size_t w, std::size_t from) { y[to] += x[from] * weight[w]; });
  return out;
}

void expect_projected_as_reference(const spec::WorkloadSpec& spec) {
  auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  const std::vector<Parameter>& parameters = (*execution)->parameters();
  const at::Tensor x = (*execution)->inputs()[0];
  const auto count = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const Sizes queries{count(spec.batch), count(spec.seq_len), count(spec.heads * spec.d_head),
                      count(spec.heads), count(spec.d_head)};
  Sizes keys = queries;
  keys.heads = count(spec::kv_head_count(spec));
  ASSERT_EQ(x.sizes(),
            (std::vector<std::int64_t>{spec.batch, spec.seq_len, spec.heads * spec.d_head}));

  std::vector<Vector> weights;
  if (spec.fused_qkv) {
    ASSERT_EQ(parameters.size(), 1U);
    EXPECT_EQ(parameters[0].name, "attention.qkv_proj.weight");
    const Vector all = values(parameters[0].tensor);
    const std::size_t q = queries.width * queries.width;
    const std::size_t k = keys.heads * keys.d_head * keys.width;
    ASSERT_EQ(all.size(), q + 2 * k);
    const auto at = [&](std::size_t n) { return all.begin() + static_cast<std::ptrdiff_t>(n); };
    weights = {{at(0), at(q)}, {at(q), at(q + k)}, {at(q + k), all.end()}};
  } else {
    ASSERT_EQ(parameters.size(), 3U);
    for (const char* which : {"q", "k", "v"}) {
      const Parameter& parameter = parameters[weights.size()];
      EXPECT_EQ(parameter.name, std::string("attention.") + which + "_proj.weight");
      weights.push_back(values(parameter.tensor));
    }
  }
  const Vector input = values(x);
  const at::Tensor q = projected(queries, input, weights[0]);
  const at::Tensor k = projected(keys, input, weights[1]);
  const at::Tensor v = projected(keys, input, weights[2]);
  const AttentionReference reference = reference_attention(q, k, v, spec.causal);
  EXPECT_LT(relative_error((*execution)->workload().forward(), reference.output), 5e-6);

  const auto times = (*execution)->step(nullptr, 0);
  ASSERT_TRUE(times) << times.error().sentence;
  EXPECT_NEAR(times->loss, reference.loss, reference.loss * 1e-5);
  Vector x_gradient(input.size(), 0.0);
  std::vector<Vector> weight_gradients;
  const Vector* const gradients[] = {&reference.q_gradient, &reference.k_gradient,
                                     &reference.v_gradient};
  for (std::size_t which = 0; which < 3; ++which) {
    Vector& gradient = weight_gradients.emplace_back(weights[which].size(), 0.0);
    each_product(which == 0 ? queries : keys,
                 [&](std::size_t to, std::size_t weight, std::size_t from) {
                   gradient[weight] += (*gradients[which])[to] * input[from];
                   x_gradient[from] += (*gradients[which])[to] * weights[which][weight];
                 });
  }
  EXPECT_LT(relative_error(x.grad(), x_gradient), 2e-5);
  if (spec.fused_qkv) {
    Vector all;
    for (const Vector& one : weight_gradients) all.insert(all.end(), one.begin(), one.end());
    EXPECT_LT(relative_error(parameters[0].tensor.grad(), all), 2e-5);
    return;
  }
  for (std::size_t which = 0; which < 3; ++which) {
    EXPECT_LT(relative_error(parameters[which].tensor.grad(), weight_gradients[which]), 2e-5);
  }
}

spec::WorkloadSpec small_projected() {
  spec::WorkloadSpec spec = small_attention();
  spec.projections = true;
  spec.seq_len = 33;
  return spec;
}

TEST(ProjectedAttention, ValuesAndGradientsOfEveryBackendAndForm) {
  using spec::AttentionBackend;
  for (const auto backend :
       {AttentionBackend::naive, AttentionBackend::math, AttentionBackend::flash,
        AttentionBackend::tiled, AttentionBackend::own}) {
    for (const bool fused : {false, true}) {
      for (const auto& [heads, kv_heads] : {std::pair{1, 0}, {6, 0}, {6, 2}}) {
        spec::WorkloadSpec spec = small_projected();
        spec.backend = backend;
        spec.fused_qkv = fused;
        spec.heads = heads;
        spec.kv_heads = kv_heads;
        spec.causal = heads != 1;
        spec.tile_q = spec.tile_k = 16;
        SCOPED_TRACE(testing::Message() << to_string(backend) << fused << heads << kv_heads);
        expect_projected_as_reference(spec);
      }
    }
  }
}

TEST(ProjectedAttention, OddSizes) {
  for (const auto& [length, d_head] : {std::pair{1, 1}, {1, 5}, {7, 1}}) {
    spec::WorkloadSpec spec = small_projected();
    spec.batch = 1;
    spec.seq_len = length;
    spec.d_head = d_head;
    auto execution = engine().prepare(spec, kPlenty, nullptr, {});
    ASSERT_TRUE(execution) << execution.error().sentence;
    const auto times = (*execution)->step(nullptr, 0);
    ASSERT_TRUE(times) << times.error().sentence;
    EXPECT_TRUE(std::isfinite(times->loss));
  }
}

// W1: three products, one of two factors, a division, a softmax, one product; the backward has two
// products for each.
TEST(ProjectedAttention, RunsTheOperatorsOfTheExercise) {
  spec::WorkloadSpec spec = small_projected();
  spec.heads = 1;
  spec.causal = false;
  Recorded recorded;
  auto execution = engine().prepare(spec, kPlenty, &recorded.recorder, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  ASSERT_TRUE((*execution)->step(&recorded.recorder, 0));
  recorded.drain();
  std::map<std::string, int> forward, backward;
  double flops = 0;  // of all operators, by their shapes
  for (const capture::RawRecord& record : recorded.of_kind(capture::RawKind::op)) {
    const std::string name(recorded.text(record.name));
    if (record.phase == base::Phase::forward) ++forward[name];
    if (record.phase == base::Phase::backward) ++backward[name];
    if (name == "aten::mm" || name == "aten::bmm") {
      flops += stats::operator_flops(name, capture::shape_text(record.shapes));
    }
  }
  EXPECT_EQ(forward["aten::mm"], 3);
  EXPECT_EQ(forward["aten::bmm"], 2);
  EXPECT_EQ(forward["aten::div"], 2) << "by a number, which is a division by a tensor";
  EXPECT_EQ(forward["aten::softmax"], 1);
  EXPECT_EQ(forward["aten::clone"], 0);
  EXPECT_EQ(forward["aten::masked_fill"], 0);
  EXPECT_EQ(backward["aten::mm"], 6);
  EXPECT_EQ(backward["aten::bmm"], 4);
  EXPECT_DOUBLE_EQ(flops, spec::step_flops(spec, spec::AttentionBackend::naive).total());
}

}  // namespace
}  // namespace ts::kernels
