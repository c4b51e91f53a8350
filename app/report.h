#pragma once

#include <cstdio>
#include <string>

namespace ts::app {

// What a command says when it cannot do what was asked, on standard error; gives the exit code.
inline int report(const std::string& sentence, int code) {
  std::fprintf(stderr, "tensorscope: %s\n", sentence.c_str());
  return code;
}

}  // namespace ts::app
