# LibTorch 2.11 by path: find_package(Torch) of a CUDA build would insist on nvcc at configure time.
if(TENSORSCOPE_LIBTORCH)
  set(torch ${TENSORSCOPE_LIBTORCH})
else()
  set(torch ${TENSORSCOPE_DEPS}/site/torch)
endif()
if(NOT EXISTS ${torch}/lib/libtorch_cpu.so)
  message(FATAL_ERROR "No LibTorch in ${torch}: run third_party/setup.sh, or name one with "
                      "TENSORSCOPE_LIBTORCH, or configure with -DTENSORSCOPE_KERNELS=OFF")
endif()
add_library(libtorch INTERFACE)
target_include_directories(libtorch SYSTEM INTERFACE
  ${torch}/include ${torch}/include/torch/csrc/api/include)
target_link_directories(libtorch INTERFACE ${torch}/lib)
# Without OpenMP LibTorch's headers run at::parallel_for on one thread and say nothing. The runtime is
# the one that LibTorch brings, so that there is one pool of threads.
file(GLOB openmp_runtime ${torch}/lib/libgomp*.so*)
if(NOT openmp_runtime)
  set(openmp_runtime gomp)
endif()
target_compile_options(libtorch INTERFACE -fopenmp)
target_link_libraries(libtorch INTERFACE torch_cpu c10 ${openmp_runtime})
# DT_RPATH, not RUNPATH, so that LibTorch's own needs are found beside it as well.
target_link_options(libtorch INTERFACE -Wl,--disable-new-dtags -Wl,--allow-shlib-undefined)
if(NOT TENSORSCOPE_PACKAGE)
  target_link_options(libtorch INTERFACE -Wl,-rpath,${torch}/lib)
elseif(TENSORSCOPE_LIBTORCH)
  # Headers are named without their folder, as cmake/package.cmake does for the pinned ones.
  get_filename_component(site ${torch} DIRECTORY)
  target_compile_options(libtorch INTERFACE -ffile-prefix-map=${site}/=)
endif()
set(TENSORSCOPE_TORCH_DIR ${torch} PARENT_SCOPE)
