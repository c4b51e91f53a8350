#pragma once

#include <string>
#include <vector>

#include "core/io/text_table.h"
#include "core/kernel_plan/tile_plan.h"
#include "core/report/stage_table.h"
#include "core/text/text.h"

// A plan in words and tables, for the window and for what it copies.
namespace ts::kernel_plan {

// "128 x 64 is the best of 25 for the model on ...": its time, limit, occupancy and waste.
base::Message best_sentence(const PlannedTiles& best, const std::string& card, std::size_t tried);
// The loss of the chosen tiles against the best, or that they are as good.
base::Message chosen_sentence(const PlannedTiles& chosen, const PlannedTiles& best);
// A few words for a row of the table.
std::string why_text(const PlannedTiles& one, const PlannedTiles& best, const text::Texts& texts);

// The numbers of a plan as words; text::kNoNumber where there is none.
std::string tiles_text(const PlannedTiles& one);  // "128 × 64"
std::string occupancy_text(const PlannedTiles& one);
std::string time_text(const PlannedTiles& one);

io::TextTable sweep_table(const std::vector<PlannedTiles>& all, const text::Texts& texts);

// The stages side by side: registers with the bytes that were spilled, shared memory, occupancy,
// bytes, memory beside inputs and results, the roof with the time there, and the measured time,
// which the program never knows: without a GPU because there is none.
io::TextTable stages_side_by_side(const std::vector<report::StageRow>& rows, bool has_gpu,
                                  const text::Texts& texts);

}  // namespace ts::kernel_plan
