// `tensorscope script`: what script_parity.py does not look at: files and wrong input.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/app/program.h"

namespace ts::app::testing {
namespace {

TEST(ScriptCommand, WritesAFileAndDoesNotTouchStandardOutput) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "step.py";
  const Ended ended = run_program(
      "script lm --preset 2.7B --set T=256 --set pass=full_step --out " + file.string());
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  const std::string script = read(file);
  EXPECT_NE(script.find("\nD_MODEL = 2560\n"), std::string::npos);
  EXPECT_NE(script.find("torch.optim.AdamW("), std::string::npos);
  EXPECT_EQ(script, run_program("script lm --preset 2.7B --set T=256 --set pass=full_step").out);
}

TEST(ScriptCommand, WhatPyTorchHasNothingForIsNamed) {
  for (const auto& [settings, part] :
       {std::pair("lm --set backend=tiled", "backend = tiled"),
        std::pair("lm --set pass=generate", "pass = generate"),
        std::pair("weighted_sum", "workload = weighted_sum"),
        std::pair("lm --set pass=full_step --set habit=no_zero_grad", "habit = no_zero_grad")}) {
    const Ended ended = run_program(std::string("script ") + settings);
    EXPECT_EQ(ended.code, 2) << settings;
    EXPECT_EQ(ended.out, "");
    EXPECT_NE(ended.err.find(part), std::string::npos) << ended.err;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
  EXPECT_EQ(run_program("script lm --set T=zero").code, 2);
  EXPECT_EQ(run_program("script lm --out /proc/no/such.py").code, 1);
}

}  // namespace
}  // namespace ts::app::testing
