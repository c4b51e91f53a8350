#pragma once

#include <string>
#include <tl/expected.hpp>

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
