// A recording on its way from a script to a window, with the faults of either.
#include "core/live/reception.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/files/live_file.h"
#include "core/io/private_folder.h"
#include "core/live/outgoing.h"
#include "tests/run/made_stream.h"

namespace ts::live {
namespace {

using run::testing::MadeStream;
using State = Incoming::State;
using namespace std::chrono_literals;

// CTest's limit ends a wait that would not end.
void wait_for(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::sleep_for(1ms);
}

// That came; those of a made batch that overlap with earlier ones have no place in the trace.
std::size_t slices_of(const run::Run& run) {
  return run.trace.slice_count() + run.trace.disordered();
}

class ScriptAndWindow : public ::testing::Test {
 protected:
  io::PrivateFolder parent_ = std::move(*io::PrivateFolder::make("/tmp", "ts_live_"));
  std::unique_ptr<Reception> window_ = std::move(*Reception::open(parent_.path() / "t"));

  Descriptor call() { return std::move(*call_window(parent_.path() / "t")); }
  std::shared_ptr<Incoming> arrived() {
    std::vector<std::shared_ptr<Incoming>> all;
    wait_for([&] {
      for (auto& one : window_->take_new()) all.push_back(std::move(one));
      return !all.empty();
    });
    return all.front();
  }
  static void send_raw(const Descriptor& socket, std::string_view bytes) {
    wait_for([&] {
      const ssize_t sent = ::send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
      return bytes.empty();
    });
  }
  // All that came until the end.
  static run::Run whole(Incoming& incoming) {
    wait_for([&] { return incoming.ending().state != State::live; });
    std::vector<run::Update> updates;
    incoming.updates.take(updates);
    return run::testing::applied(std::move(updates));
  }
};

TEST_F(ScriptAndWindow, TheWindowHasTheRunOfTheScript) {
  const MadeStream made(1);
  std::optional<Outgoing> script(std::in_place, call(), made.strings, made.run);
  for (const capture::Batch& batch : made.batches) script->add(batch, 5);
  const auto incoming = arrived();
  EXPECT_EQ(incoming->script, "train.py");
  EXPECT_EQ(incoming->process, ::getpid());
  EXPECT_EQ(incoming->ending().state, State::live);
  script->end(made.run, "a.recording", 60s);
  script.reset();
  const run::Run got = whole(*incoming);
  EXPECT_EQ(incoming->ending().state, State::ended);
  EXPECT_EQ(incoming->ending().file, "a.recording");
  EXPECT_EQ(got.trace.slice_count(), made.run.trace.slice_count());
  EXPECT_EQ(got.memory.events().size(), made.run.memory.events().size());
  EXPECT_EQ(got.failure.sentence, made.run.failure.sentence);
  EXPECT_EQ(got.dropped, 0U);
}

TEST_F(ScriptAndWindow, AScriptThatIsKilledLeavesWhatItSent) {
  const MadeStream made(2);
  const Descriptor script = call();
  send_raw(script, made.pieces[0] + made.pieces[1] + made.pieces[2].substr(0, 30));
  const auto incoming = arrived();
  ::shutdown(script.number(), SHUT_RDWR);
  const run::Run got = whole(*incoming);
  EXPECT_EQ(incoming->ending().state, State::cut);
  EXPECT_EQ(incoming->ending().why.key, "live.cut");
  EXPECT_EQ(got.trace.slice_count(), made.batches[0].slices.size());
  EXPECT_FALSE(got.finished);
}

TEST_F(ScriptAndWindow, AWrongByteEndsTheLineWithASentence) {
  const MadeStream made(3);
  const Descriptor script = call();
  std::string wrong = made.pieces[2];
  wrong.back() = static_cast<char>(wrong.back() ^ 1);
  send_raw(script, made.pieces[0] + made.pieces[1] + wrong);
  const auto incoming = arrived();
  const run::Run got = whole(*incoming);
  EXPECT_EQ(incoming->ending().state, State::wrong);
  EXPECT_NE(incoming->ending().why.sentence.find("cut off or damaged"), std::string::npos);
  EXPECT_EQ(got.trace.slice_count(), made.batches[0].slices.size());
  char none = 0;
  wait_for([&] { return ::recv(script.number(), &none, 1, 0) == 0; });
}

TEST_F(ScriptAndWindow, WhatIsNoRecordingNeverShows) {
  const Descriptor script = call();
  send_raw(script, "GET / HTTP/1.1\r\n\r\n");
  char none = 0;
  wait_for([&] { return ::recv(script.number(), &none, 1, 0) == 0; });
  EXPECT_TRUE(window_->take_new().empty());
}

TEST_F(ScriptAndWindow, AClosedViewEndsTheLineOnly) {
  const MadeStream made(4);
  Outgoing script(call(), made.strings, made.run);
  script.add(made.batches[0], 5);
  arrived()->leave();
  wait_for([&] {
    script.add(made.batches[1], 5);
    return script.gone();
  });
  script.add(made.batches[2], 5);
  script.end(made.run, "", 60s);
  EXPECT_EQ(script.lost(), 0U);
}

TEST_F(ScriptAndWindow, TwoScriptsStayApart) {
  const MadeStream made(5);
  std::optional<Outgoing> one(std::in_place, call(), made.strings, made.run);
  const auto first = arrived();
  std::optional<Outgoing> two(std::in_place, call(), made.strings, made.run);
  const auto second = arrived();
  EXPECT_NE(first->id, second->id);
  one->add(made.batches[0], 5);
  one->end(made.run, "", 60s);
  one.reset();
  EXPECT_EQ(whole(*first).trace.slice_count(), made.batches[0].slices.size());
  EXPECT_EQ(second->ending().state, State::live);
  two.reset();
  EXPECT_EQ(whole(*second).trace.slice_count(), 0U);
  EXPECT_EQ(second->ending().state, State::cut);
}

TEST_F(ScriptAndWindow, OneMoreThanItHasRoomForIsSentAway) {
  const MadeStream made(6);
  std::vector<Descriptor> scripts;
  for (std::size_t i = 0; i <= Reception::kMostCallers; ++i) scripts.push_back(call());
  char none = 0;
  wait_for([&] { return ::recv(scripts.back().number(), &none, 1, 0) == 0; });
  send_raw(scripts.front(), made.pieces[0]);
  EXPECT_EQ(arrived()->script, "train.py");
}

// A window that takes nothing: the script goes on, and what the window loses is counted.
TEST(Outgoing, NeverWaitsForASlowWindow) {
  int both[2] = {};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, both), 0);
  const Descriptor window(both[1]);
  const MadeStream made(7, 1, 2'000);
  std::optional<Outgoing> script(std::in_place, Descriptor(both[0]), made.strings, made.run,
                                 std::size_t{1} << 16);
  script->add(made.batches[0], 5);
  std::uint64_t added = 0;
  while (script->lost() == 0 || added < 200) {
    script->add(made.batches[1], 5);
    ++added;
  }
  const std::uint64_t lost = script->lost();
  EXPECT_EQ(lost % (made.batches[1].slices.size() + made.batches[1].memory.size()), 0U);
  // Now the window reads again, and gets the end as well.
  base::StringTable strings;
  run::RecordingStreamReader reader(1, strings);
  std::vector<run::Update> updates;
  std::thread reads([&] {
    std::vector<char> buffer(1 << 16);
    while (!reader.ended()) {
      const ssize_t count = ::recv(window.number(), buffer.data(), buffer.size(), 0);
      if (count > 0) {
        ASSERT_TRUE(reader.feed({buffer.data(), static_cast<std::size_t>(count)}, updates));
      }
      if (count < 0) std::this_thread::sleep_for(1ms);
    }
  });
  script->end(made.run, "", 60s);
  reads.join();
  const run::Run got = run::testing::applied(std::move(updates));
  EXPECT_EQ(got.dropped, lost);
  EXPECT_EQ(slices_of(got) + lost / 2,
            made.batches[0].slices.size() + added * made.batches[1].slices.size());
}

TEST(Outgoing, LeavesAWindowThatTakesNothingAtTheEnd) {
  int both[2] = {};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, both), 0);
  const Descriptor window(both[1]);
  const MadeStream made(8, 1, 20'000);
  Outgoing script(Descriptor{both[0]}, made.strings, made.run);
  script.add(made.batches[0], 5);
  script.add(made.batches[1], 5);
  script.end(made.run, "", 10ms);
  EXPECT_FALSE(script.gone());
}

