#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/exported/program_read.h"

namespace ts::exported::testing {

// The program of a file's JSON, which must be readable.
inline Program program_of(const nlohmann::json& json) {
  auto program = read_program(json.dump());
  EXPECT_TRUE(program) << program.error().sentence;
  return program ? *program : Program();
}

}  // namespace ts::exported::testing
