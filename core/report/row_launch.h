#pragma once

#include <algorithm>
#include <cstdint>

#include "core/report/attention_stages.h"

// The blocks of threads of our kernels over rows in CUDA C++: of whoever launches, runs and shows
// them, and of the kernels. tests/gpu/own_rows.py has the same sums.
namespace ts::report {

constexpr int kPackBytes = 16;  // that a thread reads at once
constexpr int kPacksOfRow = 4;  // of a thread: all are on their way before the first is used
constexpr int kMostWarpsOfRow = 16;
constexpr int kColumnWarps = 8;  // a warp has every 8th row of a block
constexpr int kSumWarps = 8;     // a warp has every 8th block of rows
constexpr int kNumberThreads = 128;

enum class RowLaunch : std::uint8_t {
  rows,     // threads along a row, in warps: several warps a row, or four rows a block
  columns,  // a pack of columns a thread, and a block of rows a block
  sums,     // a column a lane, over the sums of the blocks of rows
  numbers,  // a number a thread
  one       // one block
};

// `number_bytes`: of a number of the rows.
constexpr Threads threads_of(RowLaunch launch, std::int64_t width, std::int64_t number_bytes) {
  switch (launch) {
    case RowLaunch::rows: {
      const std::int64_t of_warp = std::int64_t{32} * kPacksOfRow * kPackBytes;
      const std::int64_t warps = (width * number_bytes + of_warp - 1) / of_warp;
      if (warps <= 1) return {32, 4};
      return {32 * static_cast<unsigned>(std::min<std::int64_t>(warps, kMostWarpsOfRow)), 1};
    }
    case RowLaunch::columns:
      return {32, kColumnWarps};
    case RowLaunch::sums:
      return {32, kSumWarps};
    case RowLaunch::numbers:
      return {kNumberThreads, 1};
    case RowLaunch::one:
      break;
  }
  return {32, 32};
}

// Threads of a block, for any width.
constexpr unsigned most_threads_of(RowLaunch launch) {
  const Threads threads = threads_of(launch, std::int64_t{1} << 31U, 4);
  return threads.x * threads.y;
}

// Blocks side by side, of `rows` rows for RowLaunch::rows.
constexpr std::int64_t blocks_of(RowLaunch launch, std::int64_t rows, std::int64_t width,
                                 std::int64_t number_bytes) {
  const Threads threads = threads_of(launch, width, number_bytes);
  const auto cut = [](std::int64_t count, std::int64_t size) { return (count + size - 1) / size; };
  switch (launch) {
    case RowLaunch::rows:
      return cut(rows, threads.y);
    case RowLaunch::columns:
      return cut(width, threads.x * (kPackBytes / number_bytes));
    case RowLaunch::sums:
      return cut(width, threads.x);
    case RowLaunch::numbers:
      return cut(rows * width, threads.x);
    case RowLaunch::one:
      break;
  }
  return 1;
}

// Rows that a block of a sum over rows has, and how many blocks there are.
struct RowsOfBlocks {
  static constexpr std::int64_t kFewest = 64, kMostBlocks = 256;
  constexpr explicit RowsOfBlocks(std::int64_t rows)
      : size(std::max((rows + kMostBlocks - 1) / kMostBlocks, kFewest)),
        count((rows + size - 1) / size) {}
  std::int64_t size, count;
};

}  // namespace ts::report
