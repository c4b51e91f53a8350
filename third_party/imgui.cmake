# Dear ImGui (docking), its test engine and GLFW from the unpacked imgui-bundle sdist.
set(bundle ${TENSORSCOPE_DEPS}/imgui_bundle/external)
if(NOT EXISTS ${bundle}/imgui/imgui/imgui.h)
  message(FATAL_ERROR "No imgui-bundle sources in ${TENSORSCOPE_DEPS}: run third_party/setup.sh first")
endif()

set(GLFW_BUILD_DOCS OFF CACHE INTERNAL "")
set(GLFW_BUILD_TESTS OFF CACHE INTERNAL "")
set(GLFW_BUILD_EXAMPLES OFF CACHE INTERNAL "")
set(GLFW_INSTALL OFF CACHE INTERNAL "")
set(GLFW_BUILD_WAYLAND OFF CACHE INTERNAL "")
set(GLFW_LIBRARY_TYPE STATIC CACHE INTERNAL "")
add_subdirectory(${bundle}/glfw/glfw ${CMAKE_CURRENT_BINARY_DIR}/glfw EXCLUDE_FROM_ALL)

set(imgui ${bundle}/imgui/imgui)
add_library(imgui STATIC
  ${imgui}/imgui.cpp ${imgui}/imgui_draw.cpp ${imgui}/imgui_tables.cpp ${imgui}/imgui_widgets.cpp
  ${imgui}/imgui_stacklayout.cpp ${imgui}/misc/cpp/imgui_stdlib.cpp
  ${imgui}/backends/imgui_impl_glfw.cpp ${imgui}/backends/imgui_impl_opengl3.cpp)
target_include_directories(imgui SYSTEM PUBLIC ${imgui} ${imgui}/backends ${imgui}/misc/cpp)
# The hooks cost one branch and are empty unless the test engine is linked (tests only): so the
# tests drive the very code that users run.
target_compile_definitions(imgui PUBLIC IMGUI_ENABLE_TEST_ENGINE IMGUI_DISABLE_OBSOLETE_FUNCTIONS)
tensorscope_for_size(imgui)
tensorscope_for_size(glfw)
# Nobody here needs the system's GL headers: Dear ImGui brings its own loader.
target_compile_definitions(imgui PRIVATE GLFW_INCLUDE_NONE)
target_link_libraries(imgui PUBLIC glfw ${CMAKE_DL_LIBS})

# The desktop's own file dialogs; one header.
add_library(portable_file_dialogs INTERFACE)
target_include_directories(portable_file_dialogs SYSTEM INTERFACE
  ${bundle}/portable_file_dialogs/portable_file_dialogs)

# Tests only; see NOTICE for its licence.
set(engine ${bundle}/imgui_test_engine/imgui_test_engine/imgui_test_engine)
add_library(imgui_test_engine STATIC EXCLUDE_FROM_ALL
  ${engine}/imgui_te_context.cpp ${engine}/imgui_te_coroutine.cpp ${engine}/imgui_te_engine.cpp
  ${engine}/imgui_te_exporters.cpp ${engine}/imgui_te_perftool.cpp ${engine}/imgui_te_ui.cpp
  ${engine}/imgui_te_utils.cpp ${engine}/imgui_capture_tool.cpp)
target_include_directories(imgui_test_engine SYSTEM PUBLIC ${engine} ${engine}/..)
target_compile_definitions(imgui_test_engine PUBLIC
  IMGUI_TEST_ENGINE_ENABLE_COROUTINE_STDTHREAD_IMPL=1 IMGUI_TEST_ENGINE_ENABLE_CAPTURE=0
  IMGUI_TEST_ENGINE_ENABLE_STD_FUNCTION=1)
target_link_libraries(imgui_test_engine PUBLIC imgui Threads::Threads)
set(TENSORSCOPE_ICON_FONT
  ${bundle}/hello_imgui/hello_imgui/hello_imgui_assets/fonts/Font_Awesome_6_Free-Solid-900.otf
  PARENT_SCOPE)
