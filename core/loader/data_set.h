#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/file_map.h"
#include "core/base/result.h"
#include "core/io/input_file.h"
#include "core/loader/plan.h"

namespace ts::loader {

// Where a sample lies: a whole file, or a member of an archive.
struct Sample {
  std::string name;  // "00000012.jpg"
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// The samples of a folder: JPEG images or text, as plain files or in tar archives as WebDataset has
// them. Files of a folder are in the order of their names, members in that of their archive.
struct DataSet {
  std::vector<std::filesystem::path> files;
  std::vector<Sample> samples;
  std::vector<std::size_t> shards;     // the first sample of each archive
  std::vector<base::Message> skipped;  // archives without a sample, or that cannot be read
  [[nodiscard]] bool sharded() const { return !shards.empty(); }
  [[nodiscard]] std::uint64_t bytes() const;
};

// Looks through a folder and those in it, at most kMostFiles files. Archives are used where there
// are any, else plain files. An error: it cannot be read, or it has no sample at all.
inline constexpr std::size_t kMostFiles = 2'000'000;
base::Result<DataSet> open_data_set(const std::filesystem::path& folder, bool images);

// Makes the data set of a plan in a folder that is empty or does not exist: pictures of waves, or
// words of random letters whose number is log-normally distributed; the same for a seed. `told`
// gets the samples that are made. Cancelled: an error.
base::Result<void> make_data_set(const std::filesystem::path& folder, const Plan& plan,
                                 const base::CancelToken& cancel,
                                 const std::function<void(std::size_t)>& told);

// The lengths in bytes, which are tokens, of the sequences that make_data_set() writes.
std::vector<std::uint32_t> made_lengths(const Plan& plan);

// Open files of a data set; those of archives stay open. One thread.
class SampleReader {
 public:
  // `mapped`: samples are where a map of their file has them, else they are read.
  explicit SampleReader(const DataSet& set, bool mapped = false)
      : set_(&set), open_(set.files.size()), maps_(mapped ? set.files.size() : 0) {}
  // The bytes are in a map, or in `room`, which is replaced; until the next call. A file that is
  // gone or shorter than it was is an error.
  base::Result<std::string_view> read(const Sample& sample, std::string& room);

 private:
  base::Result<std::string_view> mapped(int file, const Sample& sample, bool keeps);

  const DataSet* set_;
  std::vector<io::Descriptor> open_;
  std::vector<base::FileMap> maps_;
  base::FileMap last_;  // of a file that is not kept
};

// Takes the files out of the system's cache, as far as it does so when asked.
void drop_from_system_cache(const DataSet& set);
// Bytes of the files that are in it.
std::uint64_t in_system_cache(const DataSet& set);

}  // namespace ts::loader
