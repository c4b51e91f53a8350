#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/app/program.h"

// Checks a kernel's file by `tensorscope kernel`, from its text.
namespace ts::app::testing {

// All cases keep the executor in one place.
inline Ended run_kept(const std::string& arguments) {
  return run_program(arguments, "XDG_CACHE_HOME=" TENSORSCOPE_KEPT_EXECUTOR);
}

inline Ended check_source(const std::string& source, const std::string& options = "") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "mine.cu";
  std::ofstream(file) << "#include <cuda_runtime.h>\n" << source;
  return run_kept("kernel " + file.string() + " --check attention " + options);
}

inline void replace_first(std::string& source, const std::string& text, const std::string& other) {
  const auto place = source.find(text);
  EXPECT_NE(place, std::string::npos) << text;
  source.replace(place, text.size(), other);
}

// The right kernel with one text in place of another.
inline Ended check_kernel(const std::string& text, const std::string& wrong,
                          const std::string& options = "") {
  std::string source = read(TENSORSCOPE_OWN_ATTENTION);
  replace_first(source, text, wrong);
  return check_source(source, options);
}

// The kernel is wrong, and the sentence has this text, or begins with it.
inline void expect_mistake(const Ended& ended, const std::string& text) {
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.out.find(text), std::string::npos) << ended.out;
}
inline void expect_mistake_begins(const Ended& ended, const std::string& text) {
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_EQ(ended.out.rfind(text, 0), 0U) << ended.out;
}

}  // namespace ts::app::testing
