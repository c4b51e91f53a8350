// Events of a trace that are read without a dictionary: PyTorch's forms are, others are not, and
// both say the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/snapshot/pickle.h"
#include "core/snapshot/snapshot_convert.h"
#include "tests/snapshot/pickle_bytes.h"
#include "tests/snapshot/random_snapshot.h"

namespace ts::snapshot {
namespace {

using testing::PickleBytes;

// Entries of the memo.
enum Entry : std::uint8_t {
  kRoot,
  kAction,
  kAddr,
  kSize,
  kTime,
  kFrames,
  kPool,
  kContext,
  kAlloc,
  kFrame,
  kStack,
  kPair,
  kNextEntry,
};

void recall(PickleBytes& bytes, std::uint8_t entry) {
  bytes.op('h').little_endian(entry, 1);
}

// Python writes frames of about 64 KiB, wherever an object ends.
void begin_frame(PickleBytes& bytes) {
  bytes.op(0x95).little_endian(60'000, 8);
}

// A file with one device, whose events `events` writes; what they share is in the memo.
std::string file_with(const std::function<void(PickleBytes&)>& events) {
  PickleBytes bytes;
  bytes.op('}').op(0x94).op('(').text("shared").op('(');
  for (const char* text :
       {"action", "addr", "size", "time_us", "frames", "pool_id", "compile_context", "alloc"})
    bytes.text(text).op(0x94);
  bytes.op('}').op(0x94).text("name").text("f").op('s');
  bytes.op(']').op(0x94).op('(');
  recall(bytes, kFrame);
  bytes.op('e').number(0).number(1).op(0x86).op(0x94).op('t');
  bytes.text("device_traces").op(']').op(']').op('(');
  events(bytes);
  // The last event is not read ahead to the file's end.
  bytes.op('e').op('a').text("behind").text(std::string(40, ' ')).op('u');
  return bytes.stop();
}

// Its least keys, and what `more` adds.
void add_event(PickleBytes& bytes, const std::function<void(PickleBytes&)>& more) {
  bytes.op('}').op(0x94).op('(');
  recall(bytes, kAction);
  recall(bytes, kAlloc);
  recall(bytes, kAddr);
  bytes.long1(std::string("\x00\x02\x00\x00\x00\x7F", 6));
  recall(bytes, kSize);
  bytes.op('J').little_endian(70'000, 4);
  more(bytes);
  bytes.op('u');
}

struct Answer {
  std::size_t events = 0;        // kept as events
  std::size_t dictionaries = 0;  // of the traces
  std::string words = {};
  std::string fault = {};
};

void count_forms(const Document& document, Document::Value root, Answer& answer) {
  document.for_each_entry(root, [&](Document::Value key, Document::Value value) {
    if (document.as_text(key) != "device_traces") return true;
    document.for_each_item(value, [&](Document::Value device) {
      document.for_each_item(device, [&](Document::Value event) {
        ++(Document::kind(event) == Document::Kind::event ? answer.events : answer.dictionaries);
        return true;
      });
      return true;
    });
    return true;
  });
}

Answer read(const std::string& content, EventForm form) {
  Answer answer;
  Document document(content.size());
  auto parsed = read_pickle(content, document, form);
  if (!parsed) return {.fault = parsed.error().sentence};
  if (parsed->fault.empty()) count_forms(document, parsed->root, answer);
  const SnapshotFile file = convert_snapshot(document, parsed->root);
  answer.words = testing::as_text(file.snapshot);
  answer.fault = parsed->fault.sentence + file.fault.sentence;
  return answer;
}

// Both readings say the same; so many events are kept as events.
void expect_equal(const std::string& content, std::size_t events) {
  const Answer fast = read(content, EventForm::events);
  const Answer slow = read(content, EventForm::dictionaries);
  EXPECT_EQ(fast.words, slow.words);
  EXPECT_EQ(fast.fault, slow.fault);
  EXPECT_EQ(fast.events, events);
  EXPECT_EQ(slow.events, 0U);
  EXPECT_EQ(fast.events + fast.dictionaries, slow.dictionaries);
}

struct Form {
  const char* name;
  std::function<void(PickleBytes&)> more;
};

const std::vector<Form>& usual_forms() {
  static const std::vector<Form> forms = {
      {"least", [](PickleBytes&) {}},
      {"no frames", [](PickleBytes& bytes) { recall(bytes, kFrames), bytes.op('N'); }},
      {"shared frames", [](PickleBytes& bytes) { recall(bytes, kFrames), recall(bytes, kStack); }},
      {"own frames",
       [](PickleBytes& bytes) {
         recall(bytes, kFrames), bytes.op(']').op(0x94).op('('), recall(bytes, kFrame);
         recall(bytes, kFrame), bytes.op('e');
       }},
      {"a list without frames",
       [](PickleBytes& bytes) { recall(bytes, kFrames), bytes.op(']').op(0x94); }},
      {"a list without frames, before a key",
       [](PickleBytes& bytes) {
         recall(bytes, kFrames), bytes.op(']'), recall(bytes, kTime), bytes.number(7);
       }},
      {"one frame",
       [](PickleBytes& bytes) {
         recall(bytes, kFrames), bytes.op(']').op(0x94), recall(bytes, kFrame), bytes.op('a');
         recall(bytes, kTime), bytes.number(7);
       }},
      {"a text of its own", [](PickleBytes& bytes) { recall(bytes, kContext), bytes.text("0/1"); }},
      {"shared pool", [](PickleBytes& bytes) { recall(bytes, kPool), recall(bytes, kPair); }},
      {"own pool",
       [](PickleBytes& bytes) {
         recall(bytes, kPool), bytes.number(3).number(4).op(0x86).op(0x94);
       }},
      {"a text from an entry of four bytes",
       [](PickleBytes& bytes) { recall(bytes, kContext), bytes.op('j').little_endian(kAlloc, 4); }},
      {"a frame before a key, before a number and at the end",
       [](PickleBytes& bytes) {
         begin_frame(bytes), recall(bytes, kTime), begin_frame(bytes), bytes.number(7);
         begin_frame(bytes);
       }},
      {"a frame before a text and before a stack",
       [](PickleBytes& bytes) {
         recall(bytes, kContext), begin_frame(bytes), bytes.text("0/1").op(0x94);
         recall(bytes, kFrames), begin_frame(bytes), recall(bytes, kStack);
       }},
      {"ends of numbers",
       [](PickleBytes& bytes) {
         recall(bytes, kTime), bytes.long1(std::string("\0\0\0\0\0\0\0\x80", 8));
       }},
  };
  return forms;
}

const std::vector<Form>& other_forms() {
  static const std::vector<Form> forms = {
      {"an unknown key", [](PickleBytes& bytes) { bytes.text("colour").number(1); }},
      {"a key as text", [](PickleBytes& bytes) { bytes.text("time_us").number(9); }},
      {"a key twice", [](PickleBytes& bytes) { recall(bytes, kSize), bytes.number(1); }},
      {"a wrong kind", [](PickleBytes& bytes) { recall(bytes, kTime), bytes.text("late"); }},
      {"nothing for a text", [](PickleBytes& bytes) { recall(bytes, kContext), bytes.op('N'); }},
      {"a negative address", [](PickleBytes& bytes) { recall(bytes, kAddr), bytes.long1("\xFF"); }},
      {"a large number",
       [](PickleBytes& bytes) {
         recall(bytes, kTime), bytes.long1(std::string("\1\0\0\0\0\0\0\0\0", 9));
       }},
      {"frames in two pieces",
       [](PickleBytes& bytes) {
         recall(bytes, kFrames), bytes.op(']').op('('), recall(bytes, kFrame);
         bytes.op('e').op('('), recall(bytes, kFrame), bytes.op('e');
       }},
      {"frames one by one",
       [](PickleBytes& bytes) {
         recall(bytes, kFrames), bytes.op(']'), recall(bytes, kFrame), bytes.op('a');
         recall(bytes, kFrame), bytes.op('a');
       }},
      {"an own frame",
       [](PickleBytes& bytes) {
         recall(bytes, kFrames);
         bytes.op(']').op('(').op('}').text("name").text("g").op('s').op('e');
       }},
      {"a pool of three",
       [](PickleBytes& bytes) {
         recall(bytes, kPool), bytes.number(1).number(2).number(3).op(0x87);
       }},
  };
  return forms;
}

TEST(PickleEvents, TheUsualFormsAreKeptAsEvents) {
  for (const Form& form : usual_forms()) {
    SCOPED_TRACE(form.name);
    expect_equal(file_with([&](PickleBytes& bytes) {
                   for (int i = 0; i < 3; ++i) add_event(bytes, form.more);
                 }),
                 3);
  }
}

TEST(PickleEvents, OtherFormsAreDictionaries) {
  for (const Form& form : other_forms()) {
    SCOPED_TRACE(form.name);
    const std::string content = file_with([&](PickleBytes& bytes) {
      add_event(bytes, [](PickleBytes&) {});
      add_event(bytes, form.more);
      add_event(bytes, [](PickleBytes&) {});
    });
    expect_equal(content, 2);
  }
}

// The first event of a file names the keys, and one with a new frame has it with it.
TEST(PickleEvents, DictionariesBetweenEventsKeepTheirPlace) {
  constexpr std::int64_t kItems = 90;
  const std::vector<std::vector<std::int64_t>> others = {
      {0}, {kItems - 1}, {0, 1, 2, 40, kItems - 2, kItems - 1}, {7, 8, 60}};
  for (const auto& places : others) {
    const std::string content = file_with([&](PickleBytes& bytes) {
      for (std::int64_t i = 0; i < kItems; ++i) {
        const bool other = std::ranges::find(places, i) != places.end();
        add_event(bytes, [&](PickleBytes& one) {
          other ? void(one.text("time_us")) : recall(one, kTime);
          one.number(static_cast<std::uint8_t>(i + 1));
        });
      }
    });
    expect_equal(content, static_cast<std::size_t>(kItems) - places.size());
  }
}

// Python ends a batch after a thousand items.
TEST(PickleEvents, BatchesAndSeveralDevices) {
  const std::string content = file_with([](PickleBytes& bytes) {
    for (int device = 0; device < 2; ++device) {
      for (int i = 0; i < 5; ++i) add_event(bytes, usual_forms()[2].more);
      bytes.op('e');
      bytes.ops(device == 0 ? "(" : "a](");
      add_event(bytes, usual_forms()[0].more);
      if (device == 0) bytes.op('e').op('(');
    }
  });
  expect_equal(content, 12);
}

// The memory of many events is given back while they are read, unless one may come again.
TEST(PickleEvents, AmongManyOneMayComeAgain) {
  constexpr int kMany = 150'000;
  const auto add_many = [](PickleBytes& bytes) {
    for (int i = 0; i < kMany; ++i) add_event(bytes, [](PickleBytes&) {});
  };
  expect_equal(file_with(add_many), kMany);
  expect_equal(file_with([&](PickleBytes& bytes) {
                 add_many(bytes);
                 recall(bytes, kNextEntry);
               }),
               kMany + 1);
  expect_equal(file_with([&](PickleBytes& bytes) {
                 add_many(bytes);
                 bytes.op('e').op('a').text("device_traces").op(']').op(']').op('(');
                 recall(bytes, kNextEntry);
               }),
               kMany + 1);
}

// Each puts its own text and itself into the memo; some recall what was put long before.
TEST(PickleEvents, ManyRecallOldEntries) {
  constexpr std::uint32_t kMany = 6'000;
  const std::string content = file_with([](PickleBytes& bytes) {
    for (std::uint32_t i = 0; i < kMany; ++i) {
      add_event(bytes, [i](PickleBytes& one) {
        recall(one, kContext);
        if (i % 700 == 699) {
          // The text of an event: each has two entries but those that recall.
          const std::uint32_t before = i - 1 - i / 2 % 600;
          one.op('j').little_endian(kNextEntry + 2 * before - before / 700 + 1, 4);
        } else {
          one.text(i % 2 == 0 ? "N/A" : "a context of its own").op(0x94);
        }
      });
    }
  });
  expect_equal(content, kMany);
}

// Events share their lists of frames until the file asks for one of them: that one alone gets more
// items, as do events that recall it.
TEST(PickleEvents, AListThatComesAgainGrowsAlone) {
  constexpr std::uint32_t kMany = 2'000;  // more than a piece of the memo
  const auto recall_list = [](PickleBytes& bytes, std::uint32_t event) {
    bytes.op('j').little_endian(kNextEntry + 2 * event + 1, 4);
  };
  const auto grow = [&recall_list](PickleBytes& bytes, std::uint32_t event) {
    recall_list(bytes, event);
    recall(bytes, kFrame), bytes.op('a').op('0');
  };
  for (const std::string list : {"",
                                 "h\x09"
                                 "a",
                                 "(h\x09h\x09"
                                 "e"}) {
    SCOPED_TRACE(list);
    const std::string content = file_with([&](PickleBytes& bytes) {
      for (std::uint32_t i = 0; i < kMany; ++i) {
        add_event(bytes, [&](PickleBytes& one) {
          recall(one, kTime), one.op('M').little_endian(i, 2);
          recall(one, kFrames), one.op(']').op(0x94).ops(list);
        });
      }
      for (const std::uint32_t event : {7U, 700U, 7U, kMany - 1}) grow(bytes, event);
      add_event(bytes, [&](PickleBytes& one) { recall(one, kFrames), recall_list(one, 9); });
      for (const std::uint32_t event : {9U, 700U}) grow(bytes, event);
    });
    expect_equal(content, kMany + 1);
    const Answer answer = read(content, EventForm::events);
    EXPECT_EQ(answer.fault, "");
  }
}

// The bytes of lists hold opcodes that end one as parts of numbers.
TEST(PickleEvents, ListsOfAllFrames) {
  constexpr std::uint32_t kFrameCount = 30'100;
  constexpr std::uint32_t kAppends = 'e';
  std::mt19937_64 random(3);
  const std::string content = file_with([&](PickleBytes& bytes) {
    for (std::uint32_t i = 0; i < kFrameCount; ++i)
      bytes.op('}').op(0x94).text("line").op('M').little_endian(i, 2).op('s').op('0');
    for (std::uint32_t i = 0; i < 4'000; ++i) {
      add_event(bytes, [&](PickleBytes& one) {
        recall(one, kFrames), one.op(']').op('(');
        for (std::uint64_t left = random() % 5 + 1; left > 0; --left) {
          constexpr std::array<std::uint32_t, 7> kLike = {'e',    'h',    'j',   'u',
                                                          0x6865, 0x6A65, 0x7565};
          const std::uint32_t which = kLike[random() % kLike.size()];
          if (which < 0x100 && random() % 2 == 0) {
            one.op('h').little_endian(which, 1);
          } else {
            one.op('j').little_endian(which, 4);
          }
        }
        one.op(kAppends);
        if (random() % 2 == 0) recall(one, kTime), one.number(7);
      });
    }
  });
  expect_equal(content, 4'000);
}

// A text that an event puts into the memo is a key of the next one; then the entry changes.
TEST(PickleEvents, AnEntryThatChangesIsLookedUpAgain) {
  const std::string content = file_with([](PickleBytes& bytes) {
    const std::uint8_t entry = kNextEntry + 1;  // the event is the one before
    add_event(bytes, [](PickleBytes& one) { recall(one, kContext), one.text("time_us").op(0x94); });
    const auto with_time = [](PickleBytes& one) { recall(one, kNextEntry + 1), one.number(5); };
    add_event(bytes, with_time);
    bytes.text("stream").op('q').little_endian(entry, 1).op('0');
    add_event(bytes, with_time);
  });
  const Answer fast = read(content, EventForm::events);
  EXPECT_EQ(fast.events, 3U);
  expect_equal(content, 3);
}

TEST(PickleEvents, ACutOffFileSaysTheSame) {
  const std::string whole = file_with([](PickleBytes& bytes) {
    for (const Form& form : usual_forms()) add_event(bytes, form.more);
    for (const Form& form : other_forms()) add_event(bytes, form.more);
  });
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const Answer fast = read(whole.substr(0, size), EventForm::events);
    const Answer slow = read(whole.substr(0, size), EventForm::dictionaries);
    ASSERT_EQ(fast.words, slow.words) << size;
    ASSERT_EQ(fast.fault, slow.fault) << size;
  }
  // The list of devices has one, which follows it without a mark.
  const Answer half = read(whole.substr(0, whole.size() / 2), EventForm::events);
  EXPECT_NE(half.words.find("alloc"), std::string::npos) << half.words;
  EXPECT_NE(half.fault, "");
}

// An event that gets more pairs is a dictionary in the slow reading.
TEST(PickleEvents, OneThatComesAgainAndIsCutOffStaysAsItWas) {
  constexpr std::uint8_t kDup = '2';
  constexpr std::uint8_t kNoOpcode = 0xFF;
  std::string content = file_with([](PickleBytes& bytes) {
    add_event(bytes, [](PickleBytes&) {});
    bytes.op(kDup).op('(');
    recall(bytes, kAction), bytes.number(1);
    bytes.op(kNoOpcode);
  });
  const Answer fast = read(content, EventForm::events);
  const Answer slow = read(content, EventForm::dictionaries);
  EXPECT_EQ(fast.words, slow.words);
  EXPECT_EQ(fast.fault, slow.fault);
  EXPECT_NE(fast.words.find("alloc"), std::string::npos) << fast.words;
}

// Where no trace is, an event is a fault with a name, not a crash.
TEST(PickleEvents, AnEventAsASegmentIsNamed) {
  PickleBytes bytes(4);
  std::string content = file_with([](PickleBytes& one) { add_event(one, [](PickleBytes&) {}); });
  content.resize(content.size() - 2);  // "u" and "."
  content += PickleBytes().text("segments").op(']').bytes().substr(2);
  content += std::string(
      "h\x0C"
      "au.");
  const Answer answer = read(content, EventForm::events);
  EXPECT_EQ(answer.events, 1U);
  EXPECT_NE(answer.fault.find("an event of a trace"), std::string::npos) << answer.fault;
}

}  // namespace
}  // namespace ts::snapshot
