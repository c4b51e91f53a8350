#include "kernels/cuda/cupti_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace ts::kernels {

CuptiNames::CuptiNames(Intern intern, CallName call_name, Resolve resolve)
    : intern_(std::move(intern)), call_name_(call_name), resolve_(std::move(resolve)) {
  if (!resolve_) resolve_ = [](const char* text) { return text; };
}

base::StringId CuptiNames::kernel(const char* name) {
  const char* const mangled = resolve_(name);
  if (mangled == nullptr) return intern_("kernel");
  const auto known = kernels_.find(mangled);
  if (known != kernels_.end()) return known->second;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> clear(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  const base::StringId id = intern_(status == 0 && clear ? clear.get() : mangled);
  kernels_.emplace(mangled, id);
  return id;
}

base::StringId CuptiNames::call(bool driver, std::uint32_t function) {
  const std::uint64_t key = (std::uint64_t{driver} << 32U) | function;
  const auto known = calls_.find(key);
  if (known != calls_.end()) return known->second;
  const char* const its_name = call_name_ != nullptr ? call_name_(driver, function) : nullptr;
  std::string name = its_name != nullptr ? its_name : driver ? "driver call " : "runtime call ";
  if (its_name == nullptr) name += std::to_string(function);
  // The suffix is the version in which a function got its present form: "cudaLaunchKernel_v7000".
  const std::size_t version = name.rfind("_v");
  if (version != std::string::npos && name.size() > version + 2 &&
      name.find_first_not_of("0123456789", version + 2) == std::string::npos) {
    name.resize(version);
  }
  const base::StringId id = intern_(name);
  calls_.emplace(key, id);
  return id;
}

base::StringId CuptiNames::mark(const char* text) {
  const char* const name = resolve_(text);
  return name != nullptr ? intern_(name) : base::kNoString;
}

}  // namespace ts::kernels
