#pragma once

#include <string_view>

namespace ts::kernels {

// True for operators that a graph from a file may call: those of ATen that compute with tensors and
// check their arguments. Refused are those that reach files ("from_file"), that take memory by an
// offset or an index without a check (sparse, nested and quantised tensors, most "_backward"), and
// those of other libraries, of which the engine has some for its own use (inductor, c10d).
// `name` is without the overload: "aten::add".
bool may_call(std::string_view name);

}  // namespace ts::kernels
