#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/message.h"

// Mistakes of a kernel's file, by its text and by what the compiler says, in terms of the lines of
// the file.
namespace ts::kernel_check {

// A function that a file is to define.
struct EntryPoint {
  const char* name;
  const char* arguments;  // with their names
};
// As entry_points.h declares them.
inline constexpr EntryPoint kForward = {
    "attention",
    "const float* q, const float* k, const float* v, float* o, int heads, int length, int d_head, "
    "bool causal"};
inline constexpr EntryPoint kBackward = {
    "attention_backward",
    "const float* q, const float* k, const float* v, const float* d_o, float* d_q, float* d_k, "
    "float* d_v, int heads, int length, int d_head, bool causal"};

// "mine.cu:12: attention has the arguments (...), and (...) are expected."; empty:
// there is no definition, or it has the same types.
base::Message other_arguments_message(const std::string& file, const std::string& source,
                                      const EntryPoint& entry);

// Why the compiler refused a file of that name, by what it wrote: a wrong entry point, else the
// first error. An error within a header of the executor has the line of the file that led there.
base::Message why_not_compiled(const std::string& file, const std::string& source,
                               const std::string& log);

// Bytes of __shared__ variables by the function that has them, as "forward<64>(float const*)";
// those of no function by the empty name. `symbols`: of the compiled file, as `nm -f sysv -S -C`
// lists them.
using StaticShared = std::map<std::string, std::int64_t>;
StaticShared static_shared(const std::string& symbols);
// The function that has more of them than the 48 KiB that nvcc takes; empty: none.
base::Message too_much(const StaticShared& shared);

}  // namespace ts::kernel_check
