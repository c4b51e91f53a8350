#pragma once

namespace ts::stats {

// The t for which a variable of Student's distribution with `degrees` degrees of freedom (>= 1)
// lies in [-t, t] with probability 95 %. From the exact finite series of Abramowitz and Stegun
// 26.7.3 and 26.7.4.
double student_t95(int degrees);

}  // namespace ts::stats
