#include "app/sweep_board.h"

#include <array>
#include <ctime>
#include <system_error>
#include <thread>

#include "app/environment.h"
#include "app/sweep_files.h"

namespace ts::app {
namespace {

// Runs of points that stay in memory: enough for the points that are being compared.
constexpr std::size_t kKeptRuns = 24;

std::string time_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &parts);
  return {text.data(), length};
}

}  // namespace

void SweepBoard::start(Session& session, run::SweepSpec spec) {
  if (runner_ != nullptr) runner_->cancel();
  runner_.reset();
  journal_.reset();
  runs_.clear();
  start_problem_.clear();
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
  runner_->on_point = [this, &session](std::size_t point) { keep_run(session, point); };
}

base::Result<void> SweepBoard::load(Session& session, const std::filesystem::path& folder) {
  auto content = run::read_journal(folder / kJournalName);
  if (!content) return tl::unexpected(content.error());
  auto sweep = std::make_unique<run::Sweep>(content->spec);
  if (auto restored = run::restore(*sweep, *content, folder / kJournalName); !restored) {
    return restored;
  }
  runner_.reset();
  journal_.reset();
  runs_.clear();
  sweep_ = std::move(sweep);
  own_folder_ = folder;
  // Nothing is run before the user says so, and nothing is written by looking.
  runner_ = std::make_unique<SweepRunner>(session, *sweep_, nullptr);
  runner_->pause();
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
  return runner_ != nullptr ? runner_->journal_problem() : std::string();
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
