#include "kernels/cuda/cuda_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "core/text/message.h"

namespace ts::kernels {
namespace {

constexpr const char* kLibraryFile = "libtensorscope_cuda.so";

std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

std::string last_dl_error() {
  const char* const error = dlerror();
  return error != nullptr ? error : "unknown reason";
}

}  // namespace

CudaLibrary::CudaLibrary() {
  // Without a driver LibTorch's CUDA part would take a second and 300 MB only to fail.
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) == nullptr) {
    unavailable_ = text::message("engine.no_driver");
    return;
  }
  const std::filesystem::path path = own_folder() / kLibraryFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    unavailable_ = text::message("engine.cuda_not_built", {{"file", kLibraryFile}});
    return;
  }
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    unavailable_ = text::message("engine.cuda_not_loaded", {{"reason", last_dl_error()}});
    return;
  }
  const auto function = reinterpret_cast<CudaApiFunction>(dlsym(library, kCudaApiSymbol));
  const CudaApi* const api = function != nullptr ? function() : nullptr;
  if (api == nullptr || api->version != kCudaApiVersion) {
    unavailable_ = text::message("engine.other_cuda_version", {{"file", kLibraryFile}});
    return;
  }
  if (const char* const reason = api->start(); reason != nullptr) {
    unavailable_ = {reason};
    return;
  }
  api_ = api;
  nvml_ = std::make_unique<Nvml>();
}

const char* CudaLibrary::launch(CudaLaunch launch) const {
  static const std::string folder = (own_folder() / "own_cuda").string();
  launch.folder = folder.c_str();
  return api_->launch(launch);
}

void CudaLibrary::start_capture(int device) {
  source_ = api_->recording;
  capture_ = std::make_unique<capture::GpuCapture>(source_);
  not_recorded_ = {capture_->self_test(device)};
  if (not_recorded_.empty()) return;
  capture_.reset();
  source_ = api_->by_events();
  capture_ = std::make_unique<capture::GpuCapture>(source_);
  if (const std::string why = capture_->self_test(device); !why.empty()) {
    capture_.reset();
    not_recorded_ = text::message(
        "engine.no_events", {text::argument("reason", std::move(not_recorded_)), {"why", why}});
    return;
  }
  not_recorded_ =
      text::message("engine.by_events", {text::argument("reason", std::move(not_recorded_))});
}

}  // namespace ts::kernels
