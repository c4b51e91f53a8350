#include "core/spec/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

namespace ts::spec {

namespace fs = std::filesystem;

namespace {

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream in(path);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::optional<std::int64_t> leading_number(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

// The number after `name` at the start of a line: "MemTotal:   16 kB", "inactive_file 4096".
std::optional<std::int64_t> number_after(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.starts_with(name)) return leading_number(std::string_view(line).substr(name.size()));
  }
  return std::nullopt;
}

HostMemory read_machine(const fs::path& root) {
  constexpr std::int64_t kKibibyte = 1024;
  const auto text = read_file(root / "proc/meminfo");
  const auto total = text ? number_after(*text, "MemTotal:") : std::nullopt;
  const auto available = text ? number_after(*text, "MemAvailable:") : std::nullopt;
  HostMemory memory;
  memory.total =
      total ? *total * kKibibyte : std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE);
  memory.available = available ? *available * kKibibyte : memory.total;
  return memory;
}

// The files of one version of control groups.
struct GroupFiles {
  const char* limit;
  const char* usage;
  const char* reclaimable;  // line of memory.stat: page cache the kernel gives back first
};
constexpr GroupFiles kVersion1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file "};
constexpr GroupFiles kVersion2 = {"memory.max", "memory.current", "inactive_file "};

// Lowers `memory` to what a group allows; `machine` is the RAM of all groups together.
void apply_group(const fs::path& folder, const GroupFiles& files, std::int64_t machine,
                 HostMemory& memory) {
  const auto limit_text = read_file(folder / files.limit);
  // "max" is not a number and means no limit; version 1 uses a number near 2^63 for the same.
  const auto limit = limit_text ? leading_number(*limit_text) : std::nullopt;
  if (!limit || *limit <= 0 || *limit >= machine) return;
  const auto usage_text = read_file(folder / files.usage);
  const auto usage = usage_text ? leading_number(*usage_text) : std::nullopt;
  const auto stat = read_file(folder / "memory.stat");
  const auto cache = stat ? number_after(*stat, files.reclaimable) : std::nullopt;
  const std::int64_t used = std::max<std::int64_t>(usage.value_or(0) - cache.value_or(0), 0);
  memory.available = std::min(memory.available, std::max<std::int64_t>(*limit - used, 0));
  if (*limit < memory.total) {
    memory.total = *limit;
    memory.container = true;
  }
}

// A limit of any ancestor also applies, so the loop walks up to the mount point.
void apply_group_and_parents(const fs::path& mount, fs::path group, const GroupFiles& files,
                             HostMemory& memory) {
  const std::int64_t machine = memory.total;
  // Inside a container the path may name a group of the host that is not mounted here.
  std::error_code error;
  if (!fs::exists(mount / group, error)) group.clear();
  while (true) {
    apply_group(mount / group, files, machine, memory);
    if (group.empty()) return;
    group = group.parent_path();
  }
}

void apply_control_groups(const fs::path& root, HostMemory& memory) {
  const auto groups = read_file(root / "proc/self/cgroup");
  if (!groups) return;
  std::istringstream lines(*groups);
  std::string line;
  while (std::getline(lines, line)) {  // hierarchy:controllers:path
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = fs::path(line.substr(second + 1)).relative_path();
    if (controllers.empty()) {
      for (const char* mount : {"sys/fs/cgroup", "sys/fs/cgroup/unified"}) {
        apply_group_and_parents(root / mount, group, kVersion2, memory);
      }
    } else if (controllers == "memory") {
      apply_group_and_parents(root / "sys/fs/cgroup/memory", group, kVersion1, memory);
    }
  }
}

void lower_to(MemoryLimit& limit, std::int64_t bytes, const char* source) {
  if (bytes >= limit.bytes) return;
  limit.bytes = bytes;
  limit.source = source;
}

}  // namespace

HostMemory read_host_memory(const fs::path& root) {
  HostMemory memory = read_machine(root);
  apply_control_groups(root, memory);
  return memory;
}

MemoryLimit memory_limit(const WorkloadSpec& spec, const Capacities& capacities) {
  MemoryLimit limit{INT64_MAX, "no limit"};
  if (spec.memory_limit > 0) {
    limit = {spec.memory_limit, kLimitFromSpec};
  } else if (capacities.target > 0) {
    limit = {capacities.target, spec.target_gpu};
  }
  if (spec.device == DeviceKind::cuda) {
    if (capacities.device > 0) lower_to(limit, capacities.device, kLimitFromDevice);
    return limit;
  }
  const HostMemory& host = capacities.host;
  if (host.total > 0) {
    lower_to(limit, host.total / 5 * 4, host.container ? kLimitFromContainer : kLimitFromRam);
    // Reserved for memory outside the allocator: rings, stacks, scratch of the BLAS.
    const std::int64_t reserve =
        std::min<std::int64_t>(std::int64_t{256} << 20, host.available / 8);
    lower_to(limit, host.available - reserve, kLimitFromAvailable);
  }
  return limit;
}

MemoryLimit memory_limit(const WorkloadSpec& spec, std::int64_t target_capacity,
                         std::int64_t device_capacity) {
  return memory_limit(spec, {target_capacity, device_capacity, read_host_memory()});
}

}  // namespace ts::spec
