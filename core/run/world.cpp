#include "core/run/world.h"

#include <algorithm>
#include <array>

#include "core/run/engine.h"
#include "core/text/message.h"

namespace ts::run {
namespace {

constexpr std::array kShards = {"none", "zero1", "zero2", "zero3"};

}  // namespace

const char* to_string(Compression value) {
  constexpr std::array kNames = {"none", "bf16", "fp16", "powersgd"};
  return kNames[static_cast<std::size_t>(value)];
}

const char* to_string(Shard value) {
  return kShards.at(static_cast<std::size_t>(value));
}

base::Result<Shard> shard_from(std::string_view name) {
  const auto* const found = std::ranges::find(kShards, name);
  if (found == kShards.end()) {
    return text::fail("share.unknown_shard", {{"name", std::string(name)}});
  }
  return static_cast<Shard>(found - kShards.begin());
}

Outcome<void> Engine::join(const World& /*world*/, const spec::WorkloadSpec& /*spec*/,
                           const base::CancelToken& /*cancel*/) {
  return tl::unexpected(Failure(text::message("ranks.no_engine")));
}

}  // namespace ts::run
