# Helpers that every folder uses: one static library per folder, warnings as errors for our code.

add_library(tensorscope_options INTERFACE)
target_include_directories(tensorscope_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(tensorscope_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of GCC 12 inside std::string (GCC bug 105651). The last two come with precompiled
  # headers: what is inlined from them no longer counts as the library's own code.
  target_compile_options(tensorscope_options INTERFACE
    -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
else()
  # Clang, for the sanitizers: its -Wconversion has more in it, and libstdc++ 12 calls what it deprecates.
  target_compile_options(tensorscope_options INTERFACE -Wno-sign-conversion -Wno-deprecated-declarations)
endif()
# g++ looks for garbage whenever its heap has grown by a third, which takes a sixth to a quarter of a large
# source's time. Where every core has the memory, it does not. (See third_party/build.sh for the jobs.)
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR memory_of_a_core "${memory} / ${cores}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND memory_of_a_core GREATER_EQUAL 3500)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=3000000>)
endif()
if(TENSORSCOPE_SANITIZE)
  add_compile_options(-fsanitize=${TENSORSCOPE_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TENSORSCOPE_SANITIZE})
  if(TENSORSCOPE_SANITIZE MATCHES address)
    # AddressSanitizer sees what these are for, and they take half of the compiler's time.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # As g++ does: no check of float-cast-overflow, and a definition that names the sanitizer.
    add_compile_options(-fno-sanitize=float-cast-overflow)
    foreach(sanitizer address thread)
      if(TENSORSCOPE_SANITIZE MATCHES ${sanitizer})
        string(TOUPPER ${sanitizer} name)
        add_compile_definitions(__SANITIZE_${name}__=1)
      endif()
    endforeach()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code is not analysed reliably (GCC's manual says so under -fsanitize).
    target_compile_options(tensorscope_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

# tensorscope_precompiled(TARGET): the standard library's headers that most sources include, compiled
# once for all of them. Nobody includes that header: sources name what they use, so that they also
# stand without it (clang-tidy reads them so). The first target makes it.
function(tensorscope_precompiled target)
  if(TARGET tensorscope_base AND NOT target STREQUAL tensorscope_base)
    target_precompile_headers(${target} REUSE_FROM tensorscope_base)
  else()
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/standard_headers.h)
  endif()
endfunction()

# tensorscope_together(TARGET N): with TENSORSCOPE_UNITY, N of its sources are compiled as one: what
# their headers bring is instantiated once, which takes half of the time or less. More at a time leave
# cores without work and take more memory. So names in unnamed namespaces differ within a folder; the
# preset dev compiles every source by itself.
function(tensorscope_together target count)
  if(TENSORSCOPE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
  endif()
endfunction()

# tensorscope_for_size(TARGET): in a wheel it is compiled to be small, not fast.
function(tensorscope_for_size target)
  if(TENSORSCOPE_PACKAGE)
    target_compile_options(${target} PRIVATE -Os)
  endif()
endfunction()

# tensorscope_header_library(NAME HEADERS a.h ... OPTIONS option ... USES lib ...): precompiled headers for
# targets with options of their own. g++ optimises a source as it did the header, whatever is said for the source.
function(tensorscope_header_library name)
  cmake_parse_arguments(ARG "" "" "HEADERS;OPTIONS;USES" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/empty.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE tensorscope_options ${ARG_USES})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# tensorscope_light(TARGET): nobody waits for what it computes. A release optimises it lightly, in two thirds
# of the time.
function(tensorscope_light target)
  if(NOT TARGET tensorscope_light_precompiled)
    tensorscope_header_library(tensorscope_light_precompiled
      HEADERS ${PROJECT_SOURCE_DIR}/cmake/standard_headers.h OPTIONS -O1 USES tl::expected)
  endif()
  # g++'s warnings of what may be uninitialised are false alarms with -O1; -O2 of ./package sees more.
  target_compile_options(${target} PRIVATE -O1 -Wno-maybe-uninitialized)
  target_precompile_headers(${target} REUSE_FROM tensorscope_light_precompiled)
endfunction()

# tensorscope_module(NAME [LIGHT] SOURCES a.cpp ... [USES lib ...] [PRIVATE_USES lib ...])
# Adds the static library tensorscope_NAME. USES are libraries its headers need. LIGHT: see tensorscope_light.
function(tensorscope_module name)
  cmake_parse_arguments(ARG "LIGHT" "" "SOURCES;USES;PRIVATE_USES" ${ARGN})
  add_library(tensorscope_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(tensorscope_${name} PUBLIC ${ARG_USES}
                        PRIVATE tensorscope_options ${ARG_PRIVATE_USES})
  target_include_directories(tensorscope_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  if(name IN_LIST TENSORSCOPE_FAST_MODULES)
    # The precompiled headers are compiled for size and do not fit.
    set_target_properties(tensorscope_${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  else()
    tensorscope_for_size(tensorscope_${name})
  endif()
  if(ARG_LIGHT AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT TENSORSCOPE_PACKAGE)
    tensorscope_light(tensorscope_${name})
  else()
    tensorscope_precompiled(tensorscope_${name})
  endif()
  tensorscope_together(tensorscope_${name} 24)
endfunction()

# tensorscope_optimised_when_watched(TARGET): what fuzzing and the tests of properties call all the time.
# AddressSanitizer's build is not optimised, but here -O1 saves four times what it costs. The precompiled
# headers are not optimised and so do not fit.
function(tensorscope_optimised_when_watched target)
  if(TENSORSCOPE_SANITIZE MATCHES address)
    target_compile_options(${target} PRIVATE -O1)
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# tensorscope_embed(TARGET SYMBOL FILE) puts FILE into TARGET's read-only data between the symbols
# tensorscope_asset_SYMBOL and tensorscope_asset_SYMBOL_end.
function(tensorscope_embed target symbol file)
  set(assembly ${CMAKE_CURRENT_BINARY_DIR}/embed_${symbol}.S)
  file(CONFIGURE OUTPUT ${assembly} @ONLY CONTENT
".section .rodata
.global tensorscope_asset_@symbol@
.global tensorscope_asset_@symbol@_end
.balign 16
tensorscope_asset_@symbol@:
.incbin \"@file@\"
tensorscope_asset_@symbol@_end:
.byte 0
.section .note.GNU-stack,\"\",%progbits
")
  set_source_files_properties(${assembly} PROPERTIES OBJECT_DEPENDS ${file})
  target_sources(${target} PRIVATE ${assembly})
endfunction()
