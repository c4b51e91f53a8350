#include "core/text/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace ts::text {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  for (const char* text :
       {"", "Cannot read a.json: it is cut off", "卡 “片” 🙂 −3 %", "tab-free \\n"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[31mb\x07"), "a\\x1B[31mb\\x07");
  EXPECT_EQ(printable("one\ntwo\r\t\x7f"), "one\\x0Atwo\\x0D\\x09\\x7F");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\x9B2J")
      << "CSI as one character";
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b\xe2\x81\xa9"),
            "a\\u202Eb\\u2069");
  EXPECT_EQ(printable("\xff\xc0\xaf\xe4\xb8"), "\\xFF\\xC0\\xAF\\xE4\\xB8");
}

// All that Unicode calls Bidi_Control, and what stands beside them.
TEST(Printable, ShowsWhatTurnsTheDirection) {
  for (const char* text : {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa",
                           "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9"}) {
    EXPECT_TRUE(printable(text).starts_with("\\u")) << printable(text);
  }
  for (const char* text : {"\xd8\x9b", "\xe2\x80\x8d", "\xe2\x80\x90", "\xe2\x80\xa9",
                           "\xe2\x80\xaf", "\xe2\x81\xa5", "\xe2\x81\xaa"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, LeavesOutTheMiddleOfWhatIsLong) {
  const std::string said = printable("begin " + std::string(100'000, 'x') + " end");
  EXPECT_LT(said.size(), 1100U);
  EXPECT_TRUE(said.starts_with("begin xxx"));
  EXPECT_TRUE(said.ends_with("xxx end"));
  EXPECT_NE(said.find(" ... "), std::string::npos);
  // Never half a character.
  for (std::size_t shift = 0; shift < 3; ++shift) {
    std::string text(shift, 'a');
    for (int i = 0; i < 1000; ++i) text += "\xe4\xb8\xad";
    EXPECT_EQ(printable(text).find('\\'), std::string::npos) << shift;
  }
  const std::string just(1000, 'x');
  EXPECT_EQ(printable(just), just);
}

TEST(Printable, EscapesForHtmlAndSvg) {
  EXPECT_EQ(xml_escaped("a < b && \"c\" > 卡"), "a &lt; b &amp;&amp; &quot;c&quot; &gt; 卡");
  EXPECT_EQ(xml_escaped("one\ttwo\n\x01three"), "one\ttwo\nthree");
}

}  // namespace
}  // namespace ts::text
