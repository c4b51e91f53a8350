#include "core/allocator/allocator_settings.h"
#include "core/allocator/caching_allocator_state.h"

#include <gtest/gtest.h>

namespace ts::allocator {
namespace {

TEST(AllocatorSettings, EmptyIsDefault) {
  EXPECT_EQ(*AllocatorSettings::parse(""), AllocatorSettings());
  EXPECT_EQ(AllocatorSettings().to_string(), "");
}

TEST(AllocatorSettings, ReadsPyTorchsString) {
  const auto read = AllocatorSettings::parse(
      " max_split_size_mb:128, expandable_segments:True,garbage_collection_threshold:0.6,"
      "release_lock_on_cudamalloc:True,backend:native");
  ASSERT_TRUE(read) << read.error().sentence;
  EXPECT_EQ(read->max_split_size, 128 * kMiB);
  EXPECT_TRUE(read->expandable_segments);
  EXPECT_DOUBLE_EQ(read->garbage_collection_threshold, 0.6);
}

TEST(AllocatorSettings, RoundTrips) {
  for (const char* text :
       {"expandable_segments:True", "max_split_size_mb:20,max_non_split_rounding_mb:64",
        "garbage_collection_threshold:0.75", "roundup_power2_divisions:4",
        "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]"}) {
    const auto first = AllocatorSettings::parse(text);
    ASSERT_TRUE(first) << first.error().sentence;
    const auto second = AllocatorSettings::parse(first->to_string());
    ASSERT_TRUE(second) << second.error().sentence;
    EXPECT_EQ(*first, *second) << text;
  }
}

TEST(AllocatorSettings, WrongValuesAreOneSentence) {
  for (const char* text : {"expandable_segments", "expandable_segments:yes", "max_split_size_mb:19",
                           "max_split_size_mb:-5", "max_split_size_mb:99999999999999999999",
                           "garbage_collection_threshold:1", "garbage_collection_threshold:x",
                           "roundup_power2_divisions:3", "roundup_power2_divisions:[256:3]",
                           "roundup_power2_divisions:[256", "roundup_power2_divisions:[100:4]",
                           "backend:cudaMallocAsync", "nonsense:1", ":", "max_split_size_mb:"}) {
    const auto read = AllocatorSettings::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().sentence.find('\n'), std::string::npos);
  }
}

TEST(AllocatorSettings, RoundsToBlocksOf512) {
  const AllocatorSettings settings;
  EXPECT_EQ(settings.round_size(1), 512);
  EXPECT_EQ(settings.round_size(512), 512);
  EXPECT_EQ(settings.round_size(513), 1024);
  EXPECT_EQ(settings.round_size(3 * kMiB + 1), 3 * kMiB + 512);
}

// The example of PyTorch's documentation: 1200 with 4 divisions between 1024 and 2048 becomes 1280.
TEST(AllocatorSettings, RoundsToDivisionsOfPowersOfTwo) {
  const auto settings = AllocatorSettings::parse("roundup_power2_divisions:4");
  EXPECT_EQ(settings->round_size(1200 * kMiB), 1280 * kMiB);
  EXPECT_EQ(settings->round_size(1024 * kMiB), 1024 * kMiB);
  EXPECT_EQ(settings->round_size(1025 * kMiB), 1280 * kMiB);
  EXPECT_EQ(settings->round_size(2048), 2048);
  EXPECT_EQ(settings->round_size(2047), 2048);
}

TEST(AllocatorSettings, ListOfDivisionsReadsAsPyTorchReadsIt) {
  const auto settings = AllocatorSettings::parse("roundup_power2_divisions:[64:8,256:4,>:2]");
  const auto& divisions = settings->roundup_power2_divisions;
  EXPECT_EQ(divisions[0], 8);
  EXPECT_EQ(divisions[6], 8);  // 64 MiB
  EXPECT_EQ(divisions[7], 0);  // between two named sizes nothing is set
  EXPECT_EQ(divisions[8], 2);  // ">" starts at the last named size
  EXPECT_EQ(divisions[15], 2);
}

}  // namespace
}  // namespace ts::allocator
