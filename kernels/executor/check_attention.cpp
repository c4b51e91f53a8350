// check_attention RESULT D_HEAD: the program that `tensorscope kernel FILE --check attention` makes
// of a file with the functions of entry_points.h. It runs them on small sizes, compares with the
// formula in fp64, and writes the first thing that is wrong into RESULT, as JSON.
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "kernels/executor/entry_points.h"
#include "kernels/executor/executor.h"
#include "kernels/executor/one_process.h"

extern "C" [[gnu::weak]] void attention_backward(const float* q, const float* k, const float* v,
                                                 const float* d_o, float* d_q, float* d_k,
                                                 float* d_v, int heads, int length, int d_head,
                                                 bool causal);

namespace {

using ts::executor::Finding;
using Values = std::vector<double>;

// The error of fp32 sums of at most some hundred products of numbers about 1, and of gradients
// through large scores.
constexpr double kTolerance = 1e-4;
constexpr double kToleranceOfLarge = 1e-2;

// The exponential of this number is infinite in fp32, that of its negative is 0.
constexpr double kLarge = 120;

struct Sizes {
  int heads, length, d_head;
  bool causal;
  double scores = 0;  // about this number, all of them
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(heads) * static_cast<std::size_t>(length) *
           static_cast<std::size_t>(d_head);
  }
};

// How the formula may differ, for saying which mistake a wrong result looks like.
struct Variant {
  const char* name = "";
  double scale_power = -0.5;  // of d_head
  bool mask = true;           // where causal
  int sees_up_to = 0;         // the last key that a query sees, counted from its own
  bool normalised = true;
  bool scales_gradient = true;
  bool subtracts_mean = true;  // of dP, before it becomes dS
  bool shifted = false;  // by the maximum of a row, which shows where weights are not normalised
  int zeros_to = 1;      // keys of zeros up to a multiple of this number, without a mask
  int whole = 1;         // keys after the last multiple of this number are left out
  // Keys of a tile, after which the largest score is known so far; 0: it is known at once. What was
  // summed before it grew is to shrink.
  int tile = 0;
  bool shrinks_output = true, shrinks_sum = true;
  // L of the backward, from the largest score m of a row and the sum of exp(score - m).
  double (*l)(double m, double sum) = nullptr;
};
constexpr Variant kMistakes[] = {
    {.name = "no_scale", .scale_power = 0},
    {.name = "scale_d_head", .scale_power = -1},
    {.name = "scale_product", .scale_power = 0.5},
    {.name = "no_mask", .mask = false},
    {.name = "mask_itself", .sees_up_to = -1},
    {.name = "mask_next", .sees_up_to = 1},
    {.name = "not_normalised", .normalised = false},
    {.name = "not_normalised", .normalised = false, .shifted = true},
    {.name = "zero_keys", .zeros_to = 16},
    {.name = "zero_keys", .zeros_to = 32},
    {.name = "zero_keys", .zeros_to = 64},
    {.name = "zero_keys", .zeros_to = 128},
    {.name = "whole_tiles", .whole = 16},
    {.name = "whole_tiles", .whole = 32},
    {.name = "whole_tiles", .whole = 64},
    {.name = "whole_tiles", .whole = 128},
    {.name = "gradient_scale", .scales_gradient = false},
    {.name = "gradient_mean", .subtracts_mean = false},
    {.name = "l_maximum", .shifted = true, .l = [](double, double sum) { return std::log(sum); }},
    {.name = "l_sum", .shifted = true, .l = [](double m, double) { return m; }},
    {.name = "l_logarithm", .shifted = true, .l = [](double m, double sum) { return m + sum; }},
    {.name = "l_base_2",
     .shifted = true,
     .l = [](double m, double sum) { return m + std::log2(sum); }},
};

struct Inputs {
  Values q, k, v, d_o;
};
struct Outputs {
  Values o, d_q, d_k, d_v;
};

Values random_values(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  Values values(count);
  for (double& value : values) value = normal(generator);
  return values;
}

// The keys that query i sees.
std::size_t seen_by(std::size_t i, const Sizes& sizes, const Variant& variant) {
  const int last =
      sizes.causal && variant.mask ? static_cast<int>(i) + 1 + variant.sees_up_to : sizes.length;
  return static_cast<std::size_t>(std::min(last, sizes.length / variant.whole * variant.whole));
}

