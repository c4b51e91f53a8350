#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ts::kernels {

// A step that PyTorch's Inductor compiled ahead of time, loaded. Worker thread.
class CompiledPackage {
 public:
  // Of a file that check_package() of package_store.h lets pass. Throws BadInput if it is damaged
  // or was made for something else than `key` says.
  CompiledPackage(const std::filesystem::path& path, const std::string& key, bool trains);
  ~CompiledPackage();

  // The workload's output; of a package that does not train.
  at::Tensor output(const std::vector<at::Tensor>& tensors);
  // The loss, a scalar with a gradient function whose backward is the package's; of one that does.
  // What it keeps for the backward is let go of piece by piece while that runs.
  at::Tensor loss(const std::vector<at::Tensor>& tensors);

  struct Models;

 private:
  std::unique_ptr<Models> models_;
};

}  // namespace ts::kernels
