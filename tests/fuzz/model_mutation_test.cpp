// Damaged .pt2 files: each is read or refused with a sentence, and what was read can be walked
// through.
#include <gtest/gtest.h>

#include <string>

#include "core/exported/model_file.h"
#include "tests/exported/pt2_bytes.h"
#include "tests/fuzz/mutator.h"

namespace ts::fuzz {
namespace {

bool feed_model(std::string bytes) {
  const auto read = exported::ModelFile::of_bytes(std::move(bytes), "net.pt2");
  if (!read) {
    EXPECT_FALSE(read.error().sentence.empty());
    return false;
  }
  const exported::ModelFile& model = **read;
  const exported::Program& program = model.program();
  std::vector<std::int64_t> symbols(program.symbols.size(), 3);
  for (const exported::Input& input : program.inputs) {
    static_cast<void>(model.bound_of(input));
    if (!input.tensor) continue;
    for (const exported::Size& size : program.meta_of(input).sizes) {
      static_cast<void>(program.size_of(size, symbols));
    }
    const auto* const member = model.stored(input);
    if (member == nullptr || member->size > 1'000'000) continue;
    std::string to(member->size, '\0');
    static_cast<void>(model.read_stored(*member, to));
  }
  for (const exported::Graph& graph : program.graphs) {
    for (const exported::Node& node : graph.nodes) {
      EXPECT_LT(node.place, program.places.size());
      for (const exported::Slot slot : node.last_uses) EXPECT_LT(slot, graph.metas.size());
    }
  }
  return true;
}

class DamagedModels : public ::testing::TestWithParam<int> {};

TEST_P(DamagedModels, AreReadOrRefused) {
  using exported::testing::zip_of;
  const auto seed = static_cast<std::uint64_t>(GetParam());
  Mutator archive({exported::testing::linear_pt2()}, seed);
  Mutator graph({exported::testing::linear_json()}, seed);
  int read = 0;
  for (int i = 0; i < 1'500; ++i) {
    feed_model(archive.next());
    const std::string json = graph.next();
    read += feed_model(zip_of({{"net/models/model.json", json}})) ? 1 : 0;
  }
  EXPECT_GT(read, 20);
}

INSTANTIATE_TEST_SUITE_P(Round, DamagedModels, ::testing::Range(0, 3));

}  // namespace
}  // namespace ts::fuzz
