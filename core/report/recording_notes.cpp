#include "core/report/recording_notes.h"

#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::report {

bool recording_is_costly(const run::Run& run) {
  const auto cost = run.recording_cost();
  return cost && cost->ci95 && cost->ci95->low >= kLeastCostShown;
}

std::vector<base::Message> recording_notes(const run::Run& run) {
  std::vector<base::Message> notes;
  if (run.dropped > 0) {
    notes.push_back(text::message("recording.lost", {{"count", text::grouped(run.dropped)}}));
  }
  if (recording_is_costly(run)) {
    notes.push_back(text::message("recording.costly",
                                  {{"percent", text::decimal(run.recording_cost()->percent, 0)}}));
  }
  return notes;
}

}  // namespace ts::report
