# What a wheel needs to be small and the same on every machine: sources are named without the folder
# that they are in, and the linker leaves out what nothing calls. Included where everything begins.
add_compile_options(-ffunction-sections -fdata-sections
                    -ffile-prefix-map=${TENSORSCOPE_DEPS}/site/=
                    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
add_link_options(-Wl,--gc-sections -Wl,--strip-all)
# Nearly all time goes into LibTorch and kernels/own, which says -O3 itself.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# Only what is said with INSTALL_RPATH is written, no folder of this machine.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
