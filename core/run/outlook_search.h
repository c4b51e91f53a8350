#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/string_table.h"
#include "core/run/outlook.h"
#include "core/run/spec_fields.h"

namespace ts::run {

// Answers the parts of one request, dry run by dry run. Lives on the thread of the dry runner.
class OutlookSearch {
 public:
  // `last_id` is the id of the last forecast and counts on. All outlive this.
  OutlookSearch(DryRunner& runner, base::StringTable& strings, const OutlookRequest& request,
                const base::CancelToken& cancel, std::uint64_t& last_id);

  Outcome<std::shared_ptr<const Forecast>> forecast(const WorkloadSpec& spec,
                                                    const PredictionTarget& target);
  // Another passage of the same log through the allocator; nothing where segments expand already,
  // or where there are none.
  [[nodiscard]] std::optional<ExpandableNeed> expandable_need(const Forecast& now) const;
  BackendNeed need_of(AttentionBackend backend);
  // What a change of the settings does, against the forecast without it; nothing when it was
  // cancelled or cannot be told.
  std::optional<Remedy> remedy_of(const Change& change, const Forecast& now);
  // Doubles the stride away from the present value, up while it fits and down while it does not,
  // then halves the interval. Nothing when it was cancelled or cannot be told.
  std::optional<SizeEdge> edge_of(Field field, bool fits_now);

 private:
  [[nodiscard]] std::vector<SpecProblem> validate_there(WorkloadSpec spec) const;
  [[nodiscard]] std::vector<std::int64_t> sizes_of(const NumberField& number) const;
  std::optional<bool> fits_with(Field field, std::int64_t size);

  DryRunner& runner_;
  base::StringTable& strings_;
  const OutlookRequest& request_;
  const base::CancelToken& cancel_;
  std::uint64_t& last_id_;
};

}  // namespace ts::run
