// Our attention on plain memory against its formula in fp64: every type, set of instructions,
// remainder of a tile, and shared keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "kernels/own/attention_kernel.h"
#include "tests/own/typed_numbers.h"

namespace ts::kernels::own {
namespace {

using testing::random_values;
using testing::TypedNumbers;
using testing::Values;

struct Sizes {
  std::size_t queries, keys, d_head, heads;
  bool causal;
  std::int64_t tile_queries = 64, tile_keys = 64;
};

struct Results {
  Values o, d_q, d_k, d_v;
};

// All heads share keys and values.
Results formula(const Sizes& sizes, const Results& in, const Values& d_o, double scale) {
  const auto [queries, keys, d_head, heads, causal, tile_queries, tile_keys] = sizes;
  Results out{Values(in.o.size()), Values(in.o.size()), Values(in.d_k.size()),
              Values(in.d_v.size())};
  for (std::size_t row = 0; row < heads * queries; ++row) {
    const std::size_t seen = causal ? std::min(row % queries + 1, keys) : keys;
    Values p(seen), d_p(seen);
    double sum = 0, mean = 0;
    for (std::size_t j = 0; j < seen; ++j) {
      double s = 0;
      for (std::size_t c = 0; c < d_head; ++c) {
        s += in.d_q[row * d_head + c] * in.d_k[j * d_head + c];
        d_p[j] += d_o[row * d_head + c] * in.d_v[j * d_head + c];
      }
      p[j] = std::exp(scale * s);
      sum += p[j];
    }
    for (std::size_t j = 0; j < seen; ++j) {
      p[j] /= sum;
      mean += p[j] * d_p[j];
    }
    for (std::size_t j = 0; j < seen; ++j) {
      const double d_s = scale * p[j] * (d_p[j] - mean);
      for (std::size_t c = 0; c < d_head; ++c) {
        out.o[row * d_head + c] += p[j] * in.d_v[j * d_head + c];
        out.d_q[row * d_head + c] += d_s * in.d_k[j * d_head + c];
        out.d_k[j * d_head + c] += d_s * in.d_q[row * d_head + c];
        out.d_v[j * d_head + c] += p[j] * d_o[row * d_head + c];
      }
    }
  }
  return out;
}

// Those that compute the element with these instructions.
std::vector<const AttentionKernel*> kernels_of(const testing::Way& way) {
  if (way.instructions == Instructions::portable) return {&kPortableAttention};
  if (way.instructions == Instructions::avx2) return {&kAvx2Attention};
  if (way.element == Element::bf16 && runs_here(kAvx512Bf16Attention)) {
    return {&kAvx512Attention, &kAvx512Bf16Attention};
  }
  return {&kAvx512Attention};
}

struct Free {
  void operator()(void* data) const { std::free(data); }
};
using Scratch = std::unique_ptr<void, Free>;
Scratch scratch_of(std::int64_t bytes) {
  return Scratch(std::aligned_alloc(64, (static_cast<std::size_t>(bytes) + 63) / 64 * 64));
}

void expect_near(const Values& got, const Values& exact, Element element, const char* name) {
  double largest = 0;
  for (const double value : exact) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], exact[i], 2 * TypedNumbers::tolerance(element) * (1 + largest))
        << name << " " << i;
  }
}

class OwnAttentionMemory : public ::testing::TestWithParam<Sizes> {};

void expect_formula(const Sizes& sizes, const testing::Way& way, const AttentionKernel& kernel) {
  const double scale = 1 / std::sqrt(static_cast<double>(sizes.d_head));
  const auto row = static_cast<std::int64_t>(sizes.d_head);
  const std::size_t of_head = sizes.queries * sizes.d_head, of_keys = sizes.keys * sizes.d_head;
  const TypedNumbers k{way.element, random_values(of_keys, 1)};
  const TypedNumbers v{way.element, random_values(of_keys, 2)};
  const TypedNumbers d_k{way.element, of_keys}, d_v{way.element, of_keys};
  std::vector<TypedNumbers> q, o, d_o, d_q, sums;
  std::vector<Head> heads;
  for (unsigned i = 0; i < sizes.heads; ++i) {
    q.emplace_back(way.element, random_values(of_head, 3 + 2 * i));
    d_o.emplace_back(way.element, random_values(of_head, 4 + 2 * i));
    o.emplace_back(way.element, of_head);
    d_q.emplace_back(way.element, of_head);
    sums.emplace_back(Element::fp64, sizes.queries);
    heads.push_back({.element = way.element,
                     .causal = sizes.causal,
                     .queries = static_cast<std::int64_t>(sizes.queries),
                     .keys = static_cast<std::int64_t>(sizes.keys),
                     .d_head = row,
                     .scale = scale,
                     .tile_queries = sizes.tile_queries,
                     .tile_keys = sizes.tile_keys,
                     .q = {q.back().data(), row},
                     .k = {k.data(), row},
                     .v = {v.data(), row},
                     .o = {o.back().data(), row},
                     .d_o = {d_o.back().data(), row},
                     .d_q = {d_q.back().data(), row},
                     .d_k = {d_k.data(), row},
                     .d_v = {d_v.data(), row},
                     .log_sums = static_cast<double*>(sums.back().data())});
  }
  for (const Head& head : heads) {
    const Scratch scratch = scratch_of(kernel.forward_scratch(head));
    for (std::int64_t first = 0; first < head.queries; first += head.tile_queries)
      kernel.forward(head, first, scratch.get());
  }
  const auto count = static_cast<std::int64_t>(heads.size());
  const Scratch scratch = scratch_of(kernel.backward_scratch(heads[0], count));
  kernel.backward(heads.data(), count, scratch.get());

  const auto joined = [](const std::vector<TypedNumbers>& parts) {
    Values all;
    for (const TypedNumbers& part : parts) {
      const Values values = part.values();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  const Results exact =
      formula(sizes, {joined(o), joined(q), k.values(), v.values()}, joined(d_o), scale);
  expect_near(joined(o), exact.o, way.element, "o");
  expect_near(joined(d_q), exact.d_q, way.element, "dq");
  expect_near(d_k.values(), exact.d_k, way.element, "dk");
  expect_near(d_v.values(), exact.d_v, way.element, "dv");
}

TEST_P(OwnAttentionMemory, IsItsFormula) {
  for (const testing::Way& way : testing::ways()) {
    for (const AttentionKernel* const kernel : kernels_of(way)) {
      SCOPED_TRACE(std::string(name_of(*kernel)) + ", element " +
                   std::to_string(static_cast<int>(way.element)));
      expect_formula(GetParam(), way, *kernel);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, OwnAttentionMemory,
    ::testing::Values(Sizes{1, 1, 1, 1, false}, Sizes{5, 7, 3, 1, false}, Sizes{33, 33, 8, 1, true},
                      Sizes{70, 70, 17, 2, true}, Sizes{65, 130, 64, 1, false},
                      Sizes{130, 67, 40, 3, false}, Sizes{100, 100, 128, 2, true},
                      Sizes{19, 19, 256, 1, true}, Sizes{70, 70, 17, 2, true, 24, 41},
                      Sizes{40, 90, 8, 1, false, 9, 16}));

}  // namespace
}  // namespace ts::kernels::own
