// time_attention RESULT HEADS LENGTH D_HEAD: the program that `tensorscope kernel FILE --time`
// makes of a file with the functions of entry_points.h in plain C++. It calls the forward again and
// again for a second, five times at least, and writes the median into RESULT, as JSON; then the
// same for the backward where the file has one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "kernels/executor/entry_points.h"
#include "kernels/executor/one_process.h"

extern "C" [[gnu::weak]] void attention_backward(const float* q, const float* k, const float* v,
                                                 const float* d_o, float* d_q, float* d_k,
                                                 float* d_v, int heads, int length, int d_head,
                                                 bool causal);

namespace {

struct Median {
  double seconds = 0;
  std::size_t calls = 0;
};

template <class Call>
Median median_of(const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  constexpr double kBudget = 1;
  constexpr std::size_t kFewest = 5;
  call();  // warm-up
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  while (times.size() < kFewest || seconds_since(begin) < kBudget) {
    const Clock::time_point one = Clock::now();
    call();
    times.push_back(seconds_since(one));
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return {*middle, times.size()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  std::FILE* const result = std::fopen(argv[1], "w");
  if (result == nullptr) return 2;
  const auto number = [argv](int i) { return static_cast<int>(std::strtol(argv[i], nullptr, 10)); };
  const int heads = number(2), length = number(3), d_head = number(4);
  const auto count = static_cast<std::size_t>(heads) * static_cast<std::size_t>(length) *
                     static_cast<std::size_t>(d_head);
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  std::vector<float> q(count), k(count), v(count), o(count), d_o(count);
  for (auto* tensor : {&q, &k, &v, &d_o}) {
    for (float& value : *tensor) value = normal(generator);
  }
  const Median forward = median_of(
      [&] { attention(q.data(), k.data(), v.data(), o.data(), heads, length, d_head, false); });
  std::fprintf(result, "{\"median_s\": %.9g, \"calls\": %zu", forward.seconds, forward.calls);
  if (attention_backward != nullptr) {
    std::vector<float> d_q(count), d_k(count), d_v(count);
    const Median backward = median_of([&] {
      attention_backward(q.data(), k.data(), v.data(), d_o.data(), d_q.data(), d_k.data(),
                         d_v.data(), heads, length, d_head, false);
    });
    std::fprintf(result, ", \"backward_median_s\": %.9g", backward.seconds);
  }
  std::fputs("}\n", result);
  std::fclose(result);
  return 0;
}
