#include "core/snapshot/snapshot_read.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/snapshot/snapshot_write.h"
#include "tests/io/temporary_folder.h"
#include "tests/snapshot/pickle_bytes.h"

namespace ts::snapshot {
namespace {

using allocator::TraceAction;

// The file with one of its pieces replaced.
std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

constexpr const char* kSmall = R"({
  "segments": [
    {"device": 1, "address": 4096, "total_size": 2097152, "allocated_size": 512,
     "active_size": 1024, "requested_size": 5, "stream": 7, "segment_type": "small",
     "segment_pool_id": [0, 3], "is_expandable": false,
     "frames": [{"name": "f", "filename": "f.py", "line": 3}],
     "blocks": [
       {"address": 4096, "size": 512, "requested_size": 5, "state": "active_allocated",
        "frames": []},
       {"address": 4608, "size": 512, "requested_size": 4, "state": "active_awaiting_free"},
       {"size": 2096128, "state": "inactive"}]}],
  "device_traces": [[], [
    {"action": "alloc", "addr": 4096, "size": 5, "stream": 7, "time_us": 99,
     "compile_context": "N/A", "user_metadata": "step 1", "category": "gradient",
     "pool_id": [1, 2], "forward_frames": ["a", "b"],
     "frames": [{"name": "f", "filename": "f.py", "line": 3}]},
    {"action": "oom", "device_free": 77, "size": 1024, "stream": 0},
    {"action": "reticulate", "addr": 1, "size": 2}]],
  "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:64",
     "max_split_size": 67108864, "garbage_collection_threshold": 0.5,
     "expandable_segments": true, "roundup_power2_divisions": {"1": 0, "256": 4}},
  "external_annotations": [{"name": "forward", "stage": "START", "device": 1, "time_us": 98}]
})";

allocator::Snapshot snapshot_in(const std::string& content) {
  auto file = parse_snapshot(content);
  EXPECT_TRUE(file) << file.error().sentence;
  if (!file) return {};
  EXPECT_EQ(file->fault.sentence, "");
  return std::move(file->snapshot);
}

TEST(SnapshotRead, ADeviceMayHaveItsName) {
  for (const auto& [written, number] : {std::pair{R"("cuda:1")", 1}, {R"("cuda")", 0}, {"3", 3}}) {
    const allocator::Snapshot snapshot =
        snapshot_in(replaced(kSmall, R"("device": 1, "address")",
                             R"("device": )" + std::string(written) + R"(, "address")"));
    ASSERT_EQ(snapshot.segments.size(), 1U);
    EXPECT_EQ(snapshot.segments[0].device, number) << written;
  }
  for (const char* const wrong :
       {R"("cuda:x")", R"("cuda:")", R"(":1")", R"("")", R"("cuda:99999")"}) {
    const auto file =
        parse_snapshot(replaced(kSmall, R"("device": 1, "address")",
                                R"("device": )" + std::string(wrong) + R"(, "address")"));
    ASSERT_TRUE(file) << file.error().sentence;
    EXPECT_EQ(file->fault.sentence, "segments[0].device is " + std::string(wrong) +
                                        ", not the number or the name of a device");
  }
}

TEST(SnapshotRead, AnAddressThatWasWrittenAsSignedIsItsBits) {
  const allocator::Snapshot snapshot = snapshot_in(replaced(
      kSmall, R"("action": "alloc", "addr": 4096)", R"("action": "alloc", "addr": -65536)"));
  EXPECT_EQ(snapshot.device_traces[1][0].address, 0xFFFF'FFFF'FFFF'0000U);
}

TEST(SnapshotRead, Segments) {
  const allocator::Snapshot snapshot = snapshot_in(kSmall);
  ASSERT_EQ(snapshot.segments.size(), 1U);
  const allocator::SnapshotSegment& segment = snapshot.segments[0];
  EXPECT_EQ(segment.device, 1);
  EXPECT_EQ(segment.address, 4096U);
  EXPECT_EQ(segment.total_size, 2097152);
  EXPECT_EQ(segment.allocated_size, 512);
  EXPECT_EQ(segment.active_size, 1024);
  EXPECT_EQ(segment.requested_size, 5);
  EXPECT_EQ(segment.stream, 7);
  EXPECT_TRUE(segment.small_pool);
  EXPECT_FALSE(segment.expandable);
  EXPECT_EQ(segment.pool, (allocator::PoolId{0, 3}));
  ASSERT_EQ(segment.blocks.size(), 3U);
  EXPECT_EQ(segment.blocks[0].state, allocator::BlockState::active_allocated);
  EXPECT_EQ(segment.blocks[0].requested, 5);
  EXPECT_EQ(snapshot.stacks.stack(segment.blocks[0].stack).size(), 0U);
  EXPECT_EQ(segment.blocks[1].state, allocator::BlockState::active_pending_free);
  EXPECT_EQ(segment.blocks[1].stack, memory::kNone);
  EXPECT_EQ(segment.blocks[2].address, 5120U) << "follows from the block before";
}

TEST(SnapshotRead, ALineThatIsNotKnownIsMinusOne) {
  const allocator::Snapshot snapshot =
      snapshot_in(R"({"segments": [], "device_traces": [[{"action": "alloc", "addr": 1, "size": 2,
           "frames": [{"name": "f", "filename": "f.so", "line": 18446744073709551615}]}]]})");
  const allocator::StackIndex stack = snapshot.device_traces.at(0).at(0).stack;
  EXPECT_EQ(snapshot.stacks.frame(snapshot.stacks.stack(stack)[0]).line, -1);
}

