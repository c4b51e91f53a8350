#include "core/sweep/sweep_journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/run/made_runs.h"

namespace ts::sweep {
namespace {

namespace fs = std::filesystem;

class SweepJournalFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sweep_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ / "sweep.jsonl";
    spec_.axes = {*parse_axis("T=64:512:x2")};
    spec_.series = {*parse_series("backend=naive,flash")};
  }
  void TearDown() override { fs::remove_all(folder_); }

  static run::Run run_of(const SweepPoint& point) {
    return point.spec.seq_len == 512 && point.series == 0
               ? run::testing::stopped_run(point.spec, run::Verdict::oom)
               : run::testing::made_run(point.spec, 1.25, 4096);
  }
  // Runs up to `most` points and writes them.
  static void run_some(Sweep& sweep, SweepJournal& journal, std::size_t most) {
    for (std::size_t i = 0; i < most; ++i) {
      const auto point = sweep.next();
      if (!point) return;
      sweep.start(*point);
      sweep.finish(*point, run_of(sweep.points()[*point]));
      ASSERT_TRUE(journal.append(to_json(sweep, sweep.points()[*point])).has_value());
    }
  }
  // A point that ends like that is written.
  static void run_one(Sweep& sweep, SweepJournal& journal, std::size_t point,
                      run::Verdict verdict) {
    sweep.start(point);
    const spec::WorkloadSpec& one = sweep.points()[point].spec;
    sweep.finish(point, verdict == run::Verdict::ok ? run::testing::made_run(one, 1, 1)
                                                    : run::testing::stopped_run(one, verdict));
    ASSERT_TRUE(journal.append(to_json(sweep, sweep.points()[point])).has_value());
  }
  [[nodiscard]] std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void append_text(const std::string& text) const {
    std::ofstream(path_, std::ios::binary | std::ios::app) << text;
  }

  fs::path folder_;
  fs::path path_;
  SweepSpec spec_;
  SweepIdentity identity_ = {{"program", "tensorscope 0.1.0"}, {"libtorch", "2.11.0"}};
};

TEST_F(SweepJournalFile, ContinuesWhereItStopped) {
  Sweep whole(spec_);
  {
    auto journal = SweepJournal::create(path_, spec_, identity_);
    ASSERT_TRUE(journal.has_value()) << journal.error().sentence;
    run_some(whole, *journal, 3);
  }
  append_text(R"({"series":"naive","at":{"T":12)");  // what a crash leaves
  auto content = read_journal(path_);
  ASSERT_TRUE(content.has_value()) << content.error().sentence;
  EXPECT_TRUE(content->spec == spec_);
  EXPECT_EQ(content->points.size(), 3U);
  EXPECT_TRUE(same_identity(*content, identity_, path_).has_value());

  Sweep again(content->spec);
  ASSERT_TRUE(restore(again, *content, path_).has_value());
  EXPECT_EQ(again.count(PointStatus::ok), 3U);
  auto journal = SweepJournal::resume(path_, *content);
  ASSERT_TRUE(journal.has_value()) << journal.error().sentence;
  run_some(again, *journal, 100);
  run_some(whole, *journal, 0);

  const auto end = read_journal(path_);
  ASSERT_TRUE(end.has_value()) << "the half line is gone: " << end.error().sentence;
  EXPECT_EQ(end->points.size(), 8U);
  Sweep last(spec_);
  ASSERT_TRUE(restore(last, *end, path_).has_value());
  EXPECT_TRUE(last.finished());
  EXPECT_EQ(to_json(last, nlohmann::json()), to_json(again, nlohmann::json()))
      << "every number survives";
}

TEST_F(SweepJournalFile, CancelledAndFailedPointsRunAgain) {
  Sweep sweep(spec_);
  auto journal = SweepJournal::create(path_, spec_, identity_);
  for (const run::Verdict verdict :
       {run::Verdict::cancelled, run::Verdict::failed, run::Verdict::ok}) {
    run_one(sweep, *journal, *sweep.next(), verdict);
  }
  Sweep again(spec_);
  ASSERT_TRUE(restore(again, *read_journal(path_), path_).has_value());
  EXPECT_EQ(again.count(PointStatus::ok), 1U);
  EXPECT_EQ(again.count(PointStatus::pending), 7U);
}

