#pragma once

#include <c10/util/Exception.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace ts::kernels {

// Runs `call`: null, or the first line of its exception, valid until the calling thread's next one.
template <class Call>
const char* guarded(Call&& call) noexcept {
  static thread_local std::string last_error;
  try {
    std::forward<Call>(call)();
    return nullptr;
  } catch (const c10::Error& error) {
    last_error = error.what_without_backtrace();
  } catch (const std::exception& error) {
    last_error = error.what();
  } catch (...) {
    last_error = "CUDA failed for an unknown reason";
  }
  last_error.resize(std::min(last_error.size(), last_error.find('\n')));
  return last_error.c_str();
}

}  // namespace ts::kernels
