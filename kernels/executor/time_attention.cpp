// time_attention RESULT HEADS LENGTH D_HEAD: the program that `tensorscope kernel FILE --time`
// makes of a file with the functions of entry_points.h in plain C++. It calls the forward again and
// again for two seconds, five times at least, and writes the median into RESULT, as JSON.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "kernels/executor/entry_points.h"

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
  std::vector<float> q(count), k(count), v(count), o(count);
  for (auto* tensor : {&q, &k, &v}) {
    for (float& value : *tensor) value = normal(generator);
  }
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  constexpr double kBudget = 2;
  constexpr std::size_t kFewest = 5;
  attention(q.data(), k.data(), v.data(), o.data(), heads, length, d_head, false);  // warm-up
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  while (times.size() < kFewest || seconds_since(begin) < kBudget) {
    const Clock::time_point call = Clock::now();
    attention(q.data(), k.data(), v.data(), o.data(), heads, length, d_head, false);
    times.push_back(seconds_since(call));
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  std::fprintf(result, "{\"median_s\": %.9g, \"calls\": %zu}\n", times[times.size() / 2],
               times.size());
  std::fclose(result);
  return 0;
}
