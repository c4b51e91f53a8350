#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/base/message.h"
#include "core/spec/checked_spec.h"

namespace ts::views {

// The specification being edited, with its problems, undo and redo. A drag is one step: preview()
// while it lasts, commit() when it ends. UI thread.
class SpecHistory {
 public:
  explicit SpecHistory(spec::WorkloadSpec spec) : shown_(spec), committed_(std::move(spec)) {}

  [[nodiscard]] const spec::WorkloadSpec& spec() const { return shown_.spec(); }
  // The same with its problems, which are found when it changes.
  [[nodiscard]] const spec::CheckedSpec& checked() const { return shown_; }

  // Shows a value that is not yet a step.
  void preview(const spec::WorkloadSpec& spec);
  // Makes the shown value a step if it differs from the last one. Clears the redo list.
  void commit();
  void set(const spec::WorkloadSpec& spec) {
    preview(spec);
    commit();
  }

  [[nodiscard]] bool can_undo() const { return !past_.empty() || spec() != committed_; }
  [[nodiscard]] bool can_redo() const { return !future_.empty(); }
  void undo();
  void redo();

  // Why the last input was not taken. Shown beside its field until something changes.
  struct Refusal {
    spec::Field field = spec::Field::B;
    base::Message why;
  };
  void refuse(spec::Field field, base::Message why) { refusal_ = {field, std::move(why)}; }
  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }

  static constexpr std::size_t kMaxSteps = 500;

 private:
  spec::CheckedSpec shown_;
  spec::WorkloadSpec committed_;
  std::vector<spec::WorkloadSpec> past_;    // oldest first
  std::vector<spec::WorkloadSpec> future_;  // next redo last
  std::optional<Refusal> refusal_;
};

}  // namespace ts::views
