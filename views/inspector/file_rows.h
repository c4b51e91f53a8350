#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/message.h"
#include "views/inspector/inspector_rows.h"

namespace ts::views {

// Facts of an opened file and of the device shown. Empty for a run of our own.
std::vector<InspectorRow> file_rows(const ViewContext& context);
// The size of a file in bytes; of a packed one both.
struct FileSize {
  std::size_t bytes = 0;   // unpacked; 0: not known
  std::size_t packed = 0;  // 0: it is not packed
  [[nodiscard]] bool known() const { return bytes > 0 || packed > 0; }
};
// `fault`: why it was read in part; of a beginning the row says so.
InspectorRow size_row(const text::Texts& texts, const FileSize& size, const base::Message& fault);
// The allocator's settings in the file.
std::vector<InspectorRow> file_settings(const ViewContext& context);
// The memory that the allocator model reserves for the file, and where it differs from the
// recording.
std::vector<InspectorRow> replay_rows(const ViewContext& context);
// The answer to "Would expandable segments have helped?", or why it is unknown. Empty while it is
// being computed.
std::string expandable_sentence(const ViewContext& context);
// The request that found enough free memory in pieces that were too small, if there was one; empty
// while that is not known.
std::string fragmentation_sentence(const ViewContext& context);
// Settings that were tried, with the memory that the allocator would have reserved at most.
std::vector<InspectorRow> trial_rows(const ViewContext& context);

// The verdict of a file: the peak that was reached, or the allocation that was refused.
struct FileVerdict {
  std::string sentence;
  std::string remark;
  bool out_of_memory = false;
  bool faulty = false;  // not all of the file could be read; the remark says why
};
FileVerdict file_verdict(const ViewContext& context);

}  // namespace ts::views
