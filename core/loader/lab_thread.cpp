#include "core/loader/lab_thread.h"

#include <utility>

namespace ts::loader {

LabThread::LabThread(std::filesystem::path program)
    : program_(std::move(program)),
      thread_({.work = [this](LabRequest& request, const base::CancelToken& cancel) {
        work(request, cancel);
      }}) {}

void LabThread::work(LabRequest& request, const base::CancelToken& cancel) {
  if (!lab_ || data_ != request.data) lab_.emplace(request.data, program_);
  data_ = request.data;
  LabAnswers known{.request = std::move(request)};
  const Lab::Calls calls{.step = {},
                         .made = [this](std::size_t count) { made_ = count; },
                         .stepped = [this](std::size_t count) { steps_ = count; }};
  latest_.publish(known);
  for (std::size_t i = 0; i < point_count(known.request.question) && known.problem.empty(); ++i) {
    made_ = 0;
    steps_ = 0;
    auto answer = lab_->answer(known.request.question, i, calls, cancel);
    if (answer) {
      known.answers.push_back(std::move(*answer));
    } else {
      known.problem = answer.error();
    }
    latest_.publish(known);
  }
}

}  // namespace ts::loader
