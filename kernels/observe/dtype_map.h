#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "core/run/engine.h"

namespace ts::kernels {

// While it lives, collects the output types of the layers of one forward, in the order of their
// first output. Of the blocks of a model only the first is kept: they are alike. One at a time,
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

// Notes the type of `output` of the layer at `path`. A few nanoseconds if there is no collector.
void note_dtype(const std::string& path, const at::Tensor& output);

}  // namespace ts::kernels
