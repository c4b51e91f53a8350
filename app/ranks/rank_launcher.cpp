#include "app/ranks/rank_launcher.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/ranks/rank_environment.h"
#include "app/ranks/rank_results.h"
#include "core/base/clock.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/report/verdict.h"
#include "core/text/message.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"

namespace ts::app {
namespace {

using namespace std::chrono_literals;

// A socket that listens on a free port of this machine, for nobody else. The store of rank 0 takes
// it over, so that no other program can take the port in between.
class MeetingPoint {
 public:
  MeetingPoint() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    constexpr int kWaiting = 2048;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (socket_ < 0 || ::bind(socket_, any, length) != 0 || ::listen(socket_, kWaiting) != 0 ||
        ::getsockname(socket_, any, &length) != 0) {
      error_ = errno;
      return;
    }
    port_ = ntohs(address.sin_port);
  }
  ~MeetingPoint() { close(); }
  MeetingPoint(const MeetingPoint&) = delete;
  MeetingPoint& operator=(const MeetingPoint&) = delete;
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  [[nodiscard]] int descriptor() const { return socket_; }
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  int socket_;
  int error_ = 0;
  std::uint16_t port_ = 0;
};

constexpr const char* kProgressMark = "progress: ";

std::string plain(double number) {
  return nlohmann::json(number).dump();
}

std::vector<std::string> text_of(const RankRun& run) {
  std::vector<std::string> words = {run.program.string(),
                                    "run",
                                    "--spec",
                                    (run.folder / "spec.json").string(),
                                    "--world",
                                    "env",
                                    "--timeout",
                                    plain(run.world.timeout_s),
                                    "--shard",
                                    run::to_string(run.world.shard),
                                    "--bucket",
                                    plain(run.world.bucket_mib),
                                    "--first-bucket",
                                    plain(run.world.first_bucket_mib),
                                    "--compress",
                                    run::to_string(run.world.compression),
                                    "--powersgd-rank",
                                    std::to_string(run.world.factor_rank),
                                    "--out",
                                    run.folder.string()};
  if (run.world.sync_every) words.emplace_back("--sync-every");
  words.insert(words.end(), run.options.begin(), run.options.end());
  return words;
}

std::filesystem::path log_of_rank(const std::filesystem::path& folder, std::size_t rank) {
  return folder_of_rank(folder, rank).string() + ".log";
}

using Settings = std::vector<std::pair<std::string, std::string>>;

RankProcesses::Command command_here(const RankRun& run, std::size_t rank,
                                    const MeetingPoint& point) {
  const std::string size = std::to_string(run.world.place.size);
  RankProcesses::Command command;
  command.words = text_of(run);
  command.environment = {{"RANK", std::to_string(rank)},
                         {"WORLD_SIZE", size},
                         {"LOCAL_RANK", std::to_string(rank)},
                         {"LOCAL_WORLD_SIZE", size},
                         {"MASTER_ADDR", "127.0.0.1"},
                         {"MASTER_PORT", std::to_string(point.port())},
                         {"TORCHELASTIC_USE_AGENT_STORE", "False"},
                         {"TORCHELASTIC_RESTART_COUNT", ""},
                         {kListenVariable, rank == 0 ? std::to_string(point.descriptor()) : ""},
                         {kLauncherVariable, std::to_string(getpid())}};
  if (rank != 0) command.close = {point.descriptor()};
  // As torchrun does, but with the cores that there are: the ranks share them.
  if (variables_of_process()("OMP_NUM_THREADS").empty()) {
    const auto cores = std::max<std::int64_t>(1, sysconf(_SC_NPROCESSORS_ONLN));
    command.environment.emplace_back(
        "OMP_NUM_THREADS", std::to_string(std::max<std::int64_t>(1, cores / run.world.place.size)));
  }
  return command;
}

// By ssh: what the other machine's shell runs is one text.
RankProcesses::Command command_there(const RankRun& run, std::size_t rank) {
  const Variables variables = variables_of_process();
  const auto of_environment = [&](const char* name, const char* otherwise) {
    const std::string value = variables(name);
    return value.empty() ? std::string(otherwise) : value;
  };
  const Settings settings = {{"RANK", std::to_string(rank)},
                             {"WORLD_SIZE", std::to_string(run.world.place.size)},
                             {"MASTER_ADDR", of_environment("MASTER_ADDR", run.hosts[0].c_str())},
                             {"MASTER_PORT", of_environment("MASTER_PORT", "29500")},
                             {kLauncherVariable, kBySsh}};
  std::string line = "exec env";
  for (const auto& [name, value] : settings)
    line.append(" ").append(name).append("=").append(text::shell_quoted(value));
  for (const std::string& word : text_of(run)) line.append(" ").append(text::shell_quoted(word));
  // No questions: nobody is there to answer.
  RankProcesses::Command command;
  command.words = {"ssh", "-o", "BatchMode=yes", run.hosts[rank], line};
  return command;
}

RankProcesses::Command command_of(const RankRun& run, std::size_t rank, const MeetingPoint& point) {
  RankProcesses::Command command =
      run.hosts.empty() ? command_here(run, rank, point) : command_there(run, rank);
  command.log = log_of_rank(run.folder, rank);
  return command;
}

// The sentence that a rank gave, from its result or what it printed.
std::string sentence_of(const std::filesystem::path& folder, std::size_t rank) {
  const nlohmann::json run = run_of_rank(folder, rank);
  if (run.contains("sentence") && run.at("sentence").is_string()) {
    return run.at("sentence").get<std::string>();
  }
  constexpr std::string_view kMark = "tensorscope: ";
  const auto log = io::read_file(log_of_rank(folder, rank));
  if (!log) return {};
  std::string last;
  for (std::size_t at = log->find(kMark); at != std::string::npos; at = log->find(kMark, at + 1)) {
    const std::string line =
        log->substr(at + kMark.size(), log->find('\n', at) - at - kMark.size());
    if (!line.starts_with("note: ")) last = line;
  }
  return last;
}

std::string first_line_of_log(const std::filesystem::path& folder, std::size_t rank) {
  const auto log = io::read_file(log_of_rank(folder, rank));
  return log ? log->substr(0, log->find_first_of("\r\n")) : std::string();
}

bool only_lost_others(const std::filesystem::path& folder, std::size_t rank) {
  const nlohmann::json run = run_of_rank(folder, rank);
  return run.contains("reason_key") && run.at("reason_key") == "ranks.lost";
}

// The order in which ranks are named as the one at fault: one that somebody else's signal ended,
// one that ended for a reason of its own, one that had to be killed, one that lost the others, one
// that was asked to end because another one had.
enum class Fault : std::uint8_t { killed, own_reason, too_late, lost_others, asked };

Fault fault_of(const RankRun& run, const RankEnd& end, std::size_t rank) {
  if (end.by_us) return end.signal == SIGKILL ? Fault::too_late : Fault::asked;
  if (end.signal != 0) return Fault::killed;
  return only_lost_others(run.folder, rank) ? Fault::lost_others : Fault::own_reason;
}

std::optional<std::size_t> rank_at_fault(const RankRun& run, const std::vector<RankEnd>& ends) {
  std::optional<std::size_t> first;
  std::pair<Fault, std::int64_t> least;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].well()) continue;
    const std::pair fault(fault_of(run, ends[i], i), ends[i].at_ns);
    if (first && least <= fault) continue;
    first = i;
    least = fault;
  }
  return first;
}

