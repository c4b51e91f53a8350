#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "core/predict/hunt_progress.h"
#include "core/predict/outlook.h"

namespace ts::predict {

// The prediction thread: works on the newest request, the part that is drawn first before the
// others; a new request drops what is not done. While a slider is dragged the size that comes next
// is dry-run before it is asked for (look_ahead.h). The others wait until nothing new was asked for
// a moment: while a slider is dragged they would be out of date before they were seen, and in the
// way of the next. In between it goes on with the newest hunt, probe by probe; what is asked about
// one setting always comes first. Public members may be called from any thread.
class Predictor {
 public:
  // The loader is called on the thread, before the first request.
  Predictor(DryRunnerLoader loader, base::StringTable& strings);
  ~Predictor();  // cancels, waits for the thread
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  // Returns at once with the request's number.
  std::uint64_t ask(OutlookRequest request);
  // The newest that has a forecast for its target, or says why not; null before the first.
  [[nodiscard]] std::shared_ptr<const Outlook> latest() const;
  // As latest(), but gives the request asked last until then to get there: what is dragged is drawn
  // in the same frame when it can be.
  [[nodiscard]] std::shared_ptr<const Outlook> latest_by(
      std::chrono::steady_clock::time_point deadline);

  // Begins a hunt, in place of the one before; returns at once.
  void hunt(HuntRequest request);
  // What was found stays.
  void cancel_hunt();
  // The newest hunt as far as it is, null before the first.
  [[nodiscard]] std::shared_ptr<const HuntProgress> hunted() const;
  // A hunt goes on, or is to begin.
  [[nodiscard]] bool hunt_busy() const;

  // Something other than a hunt is still being worked on.
  [[nodiscard]] bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::predict
