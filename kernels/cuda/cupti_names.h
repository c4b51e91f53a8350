#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/string_table.h"

namespace ts::kernels {

// The texts of CUPTI's records as numbers: kernels demangled, calls without the version of their
// form. One thread.
class CuptiNames {
 public:
  // Gives a text a number that the records carry.
  using Intern = std::function<base::StringId(std::string_view)>;
  // What CUPTI calls a function of the runtime or (driver) of the driver; may be null.
  using CallName = const char* (*)(bool driver, std::uint32_t function);
  // The text behind a pointer of a record, null where there is none. Where records are read again
  // in another process the pointers mean nothing; by default they are what they are.
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
