#pragma once

#include "core/report/check_finding.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

// Thresholds for both traces and simulations. Shares in percent.
namespace ts::checks {

inline constexpr double kGoodBusy = 85;
inline constexpr double kPoorBusy = 70;
inline constexpr double kMostCommunication = 30;
inline constexpr double kLeastOverlap = 30;
inline constexpr double kMostLoader = 5;
// Micro-batches between two exchanges that the course proposes.
inline constexpr const char* kAccumulateMore = "8";

inline report::Finding communication_share(double percent) {
  const std::string share = text::decimal(percent, 1);
  const std::string most = text::decimal(kMostCommunication, 0);
  if (percent <= kMostCommunication)
    return {{report::CheckState::passed,
             text::message("check.communication", {{"percent", share}, {"most", most}})}};
  return {{report::CheckState::failed,
           text::message("check.communication_long",
                         {{"percent", share}, {"most", most}, {"accumulate", kAccumulateMore}})}};
}
inline report::Finding overlap_share(double percent) {
  return {{report::passed_if(percent >= kLeastOverlap),
           text::message("check.overlap", {{"percent", text::decimal(percent, 1)},
                                           {"least", text::decimal(kLeastOverlap, 0)}})}};
}
inline report::Finding loader_share(double percent) {
  return {{report::passed_if(percent < kMostLoader),
           text::message("check.loader", {{"percent", text::decimal(percent, 1)},
                                          {"most", text::decimal(kMostLoader, 0)}})}};
}

}  // namespace ts::checks
