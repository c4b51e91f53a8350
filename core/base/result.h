#pragma once

#include <string>
#include <tl/expected.hpp>

namespace ts::base {

// An error of input or environment: one clear sentence for the user, with the place of the fault.
// Broken invariants are not errors but checks (see check.h).
struct Error {
  std::string sentence;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string sentence) {
  return tl::unexpected<Error>(Error{std::move(sentence)});
}

}  // namespace ts::base