// The exponentials of scores with the maximum that was known when their tile came. Empty: the
// variant has no tiles.
Values unshrunk(const Values& scores, const Variant& variant) {
  Values grown(variant.tile > 0 ? scores.size() : 0);
  const auto tile = static_cast<std::size_t>(variant.tile);
  double largest = -INFINITY;
  for (std::size_t first = 0; first < grown.size(); first += tile) {
    const std::size_t end = std::min(first + tile, grown.size());
    for (std::size_t j = first; j < end; ++j) largest = std::max(largest, scores[j]);
    for (std::size_t j = first; j < end; ++j) grown[j] = std::exp(scores[j] - largest);
  }
  return grown;
}

Outputs formula(const Sizes& sizes, const Inputs& in, const Variant& variant) {
  const auto d = static_cast<std::size_t>(sizes.d_head), n = static_cast<std::size_t>(sizes.length);
  const double scale = std::pow(sizes.d_head, variant.scale_power);
  Outputs out{Values(in.q.size()), Values(in.q.size()), Values(in.q.size()), Values(in.q.size())};
  for (std::size_t head = 0; head < static_cast<std::size_t>(sizes.heads); ++head) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = (head * n + i) * d;
      const std::size_t seen = seen_by(i, sizes, variant);
      Values p(seen), d_p(seen);
      double mean = 0, largest = -INFINITY;
      for (std::size_t j = 0; j < seen; ++j) {
        double s = 0;
        for (std::size_t c = 0; c < d; ++c) {
          s += in.q[row + c] * in.k[(head * n + j) * d + c];
          d_p[j] += in.d_o[row + c] * in.v[(head * n + j) * d + c];
        }
        p[j] = scale * s;
        largest = std::max(largest, p[j]);
      }
      for (std::size_t c = 0; c < d && seen == 0; ++c) out.o[row + c] = NAN;
      const double shift = variant.shifted ? largest : 0;
      const int zeros =
          sizes.causal ? 0
                       : (variant.zeros_to - sizes.length % variant.zeros_to) % variant.zeros_to;
      double sum = zeros * std::exp(-shift);
      const Values grown = unshrunk(p, variant);
      for (double& one : p) sum += one = std::exp(one - shift);
      for (std::size_t j = 0; j < seen; ++j) {
        if (!grown.empty() && !variant.shrinks_sum) sum += grown[j] - p[j];
      }
      for (std::size_t j = 0; j < seen; ++j) {
        if (!grown.empty() && !variant.shrinks_output) p[j] = grown[j];
        if (variant.normalised) p[j] /= sum;
        mean += p[j] * d_p[j];
      }
      if (variant.l != nullptr) {
        const double other = std::exp(largest + std::log(sum) - variant.l(largest, sum));
        for (double& one : p) one *= other;
      }
      for (std::size_t j = 0; j < seen; ++j) {
        const double d_s = (variant.scales_gradient ? scale : 1) * p[j] *
                           (d_p[j] - (variant.subtracts_mean ? mean : 0));
        const std::size_t other = (head * n + j) * d;
        for (std::size_t c = 0; c < d; ++c) {
          out.o[row + c] += p[j] * in.v[other + c];
          out.d_q[row + c] += d_s * in.k[other + c];
          out.d_k[other + c] += d_s * in.q[row + c];
          out.d_v[other + c] += p[j] * in.d_o[row + c];
        }
      }
    }
  }
  return out;
}

bool is_near(double got, double expected, double tolerance) {
  return std::abs(got - expected) <= tolerance * (1 + std::abs(expected));
}

bool all_near(const float* got, const Values& expected, double tolerance) {
  bool compared = false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i])) continue;  // of a row that sees no key
    if (!is_near(got[i], expected[i], tolerance)) return false;
    compared = true;
  }
  return compared;
}

// The last columns of Q and K alone make all scores about sizes.scores.
void shift_scores(const Sizes& sizes, Inputs& in) {
  if (sizes.scores == 0) return;
  const double root = std::sqrt(std::abs(sizes.scores) * std::sqrt(sizes.d_head));
  const auto d = static_cast<std::size_t>(sizes.d_head);
  for (std::size_t i = d - 1; i < in.q.size(); i += d) {
    in.q[i] = static_cast<float>(std::copysign(root, sizes.scores));
    in.k[i] = static_cast<float>(root);
  }
}

