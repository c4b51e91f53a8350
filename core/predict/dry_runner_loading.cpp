#include "core/predict/dry_runner_loading.h"

#include <exception>
#include <string>

namespace ts::predict {

base::Result<std::unique_ptr<DryRunner>> load_dry_runner(const DryRunnerLoader& loader) {
  try {
    auto runner = loader();
    if (runner && *runner == nullptr) return base::fail("The engine library gave no dry run");
    return runner;
  } catch (const std::exception& error) {
    return base::fail(std::string("Nothing can be predicted: ") + error.what());
  }
}

}  // namespace ts::predict
