#pragma once

#include <chrono>
#include <future>

namespace ts::app {

// True if get() would not wait. For polling once a frame.
template <class Value>
bool is_ready(const std::future<Value>& value) {
  return value.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace ts::app
