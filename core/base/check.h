#pragma once

#include <cstdio>
#include <cstdlib>

// TS_CHECK(condition): a broken internal invariant ends the program and prints its location. Never
// for input, files or the environment: those are base::Result.
#define TS_CHECK(condition)                                                              \
  do {                                                                                   \
    if (!(condition)) [[unlikely]] {                                                     \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)
