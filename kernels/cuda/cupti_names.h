#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/string_table.h"

namespace ts::kernels {

// Converts the texts of CUPTI's records to numbers: kernel names demangled, calls without their
// version suffix. One thread.
class CuptiNames {
 public:
  // Returns the number of a text, which the records carry.
  using Intern = std::function<base::StringId(std::string_view)>;
  // CUPTI's name of a function of the runtime or (driver) of the driver; may be null.
  using CallName = const char* (*)(bool driver, std::uint32_t function);
  // The text for a pointer of a record, null if there is none. In another process the pointers of a
  // recording are invalid and need this; by default a pointer is the text itself.
  using Resolve = std::function<const char*(const char*)>;

  CuptiNames(Intern intern, CallName call_name, Resolve resolve);

  base::StringId plain(std::string_view text) { return intern_(text); }
  base::StringId kernel(const char* mangled);
  base::StringId call(bool driver, std::uint32_t function);
  base::StringId mark(const char* text);

 private:
  Intern intern_;
  CallName call_name_;
  Resolve resolve_;
  std::unordered_map<std::string, base::StringId> kernels_;  // by mangled name
  std::unordered_map<std::uint64_t, base::StringId> calls_;  // by function, driver's apart
};

}  // namespace ts::kernels
