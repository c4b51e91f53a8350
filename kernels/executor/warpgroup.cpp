#include "kernels/executor/warpgroup.h"

#include <cstring>
#include <map>

#include "kernels/executor/executor.h"
#include "kernels/executor/state.h"

namespace ts::executor {
namespace {

constexpr int kBoxColumns = 64;
constexpr std::uint32_t kRowBytes = 128;

struct SharedBarrier {
  std::uint32_t block = 0;  // for which it was made
  int arrivals = 0, missing = 0, bytes = 0;
  int phases = 0;  // that are over
};

std::map<const void*, SharedBarrier> barriers;

SharedBarrier& known_barrier(const void* place) {
  SharedBarrier& barrier = barriers[place];
  if (barrier.block != now.moment.block) {
    stop_with({.kind = Finding::Kind::not_written,
               .memory = "a barrier in shared memory",
               .code = __builtin_return_address(0)});
  }
  return barrier;
}

void change_phase(SharedBarrier& barrier) {
  if (barrier.missing > 0 || barrier.bytes > 0) return;
  barrier.missing = barrier.arrivals;
  ++barrier.phases;
  note_signal();
}

struct Map {
  const std::uint16_t* data;
  std::int32_t columns, rows, heads, box_rows;
};

// Bits 4 to 6 of an address change by bits 7 to 9.
std::uint32_t swizzled(std::uint32_t address) {
  return address ^ (address >> 7U & 7U) << 4U;
}

std::uint32_t bits(std::uint64_t factor, unsigned first) {
  return static_cast<std::uint32_t>(factor >> first & 0x3FFFU) << 4U;
}

std::uint16_t number_at(std::uint32_t address) {
  std::uint16_t number = 0;
  const unsigned char* const place = dynamic_shared_memory() + swizzled(address);
  note_bounds(place, sizeof number, __builtin_return_address(0));
  std::memcpy(&number, place, sizeof number);
  return number;
}

// Number k of row `row` of a factor whose columns are summed over ("K-major").
std::uint16_t by_columns(std::uint64_t factor, std::uint32_t row, std::uint32_t k) {
  return number_at(bits(factor, 0) + row / 8 * bits(factor, 32) + row % 8 * kRowBytes + k * 2);
}

// Column `column` of row k of a factor whose rows are summed over ("MN-major").
std::uint16_t by_rows(std::uint64_t factor, std::uint32_t column, std::uint32_t k) {
  return number_at(bits(factor, 0) + column / 64 * bits(factor, 16) + column % 64 * 2 +
                   k / 8 * bits(factor, 32) + k % 8 * kRowBytes);
}

// Row and column of sum i of this thread.
std::uint32_t row_of(int i) {
  const int warp = now.moment.thread / 32 % 4;
  return static_cast<std::uint32_t>(warp * 16 + lane() / 4 + i % 4 / 2 * 8);
}
std::uint32_t column_of(int i) {
  return static_cast<std::uint32_t>(i / 4 * 8 + lane() % 4 * 2 + i % 2);
}

}  // namespace

std::uint32_t shared_address(const void* place) {
  return static_cast<std::uint32_t>(static_cast<const unsigned char*>(place) -
                                    dynamic_shared_memory());
}

void make_barrier(const void* barrier, int arrivals) {
  note_bounds(barrier, sizeof(std::uint64_t), __builtin_return_address(0));
  barriers[barrier] = {.block = now.moment.block, .arrivals = arrivals, .missing = arrivals};
}

void arrive(const void* barrier, int announced_bytes) {
  SharedBarrier& known = known_barrier(barrier);
  known.bytes += announced_bytes;
  --known.missing;
  change_phase(known);
}

void wait(const void* barrier, int parity) {
  const SharedBarrier& known = known_barrier(barrier);
  // The phase before the first counts as over, with parity 1.
  while ((known.phases & 1) == parity) wait_for_signal();
}

void make_tensor_map(void* map, const void* data, int columns, int rows, int heads, int box_rows) {
  const Map made{static_cast<const std::uint16_t*>(data), columns, rows, heads, box_rows};
  std::memcpy(map, &made, sizeof made);
}

void copy_box(void* to, const void* map, int column, int row, int head, const void* barrier) {
  Map from{};
  std::memcpy(&from, map, sizeof from);
  const std::uint32_t first = shared_address(to);
  for (int r = 0; r < from.box_rows; ++r) {
    for (int c = 0; c < kBoxColumns; ++c) {
      std::uint16_t number = 0;
      if (row + r < from.rows && column + c < from.columns && head < from.heads) {
        const std::int64_t index =
            (std::int64_t{head} * from.rows + row + r) * from.columns + column + c;
        note_access(from.data + index, sizeof number, false, __builtin_return_address(0));
        number = from.data[index];
      }
      unsigned char* const place =
          dynamic_shared_memory() + swizzled(first + static_cast<std::uint32_t>(r) * kRowBytes +
                                             static_cast<std::uint32_t>(c) * 2);
      note_bounds(place, sizeof number, __builtin_return_address(0));
      std::memcpy(place, &number, sizeof number);
    }
  }
  SharedBarrier& known = known_barrier(barrier);
  known.bytes -= from.box_rows * kBoxColumns * 2;
  change_phase(known);
}

void multiply_factors(float* d, int columns, std::uint64_t left, std::uint64_t right, bool adds,
                      float (*widen)(std::uint16_t bits)) {
  for (int i = 0; i < columns / 2; ++i) {
    double sum = adds ? double{d[i]} : 0.0;
    for (std::uint32_t k = 0; k < 16; ++k) {
      sum += double{widen(by_columns(left, row_of(i), k))} *
             double{widen(by_columns(right, column_of(i), k))};
    }
    d[i] = static_cast<float>(sum);
  }
}

void add_registers_times(float* d, int columns, const std::uint32_t (&left)[4], std::uint64_t right,
                         float (*widen)(std::uint16_t bits)) {
  exchange(0xFFFFFFFF, left, sizeof left);
  std::uint32_t quad[4][4];  // of the lanes with the same rows
  for (int i = 0; i < 4; ++i) std::memcpy(quad[i], given_by(lane() / 4 * 4 + i), sizeof quad[i]);
  for (int i = 0; i < columns / 2; ++i) {
    double sum = d[i];
    for (std::uint32_t k = 0; k < 16; ++k) {
      const std::uint32_t pair = quad[k % 8 / 2][static_cast<std::uint32_t>(i % 4 / 2) + k / 8 * 2];
      const auto number = static_cast<std::uint16_t>(pair >> (k % 2 * 16U));
      sum += double{widen(number)} * double{widen(by_rows(right, column_of(i), k))};
    }
    d[i] = static_cast<float>(sum);
  }
}

}  // namespace ts::executor
