#include "kernels/executor/tensor_core.h"

#include <cstring>

#include "kernels/executor/executor.h"
#include "kernels/executor/state.h"

namespace ts::executor {
namespace {

constexpr std::uint32_t kAll = 0xFFFFFFFF;

struct Factors {
  std::uint32_t a[4], b[2];
};

std::uint16_t half_of(std::uint32_t pair, int which) {
  return static_cast<std::uint16_t>(pair >> (16 * which));
}

}  // namespace

void load_matrices(std::uint32_t (&registers)[4], const void* row, bool transposed) {
  note_access(row, 16, false, __builtin_return_address(0));
  std::uint16_t numbers[8];
  std::memcpy(numbers, row, sizeof numbers);
  exchange(kAll, numbers, sizeof numbers);
  const int g = lane() / 4;
  const int t = lane() % 4 * 2;
  for (int matrix = 0; matrix < 4; ++matrix) {
    std::uint16_t pair[2];
    for (int i = 0; i < 2; ++i) {
      const int from_row = transposed ? t + i : g;
      const int column = transposed ? g : t + i;
      std::uint16_t given[8];
      std::memcpy(given, given_by(matrix * 8 + from_row), sizeof given);
      pair[i] = given[column];
    }
    registers[matrix] = std::uint32_t{pair[0]} | std::uint32_t{pair[1]} << 16U;
  }
}

void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                  float (*widen)(std::uint16_t bits)) {
  Factors mine{};
  std::memcpy(mine.a, a, sizeof a);
  std::memcpy(mine.b, b, sizeof b);
  exchange(kAll, &mine, sizeof mine);
  Factors all[32];
  for (int i = 0; i < 32; ++i) std::memcpy(&all[i], given_by(i), sizeof all[i]);
  for (int i = 0; i < 4; ++i) {
    const int row = lane() / 4 + i / 2 * 8;
    const int column = lane() % 4 * 2 + i % 2;
    double sum = d[i];
    for (int k = 0; k < 16; ++k) {
      const std::uint32_t x = all[row % 8 * 4 + k % 8 / 2].a[row / 8 + k / 8 * 2];
      const std::uint32_t y = all[column * 4 + k % 8 / 2].b[k / 8];
      sum += double{widen(half_of(x, k % 2))} * double{widen(half_of(y, k % 2))};
    }
    d[i] = static_cast<float>(sum);
  }
}

}  // namespace ts::executor
