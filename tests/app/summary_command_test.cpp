// The answers of `summary` to files of every kind, and to a file of none.
#include <sys/stat.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/program.h"
#include "tests/app/summary_fixture.h"
#include "tests/io/gzip_bytes.h"

namespace ts::app {
namespace {

TEST_F(SummaryCommand, ASnapshotHasItsEventsAndPeaks) {
  const auto json = summary(file("snapshot.pickle"));
  EXPECT_EQ(json["kind"], "snapshot");
  std::size_t actions = 0;
  for (const auto& count : json["actions"]) actions += count.get<std::size_t>();
  EXPECT_EQ(json["events"], actions);
  const auto run = nlohmann::json::parse(testing::read(file("run.json")));
  EXPECT_EQ(json["peak_allocated"], run["memory"]["peak_allocated"]);
  const auto replay =
      nlohmann::json::parse(testing::run_program("replay --json " + file("snapshot.pickle")).out);
  EXPECT_EQ(json["peak_reserved"], replay["recorded"]["peak_reserved"]);
  EXPECT_EQ(json["peak_allocated"], replay["peak_allocated"]);
  EXPECT_EQ(json["segments"], json["devices"][0]["segments"]);
  EXPECT_EQ(json["complete"], true);
}

TEST_F(SummaryCommand, PackedFilesOpenWhateverTheyAreCalled) {
  write("packed", io::testing::gzipped(testing::read(file("snapshot.pickle"))));
  auto plain = summary(file("snapshot.pickle"));
  auto packed = summary(file("packed"));
  plain.erase("file");
  packed.erase("file");
  EXPECT_EQ(plain, packed);
  EXPECT_EQ(testing::run_program("replay --json " + file("packed")).code, 0);
  write("trace.json.gz", io::testing::gzipped(kTrace));
  EXPECT_EQ(summary(file("trace.json.gz"))["kernels"][0]["total_us"], 2.5);
}

TEST_F(SummaryCommand, ATraceHasItsKernelsAndOperators) {
  write("one.json", kTrace);
  const auto json = summary(file("one.json"));
  EXPECT_EQ(json["kind"], "trace");
  EXPECT_EQ(json["events"], 2);
  const nlohmann::json kernel = {
      {"name", "gemm"}, {"count", 1}, {"total_us", 2.5}, {"mean_us", 2.5}};
  EXPECT_EQ(json["kernels"], nlohmann::json::array({kernel}));
  EXPECT_EQ(json["operators"][0]["name"], "aten::mm");
  EXPECT_EQ(json["gpu_busy_us"], 2.5);
  EXPECT_EQ(json["span_us"], 4);
  EXPECT_EQ(json["gpu_time"]["compute_us"], 2.5);
  EXPECT_EQ(json["checks"][3]["title"], "Overlap of collectives");
  EXPECT_EQ(json["checks"][4]["title"], "Waits of the host");
  const auto words = testing::run_program("summary " + file("one.json"));
  EXPECT_NE(words.out.find("gemm"), std::string::npos) << words.out;
}

TEST_F(SummaryCommand, ATraceOfTwoGpusTellsOfEach) {
  const auto kernel = [](int device, int begin, int duration) {
    const std::string number = std::to_string(device);
    return R"({"ph": "X", "cat": "kernel", "name": "k", "tid": 7, "pid": )" + number +
           R"(, "args": {"device": )" + number + R"(, "stream": 7, "queued": 3}, "ts": )" +
           std::to_string(begin) + R"(, "dur": )" + std::to_string(duration) + "}";
  };
  write("gpus.json",
        "[" + kernel(0, 0, 10) + "," + kernel(1, 10, 4) + "," + kernel(1, 18, 2) + "]");
  const auto json = summary(file("gpus.json"));
  EXPECT_EQ(json["gpu_busy_us"], 8) << "the mean, where the union is 16";
  const nlohmann::json second = {{"device", 1},
                                 {"kernels", 2},
                                 {"busy_us", 6},
                                 {"compute_us", 6},
                                 {"exposed_communication_us", 0},
                                 {"exposed_copy_us", 0},
                                 {"idle_us", 4}};
  ASSERT_EQ(json["gpu_busy_by_device"].size(), 2U);
  EXPECT_EQ(json["gpu_busy_by_device"][1], second);
  const std::string words = testing::run_program("summary " + file("gpus.json")).out;
  EXPECT_NE(words.find("gpu busy, mean"), std::string::npos) << words;
  EXPECT_NE(words.find("GPU 1: work ran for 6.0"), std::string::npos) << words;
  const auto part = summary("--from 0.000012s --to 0.000020s " + file("gpus.json"), "asked");
  EXPECT_EQ(part["span_us"], 8);
  EXPECT_EQ(part["gpu_busy_us"], 4);
  const std::string diff =
      testing::run_program("diff " + file("gpus.json") + " " + file("gpus.json")).out;
  EXPECT_NE(diff.find("gpu busy, mean"), std::string::npos) << diff;
  EXPECT_EQ(diff.find("gpu_busy_us"), std::string::npos) << diff;
  const auto converted =
      testing::run_program("convert " + file("gpus.json") + " " + file("copy.json"));
  EXPECT_EQ(converted.code, 0) << converted.err;
  EXPECT_EQ(nlohmann::json::parse(testing::read(file("copy.json"))),
            nlohmann::json::parse(testing::read(file("gpus.json"))));
}

TEST_F(SummaryCommand, EmptyFilesAndOldPicklesAreNamed) {
  write("empty.json", "");
  write("old.pickle", "(dp0\nVsegments\np1\n(lp2\ns.");
  for (const char* const command : {"summary ", "replay "}) {
    refused(command + file("empty.json"), "the file is empty");
    refused(command + file("old.pickle"), "a pickle of protocol 0 or 1");
  }
  refused("convert " + file("empty.json") + " " + file("x.json"), "the file is empty");
}

TEST_F(SummaryCommand, OurOwnRunsAndTracesAreKnown) {
  EXPECT_EQ(summary(folder_->path().string())["kind"], "run");
  EXPECT_EQ(summary(file("run.json"))["verdict"], "ok");
  EXPECT_EQ(summary(file("trace.json"))["kind"], "trace");
}

TEST_F(SummaryCommand, ConvertGoesBothWays) {
  const auto run = [](const std::string& arguments) {
    const auto ended = testing::run_program(arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
  };
  run("convert " + file("snapshot.pickle") + " " + file("there.json"));
  run("convert " + file("there.json") + " " + file("back.pickle"));
  EXPECT_EQ(testing::read(file("back.pickle")), testing::read(file("snapshot.pickle")));
  write("two.json", kTrace);
  run("convert " + file("two.json") + " " + file("again.json"));
  auto before = summary(file("two.json"));
  auto after = summary(file("again.json"));
  EXPECT_EQ(after["kernels"], before["kernels"]);
  EXPECT_EQ(after["operators"], before["operators"]);
  run("convert " + file("two.json") + " " + file("two.csv"));
  EXPECT_NE(testing::read(file("two.csv")).find("gemm,kernel,0,7,1.0"), std::string::npos)
      << testing::read(file("two.csv"));
  refused("convert " + file("two.json") + " " + file("two.pickle"),
          "a trace becomes .json, .csv or .html");
  refused("convert " + file("snapshot.pickle") + " " + file("x.csv"),
          "a memory snapshot becomes .pickle, .json or .html");
  refused("convert " + file("run.json") + " " + file("x.json"), "is neither");
  refused("convert " + file("nothing_there") + " " + file("x.json"), "No such file");
}

TEST_F(SummaryCommand, ConvertMakesOneTraceOfAFolder) {
  std::filesystem::create_directories(file("ranks"));
  std::string trace = kTrace;
  trace.insert(trace.find('[') + 1,
               R"({"ph": "C", "name": "power", "pid": 1, "ts": 1.5, "args": {"W": 300.25}},)");
  write("ranks/a.json", trace);
  write("ranks/b.json", trace);
  const std::string to_one = "convert " + file("ranks") + " " + file("one.json");
  const auto ended = testing::run_program(to_one);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "");
  std::map<std::string, int> found;
  const auto one = nlohmann::json::parse(testing::read(file("one.json")));
  for (const auto& each : one["traceEvents"]) ++found[each["name"]];
  EXPECT_EQ(found["power"], 2);
  EXPECT_EQ(summary(file("one.json"))["kernels"], summary(file("ranks"))["kernels"]);
  write("ranks/b.json", trace.substr(0, trace.find("aten")));
  EXPECT_NE(testing::run_program(to_one).err.find("ends in the middle"), std::string::npos);
}

TEST_F(SummaryCommand, DiffMatchesByName) {
  write("a.json", kTrace);
  std::string other = kTrace;
  other.replace(other.find("aten::mm"), 8, "aten::bm");
  other.replace(other.find("2.5"), 3, "3.5");
  write("b.json", other);
  const auto ended = testing::run_program("diff --json " + file("a.json") + " " + file("b.json"));
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["kind"], "trace");
  EXPECT_EQ(json["kernels"][0]["difference_us"], 1.0);
  EXPECT_EQ(json["kernels"][0]["state"], "slower");
  EXPECT_EQ(json["kernels"][0]["ratio"], 3.5 / 2.5);
  std::map<std::string, std::string> calls;
  for (const auto& row : json["calls"]) calls[row["name"]] = row["state"];
  EXPECT_EQ(calls, (std::map<std::string, std::string>{{"aten::bm", "new"}, {"aten::mm", "gone"}}));
  std::map<std::string, std::string> states;
  for (const auto& row : json["operators"]) states[row["name"]] = row["state"];
  EXPECT_EQ(states,
            (std::map<std::string, std::string>{{"aten::bm", "new"}, {"aten::mm", "gone"}}));
  std::string ranked = kTrace;
  ranked.insert(1, R"("schemaVersion": 1, "distributedInfo": {"rank": 3}, )");
  write("ranked.json", ranked);
  EXPECT_EQ(summary(file("ranked.json"))["rank"], 3);
  const auto ranks =
      testing::run_program("diff --json " + file("ranked.json") + " " + file("ranked.json"));
  for (const auto& figure : nlohmann::json::parse(ranks.out)["figures"]) {
    EXPECT_NE(figure["name"], "rank") << "a rank is no amount";
    EXPECT_NE(figure["name"], "schema");
  }
  const auto same = testing::run_program("diff --json " + file("snapshot.pickle") + " " +
                                         file("snapshot.pickle"));
  for (const auto& figure : nlohmann::json::parse(same.out)["figures"]) {
    EXPECT_EQ(figure["difference"], 0) << figure;
    EXPECT_FALSE(figure["name"].get<std::string>().ends_with("_device")) << "no amount, either";
  }
  EXPECT_EQ(testing::run_program("diff " + file("a.json") + " " + file("b.json")).code, 0);
  refused("diff " + file("a.json") + " " + file("snapshot.pickle"), "only files of one kind");
}

TEST_F(SummaryCommand, TablesOfBlocksAndWhatGrows) {
  write("leak.json", leaking(6));
  const auto table = summary("--by frame " + file("leak.json"))["blocks"];
  EXPECT_EQ(table["weight"], "alive at the peak");
  const auto& rows = table["devices"][0]["rows"];
  EXPECT_EQ(rows[0]["name"], "build  /data/train.py:4");
  EXPECT_EQ(rows[0]["bytes"], 4 << 20);
  EXPECT_EQ(rows[2]["blocks"], 6);
  const auto all = summary("--by size --of allocated " + file("leak.json"))["blocks"];
  EXPECT_EQ(all["devices"][0]["rows"][0]["bytes"], 6 << 20) << "the forward of six steps";
  const auto growth = summary("--growth " + file("leak.json"))["growth"]["devices"][0];
  EXPECT_EQ(growth["steps"], 6);
  ASSERT_EQ(growth["rows"].size(), 1U);
  EXPECT_EQ(growth["rows"][0]["stack"], "keep_loss  train.py:4");
  EXPECT_EQ(growth["rows"][0]["bytes_per_step"], 700);
  const auto words = testing::run_program("summary --growth --by operator " + file("leak.json"));
  EXPECT_NE(words.out.find("keep_loss  train.py:4"), std::string::npos) << words.out;
  write("short.json", leaking(2));
  const auto few = testing::run_program("summary --growth " + file("short.json"));
  EXPECT_NE(few.out.find("at least 3 complete steps are needed"), std::string::npos) << few.out;
  write("trace_here.json", kTrace);
  refused("summary --by frame " + file("trace_here.json"),
          "is neither a memory snapshot nor a recording");
  EXPECT_EQ(testing::run_program("summary --by colour " + file("leak.json")).code, 2);
}

TEST_F(SummaryCommand, ADamagedRecordingIsNamed) {
  write("cut.recording", "tensorscope recording 1\nnothing");
  refused("summary " + file("cut.recording"),
          "cut.recording cannot be shown: it is cut off or damaged.");
}

// The peak of the file is that of the device where it is largest, and says so.
TEST_F(SummaryCommand, ThePeakOfSeveralDevicesSaysWhose) {
  write("two.json", R"({"segments": [
    {"device": 0, "address": 4096, "total_size": 4194304, "blocks": []}], "device_traces": [
    [{"action": "alloc", "addr": 4096, "size": 700, "stream": 0, "time_us": 11}],
    [{"action": "alloc", "addr": 4096, "size": 9000, "stream": 0, "time_us": 12}]]})");
  const auto json = summary(file("two.json"));
  EXPECT_EQ(json["peak_allocated"], 9000);
  EXPECT_EQ(json["peak_allocated_device"], 1);
  EXPECT_EQ(json["peak_reserved"], 4 << 20);
  EXPECT_EQ(json["peak_reserved_device"], 0);
  const auto words = testing::run_program("summary " + file("two.json"));
  EXPECT_NE(words.out.find("8.79 KiB on device 1\n"), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("4.00 MiB on device 0\n"), std::string::npos) << words.out;
  write("one.json", leaking(3));
  const auto one = testing::run_program("summary " + file("one.json"));
  EXPECT_EQ(one.out.find("on device"), std::string::npos) << one.out;
}