struct Tensors {
  const float *q, *k, *v, *d_o;
  float *o, *d_q, *d_k, *d_v;
};

const float* input(const char* name, const Values& values) {
  auto* const to = static_cast<float*>(
      ts::executor::allocate(name, values.size() * sizeof(float), sizeof(float), false));
  for (std::size_t i = 0; i < values.size(); ++i) to[i] = static_cast<float>(values[i]);
  return to;
}

float* output(const char* name, std::size_t count) {
  auto* const to =
      static_cast<float*>(ts::executor::allocate(name, count * sizeof(float), sizeof(float), true));
  for (std::size_t i = 0; i < count; ++i) to[i] = NAN;
  return to;
}

// The result, written in the end and before whatever may end the process.
std::FILE* result = nullptr;

void write_sizes(const char* outcome, const Sizes& sizes) {
  std::fseek(result, 0, SEEK_SET);
  std::fprintf(
      result,
      "{\"outcome\": \"%s\", \"heads\": %d, \"length\": %d, \"d_head\": %d, \"causal\": %s, "
      "\"scores\": %.0f",
      outcome, sizes.heads, sizes.length, sizes.d_head, sizes.causal ? "true" : "false",
      sizes.scores);
}

void write_end() {
  std::fputs("}\n", result);
  std::fflush(result);
}

void write_finding(const Sizes& sizes, const Finding& finding) {
  write_sizes(ts::executor::name_of(finding.kind), sizes);
  std::fprintf(
      result,
      ", \"memory\": \"%s\", \"index\": %lld, \"elements\": %lld, \"unit\": %d, \"thread\": %d, "
      "\"other\": %d, \"block\": [%u, %u, %u], \"other_block\": [%u, %u, %u], \"write\": %s, "
      "\"other_write\": %s, \"code\": \"%p\"",
      finding.memory.c_str(), static_cast<long long>(finding.index),
      static_cast<long long>(finding.elements), finding.unit, finding.thread, finding.other,
      finding.block.x, finding.block.y, finding.block.z, finding.other_block.x,
      finding.other_block.y, finding.other_block.z, finding.write ? "true" : "false",
      finding.other_write ? "true" : "false", finding.code);
  write_end();
}

// The case that runs now.
Sizes current;

// Code that the compiler does not watch, such as plain C++, writes an input or touches what lies
// outside of the tensors.
void on_fault(int number, siginfo_t* info, void* context) {
  constexpr greg_t kWrite = 2;  // in the error code of a page fault
  const bool write =
      (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
  if (const Finding finding = ts::executor::mistake_at(info->si_addr, write)) {
    write_finding(current, finding);
    _exit(0);
  }
  signal(number, SIG_DFL);  // the same access ends the program now
}

void watch_faults() {
  static char stack[1U << 16U];
  stack_t other = {};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}

// The mistake that would give all of these values; empty: none that is known.
const char* mistake_of(const Sizes& sizes, const float* got, const Inputs& in,
                       Values Outputs::*which, double tolerance) {
  const auto fits = [&](const Variant& variant) {
    return all_near(got, formula(sizes, in, variant).*which, tolerance);
  };
  for (const Variant& variant : kMistakes) {
    if (fits(variant)) return variant.name;
  }
  for (const int tile : {1, 8, 16, 32, 64, 128}) {
    Variant variant{.shifted = true, .tile = tile, .shrinks_output = false};
    if (which != &Outputs::o || tile >= sizes.length) continue;
    if (fits(variant)) return "output_not_shrunk";
    variant.shrinks_sum = false;
    if (fits(variant)) return "not_shrunk";
    variant.shrinks_output = true;
    if (fits(variant)) return "sum_not_shrunk";
  }
  return "";
}

// The first element that is wrong, and the mistake that would give all of these values.
bool compare(const Sizes& sizes, const char* name, const float* got, const Inputs& in,
             Values Outputs::*which, const Outputs& exact) {
  const Values& expected = exact.*which;
  const bool gradient = which != &Outputs::o;
  const double tolerance = sizes.scores != 0 && gradient ? kToleranceOfLarge : kTolerance;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (is_near(got[i], expected[i], tolerance)) continue;
    const char* mistake = mistake_of(sizes, got, in, which, tolerance);
    // Smaller scores gave right values.
    if (sizes.scores != 0 && !std::isfinite(got[i])) mistake = "no_maximum";
    const auto d = static_cast<std::size_t>(sizes.d_head),
               n = static_cast<std::size_t>(sizes.length);
    const auto writer = ts::executor::last_writer(got + i);
    write_sizes("wrong", sizes);
    std::fprintf(result,
                 ", \"tensor\": \"%s\", \"head\": %zu, \"row\": %zu, \"column\": %zu, \"got\": "
                 "\"%.6g\", \"expected\": \"%.6g\", \"mistake\": \"%s\", \"thread\": %d, "
                 "\"block\": [%u, %u, %u]",
                 name, i / d / n, i / d % n, i % d,
                 std::isnan(got[i]) ? std::abs(got[i]) : static_cast<double>(got[i]), expected[i],
                 mistake, writer.thread, writer.block.x, writer.block.y, writer.block.z);
    write_end();
    return false;
  }
  return true;
}

