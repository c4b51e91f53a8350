// Our CUDA kernels, run by the executor, against the formulas in fp64: values, gradients,
// remainders of tiles, masks, shared keys. No access races, leaves its tensor or reads what nobody
// wrote.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/report/attention_stages.h"
#include "kernels/executor/executor.h"
#include "kernels/executor/warpgroup.h"
#include "kernels/own_cuda/attention.h"
#include "kernels/own_cuda/attention_warpgroup.h"
#include "kernels/own_cuda/norms.h"
#include "kernels/own_cuda/on_cpu.h"
#include "kernels/own_cuda/weighted_sums.h"
#include "tests/executor/run_rows.h"
#include "tests/executor/typed_tensor.h"

namespace ts::kernels::own_cuda {
namespace {

struct AttentionCase {
  std::string stage, type;
  int queries = 0, keys = 0, d_head = 0;
  bool causal = false;
  int heads = 1, kv_heads = 1;
};

struct AttentionValues {
  Values o, log_sums, d_q, d_k, d_v;
};

// The formulas, for one head after the other.
AttentionValues exact_attention(const AttentionCase& c, const Values& q, const Values& k,
                                const Values& v, const Values& d_o) {
  const auto at = [&](const Values& x, int head, int rows, int row, int column) {
    return x[(static_cast<std::size_t>(head) * static_cast<std::size_t>(rows) +
              static_cast<std::size_t>(row)) *
                 static_cast<std::size_t>(c.d_head) +
             static_cast<std::size_t>(column)];
  };
  const double scale = 1 / std::sqrt(c.d_head);
  AttentionValues exact{.o = Values(q.size()),
                        .log_sums = {},
                        .d_q = Values(q.size()),
                        .d_k = Values(k.size()),
                        .d_v = Values(k.size())};
  const auto place = [&](int head, int rows, int row) {
    return (static_cast<std::size_t>(head) * static_cast<std::size_t>(rows) +
            static_cast<std::size_t>(row)) *
           static_cast<std::size_t>(c.d_head);
  };
  for (int head = 0; head < c.heads; ++head) {
    const int kv = head / (c.heads / c.kv_heads);
    for (int i = 0; i < c.queries; ++i) {
      const int seen = c.causal ? std::min(c.keys, i + 1) : c.keys;
      Values p(static_cast<std::size_t>(seen)), d_p(p.size());
      double sum = 0, mean = 0;
      for (int j = 0; j < seen; ++j) {
        double s = 0, g = 0;
        for (int x = 0; x < c.d_head; ++x) {
          s += at(q, head, c.queries, i, x) * at(k, kv, c.keys, j, x);
          g += at(d_o, head, c.queries, i, x) * at(v, kv, c.keys, j, x);
        }
        p[static_cast<std::size_t>(j)] = std::exp(scale * s);
        d_p[static_cast<std::size_t>(j)] = g;
        sum += p[static_cast<std::size_t>(j)];
      }
      exact.log_sums.push_back(std::log(sum));
      for (std::size_t j = 0; j < p.size(); ++j) {
        p[j] /= sum;
        mean += p[j] * d_p[j];
      }
      for (int j = 0; j < seen; ++j) {
        const double weight = p[static_cast<std::size_t>(j)];
        const double d_s = scale * weight * (d_p[static_cast<std::size_t>(j)] - mean);
        for (int x = 0; x < c.d_head; ++x) {
          const auto column = static_cast<std::size_t>(x);
          exact.o[place(head, c.queries, i) + column] += weight * at(v, kv, c.keys, j, x);
          exact.d_q[place(head, c.queries, i) + column] += d_s * at(k, kv, c.keys, j, x);
          exact.d_k[place(kv, c.keys, j) + column] += d_s * at(q, head, c.queries, i, x);
          exact.d_v[place(kv, c.keys, j) + column] += weight * at(d_o, head, c.queries, i, x);
        }
      }
    }
  }
  return exact;
}

struct OwnCuda : testing::Test {
  void TearDown() override { executor::release_tensors(); }

  // For a kernel whose tiles come by the accelerator: the same problem, with maps of its tensors.
  static AttentionByTma<void> by_tma(const AttentionCase& c, const report::StageKernel& kernel,
                                     const Attention<void>& problem) {
    AttentionByTma<void> all{.q = {}, .k = {}, .v = {}, .d_o = {}, .a = problem};
    int of_q = kernel.rows(c.d_head), of_k = kernel.other(c.d_head);
    if (kernel.of_keys) std::swap(of_q, of_k);
    executor::make_tensor_map(&all.q, problem.q, c.d_head, c.queries, c.heads, of_q);
    executor::make_tensor_map(&all.d_o, problem.d_o, c.d_head, c.queries, c.heads, of_q);
    executor::make_tensor_map(&all.k, problem.k, c.d_head, c.keys, c.kv_heads, of_k);
    executor::make_tensor_map(&all.v, problem.v, c.d_head, c.keys, c.kv_heads, of_k);
    return all;
  }

