#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/run/engine.h"

namespace ts::kernels {

// Collects the types that the layers of one forward really put out, in the order they first do,
// while it lives. Of the blocks of a model only the first is kept: they are alike. One at a time,
// worker thread.
class DtypeMap {
 public:
  DtypeMap();
  ~DtypeMap();
  DtypeMap(const DtypeMap&) = delete;
  DtypeMap& operator=(const DtypeMap&) = delete;

  void add(const std::string& name, at::ScalarType type);
  [[nodiscard]] std::vector<run::NamedType> take() { return std::move(found_); }

 private:
  std::vector<run::NamedType> found_;
};

// The layer at `path` put out `output`. A few nanoseconds when nobody collects.
void note_dtype(const std::string& path, const at::Tensor& output);

}  // namespace ts::kernels