// Two streams and a private pool.
TEST_F(SummaryCommand, APartIsAStreamOrAPool) {
  write("parts.json", R"({"segments": [
    {"device": 0, "address": 4096, "total_size": 2097152, "stream": 0, "blocks": []},
    {"device": 0, "address": 67108864, "total_size": 2097152, "stream": 7,
     "segment_pool_id": [0, 3], "blocks": []}],
    "device_traces": [[
     {"action": "alloc", "addr": 4096, "size": 700, "stream": 0, "time_us": 11},
     {"action": "alloc", "addr": 67108864, "size": 300, "stream": 7, "time_us": 12},
     {"action": "free_completed", "addr": 4096, "size": 700, "stream": 0, "time_us": 13}]]})");
  const auto stream = summary("--stream 7 " + file("parts.json"));
  EXPECT_EQ(stream["stream"], 7);
  EXPECT_EQ(stream["events"], 1);
  EXPECT_EQ(stream["segments"], 1);
  EXPECT_EQ(stream["peak_allocated"], 300);
  EXPECT_EQ(summary("--pool 0,3 " + file("parts.json"))["peak_allocated"], 300);
  EXPECT_EQ(summary("--pool default " + file("parts.json"))["peak_allocated"], 700);
  const auto table = summary("--pool 0,3 --by size " + file("parts.json"))["blocks"];
  EXPECT_EQ(table["devices"][0]["total"], 300);
  const auto range = summary("--stream 7 --from 2 " + file("parts.json"), "from 2 on");
  EXPECT_EQ(range["in_range"], (nlohmann::json{{"events", 0}, {"earlier", 1}}));
  const auto converted =
      testing::run_program("convert --pool 0,3 " + file("parts.json") + " " + file("pool.pickle"));
  EXPECT_EQ(converted.code, 0) << converted.err;
  EXPECT_EQ(summary(file("pool.pickle"))["peak_allocated"], 300);
  const auto diff = testing::run_program("diff --json --stream 7 " + file("parts.json") + " " +
                                         file("pool.pickle"));
  for (const auto& figure : nlohmann::json::parse(diff.out)["figures"]) {
    if (figure["name"] == "bytes") continue;
    EXPECT_EQ(figure["difference"], 0) << figure;
  }
  refused("summary --stream 9 " + file("parts.json"), "Its streams: 0 7; its pools: 0,3 default");
  refused("summary --pool graph " + file("parts.json"), "two numbers such as 0,3");
  write("trace_of_parts.json", kTrace);
  refused("summary --stream 7 " + file("trace_of_parts.json"), "is no memory snapshot");
  refused("convert --stream 7 " + file("trace_of_parts.json") + " " + file("x.json"),
          "is no memory snapshot");
}