TEST_F(SweepJournalFile, AnotherProgramIsNeverMixedIn) {
  { ASSERT_TRUE(SweepJournal::create(path_, spec_, identity_).has_value()); }
  const auto content = read_journal(path_);
  SweepIdentity other = identity_;
  other["libtorch"] = "2.12.0";
  const auto same = same_identity(*content, other, path_);
  ASSERT_FALSE(same.has_value());
  EXPECT_NE(same.error().sentence.find("libtorch 2.11.0, this is 2.12.0"), std::string::npos)
      << same.error().sentence;
  other = identity_;
  other["device"] = "new";
  EXPECT_FALSE(same_identity(*content, other, path_).has_value());
}

TEST_F(SweepJournalFile, IsNotOverwrittenAndNotWrittenTwice) {
  auto journal = SweepJournal::create(path_, spec_, identity_);
  ASSERT_TRUE(journal.has_value());
  const auto second = SweepJournal::create(path_, spec_, identity_);
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().sentence.find("--resume"), std::string::npos);
  const auto beside = SweepJournal::resume(path_, *read_journal(path_));
  ASSERT_FALSE(beside.has_value());
  EXPECT_NE(beside.error().sentence.find("Another tensorscope"), std::string::npos);
}

// A crash while the header was written leaves nothing or a part of it: no point is lost when the
// sweep is begun again. What is no part of a header may be somebody's.
TEST_F(SweepJournalFile, WithoutAWholeHeaderItIsBegunAgain) {
  { ASSERT_TRUE(SweepJournal::create(path_, spec_, identity_).has_value()); }
  const std::string header = content();
  for (const std::size_t kept : {std::size_t{0}, std::size_t{5}, header.size() - 1}) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << header.substr(0, kept);
    const auto read = read_journal(path_);
    ASSERT_FALSE(read.has_value());
    EXPECT_NE(read.error().sentence.find("begin the sweep again"), std::string::npos);
    const auto again = SweepJournal::create(path_, spec_, identity_);
    ASSERT_TRUE(again.has_value()) << again.error().sentence;
    EXPECT_EQ(content(), header);
  }
  for (const std::string& other : {std::string("a list of mine"), header}) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << other;
    EXPECT_FALSE(SweepJournal::create(path_, spec_, identity_).has_value());
    EXPECT_EQ(content(), other);
  }
}

// The last line of a point counts, also when it says that its run was given up.
TEST_F(SweepJournalFile, ALaterLineMakesAPointForgotten) {
  Sweep sweep(spec_);
  auto journal = SweepJournal::create(path_, spec_, identity_);
  ASSERT_TRUE(journal.has_value());
  const auto point = *sweep.next();
  for (const run::Verdict verdict : {run::Verdict::ok, run::Verdict::cancelled}) {
    sweep.forget(point);
    run_one(sweep, *journal, point, verdict);
  }
  Sweep again(spec_);
  ASSERT_TRUE(restore(again, *read_journal(path_), path_).has_value());
  EXPECT_EQ(again.points()[point].status, PointStatus::pending);
  EXPECT_FALSE(again.points()[point].measured);
  EXPECT_EQ(again.count(PointStatus::ok), 0U);
}

TEST_F(SweepJournalFile, BrokenFilesNameTheLine) {
  const auto sentence = [&](const std::string& text) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
    const auto read = read_journal(path_);
    if (!read) return read.error().sentence;
    Sweep sweep(read->spec);
    const auto restored = restore(sweep, *read, path_);
    return restored ? std::string() : restored.error().sentence;
  };
  { ASSERT_TRUE(SweepJournal::create(path_, spec_, identity_).has_value()); }
  const std::string header = content();
  EXPECT_EQ(sentence(header), "");
  EXPECT_NE(sentence("").find("cut off"), std::string::npos);
  EXPECT_NE(sentence("{}\n").find("line 1"), std::string::npos);
  EXPECT_NE(sentence("[1]\n").find("not the journal"), std::string::npos);
  EXPECT_NE(sentence(header.substr(0, 20) + "\n").find("line 1"), std::string::npos);
  EXPECT_NE(sentence(header + "nonsense\n")
                .find("line 2: this is not valid JSON (the line may be removed"),
            std::string::npos);
  EXPECT_NE(sentence(header + "{}\n").find("line 2"), std::string::npos);
  EXPECT_NE(sentence(header + R"({"status":"ok","series":"naive","at":{"T":63}})" + "\n")
                .find("no such point"),
            std::string::npos);
  EXPECT_NE(
      sentence(header + R"({"status":"ok","series":"naive","at":{"T":64}})" + "\n").find("line 2"),
      std::string::npos);
  EXPECT_NE(sentence(header + "\xff\xfe\n").find("line 2"), std::string::npos);
}

