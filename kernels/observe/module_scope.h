#pragma once

#include <string>

namespace ts::kernels {

class DryRecording;

// A running layer: everything that runs in it on this thread gets its path ("blocks.3.attn"), and
// it is itself a slice around its operators. Costs a few nanoseconds without a recording. Checks
// for cancellation when it opens, so it may throw Cancelled. Worker thread; strictly nested.
class ModuleScope {
 public:
  explicit ModuleScope(const std::string& path);
  ~ModuleScope();
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

  // Path of the innermost open module of this thread, also when nothing is recorded; empty for
  // none.
  static const std::string& open_path() noexcept;

 private:
  const std::string* outer_;
  DryRecording* dry_ = nullptr;
  bool recorded_ = false;
};

// A place inside a module: operators in it carry `place` in place of the module's path. It is no
// slice. Worker thread; strictly nested with modules.
class PlaceScope {
 public:
  explicit PlaceScope(const std::string& place);
  ~PlaceScope();
  PlaceScope(const PlaceScope&) = delete;
  PlaceScope& operator=(const PlaceScope&) = delete;

 private:
  DryRecording* dry_ = nullptr;
  bool recorded_ = false;
};

}  // namespace ts::kernels