base::Message why_ended(const RankRun& run, const RankEnd& end, std::size_t rank) {
  const std::string number = std::to_string(rank);
  if (end.by_us && end.signal == SIGKILL) {
    return text::message("ranks.ended_late",
                         {{"rank", number}, {"seconds", text::decimal(run.world.timeout_s, 0)}});
  }
  if (end.signal != 0) {
    return text::message("ranks.killed", {{"rank", number},
                                          {"signal", std::to_string(end.signal)},
                                          {"name", strsignal(end.signal)}});
  }
  const std::string sentence = sentence_of(run.folder, rank);
  if (!sentence.empty()) return {sentence};
  constexpr int kSshFailed = 255;
  if (!run.hosts.empty() && end.code == kSshFailed) {
    return text::message("ranks.no_ssh", {{"host", run.hosts[rank]},
                                          {"reason", first_line_of_log(run.folder, rank)}});
  }
  return text::message("ranks.ended", {{"rank", number}, {"code", std::to_string(end.code)}});
}

}  // namespace

void print_progress(const run::Run& run) {
  static std::string told;
  if (run.finished) return;
  constexpr int kStep = 5;
  const base::Message stage = report::verdict_text(run).headline;
  const int percent = static_cast<int>(100 * run.fraction) / kStep * kStep;
  const nlohmann::json line = {
      {"stage", stage.sentence}, {"text", text::text_json(stage)}, {"percent", percent}};
  if (std::string words = line.dump(); words != told) {
    told = std::move(words);
    std::fprintf(stderr, "%s%s\n", kProgressMark, told.c_str());
  }
}