TEST_F(SummaryCommand, LifetimesOfAFileWithoutTimesAreCountedInEvents) {
  const std::string no_times = R"({"segments": [], "device_traces": [[
     {"action": "alloc", "addr": 4096, "size": 700},
     {"action": "alloc", "addr": 8192, "size": 300},
     {"action": "free_completed", "addr": 4096, "size": 700}]]})";
  write("no_times.json", no_times);
  const auto table = summary("--by size --of lifetime " + file("no_times.json"))["blocks"];
  EXPECT_EQ(table["weight"], "bytes x events");
  EXPECT_EQ(table["devices"][0]["rows"][0]["byte_events"], 1400);
  EXPECT_EQ(table["devices"][0]["total"], 1400 + 600);
  const auto words =
      testing::run_program("summary --by size --of lifetime " + file("no_times.json"));
  EXPECT_NE(words.out.find("1.37 KiB events"), std::string::npos) << words.out;
}

TEST_F(SummaryCommand, ARangeIsReadAlone) {
  write("steps.json", leaking(6));
  const auto whole = summary(file("steps.json"));
  const auto events = whole["events"].get<std::size_t>();
  const auto part = summary("--from 4 --to 7 " + file("steps.json"), "from 4 to 7");
  EXPECT_EQ(part["range"], (nlohmann::json{{"unit", "events"}, {"from", 4}, {"to", 7}}));
  EXPECT_EQ(part["complete"], false);
  // Blocks that build and the first step keep, then a forward, a loss and a free.
  EXPECT_EQ(part["events"], 2 + 3);
  EXPECT_EQ(part["peak_allocated"], (5 << 20) + 1400);
  EXPECT_EQ(part["devices"][0]["end_allocated"], (4 << 20) + 1400);
  EXPECT_EQ(part["in_range"], (nlohmann::json{{"events", 3}, {"earlier", 2}}));
  const auto rest = summary("--from 4 " + file("steps.json"), "from 4 on");
  EXPECT_EQ(rest["in_range"], (nlohmann::json{{"events", events - 4}, {"earlier", 2}}));
  EXPECT_FALSE(whole.contains("in_range"));
  EXPECT_EQ(rest["events"], 2 + events - 4);
  EXPECT_EQ(rest["devices"][0]["end_allocated"], whole["devices"][0]["end_allocated"]);
  const auto converted = testing::run_program("convert --from 4 --to 7 " + file("steps.json") +
                                              " " + file("steps.pickle"));
  EXPECT_EQ(converted.code, 0) << converted.err;
  EXPECT_EQ(summary(file("steps.pickle"))["peak_allocated"], (5 << 20) + 1400);
  EXPECT_EQ(summary("--from 4 --to 7 " + file("steps.json"), "from")["peak_allocated"],
            summary(file("steps.pickle"))["peak_allocated"]);
  write("times.json", kTrace);
  const auto trace = summary("--from 0.000002s " + file("times.json"), "was asked for");
  EXPECT_EQ(trace["kernels"].size(), 1U);
  EXPECT_EQ(summary("--from 0 --to 1 " + file("times.json"), "asked")["operators"].size(), 0U);
  for (const char* same : {"0.002ms", "2us"})
    EXPECT_EQ(summary(std::string("--from ") + same + " " + file("times.json"), "asked")["kernels"],
              trace["kernels"]);
  EXPECT_EQ(trace["in_range"], (nlohmann::json{{"events", 2}, {"earlier", 0}}));
  refused("summary --from 2min " + file("steps.json"), "s, ms or us");
  refused("summary --from 5 --to 5 " + file("steps.json"), "no event lies between");
  refused("summary --from 5 --to 6s " + file("steps.json"), "both times");
  refused("summary --from -1 " + file("steps.json"), "numbers of events");
  refused("summary --from 1 " + file("run.json"), "neither a memory snapshot nor a trace");
}

