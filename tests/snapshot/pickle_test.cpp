#include "core/snapshot/pickle.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/snapshot/pickle_bytes.h"

namespace ts::snapshot {
namespace {

using testing::PickleBytes;

// A document in words: [1, "a", {"k": (None, True)}].
std::string as_text(const Document& document, Document::Value value) {
  const auto separate = [](std::string& text) {
    if (text.size() > 1) text += ", ";
  };
  switch (Document::kind(value)) {
    case Document::Kind::none:
      return "None";
    case Document::Kind::boolean:
      return *Document::as_boolean(value) ? "True" : "False";
    case Document::Kind::integer:
      if (const auto number = document.as_integer(value)) return std::to_string(*number);
      if (const auto number = document.as_unsigned(value)) return std::to_string(*number);
      return "the bits " + std::to_string(*document.as_address(value));
    case Document::Kind::real:
      return std::to_string(*document.as_real(value));
    case Document::Kind::text:
      return "'" + std::string(*document.as_text(value)) + "'";
    case Document::Kind::list: {
      std::string text = "[";
      document.for_each_item(value, [&](Document::Value item) {
        separate(text);
        text += as_text(document, item);
        return true;
      });
      return text + "]";
    }
    case Document::Kind::dict: {
      std::string text = "{";
      document.for_each_entry(value, [&](Document::Value key, Document::Value item) {
        separate(text);
        text += as_text(document, key) + ": " + as_text(document, item);
        return true;
      });
      return text + "}";
    }
    case Document::Kind::event:
      return "event";  // of a snapshot's trace only: pickle_events_test.cpp
  }
  return {};
}

struct Outcome {
  std::string words;
  std::string fault;
  std::string error;
};
Outcome outcome_of(std::string bytes) {
  Document document(bytes.size());
  const auto parsed = read_pickle(std::move(bytes), document);
  if (!parsed) return {{}, {}, parsed.error().sentence};
  return {as_text(document, parsed->root), parsed->fault.sentence, {}};
}

TEST(Pickle, ReadsEveryKindOfValue) {
  PickleBytes bytes;
  bytes.op('}').op(0x94).op('(');
  bytes.text("none").op('N').text("yes").op(0x88).text("no").op(0x89);
  bytes.text("small").number(200).text("two").op('M').little_endian(60000, 2);
  bytes.text("four").op('J').little_endian(0xFFFFFFFFU, 4);
  bytes.text("real").op('G').ops(std::string("\x3F\xF8\0\0\0\0\0\0", 8));
  bytes.text("pair").number(1).number(2).op(0x86);
  bytes.text("list").op(']').op(0x94).op('(').number(3).op(')').op('e');
  bytes.op('u');
  const Outcome outcome = outcome_of(bytes.stop());
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words,
            "{'none': None, 'yes': True, 'no': False, 'small': 200, 'two': 60000, 'four': -1, "
            "'real': 1.500000, 'pair': [1, 2], 'list': [3, []]}");
}

TEST(Pickle, ReadsTheFormsOfOtherProtocols) {
  PickleBytes bytes(2);
  bytes.op(']').op('q').little_endian(0, 1);                                      // BINPUT
  bytes.op('X').little_endian(2, 4).ops("ab").op('r').little_endian(1, 4);        // LONG_BINPUT
  bytes.op('a');                                                                  // APPEND
  bytes.op('j').little_endian(1, 4).op('a').op('h').little_endian(1, 1).op('a');  // gets
  bytes.op('(').number(1).number(2).op('t').op('a');                              // TUPLE
  bytes.op('(').text("k").number(3).op('d').op('a');                              // DICT
  bytes.op('}').text("s").number(4).op('s').op('a');                              // SETITEM
  bytes.op('(').number(5).op('l').op('a').number(6).op(0x85).op('a');             // LIST, TUPLE1
  bytes.op(0x8D).little_endian(1, 8).ops("c").op('a');                            // BINUNICODE8
  bytes.op(0x95).little_endian(0, 8);                                             // FRAME
  EXPECT_EQ(outcome_of(bytes.stop()).words,
            "['ab', 'ab', 'ab', [1, 2], {'k': 3}, {'s': 4}, [5], [6], 'c']");
}

TEST(Pickle, ContainersAreSharedThroughTheMemo) {
  // Filled after it was remembered: both places see the item.
  PickleBytes bytes;
  bytes.op(']').op('(').op(']').op(0x94).op('h').little_endian(0, 1).number(7).op('a').op('e');
  EXPECT_EQ(outcome_of(bytes.stop()).words, "[[7], [7]]");
}

TEST(Pickle, BatchesMakeOneList) {
  PickleBytes bytes;
  bytes.op(']');
  std::string expected = "[";
  for (int batch = 0; batch < 5; ++batch) {
    bytes.op('(');
    for (int i = 0; i < 1000; ++i) {
      bytes.op(']').number(static_cast<std::uint8_t>(i % 250)).op('a');
      expected += (expected.size() > 1 ? ", [" : "[") + std::to_string(i % 250) + "]";
    }
    bytes.op('e');
  }
  EXPECT_EQ(outcome_of(bytes.stop()).words, expected + "]");
}

TEST(Pickle, IntegersUpToSixtyFourBits) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "0"},
      {"\x01", "1"},
      {"\xFF", "-1"},
      {"\x80\x00"s, "128"},
      {"\x00\x00\x00\x00\x00\x00\x00\x08"s, "576460752303423488"},  // 2^59
      {"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F",
       std::to_string(std::numeric_limits<std::int64_t>::max())},
      {"\x00\x00\x00\x00\x00\x00\x00\x80"s,
       std::to_string(std::numeric_limits<std::int64_t>::min())},
      {"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00"s, "18446744073709551615"},
      {"\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"s, "2"},
      {"\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "-2"}};
  for (const auto& [bytes, value] : cases) {
    EXPECT_EQ(outcome_of(PickleBytes().long1(bytes).stop()).words, value);
    PickleBytes long4;
    long4.op(0x8B).little_endian(bytes.size(), 4).ops(bytes);
    EXPECT_EQ(outcome_of(long4.stop()).words, value);
  }
  EXPECT_EQ(outcome_of(PickleBytes().long1("\x05\0\0\0\0\0\0\0\xFF"s).stop()).words, "the bits 5")
      << "-2^64 + 5: an address less 2^64";
  for (const std::string& bytes :
       {"\x00\x00\x00\x00\x00\x00\x00\x00\x01"s, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE"s}) {
    EXPECT_EQ(outcome_of(PickleBytes().long1(bytes).stop()).fault,
              "byte 2: an integer does not fit into 64 bits");
  }
  EXPECT_EQ(outcome_of(PickleBytes().long1(std::string(17, '\0')).stop()).fault,
            "byte 2: an integer of 17 bytes is too long");
}

TEST(Pickle, RefusesWhatCouldRunCode) {
  const std::vector<std::pair<unsigned, std::string>> opcodes = {
      {'c', "GLOBAL"},   {0x93, "STACK_GLOBAL"}, {'i', "INST"},   {'o', "OBJ"},
      {0x81, "NEWOBJ"},  {0x92, "NEWOBJ_EX"},    {'R', "REDUCE"}, {'b', "BUILD"},
      {0x82, "EXT1"},    {0x83, "EXT2"},         {0x84, "EXT4"},  {'P', "PERSID"},
      {'Q', "BINPERSID"}};
  for (const auto& [opcode, name] : opcodes) {
    PickleBytes bytes;
    bytes.op(']').number(1).op('a').op(opcode).ops("os\nsystem\n");
    EXPECT_EQ(outcome_of(bytes.stop()).error,
              "byte 6: the pickle opcode " + name + " could run code, so the file is refused");
  }
}

TEST(Pickle, SaysWhatElseItDoesNotRead) {
  EXPECT_EQ(outcome_of(PickleBytes().ops("I5\n").stop()).fault,
            "byte 2: the opcode INT belongs to pickle protocol 0, 2 to 5 are read");
  EXPECT_EQ(outcome_of(PickleBytes().op(0xF3).stop()).fault,
            "byte 2: there is no pickle opcode 0xf3");
  EXPECT_EQ(outcome_of(PickleBytes(6).op('N').stop()).fault,
            "byte 0: pickle protocol 6 is not read, 2 to 5 are");
  EXPECT_EQ(outcome_of("(lp0\n.").error, "this is no pickle of protocol 2 to 5");
  EXPECT_EQ(outcome_of("").error, "this is no pickle of protocol 2 to 5");
}

TEST(Pickle, BrokenProgramsEndInASentence) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {PickleBytes().op('h').little_endian(9, 1).stop(), "memo entry 9 was never set"},
      {PickleBytes().op('N').op('r').little_endian(0xFFFFFFFFU, 4).stop(), "out of reach"},
      {PickleBytes().op(0x94).stop(), "nothing to remember"},
      {PickleBytes().op('e').stop(), "a batch of items has no mark"},
      {PickleBytes().op('(').op('e').stop(), "a batch of items has no mark"},
      {PickleBytes().op('N').op('(').op('e').stop(), "cannot hold them"},
      {PickleBytes().op('}').op('(').number(1).op('u').stop(), "last key has no value"},
      {PickleBytes().op('a').stop(), "nothing to be added to"},
      {PickleBytes().op(']').op('(').number(1).op('a').stop(), "nothing to be added to"},
      {PickleBytes().number(1).number(1).op('a').stop(), "cannot hold it"},
      {PickleBytes().op('t').stop(), "a container has no mark"},
      {PickleBytes().op(0x87).stop(), "a tuple lacks items"},
      {PickleBytes().op('0').stop(), "nothing to drop"},
      {PickleBytes().op('1').stop(), "POP_MARK has no mark"},
      {PickleBytes().op('2').stop(), "nothing to repeat"},
      {PickleBytes().stop(), "before the content is whole"},
      {PickleBytes().number(1).number(2).stop(), "before the content is whole"},
      {PickleBytes().ops(std::string(2000, '(')).stop(), "nested too deeply"},
      {PickleBytes().op('X').little_endian(0xFFFFFFF0U, 4).stop(), "the file ends at byte 8"},
      {PickleBytes().op(0x8D).little_endian(~std::uint64_t{0}, 8).stop(), "the file ends"},
  };
  for (const auto& [bytes, what] : cases) {
    EXPECT_NE(outcome_of(bytes).fault.find(what), std::string::npos)
        << outcome_of(bytes).fault << ", " << what;
  }
}

