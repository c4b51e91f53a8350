// A file that is shown before all of it is read, and one whose reading is stopped.
#include "app/session/opened_files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/io/file.h"
#include "core/text/message.h"
#include "tests/io/temporary_folder.h"

namespace ts::app {
namespace {

using Opened = base::Result<std::unique_ptr<files::OpenedFile>>;

std::string snapshot_of(int bytes) {
  const std::string size = std::to_string(bytes);
  return R"({"segments": [], "device_traces": [[
    {"action": "segment_alloc", "addr": 1048576, "size": 2097152, "time_us": 10},
    {"action": "alloc", "addr": 1048576, "size": )" +
         size + R"(, "time_us": 11},
    {"action": "free_requested", "addr": 1048576, "size": )" +
         size + R"(, "time_us": 12}]]})";
}

// Reads files as told: the beginning at once, the rest when it may go on.
class StatedReading : public ::testing::Test {
 protected:
  void SetUp() override {
    write(beginning_, 100);
    write(path_, 700);
  }
  static void write(const std::filesystem::path& path, int bytes) {
    ASSERT_TRUE(io::write_file(path, snapshot_of(bytes)));
  }
  Opened read(const std::filesystem::path& path, const files::Opening& opening) {
    const std::shared_future<void> goes_on = goes_on_;
    if (auto read = files::open_file(beginning_)) {
      (*read)->path = path;
      (*read)->arrives = true;
      opening.beginning(std::move(*read));
    }
    handed_.set_value();
    goes_on.wait();
    if (opening.progress->cancelled()) return text::fail("file_error.stopped");
    return files::open_file(path);
  }
  // Opens the file again; its reading waits for rest().
  void open() {
    go_ = std::promise<void>();
    goes_on_ = go_.get_future().share();
    handed_ = std::promise<void>();
    files_.open(path_);
  }
  void rest() {
    go_.set_value();
    wait([this] { return !files_.loading(); });
  }
  void wait(const std::function<bool()>& done) {
    while (files_.update() || !done()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void wait_for_beginning() {
    wait([this] { return entry().in_part && entry().opened != nullptr; });
  }
  const OpenedFiles::Entry& entry() const { return files_.entries().at(0); }
  std::int64_t peak() const { return entry().opened->devices.at(0).run.memory.peak_bytes(); }

  io::testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "whole.json";
  std::filesystem::path beginning_ = folder_ / "beginning.json";
  std::promise<void> go_;
  std::shared_future<void> goes_on_;
  std::promise<void> handed_;  // the beginning, to the window
  OpenedFiles files_{[this](const std::filesystem::path& path, const files::Opening& opening) {
    return read(path, opening);
  }};
};

TEST_F(StatedReading, TheBeginningIsShownThenAll) {
  open();
  EXPECT_TRUE(entry().loading());
  EXPECT_EQ(entry().opened, nullptr);
  wait_for_beginning();
  EXPECT_TRUE(entry().loading());
  EXPECT_EQ(peak(), 100);
  EXPECT_EQ(files_.replayed(), nullptr) << "a verdict on the beginning says nothing";
  rest();
  EXPECT_FALSE(entry().loading());
  EXPECT_FALSE(entry().in_part);
  EXPECT_EQ(peak(), 700);
  EXPECT_EQ(entry().opened->fault().sentence, "");
  EXPECT_NE(files_.replayed(), nullptr);
}

// A million events take half a second, for which the window would stand still.
TEST_F(StatedReading, TheHistoryIsMadeWhereTheFileIsRead) {
  const auto events = [this] {
    const auto& history = entry().opened->devices.at(0).history;
    return history == nullptr ? 0 : history->position();
  };
  open();
  wait_for_beginning();
  EXPECT_EQ(events(), 3U);
  EXPECT_EQ(entry().opened->devices.at(0).history->segments().at(0).requested_size, 100);
  rest();
  EXPECT_EQ(events(), 3U);
  EXPECT_EQ(entry().opened->devices.at(0).history->segments().at(0).requested_size, 700);
}

TEST_F(StatedReading, NoFrameBetweenReadingAndReplayIsQuiet) {
  open();
  wait_for_beginning();
  go_.set_value();
  while (entry().loading()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    files_.update();
  }
  EXPECT_TRUE(files_.loading() || files_.replayed() != nullptr);
}

TEST_F(StatedReading, CancelKeepsTheBeginningAndSaysSo) {
  open();
  wait_for_beginning();
  files_.stop_reading(0);
  EXPECT_FALSE(entry().loading());
  rest();
  EXPECT_EQ(peak(), 100);
  EXPECT_TRUE(entry().in_part);
  EXPECT_FALSE(entry().opened->arrives);
  EXPECT_NE(entry().opened->fault().sentence.find("was stopped"), std::string::npos)
      << entry().opened->fault().sentence;
  EXPECT_TRUE(entry().changed_on_disk()) << "what is shown is not the file";
  open();  // and all of it when it is opened again
  rest();
  EXPECT_EQ(peak(), 700);
  EXPECT_FALSE(entry().in_part);
}

TEST_F(StatedReading, CancelBeforeAnythingIsShownClosesTheFile) {
  open();
  files_.stop_reading(0);
  EXPECT_TRUE(files_.entries().empty());
  EXPECT_EQ(files_.current_index(), std::nullopt);
  rest();
  EXPECT_TRUE(files_.entries().empty());
}

TEST_F(StatedReading, CancelOfASecondReadingLeavesTheFirst) {
  open();
  rest();
  const std::shared_ptr<files::OpenedFile> first = entry().opened;
  write(path_, 900);
  open();
  wait([this] { return entry().loading(); });
  EXPECT_EQ(entry().opened, first);
  files_.stop_reading(0);
  rest();
  EXPECT_EQ(entry().opened, first);
  EXPECT_FALSE(entry().in_part);
  EXPECT_EQ(first->fault().sentence, "");
  EXPECT_EQ(peak(), 700);
}

TEST_F(StatedReading, ASecondReadingShowsNoBeginning) {
  open();
  rest();
  const std::shared_ptr<files::OpenedFile> first = entry().opened;
  write(path_, 900);
  open();
  handed_.get_future().wait();
  files_.update();
  EXPECT_EQ(entry().opened, first);
  rest();
  EXPECT_EQ(peak(), 900);
}

TEST_F(StatedReading, ABeginningWithoutARestStaysWithTheReason) {
  open();
  wait_for_beginning();
  std::filesystem::remove(path_);
  rest();
  EXPECT_FALSE(entry().loading());
  EXPECT_EQ(peak(), 100);
  EXPECT_TRUE(entry().in_part);
  EXPECT_NE(entry().opened->fault().sentence.find("whole.json"), std::string::npos);
  EXPECT_EQ(entry().problem.sentence, "");
}

TEST_F(StatedReading, AClosedFileStaysClosed) {
  open();
  wait_for_beginning();
  files_.close(0);
  rest();
  EXPECT_TRUE(files_.entries().empty());
}

constexpr const char* kTwoStreams = R"({"segments": [], "device_traces": [[
    {"action": "alloc", "addr": 4096, "size": 100, "stream": 0, "time_us": 1, "category": "input"},
    {"action": "alloc", "addr": 8192, "size": 700, "stream": 7, "time_us": 2, "category": "input"},
    {"action": "alloc", "addr": 9216, "size": 900, "stream": 7, "time_us": 3, "category": "input"}
  ]]})";

