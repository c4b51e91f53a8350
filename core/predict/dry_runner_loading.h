#pragma once

#include "core/predict/dry_run.h"

namespace ts::predict {

// Calls the loader; a null result or an exception becomes an error with its sentence. On the thread
// that will use the dry runner.
base::Result<std::unique_ptr<DryRunner>> load_dry_runner(const DryRunnerLoader& loader);

}  // namespace ts::predict