TEST(Pickle, ACutOffFileKeepsWhatCameBefore) {
  PickleBytes bytes;
  bytes.op('}').op('(').text("a").op(']').op('(').number(1).number(2).op('e');
  bytes.text("b").op(']').op('(').op('}').op('(').text("k").number(3).op('u').number(4);
  const std::string whole = bytes.bytes();
  const Outcome outcome = outcome_of(whole);
  EXPECT_EQ(outcome.words, "{'a': [1, 2], 'b': [{'k': 3}, 4]}");
  EXPECT_EQ(outcome.fault, "the file ends at byte " + std::to_string(whole.size()) +
                               ", in the middle of its content");
  // And never more than the whole has.
  for (std::size_t length = 2; length < whole.size(); ++length) {
    const Outcome part = outcome_of(whole.substr(0, length));
    EXPECT_LE(part.words.size(), outcome.words.size()) << length;
    EXPECT_NE(part.fault, "") << length;
  }
}

TEST(Pickle, AListThatHoldsItselfEnds) {
  PickleBytes bytes;
  bytes.op(']').op(0x94).op('h').little_endian(0, 1).op('a');
  Document document(0);
  const auto parsed = read_pickle(bytes.stop(), document);
  ASSERT_TRUE(parsed);
  int items = 0;
  document.for_each_item(parsed->root, [&](Document::Value item) {
    EXPECT_EQ(item, parsed->root);
    return ++items < 10;
  });
  EXPECT_EQ(items, 1);
}

