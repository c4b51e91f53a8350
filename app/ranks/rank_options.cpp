#include "app/ranks/rank_options.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <sstream>
#include <string_view>

#include "app/ranks/rank_environment.h"
#include "core/io/file.h"
#include "core/predict/share.h"
#include "core/text/message.h"

namespace ts::app {

base::Result<std::optional<run::World>> world_of(const RankOptions& options) {
  if (options.world.empty()) return std::nullopt;
  // LibTorch's own log would tell of every attempt to connect. Before it is loaded, and not where
  // the user has set it.
  setenv("TORCH_CPP_LOG_LEVEL", "FATAL", 0);
  run::World world;
  world.timeout_s = options.timeout_s;
  TS_TRY(world.shard, run::shard_from(options.shard));
  world.bucket_mib = options.bucket_mib;
  world.first_bucket_mib = options.first_bucket_mib;
  world.sync_every = options.sync_every;
  world.factor_rank = options.factor_rank;
  const run::World usual;
  const bool reducer = world.bucket_mib != usual.bucket_mib || world.sync_every ||
                       world.first_bucket_mib != usual.first_bucket_mib;
  if (reducer && predict::share_of(world).shards_gradients()) return text::fail("share.no_reducer");
  for (const auto one :
       {run::Compression::bf16, run::Compression::fp16, run::Compression::powersgd})
    if (options.compress == run::to_string(one)) world.compression = one;
  if (options.world == "env") {
    TS_TRY(world.place, place_from(variables_of_process()));
    return world;
  }
  constexpr std::int32_t kMostHere = 64;
  std::int32_t size = 0;
  const char* const end = options.world.data() + options.world.size();
  const auto read = std::from_chars(options.world.data(), end, size);
  if (read.ec != std::errc() || read.ptr != end || size < 1 || size > kMostHere)
    return text::fail("ranks.bad_world",
                      {{"value", options.world}, {"most", std::to_string(kMostHere)}});
  world.place.size = size;
  return world;
}

base::Result<std::vector<std::string>> hosts_of_ranks(const std::filesystem::path& file,
                                                      std::size_t ranks) {
  const auto text = io::read_file(file);
  if (!text) return tl::unexpected(text.error());
  std::vector<std::string> hosts;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string host;
    if (!(words >> host)) continue;
    std::int64_t slots = 1;
    constexpr std::string_view kSlots = "slots=";
    for (std::string word; words >> word;) {
      const char* const begin = word.data() + kSlots.size();
      const char* const end = word.data() + word.size();
      constexpr std::int64_t kMostSlots = 65536;
      if (!word.starts_with(kSlots) || std::from_chars(begin, end, slots).ptr != end || slots < 1 ||
          slots > kMostSlots) {
        return text::fail("ranks.bad_host", {{"file", file.string()}, {"line", line}});
      }
    }
    if (host.starts_with('-'))
      return text::fail("ranks.bad_host", {{"file", file.string()}, {"line", line}});
    for (std::int64_t i = 0; i < slots && hosts.size() < ranks; ++i) hosts.push_back(host);
  }
  if (hosts.size() < ranks) {
    return text::fail("ranks.few_hosts", {{"file", file.string()},
                                          {"slots", std::to_string(hosts.size())},
                                          {"ranks", std::to_string(ranks)}});
  }
  return hosts;
}

bool started_by_our_launcher() {
  const std::string launcher = variables_of_process()(kLauncherVariable);
  if (launcher.empty() || launcher == kBySsh) return !launcher.empty();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // It may have ended before.
  if (launcher != std::to_string(getppid())) std::raise(SIGTERM);
  return true;
}

}  // namespace ts::app
