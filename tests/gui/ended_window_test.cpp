// A window in a process of its own that is ended from outside: by signals, and by its display.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/window/window.h"
#include "tests/io/temporary_folder.h"

namespace ts::app {
namespace {

constexpr const char* kFolder = "TENSORSCOPE_TEST_FOLDER";
constexpr int kReady = 9;  // the child's descriptor that says that frames are drawn

// Run by EndedWindow in a process of its own: changes a setting, then does what the program does.
TEST(WindowInAProcess, DISABLED_Runs) {
  const std::filesystem::path folder = std::getenv(kFolder);
  const auto no_engine = []() -> base::Result<std::unique_ptr<run::Engine>> {
    return base::fail("There is no engine here");
  };
  auto window = Window::open({no_engine, {}, folder, folder});
  ASSERT_TRUE(window) << window.error().sentence;
  spec::WorkloadSpec spec = (*window)->state().history.spec();
  spec.seq_len = 192;
  (*window)->state().history.set(spec);
  int frames = 0;
  (*window)->after_frame = [&frames] {
    if (++frames == 3) {
      EXPECT_EQ(write(kReady, "r", 1), 1);
    }
  };
  const int code = (*window)->run();
  window->reset();
  std::exit(code);
}

struct Child {
  pid_t process = -1;
  int ready = -1;
};

// A program whose descriptor kReady is the other end of `ready`.
Child start_child(const std::vector<std::string>& words) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(pipe(ends), 0);
  Child child{fork(), ends[0]};
  if (child.process == 0) {
    dup2(ends[1], kReady);
    // The process that started the tests may ignore them, as nohup does; a child would, too.
    for (const int number : {SIGTERM, SIGHUP, SIGINT}) signal(number, SIG_DFL);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  return child;
}

// The words of the child until the end of a line, or of its life.
std::string wait_for_line(const Child& child) {
  std::string said;
  char letter = 0;
  while (read(child.ready, &letter, 1) == 1 && letter != '\n') {
    said += letter;
    if (letter == 'r') break;
  }
  return said;
}

int end_of(const Child& child) {
  int status = 0;
  waitpid(child.process, &status, 0);
  close(child.ready);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class EndedWindow : public ::testing::Test {
 protected:
  Child start_window() {
    setenv(kFolder, folder_.path().c_str(), 1);
    // Brief: a case that it starts and never ends is not to be read as one of this program.
    const Child child = start_child({std::filesystem::read_symlink("/proc/self/exe").string(),
                                     "--gtest_also_run_disabled_tests", "--gtest_brief=1",
                                     "--gtest_filter=WindowInAProcess.*"});
    EXPECT_EQ(wait_for_line(child), "r") << "no frame was drawn";
    return child;
  }
  [[nodiscard]] std::int64_t remembered_length() const {
    std::ifstream file(folder_ / "settings.json");
    const auto json = nlohmann::json::parse(file, nullptr, false);
    return json.is_object() ? json.at("spec").at("T").get<std::int64_t>() : -1;
  }

  io::testing::TemporaryFolder folder_;
};

TEST_F(EndedWindow, BySignalsItKeepsTheSettings) {
  for (const int number : {SIGTERM, SIGHUP, SIGINT}) {
    std::filesystem::remove(folder_ / "settings.json");
    const Child child = start_window();
    kill(child.process, number);
    EXPECT_EQ(end_of(child), 0) << number;
    EXPECT_EQ(remembered_length(), 192) << number;
  }
}

// Two windows share the folder of settings: both draw, and the file is whole whoever writes last.
TEST_F(EndedWindow, TwoAtOnceKeepTheSettingsWhole) {
  for (int round = 0; round < 3; ++round) {
    const Child first = start_window();
    const Child second = start_window();
    for (const Child& child : {first, second}) kill(child.process, SIGTERM);
    EXPECT_EQ(end_of(first), 0);
    EXPECT_EQ(end_of(second), 0);
    EXPECT_EQ(remembered_length(), 192);
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      EXPECT_NE(entry.path().extension(), ".partial") << entry.path();
    }
  }
}

TEST_F(EndedWindow, ByItsDisplayItKeepsTheSettings) {
  const Child server = start_child(
      {"Xvfb", "-displayfd", std::to_string(kReady), "-screen", "0", "1280x800x24", "-noreset"});
  const std::string number = wait_for_line(server);
  if (number.empty()) {
    end_of(server);
    GTEST_SKIP() << "there is no Xvfb to end";
  }
  const char* const display = std::getenv("DISPLAY");
  const std::string before = display != nullptr ? display : "";
  setenv("DISPLAY", (":" + number).c_str(), 1);
  const Child child = start_window();
  setenv("DISPLAY", before.c_str(), 1);
  kill(server.process, SIGKILL);
  end_of(server);
  EXPECT_EQ(end_of(child), 1);
  EXPECT_EQ(remembered_length(), 192);
}

}  // namespace
}  // namespace ts::app
