#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace ts::kernels::own::testing {

using Values = std::vector<double>;

inline Values random_values(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Values values(count);
  for (double& value : values) value = normal(generator);
  return values;
}

}  // namespace ts::kernels::own::testing
