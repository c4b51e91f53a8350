#include "app/sheets/stage_session.h"

#include <chrono>
#include <utility>

#include "core/io/child_process.h"
#include "core/io/private_folder.h"
#include "core/text/message.h"

namespace ts::app {
void StageSession::measure(Request request) {
  if (thread_ == nullptr) {
    thread_ = std::make_unique<base::JobThread<Request>>(base::JobThread<Request>::Calls{
        .work = [this](Request& asked, const base::CancelToken& token) { work(asked, token); }});
  }
  latest_.publish({});
  thread_->submit(std::move(request));
}

void StageSession::cancel() {
  if (thread_ != nullptr) thread_->cancel();
}

// The process writes its document anew after every size.
void StageSession::work(const Request& request, const base::CancelToken& cancel) {
  using namespace std::chrono_literals;
  kernel_plan::StageBench bench;
  const auto end = [&](base::Message problem) {
    bench.problem = std::move(problem);
    latest_.publish(std::move(bench));
  };
  const auto folder =
      io::PrivateFolder::make(std::filesystem::temp_directory_path(), "tensorscope-stages-");
  if (!folder) return end(folder.error());
  const auto out = folder->path() / "out", log = folder->path() / "log";
  io::ChildCommand command{
      .words = {request.program.string(), "bench", "stages", "--out", out.string()}, .log = log};
  for (const std::string& setting : request.settings) {
    command.words.emplace_back("--set");
    command.words.push_back(setting);
  }
  auto child = io::LineChild::start(command);
  if (!child) return end(child.error());
  std::string line;
  auto heard = io::LineChild::Heard::nothing;
  while (heard != io::LineChild::Heard::end && !cancel.cancelled()) {
    heard = child->hear(line, 100ms);
    auto so_far = kernel_plan::read_stage_bench(out);
    if (!so_far || so_far->points.size() == bench.points.size()) continue;
    bench = std::move(*so_far);
    latest_.publish(bench);
  }
  if (cancel.cancelled()) return end(text::message("engine.cancelled"));
  if (bench.points.empty() || bench.cut) return end({.sentence = io::last_line(log)});
}

}  // namespace ts::app
