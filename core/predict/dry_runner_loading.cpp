#include "core/predict/dry_runner_loading.h"

#include <exception>

#include "core/text/message.h"

namespace ts::predict {

base::Result<std::unique_ptr<DryRunner>> load_dry_runner(const DryRunnerLoader& loader) {
  try {
    auto runner = loader();
    if (runner && *runner == nullptr) return text::fail("engine.no_dry_run");
    return runner;
  } catch (const std::exception& error) {
    return text::fail("engine.no_prediction", {{"reason", error.what()}});
  }
}

}  // namespace ts::predict
