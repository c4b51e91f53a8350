// Scripts and windows meet in a folder of their user's own, and nowhere else.
#include "core/live/meeting_place.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "core/io/private_folder.h"

namespace ts::live {
namespace {

class MeetingPlace : public ::testing::Test {
 protected:
  io::PrivateFolder parent_ = std::move(*io::PrivateFolder::make("/tmp", "ts_live_"));
  const std::filesystem::path folder_ = parent_.path() / "tensorscope";

  static mode_t mode_of(const std::filesystem::path& path) {
    struct stat found {};
    EXPECT_EQ(::lstat(path.c_str(), &found), 0);
    return found.st_mode & 07777;
  }
};

TEST_F(MeetingPlace, IsOfThisUserAlone) {
  const auto listener = Listener::open(folder_);
  ASSERT_TRUE(listener) << listener.error().sentence;
  EXPECT_EQ(mode_of(folder_), 0700U);
  EXPECT_EQ(mode_of(listener->path()), 0600U);
}

TEST_F(MeetingPlace, ACallerIsToldWithItsProcess) {
  auto listener = Listener::open(folder_);
  ASSERT_TRUE(listener);
  EXPECT_FALSE(listener->accept());
  const auto socket = call_window(folder_);
  ASSERT_TRUE(socket) << socket.error().sentence;
  const auto caller = listener->accept();
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->process, ::getpid());
  EXPECT_EQ(::send(socket->number(), "x", 1, 0), 1);
  char got = 0;
  EXPECT_EQ(::recv(caller->socket.number(), &got, 1, 0), 1);
  EXPECT_EQ(got, 'x');
}

TEST_F(MeetingPlace, WithoutAWindowTheSentenceSaysSo) {
  const auto none = call_window(folder_);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().key, "live.no_window");
  { ASSERT_TRUE(Listener::open(folder_)); }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_EQ(call_window(folder_).error().key, "live.no_window");
}

TEST_F(MeetingPlace, AFolderThatOthersMayEnterIsNotUsed) {
  std::filesystem::create_directory(folder_);
  ::chmod(folder_.c_str(), 0755);
  EXPECT_EQ(Listener::open(folder_).error().key, "live.not_private");
  EXPECT_EQ(call_window(folder_).error().key, "live.not_private");
}

TEST_F(MeetingPlace, ALinkIsNotFollowed) {
  const auto elsewhere = parent_.path() / "elsewhere";
  ASSERT_EQ(::mkdir(elsewhere.c_str(), 0700), 0);
  std::filesystem::create_directory_symlink(elsewhere, folder_);
  EXPECT_EQ(Listener::open(folder_).error().key, "live.not_private");
  EXPECT_EQ(call_window(folder_).error().key, "live.not_private");
}

TEST_F(MeetingPlace, APathThatNoSocketMayHaveIsRefused) {
  const auto deep = parent_.path() / std::string(100, 'd');
  EXPECT_EQ(Listener::open(deep).error().key, "live.long_path");
}

// The socket that a killed window of this number leaves.
void leave_socket(const std::filesystem::path& folder, pid_t process) {
  const std::string path = (folder / ("window-" + std::to_string(process))).string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
            0);
}

TEST_F(MeetingPlace, WhatAKilledWindowLeftIsPassedOverAndRemoved) {
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
  ASSERT_EQ(::mkdir(folder_.c_str(), 0700), 0);
  leave_socket(folder_, gone);
  EXPECT_EQ(call_window(folder_).error().key, "live.no_window");
  const auto listener = Listener::open(folder_);
  ASSERT_TRUE(listener) << listener.error().sentence;
  EXPECT_TRUE(call_window(folder_));
  EXPECT_FALSE(std::filesystem::exists(folder_ / ("window-" + std::to_string(gone))));
}

// Even if somebody opens folder and socket to all, a caller of another user is sent away.
TEST_F(MeetingPlace, ACallerOfAnotherUserIsSentAway) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  auto listener = Listener::open(folder_);
  ASSERT_TRUE(listener);
  for (const auto& path : {parent_.path(), folder_, listener->path()}) ::chmod(path.c_str(), 0777);
  const pid_t other = ::fork();
  if (other == 0) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, listener->path().c_str(), sizeof(address.sun_path) - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    if (::setresuid(65534, 65534, 65534) != 0) ::_exit(1);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
      ::_exit(2);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  ASSERT_EQ(status, 0);
  EXPECT_FALSE(listener->accept());
}

}  // namespace
}  // namespace ts::live