TEST(SnapshotRead, Entries) {
  const allocator::Snapshot snapshot = snapshot_in(kSmall);
  ASSERT_EQ(snapshot.device_traces.size(), 2U);
  ASSERT_EQ(snapshot.device_traces[1].size(), 3U);
  const allocator::TraceEntry& alloc = snapshot.device_traces[1][0];
  const allocator::EntryNotes& notes = snapshot.notes[alloc.notes];
  EXPECT_EQ(alloc.action, TraceAction::alloc);
  EXPECT_EQ(alloc.address, 4096U);
  EXPECT_EQ(alloc.size, 5);
  EXPECT_EQ(snapshot.stream_of(alloc), 7);
  EXPECT_EQ(alloc.time_us, 99);
  EXPECT_EQ(alloc.stack, snapshot.segments[0].stack) << "the same stack is kept once";
  EXPECT_EQ(snapshot.text(notes.compile_context), "N/A");
  EXPECT_EQ(snapshot.text(notes.user_metadata), "step 1");
  EXPECT_EQ(snapshot.text(notes.category), "gradient");
  EXPECT_EQ(notes.pool, (allocator::PoolId{1, 2}));
  ASSERT_EQ(snapshot.stacks.stack(notes.forward_frames).size(), 2U);
  const allocator::TraceEntry& oom = snapshot.device_traces[1][1];
  EXPECT_EQ(oom.action, TraceAction::oom);
  EXPECT_EQ(oom.address, 77U);
  EXPECT_EQ(oom.stack, memory::kNone);
  const allocator::TraceEntry& other = snapshot.device_traces[1][2];
  EXPECT_EQ(other.action, TraceAction::other);
  EXPECT_EQ(snapshot.action_name(other), "reticulate");
}

TEST(SnapshotRead, SettingsAndAnnotations) {
  const allocator::Snapshot snapshot = snapshot_in(kSmall);
  ASSERT_EQ(snapshot.external_annotations.size(), 1U);
  EXPECT_EQ(snapshot.text(snapshot.external_annotations[0].stage), "START");
  EXPECT_EQ(snapshot.external_annotations[0].time_us, 98);
  const auto settings = allocator::recorded_settings(snapshot);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->max_split_size, 67108864);
  EXPECT_TRUE(settings->expandable_segments);
  EXPECT_EQ(settings->garbage_collection_threshold, 0.5);
  EXPECT_EQ(settings->roundup_power2_divisions[8], 4);
}

TEST(SnapshotRead, SettingsOfTheRecording) {
  EXPECT_EQ(allocator::recorded_settings(allocator::Snapshot{}), allocator::AllocatorSettings{});
  const auto unlimited = allocator::recorded_settings(
      snapshot_in(R"({"segments": [], "allocator_settings": {"max_split_size": -1}})"));
  EXPECT_EQ(unlimited, allocator::AllocatorSettings{});
  const auto size_max = allocator::recorded_settings(snapshot_in(
      R"({"segments": [], "allocator_settings": {"max_split_size": 18446744073709551615}})"));
  EXPECT_EQ(size_max, allocator::AllocatorSettings{});
  const auto other = allocator::recorded_settings(snapshot_in(
      R"({"segments": [], "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "backend:cudaMallocAsync"}})"));
  EXPECT_FALSE(other);
  const auto bad_step = allocator::recorded_settings(snapshot_in(
      R"({"segments": [], "allocator_settings": {"roundup_power2_divisions": {"3": 1}}})"));
  ASSERT_FALSE(bad_step);
  EXPECT_NE(bad_step.error().sentence.find("\"3\""), std::string::npos);
}

