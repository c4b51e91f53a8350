#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ts::loader {

// Pure: in which order samples are loaded and which of them share a row and a batch. The same on
// every machine for a seed.

// The order of one epoch over `samples`, as a shuffling buffer of `buffer` samples leaves it: what
// leaves is drawn from the buffer, the next one takes its place. `buffer` 0 and 1: as stored.
// `groups`: begins of the shards, in ascending order and from 0 on; these are shuffled as wholes
// first, where `buffer` is above 1.
std::vector<std::uint32_t> epoch_order(std::size_t samples, std::span<const std::size_t> groups,
                                       std::size_t buffer, std::uint64_t seed);

// Sequences that share a row one after the other. Its tokens are the sum of their lengths.
struct Row {
  std::vector<std::uint32_t> samples;
  std::uint64_t tokens = 0;
  std::uint64_t squares = 0;  // sum of the squared lengths: scores that a block-diagonal mask keeps
};

// How samples become rows.
struct RowRule {
  std::size_t width = 1;  // of a row; a longer sequence is cut
  bool packed = false;    // several sequences a row, else one
  std::size_t open_rows =
      64;  // packed: rows that are still filled; the fullest one that fits takes it
};

// A row for each sample, or as few as best fit finds with that many open rows. Every sample of
// `order` is in exactly one row, and no row has more tokens than the width.
std::vector<Row> rows_of(std::span<const std::uint32_t> order,
                         std::span<const std::uint32_t> lengths, const RowRule& rule);

// Sorts rows by tokens within each window of `batches` x `batch` rows and shuffles the batches of
// the window. `batches` 0 and 1: as they are.
void bucket(std::vector<Row>& rows, std::size_t batch, std::size_t batches, std::uint64_t seed);

struct Batch {
  std::vector<Row> rows;
  std::uint64_t width = 0;  // of the batch's rows, padded
};

// Rows of `batch` each; the last may have fewer. `longest`: a batch is as wide as its longest row,
// else `width`.
std::vector<Batch> batches_of(std::vector<Row> rows, std::size_t batch, std::size_t width,
                              bool longest);

// The share of padding in all rows, and the share of the scores over whole rows, causal or full,
// that lies inside the sequences. Shares of 1.
struct Waste {
  double padding = 0;
  double kept_scores = 1;
};
Waste waste_of(std::span<const Batch> batches);

}  // namespace ts::loader