// Converted to a packed file and back they are what they were.
TEST_F(SummaryCommand, AFileIsPackedAsItsNameSays) {
  write("steps.json", leaking(6));
  write("times.json", kTrace);
  const auto convert = [](const std::string& from, const std::string& to) {
    const auto ended = testing::run_program("convert " + from + " " + to);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return testing::read(to);
  };
  for (const char* name : {"steps", "times"}) {
    const std::string in = file(name) + ".json";
    const std::string plain = convert(in, file("plain.json"));
    EXPECT_TRUE(convert(in, file("packed.json.gz")).starts_with("\x1F\x8B"));
    EXPECT_EQ(convert(file("packed.json.gz"), file("again.json")), plain);
  }
  EXPECT_TRUE(convert(file("steps.json"), file("steps.pickle.gz")).starts_with("\x1F\x8B"));
  EXPECT_EQ(summary(file("steps.pickle.gz"))["format"], "pickle 4");
  EXPECT_TRUE(convert(file("times.json"), file("times.csv.gz")).starts_with("\x1F\x8B"));
  refused("convert " + file("steps.json") + " " + file("steps.html.gz"), "no browser opens");
  refused("convert " + file("steps.json") + " " + file("steps.gz"), "becomes .pickle");
}

// All events of a trace may be left out.
TEST_F(SummaryCommand, ATraceWithNothingToShowIsNamed) {
  write("odd.json", R"([{"ph": "X", "name": "a", "ts": NaN, "dur": 1}])");
  for (const char* words : {"1 event has impossible values", "Cannot read the trace "})
    refused("convert " + file("odd.json") + " " + file("odd.html"), words);
  refused("convert " + file("odd.json") + " " + file("odd.html"), "odd.json: it has no event");
}

