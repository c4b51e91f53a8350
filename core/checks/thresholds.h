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
inline constexpr const char* kAccumulateFew = "4";

inline report::Finding communication_share(double percent) {
  const bool good = percent <= kMostCommunication;
  return {{report::passed_if(good),
           text::message("check.communication",
                         {{"percent", text::decimal(percent, 1)},
                          {"most", text::decimal(kMostCommunication, 0)},
                          {"accumulate", good ? kAccumulateFew : kAccumulateMore}})}};
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
