# Makes a wheel small, and the same on every machine: sources are named without the folder
# that they are in, and the linker leaves out what nothing calls. Included where everything begins.
add_compile_options(-ffunction-sections -fdata-sections
                    -ffile-prefix-map=${TENSORSCOPE_DEPS}/site/=
                    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
add_link_options(-Wl,--gc-sections -Wl,--strip-all)
# It keeps one of the functions that are the same, unless something asks for their addresses.
include(CheckLinkerFlag)
check_linker_flag(CXX "-fuse-ld=gold;-Wl,--icf=safe" TENSORSCOPE_LINKER_FOLDS)
if(TENSORSCOPE_LINKER_FOLDS)
  add_link_options(-fuse-ld=gold -Wl,--icf=safe)
endif()
# Nearly all time goes into LibTorch, kernels/own, which says -O3 itself, and what a prediction does; the rest
# is small instead (tensorscope_for_size).
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(TENSORSCOPE_FAST_MODULES allocator memory predict trace capture stats snapshot exported)
# Only what is said with INSTALL_RPATH is written, no folder of this machine.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
