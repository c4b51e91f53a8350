#include "app/window/restart.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

namespace ts::app {
namespace {

// The output of a child that starts the program in its own place.
std::string printed_by(const std::filesystem::path& program) {
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe_ends[1], STDOUT_FILENO);
    const base::Message why = restart(program, {"a file", "b"});
    const std::string said = why.key + ": " + why.sentence;
    static_cast<void>(write(STDOUT_FILENO, said.data(), said.size()));
    _exit(1);
  }
  close(pipe_ends[1]);
  std::string text;
  std::array<char, 256> bytes{};
  // Ends only when every copy of the other end is closed: the new program has none but its output.
  for (ssize_t got = 0; (got = read(pipe_ends[0], bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(got));
  close(pipe_ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

TEST(Restart, another_program_takes_the_place_with_the_files_as_its_arguments) {
  EXPECT_EQ(printed_by("/bin/echo"), "a file b\n");
}

TEST(Restart, nothing_but_the_three_streams_stays_open) {
  // One line for each descriptor, and one for that of the listing itself.
  const std::string listed = printed_by(TENSORSCOPE_LIST_DESCRIPTORS);
  EXPECT_EQ(listed, "0 1 2\n");
}

TEST(Restart, a_program_that_is_not_there_gives_a_sentence) {
  EXPECT_EQ(printed_by("/no/such/program"),
            "restart.failed: The program cannot be started again: No such file or directory");
}

}  // namespace
}  // namespace ts::app
