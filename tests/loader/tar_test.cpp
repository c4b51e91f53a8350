// Archives: what is written is read, what Python's tarfile writes too, and damage gets a sentence.
#include "core/loader/tar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/fuzz/mutator.h"

namespace ts::loader {
namespace {

base::Result<std::vector<TarMember>> members_of(const std::string& archive) {
  return tar_members(
      [&](std::uint64_t offset, char* to, std::size_t most) {
        if (offset >= archive.size()) return std::size_t{0};
        return archive.copy(to, most, offset);
      },
      archive.size());
}

std::string archive_of(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string archive;
  for (const auto& [name, content] : files) archive += tar_member(name, content);
  return archive + tar_end();
}

// The sum of a header that was changed.
std::string with_sum(std::string header) {
  std::fill_n(header.begin() + 148, 8, ' ');
  unsigned sum = 0;
  for (std::size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(header[i]);
  for (std::size_t i = 6; i-- > 0; sum /= 8) header[148 + i] = static_cast<char>('0' + sum % 8);
  header[154] = '\0';
  return header;
}

std::string member_of_type(char type, const std::string& content) {
  std::string member = tar_member("header", content);
  member[156] = type;
  return with_sum(member.substr(0, 512)) + member.substr(512);
}

TEST(Tar, WhatIsWrittenIsRead) {
  const std::string archive =
      archive_of({{"00000000.jpg", std::string(700, 'a')}, {"00000000.txt", ""}, {"b", "words"}});
  const auto members = members_of(archive);
  ASSERT_TRUE(members) << members.error().sentence;
  ASSERT_EQ(members->size(), 3U);
  EXPECT_EQ((*members)[0].name, "00000000.jpg");
  EXPECT_EQ((*members)[0].bytes, 700U);
  EXPECT_EQ((*members)[1].bytes, 0U);
  EXPECT_EQ(archive.substr((*members)[2].offset, (*members)[2].bytes), "words");
}

TEST(Tar, LongNamesOfGnuAndPax) {
  const std::string name(180, 'n');
  const std::string gnu = member_of_type('L', name + std::string(1, '\0'));
  const std::string pax =
      member_of_type('x', "190 path=" + name + "\n");  // its own length in front
  for (const std::string& before : {gnu, pax}) {
    const auto members = members_of(before + archive_of({{"short", "1"}, {"next", "2"}}));
    ASSERT_TRUE(members) << members.error().sentence;
    ASSERT_EQ(members->size(), 2U);
    EXPECT_EQ((*members)[0].name, name);
    EXPECT_EQ((*members)[1].name, "next");
  }
}

TEST(Tar, FoldersAndLinksArePassedOver) {
  const auto members =
      members_of(member_of_type('5', "") + member_of_type('2', "") + archive_of({{"a", "1"}}));
  ASSERT_TRUE(members);
  EXPECT_EQ(members->size(), 1U);
}

TEST(Tar, DamageIsOneSentence) {
  const std::string archive = archive_of({{"a", std::string(2000, 'x')}});
  std::string wrong = archive;
  wrong[0] = 'b';
  for (const std::string& bad :
       {archive.substr(0, 400), archive.substr(0, 1500), wrong, std::string(600, 'z'),
        member_of_type('L', std::string(5000, 'n'))}) {
    const auto members = members_of(bad);
    ASSERT_FALSE(members);
    EXPECT_FALSE(members.error().key.empty());
  }
  EXPECT_TRUE(members_of("")->empty());
}

TEST(Tar, AnyDamageEndsInMembersThatLieInsideOrASentence) {
  const std::string whole = archive_of({{"a.jpg", std::string(900, 'x')}, {"b.txt", "words"}});
  fuzz::Mutator mutator(
      {whole, member_of_type('x', "12 path=abc\n") + whole, member_of_type('L', "name") + whole},
      3);
  int opened = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string bytes = mutator.next();
    const auto members = members_of(bytes);
    if (!members) continue;
    ++opened;
    for (const TarMember& one : *members) ASSERT_LE(one.offset + one.bytes, bytes.size());
  }
  EXPECT_GT(opened, 100);
}

}  // namespace
}  // namespace ts::loader
