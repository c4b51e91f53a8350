#include "app/session/sweep_session.h"

#include <system_error>
#include <thread>

#include "app/output/environment.h"
#include "app/output/sweep_files.h"
#include "app/output/time_stamp.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

// Runs of points that stay in memory: enough for the points in a comparison.
constexpr std::size_t kKeptRuns = 24;

}  // namespace

void SweepSession::start(Session& session, sweep::SweepSpec spec) {
  if (runner_ != nullptr) runner_->cancel();
  runner_.reset();
  journal_.reset();
  runs_.clear();
  start_problem_ = {};
  loaded_.clear();
  forget_opened();
  sweep_ = std::make_unique<sweep::Sweep>(std::move(spec));
  if (!folder_.empty() && session.engine() != nullptr) {
    own_folder_ = new_path(folder_, "sweep");
    std::error_code error;
    std::filesystem::create_directories(own_folder_, error);
    auto journal = sweep::SweepJournal::create(own_folder_ / kJournalName, sweep_->spec(),
                                               sweep_identity(read_machine(), *session.engine()));
    if (journal) {
      journal_.emplace(std::move(*journal));
    } else {
      start_problem_ = journal.error();
    }
  }
  runner_ = std::make_unique<SweepRunner>(session, *sweep_, journal_ ? &*journal_ : nullptr);
  if (journal_) runner_->keep_points(own_folder_ / kPointsFolder);
  runner_->on_point = [this, &session](std::size_t point) { keep_run(session, point); };
}

// A recording that is being read belongs to the previous sweep.
void SweepSession::forget_opened() {
  opener_.forget();
  opened_.reset();
  own_folder_.clear();
  analysis_ = {};
}

base::Result<void> SweepSession::load(Session& session, const std::filesystem::path& path) {
  const std::filesystem::path journal = journal_of(path);
  TS_TRY(auto content, sweep::read_journal(journal));
  auto sweep = std::make_unique<sweep::Sweep>(content.spec);
  if (auto restored = sweep::restore(*sweep, content, journal); !restored) return restored;
  if (runner_ != nullptr) runner_->cancel();
  runner_.reset();
  journal_.reset();
  runs_.clear();
  start_problem_ = {};
  forget_opened();
  sweep_ = std::move(sweep);
  own_folder_ = journal.parent_path();
  loaded_ = journal;
  runner_ = std::make_unique<SweepRunner>(session, *sweep_, nullptr);
  runner_->on_point = [this, &session](std::size_t point) { keep_run(session, point); };
  runner_->pause();
  return {};
}

base::Result<void> SweepSession::take_up(const Session& session) {
  if (sweep_ == nullptr) return text::fail("sweep_error.none_yet");
  if (loaded_.empty()) return {};
  if (session.engine() == nullptr) return text::fail("engine.not_yet");
  // Read again: another program may have written to it since.
  TS_TRY(auto content, sweep::read_journal(loaded_));
  const auto identity = sweep_identity(read_machine(), *session.engine());
  if (auto same = sweep::same_identity(content, identity, loaded_); !same) return same;
  if (auto restored = sweep::restore(*sweep_, content, loaded_); !restored) return restored;
  TS_TRY(auto journal, sweep::SweepJournal::resume(loaded_, content));
  journal_.emplace(std::move(journal));
  runner_->write_to(&*journal_);
  runner_->keep_points(own_folder_ / kPointsFolder);
  loaded_.clear();
  return {};
}

base::Result<void> SweepSession::resume(const Session& session) {
  if (auto ready = take_up(session); !ready) return ready;
  runner_->resume();
  return {};
}

base::Result<void> SweepSession::rerun(const Session& session, std::size_t point) {
  if (auto ready = take_up(session); !ready) return ready;
  runner_->rerun(point);
  return {};
}

