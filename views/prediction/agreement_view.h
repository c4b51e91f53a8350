#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/report/agreement_report.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// Predicted against measured in the current Dear ImGui window: the categories at the peak side by
// side, then the differing events, or all events, with both sides. Can be copied as text. The
// tooltip shows a row in full; a click selects its block in the memory view. UI thread.
class AgreementView {
 public:
  void draw(const Ui& ui, const ViewContext& context);

  // The last comparison; null before the first.
  [[nodiscard]] const memory::LogComparison* comparison() const {
    return made_for_ ? &comparison_ : nullptr;
  }

 private:
  struct MadeFor {
    std::uint64_t run = 0;
    std::uint64_t forecast = 0;
    std::uint64_t version = 0;  // of the measured log
    friend bool operator==(const MadeFor&, const MadeFor&) = default;
  };
  void update(const ViewContext& context, const report::ComparedLogs& logs);
  void draw_categories(const Ui& ui, bool whole);
  void draw_events(const Ui& ui, const ViewContext& context, const report::ComparedLogs& logs);
  void draw_rows(const Ui& ui, const ViewContext& context, const report::ComparedLogs& logs);

  std::optional<MadeFor> made_for_;
  memory::LogComparison comparison_;
  std::vector<report::CategoryAgreement> categories_;
  bool all_events_ = false;
};

}  // namespace ts::views