// Earlier events made all that is alive then, and are counted; none of them lies there.
TEST_F(SummaryCommand, ARangeWithoutEventsIsSaid) {
  write("steps.json", leaking(6));
  write("times.json", kTrace);
  const auto kept = summary("--from 1000s " + file("steps.json"), "from");
  EXPECT_EQ(kept["in_range"], (nlohmann::json{{"events", 0}, {"earlier", kept["events"]}}));
  const auto text_of = [](const std::string& arguments) {
    const auto ended = testing::run_program("summary " + arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out;
  };
  EXPECT_NE(text_of("--from 1000s " + file("steps.json"))
                .find("no event lies there; counted: 7 earlier events that made what was alive"),
            std::string::npos);
  EXPECT_NE(text_of("--from 4 --to 7 " + file("steps.json"))
                .find("3 events lie there; counted, too: 2 earlier events that made"),
            std::string::npos);
  const auto none = summary("--from 1000s " + file("times.json"), "asked");
  EXPECT_EQ(none["in_range"], (nlohmann::json{{"events", 0}, {"earlier", 0}}));
  const std::string words = text_of("--from 1000s " + file("times.json"));
  EXPECT_NE(words.find("no event lies there\n"), std::string::npos) << words;
}

// Programs and sessions are for other commands, which the sentence names.
TEST_F(SummaryCommand, APictureAndASummaryNameTheCommandThatTakesTheFile) {
  write("model.pt2", "PK");
  write("train.py", "print(1)");
  write("seen.session", "PK");
  refused("summary " + file("model.pt2"), "predict --model " + file("model.pt2"));
  refused("shot --out a.png " + file("train.py"), "-m tensorscope record " + file("train.py"));
  refused("summary " + file("seen.session"), "tensorscope " + file("seen.session") + " opens it");
  refused("summary " + file("no_such.py"), "No such file");
  write("blocks.json", leaking(2));
  refused("shot --out a.png --workspace timeline " + file("blocks.json"), "is a memory snapshot");
  write("some_trace.json", kTrace);
  refused("shot --out a.png --workspace flame " + file("some_trace.json"), "is a trace");
  refused("shot --out a.png --workspace agreement " + file("some_trace.json"), "is a file");
}

TEST_F(SummaryCommand, DiffOfSnapshotsNamesWhatIsAliveInOneAlone) {
  write("six.json", leaking(6));
  write("nine.json", leaking(9));
  const auto ended =
      testing::run_program("diff --json " + file("six.json") + " " + file("nine.json"));
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto rows = nlohmann::json::parse(ended.out)["blocks"][0]["rows"];
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["stack"], "keep_loss  train.py:4");
  EXPECT_EQ(rows[0]["blocks_a"], 6);
  EXPECT_EQ(rows[0]["blocks_b"], 9);
  EXPECT_EQ(rows[0]["bytes"], 3 * 700);
  const auto words =
      testing::run_program("diff --at-end " + file("six.json") + " " + file("six.json"));
  EXPECT_NE(words.out.find("The same in both."), std::string::npos) << words.out;
}