TEST(SnapshotRead, KeysMayBeMissing) {
  const allocator::Snapshot snapshot =
      snapshot_in(R"({"segments": [{"address": 1, "total_size": 2097152}],
      "device_traces": [[{"action": "alloc", "addr": 1, "size": 2}, {"action": "snapshot"}]]})");
  EXPECT_TRUE(snapshot.segments[0].small_pool) << "by its size";
  EXPECT_EQ(snapshot.device_traces[0][0].stack, memory::kNone);
  EXPECT_EQ(snapshot_in(R"([{"address": 1, "total_size": 20971520}])").segments.size(), 1U)
      << "torch.cuda.memory_snapshot() gives the segments alone";
}

// PyTorch 2.0 and earlier.
TEST(SnapshotRead, TheSchemaOf2023HasStacksInHistory) {
  const auto file =
      parse_snapshot(R"({"segments": [{"address": 4096, "total_size": 2048, "blocks": [
      {"size": 1024, "state": "active_allocated", "history": [
        {"addr": 4096, "real_size": 1000, "frames": [{"name": "f", "filename": "a.py", "line": 3}]},
        {"addr": 4096, "real_size": 900, "frames": [{"name": "g", "filename": "b.py", "line": 4}]}]},
      {"size": 1024, "state": "inactive", "history": [
        {"addr": 5120, "real_size": 7, "frames": [{"name": "h", "filename": "c.py", "line": 5}]}]}]}],
      "device_traces": []})");
  ASSERT_TRUE(file) << file.error().sentence;
  EXPECT_EQ(file->fault.sentence, "");
  EXPECT_TRUE(file->ignored_keys.empty());
  const allocator::Snapshot& snapshot = file->snapshot;
  const auto& blocks = snapshot.segments.at(0).blocks;
  EXPECT_EQ(blocks.at(0).requested, 1000) << "the newest";
  const auto stack = snapshot.stacks.stack(blocks.at(0).stack);
  ASSERT_EQ(stack.size(), 1U);
  EXPECT_EQ(snapshot.text(snapshot.stacks.frame(stack[0]).name), "f");
  EXPECT_EQ(blocks.at(1).stack, memory::kNone);
  EXPECT_EQ(blocks.at(1).requested, 0);
}

