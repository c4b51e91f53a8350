#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ts::predict {

// Bytes that an operator takes on cuda only while its kernels run and that no dry run sees:
// workspaces of libraries and buffers of sorts. A range, because they depend on the
// kernel that the library picks.
struct ScratchRow {
  std::string op;              // "aten::sort"
  std::int64_t fixed_low = 0;  // bytes
  std::int64_t fixed_high = 0;
  double per_byte_low = 0;  // per byte of the operator's largest block
  double per_byte_high = 0;
  std::string source;  // the source of the figures
};

// The contents of assets/cuda_scratch.json.
class CudaScratch {
 public:
  // Errors name the row and the key.
  static base::Result<CudaScratch> parse(std::string_view json);
  [[nodiscard]] const std::vector<ScratchRow>& rows() const { return rows_; }

 private:
  std::vector<ScratchRow> rows_;
};

}  // namespace ts::predict
