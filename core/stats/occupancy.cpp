#include "core/stats/occupancy.h"

#include <algorithm>
#include <array>

namespace ts::stats {
namespace {

struct Limits {
  std::string_view capability;
  std::int64_t warps;                   // per multiprocessor
  std::int64_t blocks;                  // per multiprocessor
  std::int64_t shared_kib;              // per multiprocessor
  std::int64_t shared_unit = 128;       // bytes
  std::int64_t shared_reserved = 1024;  // bytes that the driver reserves in every block
};

constexpr std::array kLimits = std::to_array<Limits>({
    {.capability = "7.0",
     .warps = 64,
     .blocks = 32,
     .shared_kib = 96,
     .shared_unit = 256,
     .shared_reserved = 0},
    {.capability = "7.5",
     .warps = 32,
     .blocks = 16,
     .shared_kib = 64,
     .shared_unit = 256,
     .shared_reserved = 0},
    {.capability = "8.0", .warps = 64, .blocks = 32, .shared_kib = 164},
    {.capability = "8.6", .warps = 48, .blocks = 16, .shared_kib = 100},
    {.capability = "8.7", .warps = 48, .blocks = 16, .shared_kib = 164},
    {.capability = "8.9", .warps = 48, .blocks = 24, .shared_kib = 100},
    {.capability = "9.0", .warps = 64, .blocks = 32, .shared_kib = 228},
    {.capability = "10.0", .warps = 64, .blocks = 32, .shared_kib = 228},
    {.capability = "12.0", .warps = 48, .blocks = 24, .shared_kib = 100},
});

constexpr std::int64_t kThreadsPerWarp = 32;
constexpr std::int64_t kThreadsPerBlock = 1024;
constexpr std::int64_t kQuarters = 4;  // a multiprocessor has four schedulers with their registers
constexpr std::int64_t kRegistersPerQuarter = 16384;
constexpr std::int64_t kRegisterUnit = 256;

std::int64_t up(std::int64_t number, std::int64_t unit) {
  return (number + unit - 1) / unit * unit;
}

std::int64_t blocks_by_registers(std::int64_t registers, std::int64_t warps) {
  const std::int64_t of_a_warp = up(registers * kThreadsPerWarp, kRegisterUnit);
  // Every quarter must hold its part of a block, rounded up.
  if (of_a_warp * up(warps, kQuarters) > kRegistersPerQuarter * kQuarters) return 0;
  return kRegistersPerQuarter / of_a_warp * kQuarters / warps;
}

const Limits* limits_of(std::string_view capability) {
  const auto* const found = std::ranges::find(kLimits, capability, &Limits::capability);
  return found == kLimits.end() ? nullptr : found;
}

}  // namespace

const char* to_string(OccupancyLimit limit) {
  constexpr std::array kNames = {"warps", "blocks", "registers", "shared_memory"};
  return kNames[static_cast<std::size_t>(limit)];
}

std::optional<std::int64_t> largest_shared_block(std::string_view compute_capability) {
  const Limits* const limits = limits_of(compute_capability);
  if (limits == nullptr) return std::nullopt;
  return limits->shared_kib * 1024 - limits->shared_reserved;
}

std::optional<Occupancy> occupancy(std::string_view compute_capability,
                                   const trace::KernelLaunch& launch) {
  const Limits* const limits = limits_of(compute_capability);
  const std::int64_t threads = std::int64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (limits == nullptr || threads <= 0 || threads > kThreadsPerBlock) return std::nullopt;
  const std::int64_t warps = up(threads, kThreadsPerWarp) / kThreadsPerWarp;

  Occupancy found{static_cast<std::int32_t>(limits->warps / warps), 0, OccupancyLimit::warps};
  const auto bound = [&](std::int64_t blocks, OccupancyLimit by) {
    if (blocks < found.blocks) found = {static_cast<std::int32_t>(blocks), 0, by};
  };
  bound(limits->blocks, OccupancyLimit::blocks);
  if (launch.registers > 0) {
    bound(blocks_by_registers(launch.registers, warps), OccupancyLimit::registers);
  }
  const std::int64_t shared =
      up(launch.shared_memory + limits->shared_reserved, limits->shared_unit);
  if (shared > 0) bound(limits->shared_kib * 1024 / shared, OccupancyLimit::shared_memory);
  if (found.blocks == 0) return std::nullopt;
  found.share = static_cast<double>(found.blocks * warps) / static_cast<double>(limits->warps);
  return found;
}

}  // namespace ts::stats