TEST_F(SummaryCommand, APartlyReadFileWarns) {
  const std::string whole = testing::read(file("snapshot.pickle"));
  write("half.pickle", whole.substr(0, whole.size() / 2));
  const auto half = summary(file("half.pickle"), "Read only a part of");
  EXPECT_EQ(half["complete"], false);
  const std::string trace = kTrace;
  write("half.json", trace.substr(0, trace.find("aten")));
  EXPECT_EQ(summary(file("half.json"), "ends in the middle")["events"], 1);
  const std::string packed = io::testing::gzipped(testing::read(file("trace.json")));
  write("half.gz", packed.substr(0, packed.size() / 2));
  EXPECT_EQ(summary(file("half.gz"), "cut off")["complete"], false);
}

TEST_F(SummaryCommand, WhatIsNoneIsNamedForWhatItIs) {
  write("trace_here.json", kTrace);
  refused("replay " + file("trace_here.json"),
          "this is a trace of a profiler, not a memory snapshot");
  write("text.txt", "hello");
  refused("summary " + file("text.txt"), "is neither a memory snapshot, a trace");
  refused("summary /dev/null", "pipe or device");
  refused("summary " + file("nothing_there"), "No such file");
  ASSERT_EQ(::mkfifo(file("fifo").c_str(), 0600), 0);
  refused("summary " + file("fifo"), "pipe or device");
  refused("replay " + file("fifo"), "pipe or device");
  refused("summary /", "holds neither a run, a sweep nor traces of ranks");
  ASSERT_EQ(::mkfifo(file("fifo.py").c_str(), 0600), 0);
  refused("predict --gpu T4 --model " + file("fifo.py"), "pipe or device");
  write("run.json", R"({"spec": {}, "environment": {}})");
  refused("replay " + file("run.json"), "a result that Tensorscope saved");
}

// The file that is read is not written.
TEST_F(SummaryCommand, WhatIsReadIsNotOverwritten) {
  write("trace_here.json", kTrace);
  refused("convert " + file("trace_here.json") + " " + file("trace_here.json"), "overwritten");
  EXPECT_EQ(testing::read(file("trace_here.json")), kTrace);
  write("own.py", "def build(B): pass");
  refused("export " + file("own.py") + " -o " + file("own.py"), "overwritten");
  refused("export " + file("own.py") + " -o /dev/null", "pipe or device");
  EXPECT_EQ(testing::read(file("own.py")), "def build(B): pass");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace ts::app