base::Result<void> SweepSession::widen(const Session& session, const sweep::SweepSpec& more) {
  if (auto ready = take_up(session); !ready) return ready;
  TS_TRY(auto wider, sweep::widened(sweep_->spec(), more));
  if (journal_) {
    // If it cannot be written now, it stays in memory and is written with the next point.
    static_cast<void>(journal_->widen(wider));
  }
  const std::vector<std::size_t> moved = sweep_->widen(std::move(wider));
  for (auto& [point, run] : runs_) point = moved[point];
  runner_->widened();
  return {};
}

void SweepSession::update() {
  if (runner_ != nullptr) runner_->update();
}

void SweepSession::finish_predictions(Session& session, std::chrono::milliseconds patience) {
  using namespace std::chrono_literals;
  if (runner_ == nullptr) return;
  const auto end = std::chrono::steady_clock::now() + patience;
  const auto late = [&] { return std::chrono::steady_clock::now() >= end; };
  wait_for_engine(session, end);
  do {
    runner_->update();
    if (runner_->predicting()) std::this_thread::sleep_for(2ms);
  } while (runner_->predicting() && !late());
}

base::Message SweepSession::problem() const {
  if (!start_problem_.empty()) return start_problem_;
  if (runner_ == nullptr) return {};
  const base::Message& journal = runner_->journal_problem();
  return journal.empty() ? runner_->recording_problem() : journal;
}

void SweepSession::keep_run(Session& session, std::size_t point) {
  runs_.emplace_back(point, session.share_current());
  if (runs_.size() > kKeptRuns) runs_.pop_front();
}

std::shared_ptr<run::Run> SweepSession::run_of(std::size_t point) const {
  for (auto one = runs_.rbegin(); one != runs_.rend(); ++one) {
    if (one->first == point) return one->second;
  }
  return nullptr;
}

void SweepSession::open(Session& session, std::size_t point) {
  opened_.reset();
  opening_ = point;
  if (auto run = run_of(point)) {
    opened_ = Opened{point, std::move(run)};
  } else if (own_folder_.empty()) {
    opened_ = Opened{point, text::fail("sweep_error.not_on_disk")};
  } else {
    const std::filesystem::path points = own_folder_ / kPointsFolder;
    const auto name = stored_point_name(points, *sweep_, point, kRecordingEnding);
    if (name) {
      opening_file_ = recording_path(points, *name);
      opening_spec_ = sweep_->points()[point].spec;
      opener_.open(opening_file_, session.strings());
    } else {
      opened_ = Opened{point, tl::unexpected(name.error())};
    }
  }
}

std::optional<SweepSession::Opened> SweepSession::take_opened() {
  if (auto read = opener_.take()) {
    if (*read) {
      const auto same = check_of_point(opening_file_, (**read)->spec, opening_spec_);
      if (!same) *read = tl::unexpected(same.error());
    }
    if (*read) runs_.emplace_back(opening_, **read);
    if (runs_.size() > kKeptRuns) runs_.pop_front();
    opened_ = Opened{opening_, std::move(*read)};
  }
  return std::exchange(opened_, std::nullopt);
}

base::Result<sweep::ProfileComparison> SweepSession::compare(std::size_t a, std::size_t b) const {
  if (sweep_ == nullptr || own_folder_.empty()) return text::fail("sweep_error.not_on_disk");
  return compare_points(own_folder_ / kPointsFolder, *sweep_, a, b);
}

base::Result<std::filesystem::path> SweepSession::save(const Session& session,
                                                       const SaveParts& parts) {
  if (sweep_ == nullptr || session.engine() == nullptr || own_folder_.empty()) {
    return text::fail("save_error.nothing");
  }
  const Machine machine = read_machine();
  TS_TRY_DONE(write_sweep_files(own_folder_, *sweep_, environment_json(machine, session.engine()),
                                notes_of(machine, *session.engine(), *sweep_), {}, parts));
  return own_folder_;
}

}  // namespace ts::app
