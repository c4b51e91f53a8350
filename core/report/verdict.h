#pragma once

#include "core/base/message.h"
#include "core/run/run.h"

namespace ts::report {

// The verdict in two parts: "Does not fit in 24.0 GiB" and "aten::bmm in blocks.3.attn needs 512
// MiB, 128 MiB free". The detail is empty if the headline is complete. A detail that an engine
// wrote has no key. During the run the headline names the current activity.
struct VerdictText {
  base::Message headline;
  base::Message detail;
};
VerdictText verdict_text(const run::Run& run);

// Headline and detail as one sentence.
base::Message verdict_sentence(const run::Run& run);

}  // namespace ts::report
