#include "views/controls/spec_history.h"

namespace ts::views {

void SpecHistory::preview(const spec::WorkloadSpec& spec) {
  if (this->spec() != spec) refusal_.reset();
  shown_ = spec::CheckedSpec(spec);
}

void SpecHistory::commit() {
  if (spec() == committed_) return;
  past_.push_back(committed_);
  if (past_.size() > kMaxSteps) past_.erase(past_.begin());
  future_.clear();
  committed_ = spec();
}

void SpecHistory::undo() {
  refusal_.reset();
  commit();
  if (past_.empty()) return;
  future_.push_back(committed_);
  committed_ = past_.back();
  past_.pop_back();
  shown_ = spec::CheckedSpec(committed_);
}

void SpecHistory::redo() {
  refusal_.reset();
  if (future_.empty()) return;
  past_.push_back(committed_);
  committed_ = future_.back();
  future_.pop_back();
  shown_ = spec::CheckedSpec(committed_);
}

}  // namespace ts::views
