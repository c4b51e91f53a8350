#include "app/sweep_board.h"

#include <system_error>
#include <thread>
#include <utility>

#include "app/environment.h"
#include "app/sweep_files.h"
#include "app/time_stamp.h"

namespace ts::app {
namespace {

// Runs of points that stay in memory: enough for the points that are being compared.
constexpr std::size_t kKeptRuns = 24;

}  // namespace

void SweepBoard::start(Session& session, run::SweepSpec spec) {
  if (runner_ != nullptr) runner_->cancel();
  runner_.reset();
  journal_.reset();
  runs_.clear();
  start_problem_.clear();
  loaded_.clear();
  forget_opened();
  sweep_ = std::make_unique<run::Sweep>(std::move(spec));
  if (!folder_.empty() && session.engine() != nullptr) {
    own_folder_ = folder_ / ("sweep-" + time_stamp());
    std::error_code error;
    std::filesystem::create_directories(own_folder_, error);
    auto journal = run::SweepJournal::create(own_folder_ / kJournalName, sweep_->spec(),
                                             sweep_identity(read_machine(), *session.engine()));
    if (journal) {
      journal_.emplace(std::move(*journal));
    } else {
      start_problem_ = journal.error().sentence;
    }
  }
  runner_ = std::make_unique<SweepRunner>(session, *sweep_, journal_ ? &*journal_ : nullptr);
  if (journal_) runner_->keep_points(own_folder_ / kPointsFolder);
  runner_->on_point = [this, &session](std::size_t point) { keep_run(session, point); };
}

// What is being read belongs to the sweep there was.
void SweepBoard::forget_opened() {
  opener_.forget();
  opened_.reset();
  own_folder_.clear();
  analysis_ = {};
}

base::Result<void> SweepBoard::load(Session& session, const std::filesystem::path& path) {
  const std::filesystem::path journal = journal_of(path);
  auto content = run::read_journal(journal);
  if (!content) return tl::unexpected(content.error());
  auto sweep = std::make_unique<run::Sweep>(content->spec);
  if (auto restored = run::restore(*sweep, *content, journal); !restored) return restored;
  if (runner_ != nullptr) runner_->cancel();
  runner_.reset();
  journal_.reset();
  runs_.clear();
  start_problem_.clear();
  forget_opened();
  sweep_ = std::move(sweep);
  own_folder_ = journal.parent_path();
  loaded_ = journal;
  runner_ = std::make_unique<SweepRunner>(session, *sweep_, nullptr);
  runner_->on_point = [this, &session](std::size_t point) { keep_run(session, point); };
  runner_->pause();
  return {};
}

base::Result<void> SweepBoard::take_up(const Session& session) {
  if (sweep_ == nullptr) return base::fail("There is no sweep yet");
  if (loaded_.empty()) return {};
  if (session.engine() == nullptr) return base::fail("The engine is not loaded yet");
  // Read again: another program may have written since.
  auto content = run::read_journal(loaded_);
  if (!content) return tl::unexpected(content.error());
  const auto identity = sweep_identity(read_machine(), *session.engine());
  if (auto same = run::same_identity(*content, identity, loaded_); !same) return same;
  if (auto restored = run::restore(*sweep_, *content, loaded_); !restored) return restored;
  auto journal = run::SweepJournal::resume(loaded_, *content);
  if (!journal) return tl::unexpected(journal.error());
  journal_.emplace(std::move(*journal));
  runner_->write_to(&*journal_);
  runner_->keep_points(own_folder_ / kPointsFolder);
  loaded_.clear();
  return {};
}

base::Result<void> SweepBoard::resume(const Session& session) {
  if (auto ready = take_up(session); !ready) return ready;
  runner_->resume();
  return {};
}

base::Result<void> SweepBoard::rerun(const Session& session, std::size_t point) {
  if (auto ready = take_up(session); !ready) return ready;
  runner_->rerun(point);
  return {};
}

base::Result<void> SweepBoard::widen(const Session& session, const run::SweepSpec& more) {
  if (auto ready = take_up(session); !ready) return ready;
  auto wider = run::widened(sweep_->spec(), more);
  if (!wider) return tl::unexpected(wider.error());
  if (journal_) {
    // Kept in memory and written with the next point when it cannot be written now.
    static_cast<void>(journal_->widen(*wider));
  }
  const std::vector<std::size_t> moved = sweep_->widen(std::move(*wider));
  for (auto& [point, run] : runs_) point = moved[point];
  runner_->widened();
  return {};
}

void SweepBoard::update() {
  if (runner_ != nullptr) runner_->update();
}

void SweepBoard::finish_predictions(Session& session, std::chrono::milliseconds patience) {
  using namespace std::chrono_literals;
  if (runner_ == nullptr) return;
  const auto end = std::chrono::steady_clock::now() + patience;
  const auto late = [&] { return std::chrono::steady_clock::now() >= end; };
  while (session.engine() == nullptr && session.engine_problem().empty() && !late()) {
    if (!session.update()) std::this_thread::sleep_for(2ms);
  }
  do {
    runner_->update();
    if (runner_->predicting()) std::this_thread::sleep_for(2ms);
  } while (runner_->predicting() && !late());
}

std::string SweepBoard::problem() const {
  if (!start_problem_.empty()) return start_problem_;
  if (runner_ == nullptr) return {};
  const std::string& journal = runner_->journal_problem();
  return journal.empty() ? runner_->recording_problem() : journal;
}

void SweepBoard::keep_run(Session& session, std::size_t point) {
  runs_.emplace_back(point, session.share_current());
  if (runs_.size() > kKeptRuns) runs_.pop_front();
}

std::shared_ptr<run::Run> SweepBoard::run_of(std::size_t point) const {
  for (auto one = runs_.rbegin(); one != runs_.rend(); ++one) {
    if (one->first == point) return one->second;
  }
  return nullptr;
}

void SweepBoard::open(Session& session, std::size_t point) {
  opened_.reset();
  opening_ = point;
  if (auto run = run_of(point)) {
    opened_ = Opened{point, std::move(run)};
  } else if (own_folder_.empty()) {
    opened_ = Opened{point, base::fail("This sweep is not kept on disk")};
  } else {
    opener_.open(recording_path(own_folder_ / kPointsFolder, run::profile_name(*sweep_, point)),
                 session.strings());
  }
}

std::optional<SweepBoard::Opened> SweepBoard::take_opened() {
  if (auto read = opener_.take()) {
    if (*read) runs_.emplace_back(opening_, **read);
    if (runs_.size() > kKeptRuns) runs_.pop_front();
    opened_ = Opened{opening_, std::move(*read)};
  }
  return std::exchange(opened_, std::nullopt);
}

base::Result<run::ProfileComparison> SweepBoard::compare(std::size_t a, std::size_t b) const {
  if (sweep_ == nullptr || own_folder_.empty()) return base::fail("This sweep is not kept on disk");
  return compare_points(own_folder_ / kPointsFolder, run::profile_name(*sweep_, a),
                        run::profile_name(*sweep_, b));
}

base::Result<std::filesystem::path> SweepBoard::save(const Session& session) {
  if (sweep_ == nullptr || session.engine() == nullptr || own_folder_.empty()) {
    return base::fail("There is nothing to save yet");
  }
  const Machine machine = read_machine();
  auto written =
      write_sweep_files(own_folder_, *sweep_, environment_json(machine, session.engine()),
                        notes_of(machine, *session.engine(), *sweep_));
  if (!written) return tl::unexpected(written.error());
  return own_folder_;
}

}  // namespace ts::app
