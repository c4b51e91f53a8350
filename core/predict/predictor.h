#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "core/predict/hunt_progress.h"
#include "core/predict/outlook.h"

namespace ts::predict {

// The prediction thread: works on the newest request, the part that is drawn first before the
// others; a new request drops the remaining work. During a drag of a slider the next size is
// dry-run before it is requested (look_ahead.h). The other parts wait until there has been no new
// request for a moment: during a drag they would be out of date before they were seen, and would
// delay the next. In between it continues the newest hunt, probe by probe; requests about one
// setting always come first. Public members may be called from any thread.
class Predictor {
 public:
  // The loader is called on the thread, before the first request.
  Predictor(DryRunnerLoader loader, base::StringTable& strings);
  ~Predictor();  // cancels, waits for the thread
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  // Returns at once with the request's number.
  std::uint64_t ask(OutlookRequest request);
  // The newest outlook with a forecast for its target, or with the reason why it has none; null
  // before the first.
  [[nodiscard]] std::shared_ptr<const Outlook> latest() const;
  // As latest(), but waits until then for the last request, so that a drag is drawn in the same
  // frame if possible.
  [[nodiscard]] std::shared_ptr<const Outlook> latest_by(
      std::chrono::steady_clock::time_point deadline);

  // Begins a hunt, replacing the previous one; returns at once.
  void hunt(HuntRequest request);
  // Results found so far stay.
  void cancel_hunt();
  // The current state of the newest hunt, null before the first.
  [[nodiscard]] std::shared_ptr<const HuntProgress> hunted() const;
  // True if a hunt is running or waiting to start.
  [[nodiscard]] bool hunt_busy() const;

  // True while there is work other than a hunt.
  [[nodiscard]] bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::predict
