#include "app/ranks/rank_options.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>

#include "app/ranks/rank_environment.h"
#include "core/text/message.h"

namespace ts::app {

base::Result<std::optional<run::World>> world_of(const RankOptions& options) {
  if (options.world.empty()) return std::nullopt;
  // LibTorch's own log would tell of every attempt to connect. Before it is loaded, and not where
  // the user has set it.
  setenv("TORCH_CPP_LOG_LEVEL", "FATAL", 0);
  run::World world;
  world.timeout_s = options.timeout_s;
  world.bucket_mib = options.bucket_mib;
  world.first_bucket_mib = options.first_bucket_mib;
  world.sync_every = options.sync_every;
  for (const auto one : {run::Compression::bf16, run::Compression::fp16})
    if (options.compress == run::to_string(one)) world.compression = one;
  if (options.world == "env") {
    auto place = place_from(variables_of_process());
    if (!place) return tl::unexpected(place.error());
    world.place = *place;
    return world;
  }
  constexpr std::int32_t kMost = 64;
  std::int32_t size = 0;
  const char* const end = options.world.data() + options.world.size();
  const auto read = std::from_chars(options.world.data(), end, size);
  if (read.ec != std::errc() || read.ptr != end || size < 1 || size > kMost)
    return text::fail("ranks.bad_world",
                      {{"value", options.world}, {"most", std::to_string(kMost)}});
  world.place.size = size;
  return world;
}

bool started_by_our_launcher() {
  const std::string launcher = variables_of_process()(kLauncherVariable);
  if (launcher.empty()) return false;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // It may have ended before.
  if (launcher != std::to_string(getppid())) std::raise(SIGTERM);
  return true;
}

}  // namespace ts::app