// Large enough that the beginning is given back several times before the end is read.
TEST(Pickle, NothingIsLostWhenWhatWasReadIsGivenBack) {
  constexpr int kTexts = 400'000;
  const auto nth = [](int i) {
    return "the text with the number " + std::to_string(1'000'000 + i);
  };
  PickleBytes bytes;
  bytes.op(']').op('(');
  for (int i = 0; i < kTexts; ++i) {
    const std::string text = nth(i);
    bytes.op('X').little_endian(text.size(), 4).ops(text);
    bytes.op('J').little_endian(static_cast<std::uint64_t>(i), 4);
  }
  std::string content = bytes.op('e').stop();
  const std::size_t size = content.size();
  EXPECT_GT(size, std::size_t{16} << 20U);
  Document document(size);
  const auto parsed = read_pickle(std::move(content), document);
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->fault.sentence, "");
  ASSERT_EQ(document.item_count(parsed->root), 2U * kTexts);
  int at = 0;
  int wrong = 0;
  document.for_each_item(parsed->root, [&](Document::Value item) {
    const bool good =
        at % 2 == 0 ? document.as_text(item) == nth(at / 2) : document.as_integer(item) == at / 2;
    if (!good) ++wrong;
    ++at;
    return true;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Pickle, MemoryStaysInProportionToTheFile) {
  constexpr std::size_t kSize = std::size_t{8} << 20;
  for (const char opcode : {']', '}', 'N', ')', '2'}) {
    std::string bytes = PickleBytes().op(']').bytes() + std::string(kSize, opcode);
    Document document(bytes.size());
    const auto parsed = read_pickle(std::move(bytes), document);
    ASSERT_TRUE(parsed);
    EXPECT_NE(parsed->fault.sentence, "");
    EXPECT_LE(document.bytes(), 32 * kSize) << opcode;
  }
}

}  // namespace
}  // namespace ts::snapshot
