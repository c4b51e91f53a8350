#pragma once

#include "core/predict/dry_run.h"

namespace ts::predict {

// Calls the loader; that it gave nothing, or threw, is an error with its sentence. On the thread
// that will use the dry runner.
base::Result<std::unique_ptr<DryRunner>> load_dry_runner(const DryRunnerLoader& loader);

}  // namespace ts::predict
