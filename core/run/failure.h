#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "core/base/message.h"

namespace ts::run {

enum class Verdict : std::uint8_t { ok, oom, cancelled, failed };
const char* to_string(Verdict value);

// Why an execution stopped early.
struct Failure : base::Message {
  Failure() = default;
  explicit Failure(base::Message message, Verdict ended = Verdict::failed)
      : base::Message(std::move(message)), verdict(ended) {}

  Verdict verdict = Verdict::failed;
  std::int64_t bytes_asked = 0;  // oom only, as are the next four
  std::int64_t bytes_free = 0;
  std::int64_t bytes_limit = 0;
  std::string op;
  std::string module;
  // The device no longer responds, for any workload, until the program is restarted.
  bool restart = false;
};

template <class T>
using Outcome = tl::expected<T, Failure>;

// "aten::bmm in blocks.3.attn", the argument "who" of a message about memory; either may be empty.
base::Argument who_asked(const std::string& op, const std::string& module);

}  // namespace ts::run
