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
  // Loads a file that check_package() of package_store.h accepts. Throws BadInput if it is damaged
  // or was made for another key than `key`.
  CompiledPackage(const std::filesystem::path& path, const std::string& key, bool trains);
  ~CompiledPackage();

  // The workload's output; for a package that does not train.
  at::Tensor output(const std::vector<at::Tensor>& tensors);
  // The loss, a scalar with a gradient function that runs the package's backward; for a package
  // that trains. The tensors kept for the backward are freed piece by piece while it runs.
  at::Tensor loss(const std::vector<at::Tensor>& tensors);

  struct Models;

 private:
  std::unique_ptr<Models> models_;
};

}  // namespace ts::kernels