class PartsOfAFile : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(io::write_file(folder_ / "two.json", kTwoStreams));
    files_.open(folder_ / "two.json");
    wait();
  }
  void wait() {
    while (files_.update() || files_.loading())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void narrow(std::optional<std::int64_t> stream) {
    files_.narrow({.stream = stream, .pool = std::nullopt});
    wait();
  }
  const OpenedFiles::Entry& entry() const { return *files_.current(); }
  const files::OpenedDevice& device() const { return entry().opened->devices.at(entry().device); }
  memory::Category category(memory::BlockIndex block) const {
    return device().run.memory.blocks()[block].category;
  }

  io::testing::TemporaryFolder folder_;
  OpenedFiles files_;
};

TEST_F(PartsOfAFile, AStreamIsShownAndAllAgain) {
  const auto whole = entry().opened;
  narrow(7);
  EXPECT_EQ(device().run.memory.peak_bytes(), 1600);
  ASSERT_NE(device().history, nullptr);
  EXPECT_EQ(device().history->size(), device().trace_events);
  EXPECT_EQ(entry().all(), whole);
  EXPECT_NE(files_.replayed(), nullptr);
  narrow(0);
  EXPECT_EQ(device().run.memory.peak_bytes(), 100);
  narrow(std::nullopt);
  EXPECT_EQ(entry().opened, whole);
  EXPECT_EQ(device().run.memory.peak_bytes(), 1700);
}

