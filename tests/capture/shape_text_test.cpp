#include "core/capture/shape_text.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/capture/raw_records.h"

namespace ts::capture {
namespace {

using testing::shapes;

TEST(ShapeText, names_sizes_and_dtypes) {
  EXPECT_EQ(
      shape_text(shapes({{{4, 12, 2048, 64}, DType::bf16}, {{4, 12, 64, 2048}, DType::bf16}})),
      "[4, 12, 2048, 64] bf16, [4, 12, 64, 2048] bf16");
  EXPECT_EQ(shape_text(shapes({{{}, DType::fp32}})), "[] fp32");
  EXPECT_EQ(shape_text(shapes({{{3}, DType::none}, {{2, 1}, DType::boolean}})), "[3], [2, 1] bool");
  EXPECT_EQ(
      shape_text(shapes(
          {{{1}, DType::fp64}, {{1}, DType::fp16}, {{1}, DType::int64}, {{1}, DType::int32}})),
      "[1] fp64, [1] fp16, [1] int64, [1] int32");
  EXPECT_EQ(shape_text(shapes({{{1}, DType::uint8}})), "[1] uint8");
  EXPECT_EQ(shape_text(shapes({{{1}, DType::other}})), "[1] other");
  EXPECT_EQ(shape_text(Shapes{}), "");
}

TEST(ShapeText, stops_at_what_does_not_fit) {
  Shapes broken = shapes({{{4, 5}, DType::fp32}, {{6}, DType::fp32}});
  broken.rank[1] = 200;
  EXPECT_EQ(shape_text(broken), "[4, 5] fp32");
  broken.tensors = 200;
  broken.rank = {1, 1, 1, 1};
  broken.dtype = {77, 2, 2, 2};
  EXPECT_EQ(shape_text(broken), "[4] other, [5] fp32, [6] fp32, [0] fp32");
}

TEST(ShapeTexts, makes_each_text_once_whatever_lies_in_unused_parts) {
  base::StringTable strings;
  ShapeTexts texts(strings);
  Shapes garbage;
  std::memset(static_cast<void*>(&garbage), 0x5A, sizeof(garbage));
  const Shapes clean = shapes({{{4, 5}, DType::bf16}, {{}, DType::fp32}});
  garbage.tensors = clean.tensors;
  garbage.rank[0] = clean.rank[0];
  garbage.rank[1] = clean.rank[1];
  garbage.dtype[0] = clean.dtype[0];
  garbage.dtype[1] = clean.dtype[1];
  garbage.dims[0] = 4;
  garbage.dims[1] = 5;
  const base::StringId id = texts.id(clean);
  EXPECT_EQ(strings.view(id), "[4, 5] bf16, [] fp32");
  const std::uint32_t size = strings.size();
  EXPECT_EQ(texts.id(clean), id);
  EXPECT_EQ(texts.id(garbage), id);
  EXPECT_EQ(strings.size(), size);
  EXPECT_EQ(texts.id(Shapes{}), base::kNoString);
}

TEST(ShapeTexts, tells_shapes_apart_that_share_their_numbers) {
  base::StringTable strings;
  ShapeTexts texts(strings);
  const auto text = [&](const Shapes& of) { return strings.view(texts.id(of)); };
  EXPECT_EQ(text(shapes({{{2, 3}, DType::fp32}})), "[2, 3] fp32");
  EXPECT_EQ(text(shapes({{{2}, DType::fp32}, {{3}, DType::fp32}})), "[2] fp32, [3] fp32");
  EXPECT_EQ(text(shapes({{{2, 3}, DType::bf16}})), "[2, 3] bf16");
  EXPECT_EQ(text(shapes({{{3, 2}, DType::fp32}})), "[3, 2] fp32");
  EXPECT_EQ(text(shapes({{{2, 3, 0}, DType::fp32}})), "[2, 3, 0] fp32");
  EXPECT_EQ(text(shapes({{{2, 3}, DType::fp32}, {{}, DType::none}})), "[2, 3] fp32, []");
}

}  // namespace
}  // namespace ts::capture
