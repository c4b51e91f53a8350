#include "app/ranks/rank_environment.h"

#include <array>
#include <charconv>
#include <optional>

#include "core/base/environment.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

constexpr std::int64_t kDefaultPort = 29500;  // PyTorch's
constexpr std::int64_t kMostRanks = 65536;

// How one launcher names what it says.
struct Launcher {
  const char* name;
  const char* rank;
  const char* size;
  const char* local_size;  // the ranks on this machine; null: it does not say
};
constexpr std::array kLaunchers = {Launcher{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"},
                                   Launcher{"Open MPI", "OMPI_COMM_WORLD_RANK",
                                            "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                   Launcher{"MPI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
                                   Launcher{"Slurm", "SLURM_PROCID", "SLURM_NTASKS", nullptr}};

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

base::Result<std::int64_t> number_in(const Variables& variables, const char* name,
                                     std::int64_t least, std::int64_t most) {
  const std::string text = variables(name);
  const auto value = number(text);
  if (value && *value >= least && *value <= most) return *value;
  return text::fail("ranks.bad_variable", {{"name", name},
                                           {"value", text},
                                           {"least", std::to_string(least)},
                                           {"most", std::to_string(most)}});
}

// Empty where nobody says it.
std::string host_of(const Variables& variables, const Launcher& launcher, std::int64_t size) {
  if (std::string host = variables("MASTER_ADDR"); !host.empty()) return host;
  const bool local = launcher.local_size != nullptr
                         ? number(variables(launcher.local_size)) == size
                         : number(variables("SLURM_STEP_NUM_NODES")) == 1 ||
                               number(variables("SLURM_NNODES")) == 1;
  if (local || size == 1) return "127.0.0.1";
  std::string list = variables("SLURM_STEP_NODELIST");
  if (list.empty()) list = variables("SLURM_JOB_NODELIST");
  return first_host(list);
}

}  // namespace

Variables variables_of_process() {
  return base::environment_variable;
}

std::string first_host(const std::string& list) {
  const std::size_t end = list.find_first_of("[,");
  std::string host = list.substr(0, end);
  if (end == std::string::npos || list[end] != '[') return host;
  const std::size_t stop = list.find_first_of(",-]", end);
  return host + list.substr(end + 1, stop == std::string::npos ? stop : stop - end - 1);
}

base::Result<run::RankPlace> place_from(const Variables& variables) {
  const Launcher* launcher = nullptr;
  for (const Launcher& one : kLaunchers) {
    if (launcher == nullptr && !variables(one.rank).empty() && !variables(one.size).empty())
      launcher = &one;
  }
  if (launcher == nullptr) return text::fail("ranks.no_launcher");
  TS_TRY(const auto size, number_in(variables, launcher->size, 1, kMostRanks));
  TS_TRY(const auto rank, number_in(variables, launcher->rank, 0, size - 1));
  run::RankPlace place;
  place.rank = static_cast<std::int32_t>(rank);
  place.size = static_cast<std::int32_t>(size);
  place.host = host_of(variables, *launcher, size);
  if (place.host.empty()) return text::fail("ranks.no_master", {{"launcher", launcher->name}});
  std::int64_t port = kDefaultPort;
  if (!variables("MASTER_PORT").empty()) {
    constexpr std::int64_t kMostPort = 65535;
    TS_TRY(port, number_in(variables, "MASTER_PORT", 1, kMostPort));
  }
  place.port = static_cast<std::uint16_t>(port);
  place.store_of_launcher = variables("TORCHELASTIC_USE_AGENT_STORE") == "True";
  place.attempt = variables("TORCHELASTIC_RESTART_COUNT");
  if (!variables(kListenVariable).empty()) {
    constexpr std::int64_t kMostDescriptor = 1 << 20;
    TS_TRY(const auto descriptor, number_in(variables, kListenVariable, 0, kMostDescriptor));
    place.listen_fd = static_cast<int>(descriptor);
  }
  return place;
}

}  // namespace ts::app