TEST_F(SweepJournalFile, AFullDiskKeepsWholeLinesAndLosesNothing) {
  Sweep sweep(spec_);
  auto journal = SweepJournal::create(path_, spec_, identity_);
  run_some(sweep, *journal, 1);
  const std::string before = content();

  // A limit on file size stands for the end of the disk.
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = old;
  tight.rlim_cur = before.size() + 100;  // the next line fits in part
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto point = *sweep.next();
  sweep.start(point);
  sweep.finish(point, run_of(sweep.points()[point]));
  const auto written = journal->append(to_json(sweep, sweep.points()[point]));
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);

  ASSERT_FALSE(written.has_value());
  EXPECT_NE(written.error().sentence.find(path_.string()), std::string::npos);
  EXPECT_EQ(content(), before) << "no half line";
  EXPECT_EQ(journal->waiting(), 1U);
  EXPECT_TRUE(journal->write_waiting().has_value()) << "room again";
  EXPECT_EQ(read_journal(path_)->points.size(), 2U);
}

TEST_F(SweepJournalFile, AWiderSpecificationIsALineOfItsOwn) {
  Sweep sweep(spec_);
  {
    auto journal = SweepJournal::create(path_, spec_, identity_);
    ASSERT_TRUE(journal.has_value());
    run_some(sweep, *journal, 2);
    SweepSpec more = spec_;
    more.axes = {*parse_axis("T=1024")};
    const auto wider = widened(spec_, more);
    ASSERT_TRUE(wider.has_value());
    ASSERT_TRUE(journal->widen(*wider).has_value());
    sweep.widen(*wider);
    run_some(sweep, *journal, 100);
  }
  append_text("{\"series\":\"x\",\"status\":\"ok\",\"at\":{\"T\":64}}\n");
  auto content = read_journal(path_);
  ASSERT_TRUE(content.has_value()) << content.error().sentence;
  EXPECT_EQ(content->spec.axes[0].values.back(), 1024);
  Sweep again(content->spec);
  const auto bad = restore(again, *content, path_);
  ASSERT_FALSE(bad.has_value());
  EXPECT_NE(bad.error().sentence.find("line 13"), std::string::npos) << bad.error().sentence;
  content->points.pop_back();
  ASSERT_TRUE(restore(again, *content, path_).has_value());
  EXPECT_EQ(again.count(PointStatus::ok) + again.count(PointStatus::oom), 10U);
}

TEST_F(SweepJournalFile, KeepsWhatWasPredictedBesideAMeasurement) {
  Sweep sweep(spec_);
  PointPrediction prediction;
  prediction.peak_allocated = 4096;
  prediction.before_backward = 1024;
  prediction.needed = 5000;
  prediction.target = "RTX 4090";
  prediction.capacity = 3000;
  prediction.fit = predict::Fit::oom;
  prediction.op = "aten::bmm";
  prediction.bytes_asked = 2048;
  prediction.bytes_free = 1000;
  PointPrediction none;
  none.problem = {"Autocast cannot be predicted"};
  sweep.predict({{0, prediction}, {4, none}});
  {
    auto journal = SweepJournal::create(path_, spec_, identity_);
    run_some(sweep, *journal, 100);
  }
  const auto content = read_journal(path_);
  Sweep again(content->spec);
  ASSERT_TRUE(restore(again, *content, path_).has_value());
  const PointPrediction& back = again.points()[0].prediction;
  EXPECT_EQ(to_json(again, again.points()[0]), to_json(sweep, sweep.points()[0]));
  EXPECT_EQ(back.op, "aten::bmm");
  EXPECT_EQ(back.before_backward, 1024);
  // Journals of older versions do not have it.
  auto older = to_json(sweep, sweep.points()[0]);
  older.erase("before_backward");
  older.erase("before_backward_predicted");
  EXPECT_EQ(prediction_from_json(older).before_backward, -1);
  EXPECT_EQ(measurement_from_json(older).before_backward, -1);
  EXPECT_TRUE(back.oom());
  EXPECT_EQ(again.points()[4].prediction.problem, none.problem);
  EXPECT_FALSE(again.points()[1].prediction.known());
}

}  // namespace
}  // namespace ts::sweep