TEST_F(PartsOfAFile, TheLastChoiceWins) {
  files_.narrow({.stream = 7, .pool = std::nullopt});
  files_.narrow({.stream = 0, .pool = std::nullopt});
  wait();
  EXPECT_EQ(device().run.memory.peak_bytes(), 100);
  files_.narrow({.stream = 7, .pool = std::nullopt});
  files_.narrow({});
  wait();
  EXPECT_EQ(device().run.memory.peak_bytes(), 1700);
}

TEST_F(PartsOfAFile, WhatIsCorrectedInAPartIsCorrectedInAll) {
  narrow(7);
  files_.correct({.category = memory::Category::gradient, .blocks = {1}});
  EXPECT_EQ(category(0), memory::Category::input);
  EXPECT_EQ(category(1), memory::Category::gradient);
  EXPECT_TRUE(files_.can_undo());
  narrow(std::nullopt);
  EXPECT_EQ(category(1), memory::Category::input);
  EXPECT_EQ(category(2), memory::Category::gradient);
  narrow(7);
  EXPECT_EQ(category(1), memory::Category::gradient);
  files_.undo();
  EXPECT_EQ(category(1), memory::Category::input);
  files_.redo();
  EXPECT_EQ(category(1), memory::Category::gradient);
}

TEST_F(PartsOfAFile, AFileThatIsReadAgainIsWhole) {
  narrow(7);
  files_.open(folder_ / "two.json");
  wait();
  EXPECT_EQ(entry().whole, nullptr);
  EXPECT_EQ(device().run.memory.peak_bytes(), 1700);
}

TEST_F(PartsOfAFile, AFileThatIsClosedMeanwhileStaysClosed) {
  files_.narrow({.stream = 7, .pool = std::nullopt});
  files_.close(0);
  wait();
  EXPECT_TRUE(files_.entries().empty());
}

// The question waits while another one is answered, and is not asked twice.
TEST_F(PartsOfAFile, ReservedBytesAreExplainedAtAMoment) {
  const auto explained_at = [this](std::optional<std::size_t> position) {
    files_.explain(position);
    const bool asked = files_.explaining();
    wait();
    files_.explain(position);
    EXPECT_FALSE(files_.explaining()) << "it is answered";
    return asked;
  };
  EXPECT_EQ(files_.explained(), nullptr);
  EXPECT_TRUE(explained_at(1));
  ASSERT_NE(files_.explained(), nullptr);
  ASSERT_TRUE(files_.explained()->answer) << files_.explained()->problem.sentence;
  EXPECT_EQ(files_.explained()->answer->position, 1U);
  EXPECT_EQ(files_.explained()->answer->parts.requested, 100);
  EXPECT_TRUE(explained_at(3));
  EXPECT_EQ(files_.explained()->answer->parts.requested, 1700);
  files_.close(0);
  wait();
  EXPECT_EQ(files_.explained(), nullptr);
}

TEST(LargeFiles, AskWhichEventsAreRead) {
  const io::testing::TemporaryFolder folder;
  const auto path = folder / "large.json";
  ASSERT_TRUE(io::write_file(path, snapshot_of(700)));
  OpenedFiles files;
  files.ask_above(100);
  const auto read = [&files] {
    while (files.loading() || files.update()) {
      files.update();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  files.open(path);
  const OpenedFiles::Entry& entry = files.entries().at(0);
  EXPECT_TRUE(entry.asks.has_value());
  EXPECT_FALSE(entry.loading());
  EXPECT_EQ(entry.opened, nullptr) << "nothing is read";
  const base::FileRange range{.from = 0, .to = 2};
  files.open(path, range);
  EXPECT_FALSE(entry.asks.has_value());
  read();
  ASSERT_NE(entry.opened, nullptr);
  EXPECT_EQ(entry.range, range);
  EXPECT_EQ(entry.opened->devices.at(0).trace_events, 2U);
  EXPECT_NE(entry.opened->fault().sentence.find("from 0 to 2"), std::string::npos)
      << entry.opened->fault().sentence;
  files.open(path);
  EXPECT_TRUE(entry.asks.has_value()) << "another part may be wanted";
  files.open(path, base::FileRange{});
  read();
  EXPECT_EQ(entry.opened->devices.at(0).trace_events, 3U);
  files.ask_above(1 << 20);
  files.open(path);
  EXPECT_FALSE(entry.asks.has_value());
  read();
}

}  // namespace
}  // namespace ts::app
