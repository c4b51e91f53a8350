#pragma once

#include <string>

namespace ts::trace_file {

// Events of a made trace, as JSON with a comma behind; times in microseconds.
inline std::string stretch(const char* category, const std::string& name, int thread, int begin,
                           int lasts, int process = 1) {
  return R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "name": ")" + name +
         R"(", "pid": )" + std::to_string(process) + R"(, "tid": )" + std::to_string(thread) +
         R"(, "ts": )" + std::to_string(begin) + R"(, "dur": )" + std::to_string(lasts) + "},";
}

// An end of an arrow from a forward ('s') to its backward ('f').
inline std::string arrow(char end, int id, int thread, int time) {
  return R"({"ph": ")" + std::string(1, end) +
         R"(", "cat": "fwdbwd", "name": "fwdbwd", "pid": 1, "id": )" + std::to_string(id) +
         R"(, "tid": )" + std::to_string(thread) + R"(, "ts": )" + std::to_string(time) + "},";
}

}  // namespace ts::trace_file
