#pragma once

#include <cstddef>
#include <string>

#include "core/files/opened_file.h"

namespace ts::app {

// A page of what is shown of a file: the timeline of its trace, or the memory of one of its
// devices; see trace_page() and memory_page(). `device` as in OpenedFile::trace_shown().
std::string file_page(const files::OpenedFile& file, std::size_t device);

}  // namespace ts::app