bool check(const Sizes& sizes) {
  Inputs in;
  unsigned seed = 0;
  for (Values* values : {&in.q, &in.k, &in.v, &in.d_o})
    *values = random_values(sizes.count(), ++seed);
  shift_scores(sizes, in);
  const Outputs exact = formula(sizes, in, {});
  const Tensors t{.q = input("q", in.q),
                  .k = input("k", in.k),
                  .v = input("v", in.v),
                  .d_o = input("d_o", in.d_o),
                  .o = output("o", sizes.count()),
                  .d_q = output("d_q", sizes.count()),
                  .d_k = output("d_k", sizes.count()),
                  .d_v = output("d_v", sizes.count())};
  ts::executor::protect_inputs();
  current = sizes;
  write_sizes("ended", sizes);
  write_end();
  attention(t.q, t.k, t.v, t.o, sizes.heads, sizes.length, sizes.d_head, sizes.causal);
  if (const Finding finding = ts::executor::take_finding()) {
    write_finding(sizes, finding);
    return false;
  }
  if (!compare(sizes, "o", t.o, in, &Outputs::o, exact)) return false;
  if (attention_backward != nullptr) {
    attention_backward(t.q, t.k, t.v, t.d_o, t.d_q, t.d_k, t.d_v, sizes.heads, sizes.length,
                       sizes.d_head, sizes.causal);
    if (const Finding finding = ts::executor::take_finding()) {
      write_finding(sizes, finding);
      return false;
    }
    if (!compare(sizes, "d_q", t.d_q, in, &Outputs::d_q, exact) ||
        !compare(sizes, "d_k", t.d_k, in, &Outputs::d_k, exact) ||
        !compare(sizes, "d_v", t.d_v, in, &Outputs::d_v, exact)) {
      return false;
    }
  }
  ts::executor::release_tensors();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  result = std::fopen(argv[1], "w");
  if (result == nullptr) return 2;
  const int d_head = static_cast<int>(std::strtol(argv[2], nullptr, 10));
  ts::executor::read_static_shared(argv[3]);
  watch_faults();
  // Whole tiles first, then a remainder, one row, less than a warp, more than two large tiles, and
  // scores whose exponentials fp32 does not hold.
  const Sizes all[] = {
      {2, 64, d_head, false},         {2, 100, d_head, false},        {2, 1, d_head, false},
      {2, 17, d_head, false},         {2, 64, d_head, true},          {2, 100, d_head, true},
      {2, 1, d_head, true},           {2, 17, d_head, true},          {1, 272, d_head, true},
      {1, 80, d_head, false, kLarge}, {1, 80, d_head, true, -kLarge},
  };
  for (const Sizes& sizes : all) {
    if (!check(sizes)) return 0;
  }
  std::fseek(result, 0, SEEK_SET);
  std::fprintf(result, "{\"outcome\": \"ok\", \"cases\": %zu, \"backward\": %s", std::size(all),
               attention_backward != nullptr ? "true" : "false");
  write_end();
  return 0;
}
