#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/string_table.h"
#include "core/predict/outlook.h"
#include "core/spec/spec_fields.h"

namespace ts::predict {

// Computes the parts of one request, dry run by dry run. Lives on the thread of the dry runner.
class OutlookSearch {
 public:
  // `last_id` is the id of the last forecast and is incremented. All arguments outlive this.
  OutlookSearch(DryRunner& runner, base::StringTable& strings, const OutlookRequest& request,
                const base::CancelToken& cancel, std::uint64_t& last_id);

  // The problems of a spec on the kind of device that the target is.
  [[nodiscard]] std::vector<spec::SpecProblem> validate_there(const spec::WorkloadSpec& spec) const;
  run::Outcome<std::shared_ptr<const Forecast>> forecast(const spec::WorkloadSpec& spec,
                                                         const PredictionTarget& target);
  // Runs the same log through the allocator again; nothing if segments already expand, or if there
  // are none.
  [[nodiscard]] std::optional<ExpandableNeed> expandable_need(const Forecast& now) const;
  BackendNeed need_of(spec::AttentionBackend backend);
  // The effect of a change of the settings, against the forecast without it. Nothing if it was
  // cancelled or failed, or if it does not fit and the change is useful only if it fits.
  std::optional<Remedy> remedy_of(const Change& change, const Forecast& now);
  // Doubles the step away from the present value, up while it fits and down while it does not, then
  // bisects the interval. Nothing if it was cancelled or failed.
  std::optional<SizeEdge> edge_of(spec::Field field, bool fits_now);
  // The edge between whole numbers: a hunt that begins between the two sizes of `edge`. Nothing if
  // it was cancelled or failed.
  std::optional<EdgeHunt> exact_edge(const SizeEdge& edge);

 private:
  [[nodiscard]] std::vector<std::int64_t> sizes_of(const spec::NumberField& number) const;
  std::optional<bool> fits_with(spec::Field field, std::int64_t size);

  DryRunner& runner_;
  base::StringTable& strings_;
  const OutlookRequest& request_;
  const base::CancelToken& cancel_;
  std::uint64_t& last_id_;
};

}  // namespace ts::predict
