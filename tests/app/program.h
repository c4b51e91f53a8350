#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace ts::app::testing {

struct Ended {
  int code = -1;
  std::string out;
  std::string err;
};

// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tensorscope_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs the built program through the shell with `arguments`, and `environment` ("NAME=value ...")
// before it; waits for the end. The roof of the processor is measured by the first run that needs
// it.
inline Ended run_program(const std::string& arguments, const std::string& environment = "") {
  static const TemporaryFolder roofs;
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "out").string();
  const std::string err = (folder.path() / "err").string();
  const std::string command = "TENSORSCOPE_ROOFS=" + roofs.path().string() + " " + environment +
                              " " TENSORSCOPE_PROGRAM " " + arguments + " >" + out + " 2>" + err +
                              " </dev/null";
  const int status = std::system(command.c_str());
  Ended ended;
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.out = read(out);
  ended.err = read(err);
  return ended;
}

// The document that a command given --json printed; the test fails where it is not one document.
inline nlohmann::json document_of(const Ended& ended) {
  auto json = nlohmann::json::parse(ended.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << ended.out << ended.err;
  return json;
}

}  // namespace ts::app::testing
