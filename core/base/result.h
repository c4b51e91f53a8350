#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "core/base/message.h"

namespace ts::base {

// An error of input or environment: one clear sentence for the user, with the location of the
// fault. Broken invariants are not errors but checks (see check.h).
using Error = Message;

template <class T>
using Result = tl::expected<T, Error>;

// Errors that the window shows come from text::fail, which names a text of assets/locale instead.
inline tl::unexpected<Error> fail(std::string sentence) {
  return tl::unexpected<Error>(Error{.sentence = std::move(sentence)});
}

}  // namespace ts::base

// A function goes on with the value of another one's base::Result or run::Outcome, or ends and
// returns the error. Nothing else of ours leaves a function by a macro.

// TS_TRY(const auto spec, read_spec(json)) names the value. TS_TRY(side.spec, read_spec(json))
// gives it to a place that exists.
#define TS_TRY(place, ...)                                                          \
  auto TS_TRY_NAME(__LINE__) = __VA_ARGS__;                                         \
  if (!TS_TRY_NAME(__LINE__)) return tl::unexpected(TS_TRY_NAME(__LINE__).error()); \
  place = *std::move(TS_TRY_NAME(__LINE__))

// TS_TRY_DONE(write_file(path, text)): only the error matters.
#define TS_TRY_DONE(...) \
  if (const auto ts_done = __VA_ARGS__; !ts_done) return tl::unexpected(ts_done.error())

// A name for each line, so that one function can have several.
#define TS_TRY_NAME(line) TS_TRY_JOINED(result_of_line_, line)
#define TS_TRY_JOINED(a, b) a##b
