#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/spec/workload_spec.h"

namespace ts::spec {

// RAM that this process may use, in bytes.
struct HostMemory {
  std::int64_t total = 0;      // of the machine, or the container's limit where that is smaller
  std::int64_t available = 0;  // what can be taken without swapping
  bool container = false;      // total is the container's limit
};

// Reads /proc/meminfo and the limits of the process's control groups (version 1 and 2, all
// ancestors) below `root`. Values that cannot be read are left out; without /proc/meminfo the
// physical pages of the machine are used.
HostMemory read_host_memory(const std::filesystem::path& root = "/");

// The bytes that the allocator may hold, and the source of that number: the name of the target
// card, or one of the sources below.
struct MemoryLimit {
  std::int64_t bytes = 0;
  std::string source;
};
inline constexpr const char* kLimitFromSpec = "memory_limit";
inline constexpr const char* kLimitFromRam = "80 % of RAM";
inline constexpr const char* kLimitFromContainer = "80 % of the container's memory";
inline constexpr const char* kLimitFromAvailable = "available RAM";
inline constexpr const char* kLimitFromDevice = "device memory";

// The inputs of the rule. 0: not known, does not limit.
struct Capacities {
  std::int64_t target = 0;  // of spec.target_gpu, from the catalogue
  std::int64_t device = 0;  // of the cuda device the spec runs on
  HostMemory host;
};

// The spec's memory_limit, else the target card's capacity. On cuda at most the device's own
// memory. On cpu at most 80 % of RAM and at most what is available, less a reserve for the program
// itself, so that the machine never swaps.
MemoryLimit memory_limit(const WorkloadSpec& spec, const Capacities& capacities);
// The same with the current RAM of this machine.
MemoryLimit memory_limit(const WorkloadSpec& spec, std::int64_t target_capacity,
                         std::int64_t device_capacity = 0);

}  // namespace ts::spec