  // The kernel of a stage for a part; of the tensor-core stage where that has none for the head.
  static const report::StageKernel& kernel_of(const AttentionCase& c, const std::string& part) {
    const report::StageKernel* found = nullptr;
    for (const report::StageKernel& kernel : report::kAttentionKernels) {
      const bool of_stage = part == "row_sums" || kernel.stage == c.stage ||
                            (kernel.stage == std::string("tensor_core") && c.stage == "warpgroup");
      const bool wide = c.d_head >= kernel.narrowest && c.d_head <= kernel.widest;
      if (kernel.part == part && of_stage && wide) found = &kernel;
    }
    return *found;
  }

  static void run_part(const AttentionCase& c, const std::string& part,
                       const Attention<void>& problem) {
    const report::StageKernel& kernel = kernel_of(c, part);
    const AttentionByTma<void> all = by_tma(c, kernel, problem);
    const bool tma = kernel.stage == std::string("warpgroup");
    const int rows = kernel.rows(c.d_head);
    const report::Threads threads = kernel.threads(c.d_head);
    const int count = kernel.of_keys ? c.keys : c.queries;
    const auto finding = run_on_cpu(
        kernel.kernel(c.type, c.d_head),
        {static_cast<unsigned>((count + rows - 1) / rows),
         static_cast<unsigned>(kernel.of_keys ? c.kv_heads : c.heads), 1},
        {threads.x, threads.y, 1}, static_cast<std::size_t>(kernel.shared_bytes(c.d_head)),
        tma ? static_cast<const void*>(&all) : &problem);
    ASSERT_FALSE(finding) << kernel.function << ": " << executor::name_of(finding.kind) << " in "
                          << finding.memory << "[" << finding.index << "] of " << finding.elements
                          << ", thread " << finding.thread << " and " << finding.other;
  }