TEST_F(ScriptAndWindow, AFileThatGrowsIsWholeAtTheEnd) {
  const MadeStream made(9);
  std::optional<Outgoing> script(std::in_place, call(), made.strings, made.run);
  files::LiveFile file(arrived());
  wait_for([&] { return file.update(INT64_MAX) && file.opened() != nullptr; });
  EXPECT_TRUE(file.grows());
  std::size_t slices = 0;
  std::size_t steps = 0;
  for (const capture::Batch& batch : made.batches) {
    ++steps;
    run::StepTimes times;
    times.begin_ns = 1'000;
    times.total_ns = 10;
    script->step(times);
    script->add(batch, 5);
    slices += batch.slices.size();
    wait_for([&] {
      file.update(INT64_MAX);
      const run::Run& run = file.opened()->trace->run;
      return slices_of(run) == slices && run.recorded_steps.size() == steps;
    });
    EXPECT_EQ(file.newest_step().begin, 1'000);
  }
  EXPECT_EQ(file.delays().size(), made.batches.size());
  EXPECT_EQ(file.state(), State::live);
  EXPECT_TRUE(file.opened()->devices.empty());
  script->end(made.run, "a.recording", 60s);
  script.reset();
  wait_for([&] {
    file.update(INT64_MAX);
    return file.complete();
  });
  EXPECT_EQ(file.state(), State::ended);
  EXPECT_EQ(file.file(), "a.recording");
  EXPECT_FALSE(file.grows());
  ASSERT_EQ(file.opened()->devices.size(), 1U);
  EXPECT_EQ(file.opened()->trace->run.failure.sentence, made.run.failure.sentence);
  EXPECT_EQ(file.opened()->devices[0].run.memory.blocks().size(),
            file.opened()->trace->run.memory.blocks().size());
}

TEST_F(ScriptAndWindow, AFileThatBreaksOffSaysSoAndStays) {
  const MadeStream made(10);
  std::optional<Outgoing> script(std::in_place, call(), made.strings, made.run);
  script->add(made.batches[0], 5);
  files::LiveFile file(arrived());
  wait_for([&] {
    file.update(INT64_MAX);
    return file.opened() != nullptr && file.opened()->trace->run.trace.slice_count() > 0;
  });
  script.reset();
  wait_for([&] {
    file.update(INT64_MAX);
    return file.complete();
  });
  EXPECT_EQ(file.state(), State::cut);
  EXPECT_TRUE(file.file().empty());
  EXPECT_EQ(file.opened()->trace->run.verdict, run::Verdict::failed);
  EXPECT_EQ(file.opened()->trace->run.failure.key, "live.cut");
  EXPECT_EQ(file.opened()->devices.size(), 1U);
}

}  // namespace
}  // namespace ts::live