TEST(SnapshotRead, UnknownKeysAreNamed) {
  const auto file = parse_snapshot(replaced(kSmall, R"("stream": 7,)", R"("colour": 7,)"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->fault.sentence, "");
  EXPECT_EQ(file->ignored_keys, std::vector<std::string>{"colour"});
}

TEST(SnapshotRead, AWrongTypeIsNamedWithItsPlace) {
  const std::vector<std::array<const char*, 3>> cases = {
      {R"("total_size": 2097152)", R"("total_size": "2 MiB")",
       "segments[0].total_size is \"2 MiB\", not a whole number of 64 bits"},
      {R"("segment_type": "small")", R"("segment_type": "medium")",
       "segments[0].segment_type is \"medium\", not small or large"},
      {R"("state": "inactive")", R"("state": "asleep")",
       "segments[0].blocks[2].state is \"asleep\", not active_allocated, active_pending_free or "
       "inactive"},
      {R"("addr": 4096)", R"("addr": "here")",
       "device_traces[1][0].addr is \"here\", not an address"},
      {R"("device_free": 77)", R"("device_free": -77)",
       "device_traces[1][1].device_free is a whole number, not a size of memory"},
      {R"("action": "oom")", R"("action": null)",
       "device_traces[1][1].action is nothing, not a text"},
      {R"([[], [)", R"([{}, [)", "device_traces[0] is a dictionary, not a list"},
      {R"("size": 2096128, )", "", "segments[0].blocks[2] has no size"},
      {R"("addr": 1, )", "", ""},
      {R"("addr": 4096, )", "", "device_traces[1][0] has no addr"},
  };
  for (const auto& [what, by, sentence] : cases) {
    const auto file = parse_snapshot(replaced(kSmall, what, by));
    ASSERT_TRUE(file) << file.error().sentence;
    EXPECT_EQ(file->fault.sentence, sentence);
  }
}

// The rest of the file is as without them, and their keys are told.
TEST(SnapshotRead, FieldsThatCanBeMissingEndNothing) {
  const auto sizes = [](const SnapshotFile& file) {
    return std::tuple(file.snapshot.segments.size(), file.snapshot.segments.at(0).blocks.size(),
                      file.snapshot.entry_count(), file.snapshot.external_annotations.size());
  };
  const auto whole = parse_snapshot(kSmall);
  ASSERT_TRUE(whole);
  const std::vector<std::array<const char*, 3>> cases = {
      {R"("is_expandable": false)", R"("is_expandable": 0)", "is_expandable"},
      {R"([0, 3])", R"([0, 3, 4])", "segment_pool_id"},
      {R"("line": 3)", R"("line": 3.5)", "line"},
      {R"("stage": "START")", R"("stage": [])", "stage"},
      {R"("stage": "START")", R"("stage": null)", ""},
      {R"("stream": 7, "time_us")", R"("stream": "a", "time_us")", "stream"},
      {R"("time_us": 99)", R"("time_us": "noon")", "time_us"},
      {R"("device_free": 77)", R"("device_free": 77, "frames": [7])", "frames"},
      {R"("pool_id": [1, 2])", R"("pool_id": 7)", "pool_id"},
      {R"(["a", "b"])", "7", "forward_frames"},
      {R"("step 1")", "[7]", "user_metadata"},
      {R"("N/A")", "null", ""},
  };
  for (const auto& [what, by, key] : cases) {
    const auto file = parse_snapshot(replaced(kSmall, what, by));
    ASSERT_TRUE(file) << file.error().sentence;
    EXPECT_EQ(file->fault.sentence, "") << by;
    EXPECT_EQ(sizes(*file), sizes(*whole)) << by;
    const bool told = std::ranges::count(file->ignored_keys, key) == 1;
    EXPECT_EQ(told, !std::string_view(key).empty()) << by;
  }
}

// memory_viz shows user metadata that is an object; times of other writers have fractions.
TEST(SnapshotRead, OtherKindsOfFieldsAreInWords) {
  const std::string numbered = replaced(kSmall, R"("N/A")", "7");
  const auto file =
      parse_snapshot(replaced(numbered, R"("step 1")", R"({"rank": 3, "name": "a", "more": [1]})"));
  ASSERT_TRUE(file);
  const allocator::Snapshot& snapshot = file->snapshot;
  const auto& notes = snapshot.notes[snapshot.device_traces.at(1).at(0).notes];
  EXPECT_EQ(snapshot.text(notes.user_metadata), "rank: 3, name: a, more: …");
  EXPECT_EQ(snapshot.text(notes.compile_context), "7");
  const auto timed = parse_snapshot(
      R"({"device_traces": [[{"action": "alloc", "addr": 1, "size": 1, "time_us": 1700.6}]]})");
  ASSERT_TRUE(timed);
  EXPECT_EQ(timed->snapshot.device_traces.at(0).at(0).time_us, 1701);
}

TEST(SnapshotRead, AFaultLeavesTheRestInPlace) {
  const auto file =
      parse_snapshot(replaced(kSmall, R"("device_free": 77)", R"("device_free": [])"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->snapshot.segments.size(), 1U);
  EXPECT_EQ(file->snapshot.device_traces[1].size(), 1U) << "up to the fault";
  EXPECT_EQ(file->snapshot.external_annotations.size(), 1U);
}

TEST(SnapshotRead, ACutOffFileKeepsItsBeginning) {
  const std::string whole = kSmall;
  const auto file = parse_snapshot(whole.substr(0, whole.find("\"oom\"")));
  ASSERT_TRUE(file);
  EXPECT_NE(file->fault.sentence, "");
  EXPECT_EQ(file->snapshot.segments.size(), 1U);
  EXPECT_EQ(file->snapshot.device_traces.at(1).size(), 1U);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto part = parse_snapshot(whole.substr(0, length));
    EXPECT_TRUE(!part || !part->fault.empty()) << length;
  }
}

TEST(SnapshotRead, OtherFilesAreRefused) {
  EXPECT_EQ(parse_snapshot("").error().sentence, "the file is empty");
  // {"segments": []} by Python's pickle.dumps() with protocol 0 and 1.
  for (const std::string& old : {std::string("(dp0\nVsegments\np1\n(lp2\ns."),
                                 std::string("}q\0X\x08\0\0\0segmentsq\x01]q\x02s.", 23)}) {
    const std::string sentence = parse_snapshot(old).error().sentence;
    EXPECT_NE(sentence.find("a pickle of protocol 0 or 1"), std::string::npos) << sentence;
  }
  EXPECT_EQ(parse_snapshot("PK\x03\x04").error().sentence,
            "this is neither a pickle of protocol 2 to 5 nor JSON");
  EXPECT_EQ(parse_snapshot("{}").error().sentence,
            "this is no memory snapshot: it has neither segments nor device_traces");
  EXPECT_EQ(parse_snapshot(R"({"a": 1,})").error().sentence, "byte 8: this is no JSON");
  EXPECT_EQ(parse_snapshot(std::string(5000, '[')).error().sentence,
            "the content is nested too deeply");
}

TEST(SnapshotRead, ListsOfNothingAreRefusedBeforeTheyTakeMemory) {
  for (const char* const item : {"[],", "0,", "{},"}) {
    std::string text = R"({"segments": [)";
    for (int i = 0; i < 100'000; ++i) text += item;
    text.back() = ']';
    const auto file = parse_snapshot(text + "}");
    ASSERT_FALSE(file) << item;
    EXPECT_EQ(file.error().key, "file_error.reason.many_values") << file.error().sentence;
  }
}

// As JSON and as a pickle, whose events take another way.
TEST(SnapshotRead, ImpossibleSizesEndTheListThatHasThem) {
  const auto fault = [](const char* size, const char* time) {
    const std::string event = R"({"action": "alloc", "addr": 4096, "stream": 0, "frames": [], )";
    const auto file =
        parse_snapshot(R"({"segments": [], "device_traces": [[)" + event + R"("size": 1}, )" +
                       event + R"("size": )" + size + R"(, "time_us": )" + time + "}]]}");
    if (!file) return file.error().sentence;
    EXPECT_EQ(file->snapshot.device_traces.at(0).size(), file->fault.empty() ? 2U : 1U);
    return file->fault.sentence;
  };
  EXPECT_EQ(fault("5", "1700000000000000"), "");
  EXPECT_EQ(fault("-5", "0"), "device_traces[0][1].size is -5, not a size of memory");
  EXPECT_EQ(fault("5", "9223372036854775807"), "") << "such an event has no time";
  EXPECT_NE(fault("9223372036854775808", "0"), "");
  const io::testing::TemporaryFolder folder;
  auto file = parse_snapshot(
      R"({"segments": [], "device_traces": [[{"action": "alloc", "addr": 1, "size": 1}]]})");
  ASSERT_TRUE(file);
  file->snapshot.device_traces.at(0).at(0).size = -7;
  ASSERT_TRUE(write_snapshot(folder / "a.pickle", file->snapshot, SnapshotFormat::pickle));
  EXPECT_NE(
      read_snapshot(folder / "a.pickle").error().sentence.find("[0][0].size is -7, not a size"),
      std::string::npos);
}

TEST(SnapshotRead, AFileIsNamedInItsSentence) {
  const io::testing::TemporaryFolder folder;
  EXPECT_NE(read_snapshot(folder / "none").error().sentence.find("none"), std::string::npos);
  io::testing::put(folder / "bad.pickle", testing::PickleBytes().ops("cos\nsystem\n").stop());
  EXPECT_EQ(read_snapshot(folder / "bad.pickle").error().sentence,
            "Cannot read the snapshot " + (folder / "bad.pickle").string() +
                ": byte 2: the pickle opcode GLOBAL could run code, so the file is refused.");
  io::testing::put(folder / "part.json", R"({"segments": [{"address": 1, "total_size": 5}, 6]})");
  const auto part = read_snapshot(folder / "part.json");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->fault.sentence, "Read only a part of " + (folder / "part.json").string() +
                                      ": segments[1] is a whole number, not a dictionary.");
}

// A list of many references to one list of many references: no room for it in this world.
TEST(SnapshotRead, AFileThatRepeatsItselfWithoutEndIsStopped) {
  testing::PickleBytes bytes;
  bytes.op('}').op('(').text("device_traces").op(']').op('(').op(']').op(0x94).op('(');
  bytes.op('}').op(0x94).op('(').text("action").text("snapshot").op('u');
  for (int i = 0; i < 20000; ++i) bytes.op('h').little_endian(1, 1);
  bytes.op('e');
  for (int i = 0; i < 20000; ++i) bytes.op('h').little_endian(0, 1);
  bytes.op('e').op('u');
  const auto file = parse_snapshot(bytes.stop());
  ASSERT_TRUE(file);
  EXPECT_EQ(file->fault.sentence, "the content repeats itself without end");
  EXPECT_LE(file->snapshot.entry_count(), 80000U);
}

}  // namespace
}  // namespace ts::snapshot
