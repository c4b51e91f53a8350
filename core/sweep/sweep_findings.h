#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "core/sweep/sweep_results.h"
#include "core/sweep/sweep_theory.h"

// The findings of a sweep in sentences.
namespace ts::sweep {

// The slopes, where curves cross, how far predictions are off, and where the throughput saturates:
// "flash: step time grows as T^1.93 (95 % CI 1.85 to 2.01, r2 0.998, n = 5; between the last two
// points 1.97)".
std::vector<base::Message> findings(const Sweep& sweep, FitRange range = {});

// The same without the slopes, from values that are known already.
std::vector<base::Message> findings_beside_slopes(const Sweep& sweep,
                                                  std::span<const CurveCrossover> crossovers,
                                                  std::span<const BeatenBound> beaten,
                                                  std::span<const CurveSaturation> saturations);

// Without the fits of predicted memory that have no more points than that of the measured one.
std::vector<CurveFit> fits_with_news(std::span<const CurveFit> fits);

// The reasons why points did not run, one sentence each: "naive, T = 16,384: OOM. ...".
std::vector<base::Message> reasons_of(const Sweep& sweep);

// The reasons, then the findings.
std::vector<base::Message> sentences_of(const Sweep& sweep, FitRange range = {});

// "LM, T 256 to 2,048, naive and flash" and the method of measurement, in one paragraph.
std::string sweep_caption(const Sweep& sweep, const std::string& device,
                          const std::string& versions);

}  // namespace ts::sweep