std::optional<RankProgress> progress_of_ranks(const std::filesystem::path& folder) {
  const auto log = io::read_file(log_of_rank(folder, 0));
  if (!log) return std::nullopt;
  const std::size_t end = log->rfind('\n');  // the last line may be half there
  const std::size_t begin = end == std::string::npos ? end : log->rfind(kProgressMark, end);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t at = begin + std::strlen(kProgressMark);
  const auto told = io::parse_json(log->substr(at, log->find('\n', at) - at));
  if (!told || !told->contains("stage") || !told->contains("text") || !told->contains("percent"))
    return std::nullopt;
  const nlohmann::json& stage = told->at("stage");
  const nlohmann::json& percent = told->at("percent");
  if (!stage.is_string() || !percent.is_number_integer()) return std::nullopt;
  return RankProgress{text::message_from_json(stage.get<std::string>(), told->at("text")),
                      percent.get<int>()};
}

std::filesystem::path folder_of_rank(const std::filesystem::path& folder, std::size_t rank) {
  return folder / ("rank-" + std::to_string(rank));
}

base::Result<RanksEnded> run_ranks(const RankRun& run, const base::CancelToken& cancel,
                                   const std::function<void()>& wait) {
  TS_TRY_DONE(io::write_file(run.folder / "spec.json", io::json_text(to_json(run.spec))));
  // A rank that ends early must not be taken for the one of an earlier run.
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(run.world.place.size); ++rank) {
    std::error_code ignored;
    for (const char* const file : {"run.json", "trace.json"})
      std::filesystem::remove(folder_of_rank(run.folder, rank) / file, ignored);
  }
  MeetingPoint point;
  if (point.error() != 0) return text::fail("ranks.no_socket", {io::system_reason(point.error())});
  RankProcesses processes;
  const auto size = static_cast<std::size_t>(run.world.place.size);
  for (std::size_t rank = 0; rank < size; ++rank) {
    TS_TRY_DONE(processes.start(command_of(run, rank, point)));
  }
  point.close();  // only rank 0 has it now
  RanksEnded result;
  std::int64_t first_end_ns = 0;
  std::int64_t ending_ns = 0;  // since when they should end
  bool asked = false;          // the others to end
  bool killed = false;         // those that did not
  while (!processes.all_ended()) {
    if (processes.update() && first_end_ns == 0) first_end_ns = base::now_ns();
    result.cancelled = cancel.cancelled();
    if (ending_ns == 0 && (first_end_ns != 0 || result.cancelled)) ending_ns = base::now_ns();
    const bool failed = std::ranges::any_of(
        processes.ends(), [](const RankEnd& end) { return end.ended && !end.well(); });
    const double since_s =
        ending_ns != 0 ? static_cast<double>(base::now_ns() - ending_ns) * 1e-9 : 0;
    // The others notice a loss by themselves, unless they still wait for that rank to come.
    constexpr double kNotice = 2;
    if (!asked && (result.cancelled || (failed && since_s > kNotice))) {
      asked = true;
      processes.signal_all(SIGTERM);
    }
    if (!killed && since_s > run.world.timeout_s) {
      killed = true;
      processes.signal_all(SIGKILL);
    }
    wait();
    std::this_thread::sleep_for(20ms);
  }
  result.ends = processes.ends();
  result.first = rank_at_fault(run, result.ends);
  if (result.first) {
    std::int64_t last_ns = 0;
    for (const RankEnd& end : result.ends) last_ns = std::max(last_ns, end.at_ns);
    const RankEnd& end = result.ends[*result.first];
    result.others_s = static_cast<double>(last_ns - std::min(end.at_ns, first_end_ns)) * 1e-9;
    result.why = why_ended(run, end, *result.first);
    result.all_alike = end.signal == 0;
    for (std::size_t rank = 0; rank < size; ++rank) {
      result.all_alike = result.all_alike && sentence_of(run.folder, rank) == result.why.sentence;
    }
  }
  return result;
}

}  // namespace ts::app
