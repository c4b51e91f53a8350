#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/files/notes.h"
#include "core/files/opened_file.h"

namespace ts::app {

// A page of what is shown of a file: the timeline of its trace, or the memory of one of its
// devices; see trace_page() and memory_page(). `device` as in OpenedFile::trace_shown(). The notes
// are those on it; those on a block that it does not have are left out.
std::string file_page(const files::OpenedFile& file, std::size_t device,
                      std::span<const files::Note> notes = {});

}  // namespace ts::app
