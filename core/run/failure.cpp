#include "core/run/failure.h"

#include "core/text/message.h"

namespace ts::run {

base::Argument who_asked(const std::string& op, const std::string& module) {
  if (op.empty()) return text::argument("who", text::message("memory_error.who.unknown"));
  if (module.empty()) return {"who", op};
  return text::argument(
      "who", text::message("memory_error.who.in_module", {{"op", op}, {"module", module}}));
}

}  // namespace ts::run
