#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/exported/program.h"
#include "core/exported/program_read.h"
#include "core/exported/repeated_modules.h"
#include "core/io/zip_archive.h"

namespace ts::exported {

// A size that was left open in the export.
struct Dimension {
  std::uint32_t symbol = 0;
  // The argument and its dimension: "input_ids[1]"; "input_ids[1] / 2" where that is twice the
  // symbol.
  std::string label;
  std::int64_t min = 1;
  std::int64_t max = 1;
  std::int64_t example = 1;
};

// A .pt2 file of torch.export.save: its program, and its weights as they are asked for. Nothing in
// it is executed. Immutable; any thread.
class ModelFile {
 public:
  // The error names the file.
  static base::Result<std::shared_ptr<const ModelFile>> read(const std::filesystem::path& path);
  // For tests: `name` stands for the path in sentences.
  static base::Result<std::shared_ptr<const ModelFile>> of_bytes(std::string content,
                                                                 const std::string& name);

  [[nodiscard]] const Program& program() const { return program_; }

  // The open dimensions. The first is the batch, if there is one: the first dimension of the first
  // input that has open ones. The second is the sequence: the second dimension of a tensor of
  // tokens, or of three dimensions or more. Others follow in the order of the inputs.
  [[nodiscard]] std::span<const Dimension> dimensions() const { return dimensions_; }
  // Which of them are batch and sequence.
  [[nodiscard]] std::optional<std::size_t> batch() const { return batch_; }
  [[nodiscard]] std::optional<std::size_t> sequence() const { return sequence_; }
  // The sizes of the first input that stand for batch and sequence; none where it has no such one.
  [[nodiscard]] std::optional<std::int64_t> fixed_batch() const { return fixed_batch_; }
  [[nodiscard]] std::optional<std::int64_t> fixed_sequence() const { return fixed_sequence_; }

  // Input i is the same tensor as this earlier one, or itself (tied weights).
  [[nodiscard]] std::uint32_t same_as(std::uint32_t input) const { return same_as_[input]; }
  // Numbers of all parameters, tied ones once.
  [[nodiscard]] std::int64_t parameter_count() const { return parameter_count_; }
  // The type of most parameters' numbers; fp32 where there are none.
  [[nodiscard]] ElementType main_type() const { return main_type_; }
  [[nodiscard]] bool attends() const { return attends_; }  // by PyTorch's own attention operator

  // The same model with few of its repeated modules, for dry runs; null where none are repeated.
  // And the repetition that it has in full.
  [[nodiscard]] const std::shared_ptr<const ModelFile>& sample() const { return sample_; }
  [[nodiscard]] const Repetition& repetition() const { return repetition_; }

  // The same model with its repeated modules as parts that the backward computes again; null where
  // it has none (checkpointed.h). Its sample has them, too. Made when it is first asked for.
  [[nodiscard]] const std::shared_ptr<const ModelFile>& checkpointed() const;

  // The storage of an input that the file holds; null where it has only its shape.
  [[nodiscard]] const io::ZipArchive::Member* stored(const Input& input) const;
  // How many weights, buffers and constants there are, tied ones once, and how many of them have no
  // numbers in the file.
  struct Holds {
    std::size_t all = 0, without_numbers = 0;
  };
  [[nodiscard]] Holds holds() const;
  // Its bytes, `to` being of the member's size.
  [[nodiscard]] base::Result<void> read_stored(const io::ZipArchive::Member& member,
                                               std::span<char> to) const;
  // Numbers that an integer input may hold, from 0: rows of the table that it is looked up in,
  // classes of a loss. 0: it is looked up nowhere.
  [[nodiscard]] std::int64_t bound_of(const Input& input) const;
  // The input says where the bags of an embedding_bag begin: 0 first, and never less than before.
  [[nodiscard]] bool is_offsets(const Input& input) const;

 private:
  explicit ModelFile(std::shared_ptr<const io::ZipArchive> archive)
      : archive_(std::move(archive)) {}
  static base::Result<std::shared_ptr<const ModelFile>> from(base::Result<io::ZipArchive> archive,
                                                             const std::string& name);
  base::Result<void> load();
  base::Result<void> load_payloads(const std::string& folder, std::map<std::string, Payload>& to,
                                   const std::string& config);
  void make_sample();
  // The same file with another program.
  [[nodiscard]] std::shared_ptr<ModelFile> with(Program program) const;
  void look_through();
  void find_dimensions();
  void find_same();
  void count_parameters();
  [[nodiscard]] const Payload* payload(const Input& input) const;

  std::shared_ptr<const io::ZipArchive> archive_;
  std::string folder_;  // of everything in the archive, with a slash at its end
  Program program_;
  std::map<std::string, Payload> weights_;
  std::map<std::string, Payload> constants_;
  std::vector<Dimension> dimensions_;
  std::optional<std::size_t> batch_, sequence_;
  std::optional<std::int64_t> fixed_batch_, fixed_sequence_;
  std::vector<std::uint32_t> same_as_;
  std::int64_t parameter_count_ = 0;
  ElementType main_type_ = ElementType::fp32;
  bool attends_ = false;
  Repetition repetition_;
  std::shared_ptr<const Program> plain_;  // of which this one's program was made; null: of the file
  mutable std::once_flag checkpointed_once_;
  mutable std::shared_ptr<const ModelFile> checkpointed_;
  std::shared_ptr<const ModelFile> sample_;
};

// The model at the path, read once for as long as the file stays as it is; an error, too. Any
// thread.
base::Result<std::shared_ptr<const ModelFile>> open_model(const std::string& path);

}  // namespace ts::exported