  static void check(const AttentionCase& c) {
    SCOPED_TRACE(c.stage + " " + c.type + " " + std::to_string(c.queries) + " x " +
                 std::to_string(c.keys) + ", d_head " + std::to_string(c.d_head) +
                 (c.causal ? ", causal" : ""));
    const auto width = static_cast<std::size_t>(c.d_head);
    const std::size_t rows =
        static_cast<std::size_t>(c.heads) * static_cast<std::size_t>(c.queries);
    const std::size_t of_q = rows * width;
    const std::size_t of_k =
        static_cast<std::size_t>(c.kv_heads) * static_cast<std::size_t>(c.keys) * width;
    const TypedTensor q("q", c.type, of_q, false), k("k", c.type, of_k, false);
    const TypedTensor v("v", c.type, of_k, false), o("o", c.type, of_q, true);
    const TypedTensor d_o("d_o", c.type, of_q, false), d_q("d_q", c.type, of_q, true);
    const TypedTensor d_k("d_k", c.type, of_k, true), d_v("d_v", c.type, of_k, true);
    const TypedTensor log_sums("L", "fp32", rows, true), row_sums("D", "fp32", rows, true);
    const AttentionValues exact =
        exact_attention(c, q.set(random_values(of_q, 1)), k.set(random_values(of_k, 2)),
                        v.set(random_values(of_k, 3)), d_o.set(random_values(of_q, 4)));
    const Attention<void> problem{.q = q.data,
                                  .k = k.data,
                                  .v = v.data,
                                  .o = o.data,
                                  .log_sums = static_cast<float*>(log_sums.data),
                                  .d_o = d_o.data,
                                  .row_sums = static_cast<float*>(row_sums.data),
                                  .d_q = d_q.data,
                                  .d_k = d_k.data,
                                  .d_v = d_v.data,
                                  .queries = c.queries,
                                  .keys = c.keys,
                                  .group = c.heads / c.kv_heads,
                                  .causal = c.causal ? 1 : 0,
                                  .scale = 1 / std::sqrt(static_cast<float>(c.d_head))};
    for (const char* part : {"forward", "row_sums", "d_q", "d_kv"}) {
      ASSERT_NO_FATAL_FAILURE(run_part(c, part, problem));
    }
    const double tolerance = c.type == "fp32" ? 3e-6 : c.type == "fp16" ? 2e-3 : 1.5e-2;
    expect_near(log_sums.values_of(), exact.log_sums, 3e-6, "L");
    expect_near(o.values_of(), exact.o, tolerance, "o");
    expect_near(d_q.values_of(), exact.d_q, tolerance, "d_q");
    expect_near(d_k.values_of(), exact.d_k, tolerance, "d_k");
    expect_near(d_v.values_of(), exact.d_v, tolerance, "d_v");
    executor::release_tensors();
  }
};

// One row, remainders of every tile, and more than one tile of each kind.
TEST_F(OwnCuda, NaiveAttention) {
  for (const bool causal : {false, true}) {
    check({.stage = "naive",
           .type = "fp32",
           .queries = 37,
           .keys = 37,
           .d_head = 32,
           .causal = causal});
    check({.stage = "naive",
           .type = "bf16",
           .queries = 5,
           .keys = 5,
           .d_head = 64,
           .causal = causal});
  }
  check({.stage = "naive", .type = "fp16", .queries = 1, .keys = 9, .d_head = 128});
  check({.stage = "naive", .type = "fp32", .queries = 130, .keys = 3, .d_head = 32});
}

TEST_F(OwnCuda, TiledAttention) {
  for (const bool causal : {false, true}) {
    for (const int d_head : {32, 64, 128}) {
      check({.stage = "tiled",
             .type = "fp32",
             .queries = 71,
             .keys = 71,
             .d_head = d_head,
             .causal = causal});
    }
    check({.stage = "tiled",
           .type = "bf16",
           .queries = 33,
           .keys = 33,
           .d_head = 64,
           .causal = causal});
  }
  check({.stage = "tiled", .type = "fp16", .queries = 1, .keys = 1, .d_head = 32});
  check({.stage = "tiled", .type = "fp32", .queries = 3, .keys = 65, .d_head = 64});
}

TEST_F(OwnCuda, TensorCoreAttention) {
  for (const bool causal : {false, true}) {
    for (const int d_head : {32, 64, 128}) {
      check({.stage = "tensor_core",
             .type = "bf16",
             .queries = 71,
             .keys = 71,
             .d_head = d_head,
             .causal = causal});
    }
    check({.stage = "tensor_core",
           .type = "fp16",
           .queries = 130,
           .keys = 130,
           .d_head = 64,
           .causal = causal});
  }
  check({.stage = "tensor_core", .type = "fp16", .queries = 1, .keys = 1, .d_head = 32});
  check({.stage = "tensor_core", .type = "fp16", .queries = 3, .keys = 100, .d_head = 64});
}

// The widest head has tiles of its own, and in one kernel two warps for the same rows.
TEST_F(OwnCuda, TheWidestHead) {
  check({.stage = "naive", .type = "fp32", .queries = 9, .keys = 7, .d_head = 256});
  for (const bool causal : {false, true}) {
    check({.stage = "tiled",
           .type = "fp32",
           .queries = 35,
           .keys = 35,
           .d_head = 256,
           .causal = causal});
    for (const char* type : {"bf16", "fp16"}) {
      check({.stage = "tensor_core",
             .type = type,
             .queries = 71,
             .keys = 71,
             .d_head = 256,
             .causal = causal});
    }
  }
  check({.stage = "tiled", .type = "bf16", .queries = 3, .keys = 18, .d_head = 256});
  check({.stage = "tensor_core", .type = "bf16", .queries = 3, .keys = 100, .d_head = 256});
  for (const char* stage : {"tiled", "tensor_core"}) {
    check({.stage = stage,
           .type = "bf16",
           .queries = 20,
           .keys = 20,
           .d_head = 256,
           .causal = true,
           .heads = 4,
           .kv_heads = 2});
  }
}

// Rows past the end, more tiles than places, a mask that leaves a warpgroup nothing of a tile, and
// heads that share keys.
TEST_F(OwnCuda, WarpgroupAttention) {
  for (const bool causal : {false, true}) {
    for (const int d_head : {64, 128, 256}) {
      check({.stage = "warpgroup",
             .type = d_head == 128 ? "fp16" : "bf16",
             .queries = 150,
             .keys = 150,
             .d_head = d_head,
             .causal = causal});
    }
    check({.stage = "warpgroup",
           .type = "bf16",
           .queries = 20,
           .keys = 20,
           .d_head = 64,
           .causal = causal,
           .heads = 4,
           .kv_heads = 2});
  }
  check({.stage = "warpgroup", .type = "fp16", .queries = 1, .keys = 1, .d_head = 64});
  check({.stage = "warpgroup", .type = "bf16", .queries = 3, .keys = 400, .d_head = 64});
}

// The shared memory of a block is at most 64 KiB on 7.5, 99 on 8.6 and 8.9, 227 on 9.0.
TEST(OwnCudaSizes, EveryStageFitsTheSmallestOfItsCards) {
  for (const report::StageKernel& kernel : report::kAttentionKernels) {
    for (const int d_head : report::kAttentionWidths) {
      if (d_head < kernel.narrowest || d_head > kernel.widest) continue;
      const int most = kernel.first_capability < 80 ? 64 : kernel.first_capability < 90 ? 99 : 227;
      EXPECT_LE(kernel.shared_bytes(d_head), most * 1024) << kernel.function << " " << d_head;
      const report::Threads threads = kernel.threads(d_head);
      EXPECT_LE(threads.x * threads.y, kernel.first_capability < 90 ? 256U : 512U);
    }
  }
}

TEST_F(OwnCuda, HeadsThatShareKeys) {
  for (const char* stage : {"naive", "tiled", "tensor_core"}) {
    check({.stage = stage,
           .type = "fp16",
           .queries = 20,
           .keys = 20,
           .d_head = 32,
           .causal = true,
           .heads = 6,
           .kv_heads = 2});
  }
}

struct NormValues {
  Values y, d_x, d_w, d_b;
};

// The formulas in fp64, a row after the other.
NormValues exact_norm(bool centred, std::size_t width, double epsilon, const Values& x,
                      const Values& w, const Values& b, const Values& d_y) {
  NormValues out{Values(x.size()), Values(x.size()), Values(width), Values(width)};
  const auto count = static_cast<double>(width);
  for (std::size_t begin = 0; begin < x.size(); begin += width) {
    double mean = 0, squares = 0, of_g = 0, along = 0;
    for (std::size_t c = 0; c < width && centred; ++c) mean += x[begin + c] / count;
    for (std::size_t c = 0; c < width; ++c) squares += std::pow(x[begin + c] - mean, 2) / count;
    const double scale = 1 / std::sqrt(squares + epsilon);
    const auto normalised = [&](std::size_t c) { return (x[begin + c] - mean) * scale; };
    for (std::size_t c = 0; c < width; ++c) {
      out.y[begin + c] = normalised(c) * w[c] + (centred ? b[c] : 0);
      out.d_w[c] += d_y[begin + c] * normalised(c);
      out.d_b[c] += d_y[begin + c];
      of_g += d_y[begin + c] * w[c] / count;
      along += d_y[begin + c] * w[c] * normalised(c) / count;
    }
    for (std::size_t c = 0; c < width; ++c) {
      out.d_x[begin + c] =
          scale * (d_y[begin + c] * w[c] - (centred ? of_g : 0) - normalised(c) * along);
    }
  }
  return out;
}

// One warp or several; whole packs or not. OwnRows.Softmax has more than they hold.
constexpr int kWidths[] = {3, 33, 203, 1032};

TEST_F(OwnCuda, Norms) {
  for (const bool centred : {false, true}) {
    for (const char* type : {"fp32", "bf16", "fp16"}) {
      for (const int width : kWidths) {
        SCOPED_TRACE(std::string(centred ? "LayerNorm " : "RMSNorm ") + type + " " +
                     std::to_string(width));
        constexpr int kRows = 11, kRowsOfBlock = 4;
        constexpr float kEpsilon = 1e-5F;
        const auto columns = static_cast<std::size_t>(width);
        const TypedTensor x("x", type, kRows * columns, false), w("w", type, columns, false);
        const TypedTensor b("b", type, columns, false), y("y", type, kRows * columns, true);
        const TypedTensor d_y("d_y", type, kRows * columns, false);
        const TypedTensor d_x("d_x", type, kRows * columns, true), d_w("d_w", type, columns, true);
        const TypedTensor d_b("d_b", type, columns, true);
        const TypedTensor mean("mean", "fp32", kRows, true), scale("scale", "fp32", kRows, true);
        const TypedTensor of_w("partial_w", "fp32", 3 * columns, true);
        const TypedTensor of_b("partial_b", "fp32", 3 * columns, true);
        const Values in = x.set(random_values(kRows * columns, 1)),
                     by = w.set(random_values(columns, 2)), more = b.set(random_values(columns, 3));
        const Values g = d_y.set(random_values(kRows * columns, 4));
        const auto floats = [](const TypedTensor& tensor) {
          return static_cast<float*>(tensor.data);
        };
        const Norm<void> problem{.x = x.data,
                                 .w = w.data,
                                 .b = centred ? b.data : nullptr,
                                 .y = y.data,
                                 .mean = centred ? floats(mean) : nullptr,
                                 .scale = floats(scale),
                                 .d_y = d_y.data,
                                 .d_x = d_x.data,
                                 .d_w = d_w.data,
                                 .d_b = centred ? d_b.data : nullptr,
                                 .partial_w = floats(of_w),
                                 .partial_b = centred ? floats(of_b) : nullptr,
                                 .rows = kRows,
                                 .width = width,
                                 .rows_of_block = kRowsOfBlock,
                                 .centred = centred ? 1 : 0,
                                 .epsilon = kEpsilon};
        const auto run = [&](const char* name, report::RowLaunch launch, unsigned row_blocks) {
          return run_rows_on_cpu(name, type, launch, kRows, columns, row_blocks, &problem);
        };
        EXPECT_FALSE(run("norm_forward", report::RowLaunch::rows, 1));
        EXPECT_FALSE(run("norm_backward", report::RowLaunch::rows, 1));
        EXPECT_FALSE(run("norm_backward_weights", report::RowLaunch::columns, 3));
        EXPECT_FALSE(run("norm_add", report::RowLaunch::sums, 1));
        const NormValues exact = exact_norm(centred, columns, kEpsilon, in, by, more, g);
        const double tolerance = type == std::string("fp32")   ? 1e-5
                                 : type == std::string("fp16") ? 2e-3
                                                               : 1e-2;
        expect_near(y.values_of(), exact.y, tolerance, "y");
        expect_near(d_x.values_of(), exact.d_x, tolerance, "d_x");
        expect_near(d_w.values_of(), exact.d_w, tolerance, "d_w");
        if (centred) expect_near(d_b.values_of(), exact.d_b, tolerance, "d_b");
        executor::release_tensors();
      }
    }
  }
}

TEST_F(OwnCuda, WeightedSum) {
  for (const char* type : {"fp32", "bf16", "fp16"}) {
    for (const auto& [width, rows_of_block] :
         {std::pair(1, 4), {33, 4}, {200, 1}, {200, 40}, {203, 40}, {1032, 4}}) {
      SCOPED_TRACE(std::string(type) + " " + std::to_string(width) + " " +
                   std::to_string(rows_of_block));
      // Some warps have more rows than they read at once; one row a block: more blocks than warps.
      const int rows = rows_of_block == 4 ? 11 : 41,
                blocks = (rows + rows_of_block - 1) / rows_of_block;
      const auto columns = static_cast<std::size_t>(width), count = static_cast<std::size_t>(rows);
      const TypedTensor x("x", type, count * columns, false), w("w", type, columns, false);
      const TypedTensor y("y", type, count, true), d_y("d_y", type, count, false);
      const TypedTensor d_x("d_x", type, count * columns, true), d_w("d_w", type, columns, true);
      const TypedTensor partial("partial", "fp32", static_cast<std::size_t>(blocks) * columns,
                                true);
      const Values in = x.set(random_values(count * columns, 1)),
                   by = w.set(random_values(columns, 2));
      const Values g = d_y.set(random_values(count, 3));
      const WeightedSum<void> problem{.x = x.data,
                                      .w = w.data,
                                      .y = y.data,
                                      .d_y = d_y.data,
                                      .d_x = d_x.data,
                                      .d_w = d_w.data,
                                      .partial = static_cast<float*>(partial.data),
                                      .rows = rows,
                                      .width = width,
                                      .rows_of_block = rows_of_block};
      const auto run = [&](const char* name, report::RowLaunch launch, unsigned row_blocks) {
        return run_rows_on_cpu(name, type, launch, count, columns, row_blocks, &problem);
      };
      EXPECT_FALSE(run("weighted_sum_forward", report::RowLaunch::rows, 1));
      EXPECT_FALSE(
          run("weighted_sum_backward", report::RowLaunch::columns, static_cast<unsigned>(blocks)));
      EXPECT_FALSE(run("weighted_sum_add", report::RowLaunch::sums, 1));
      Values sums(count), of_x(count * columns), of_w(columns);
      for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t c = 0; c < columns; ++c) {
          sums[row] += in[row * columns + c] * by[c];
          of_x[row * columns + c] = g[row] * by[c];
          of_w[c] += g[row] * in[row * columns + c];
        }
      }
      const double tolerance = type == std::string("fp32")   ? 1e-6
                               : type == std::string("fp16") ? 1e-3
                                                             : 5e-3;
      expect_near(y.values_of(), sums, tolerance, "y");
      expect_near(d_x.values_of(), of_x, tolerance, "d_x");
      expect_near(d_w.values_of(), of_w, tolerance, "d_w");
      executor::release_tensors();
    }
  }
}

}  // namespace
}  // namespace ts::kernels::own_cuda
