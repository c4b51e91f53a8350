#include "core/run/world.h"

#include "core/run/engine.h"
#include "core/text/message.h"

namespace ts::run {

const char* to_string(Compression value) {
  switch (value) {
    case Compression::none:
      return "none";
    case Compression::bf16:
      return "bf16";
    case Compression::fp16:
      return "fp16";
    case Compression::powersgd:
      return "powersgd";
  }
  return "?";
}

Outcome<void> Engine::join(const World& /*world*/, const spec::WorkloadSpec& /*spec*/,
                           const base::CancelToken& /*cancel*/) {
  return tl::unexpected(Failure(text::message("ranks.no_engine")));
}

}  // namespace ts::run
