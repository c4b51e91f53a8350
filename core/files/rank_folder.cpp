#include "core/files/rank_folder.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/files/merged_ranks.h"
#include "core/io/file_kind.h"
#include "core/io/input.h"
#include "core/text/message.h"
#include "core/trace_file/trace_read.h"

namespace ts::files {

std::vector<std::filesystem::path> files_of_ranks(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code problem;
  for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if ((name.ends_with(".json") || name.ends_with(".json.gz")) && at->is_regular_file(ignored))
      found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

base::Result<trace_file::TraceFile> read_ranks(const std::filesystem::path& folder,
                                               base::Progress* progress) {
  std::vector<trace_file::TraceFile> ranks;
  base::Message fault;
  std::size_t bytes = 0;
  for (const std::filesystem::path& path : files_of_ranks(folder)) {
    auto input = io::Input::open(path, {.progress = progress});
    if (!input) return tl::unexpected(input.error());
    if (io::kind_of(*input) != io::FileKind::trace) continue;
    auto rank = trace_file::read_trace(path, *input);
    if (!rank) return tl::unexpected(rank.error());
    if (fault.empty()) fault = rank->fault;
    bytes += rank->bytes;
    ranks.push_back(std::move(*rank));
  }
  if (ranks.empty()) return text::fail("file_error.empty_folder", {{"path", folder.string()}});
  std::ranges::stable_sort(ranks, {}, &trace_file::TraceFile::rank);
  trace_file::TraceFile merged = merge_ranks(ranks);
  merged.bytes = bytes;
  merged.fault = std::move(fault);
  return merged;
}

}  // namespace ts::files
