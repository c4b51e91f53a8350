#include "core/report/recording_notes.h"

#include <utility>

#include "core/text/numbers.h"

namespace ts::report {

namespace {

Message note_of(const char* key, std::string_view english, std::vector<text::Argument> arguments) {
  std::string sentence = text::fill(english, arguments);
  return {std::move(sentence), key, std::move(arguments)};
}

}  // namespace

bool recording_is_costly(const run::Run& run) {
  const auto cost = run.recording_cost();
  return cost && cost->ci95 && cost->ci95->low >= kCostTold;
}

std::vector<Message> recording_notes(const run::Run& run) {
  std::vector<Message> notes;
  if (run.dropped > 0) {
    notes.push_back(note_of(
        "recording.lost",
        "{count} {count|record was|records were} lost: timeline and memory chart have gaps, and "
        "blocks may seem to "
        "live longer or not at all. The peak is the allocator's own count, and times are measured "
        "without recording",
        {{"count", text::grouped(static_cast<std::int64_t>(run.dropped))}}));
  }
  if (recording_is_costly(run)) {
    notes.push_back(
        note_of("recording.costly",
                "Recording makes a step {percent} % longer: on the timeline operators, and the "
                "gaps between "
                "them, last longer than in a timed step. Step time and rates are measured without "
                "recording",
                {{"percent", text::decimal(run.recording_cost()->percent, 0)}}));
  }
  return notes;
}

}  // namespace ts::report
