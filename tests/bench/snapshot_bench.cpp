// Budget: a memory snapshot of 100 MB opens in 1 s. The three synthetic files have the opcodes of
// real ones: as LibTorch's C++ writes them (protocol 2, one batch, shared stacks), as Python dumps
// them (protocol 4, batches of 1000, a list of about 75 shared frames for each event), and ours.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/files/opened_file.h"
#include "core/io/file.h"
#include "core/snapshot/snapshot_read.h"
#include "core/snapshot/snapshot_write.h"
#include "tests/snapshot/pickle_bytes.h"

namespace {

using ts::snapshot::testing::PickleBytes;

constexpr std::size_t kSize = 100'000'000;
constexpr int kStacks = 200;
constexpr int kFramesOfAStack = 75;

// Texts and frames in the memo, in the order in which they first occur.
class Writer {
 public:
  explicit Writer(int protocol) : bytes_(protocol), memoize_(protocol >= 4) {}

  PickleBytes& bytes() { return bytes_; }
  std::uint32_t remember() {
    if (memoize_) {
      bytes_.op(0x94);
    } else if (next_ <= 0xFF) {
      bytes_.op('q').little_endian(next_, 1);
    } else {
      bytes_.op('r').little_endian(next_, 4);
    }
    return next_++;
  }
  void recall(std::uint32_t memo) {
    if (memo <= 0xFF) {
      bytes_.op('h').little_endian(memo, 1);
    } else {
      bytes_.op('j').little_endian(memo, 4);
    }
  }
  std::uint32_t text(const std::string& text) {
    if (memoize_) {
      bytes_.text(text);
    } else {
      bytes_.op('X').little_endian(text.size(), 4).ops(text);
    }
    return remember();
  }
  void integer(std::uint64_t value) { bytes_.op(0x8A).little_endian(8, 1).little_endian(value, 8); }

 private:
  PickleBytes bytes_;
  bool memoize_;
  std::uint32_t next_ = 0;
};

const char* const kKeys[] = {"action",          "addr",          "size",  "stream", "time_us",
                             "compile_context", "user_metadata", "frames"};
const char* const kActions[] = {"alloc", "free_requested", "free_completed"};

std::string synthetic(bool python) {
  Writer writer(python ? 4 : 2);
  PickleBytes& bytes = writer.bytes();
  bytes.op('}');
  writer.remember();
  bytes.op('(');
  // Under a key that readers pass over: everything that events share.
  writer.text("memo");
  bytes.op(']').op('(');
  std::vector<std::uint32_t> keys;
  for (const char* key : kKeys) keys.push_back(writer.text(key));
  std::vector<std::uint32_t> actions;
  for (const char* action : kActions) actions.push_back(writer.text(action));
  const std::uint32_t context = writer.text("N/A");
  const std::uint32_t metadata = writer.text("");
  const std::uint32_t name = writer.text("name");
  const std::uint32_t filename = writer.text("filename");
  const std::uint32_t line = writer.text("line");
  std::vector<std::uint32_t> frames;
  for (int i = 0; i < 500; ++i) {
    bytes.op('}');
    frames.push_back(writer.remember());
    bytes.op('(');
    writer.recall(name);
    writer.text("function_" + std::to_string(i));
    writer.recall(filename);
    writer.text("a/folder/of/sources/file_" + std::to_string(i) + ".py");
    writer.recall(line);
    bytes.number(static_cast<std::uint8_t>(i % 256)).op('u');
  }
  std::vector<std::uint32_t> stacks;
  const auto stack = [&](int which) {
    bytes.op(']');
    stacks.push_back(writer.remember());
    bytes.op('(');
    for (int i = 0; i < kFramesOfAStack; ++i) {
      writer.recall(frames[static_cast<std::size_t>(which * 7 + i * (i + which)) % frames.size()]);
    }
    bytes.op('e');
  };
  for (int i = 0; i < kStacks; ++i) stack(i);
  bytes.op('e');
  writer.text("segments");
  bytes.op(']');
  writer.text("device_traces");
  bytes.op(']').op('(').op(']').op('(');
  std::uint64_t events = 0;
  std::size_t size = bytes.bytes().size();
  while (size < kSize) {
    const std::uint64_t event = events++;
    if (python && event % 1000 == 0 && event > 0) bytes.op('e').op('(');
    bytes.op('}');
    if (python) writer.remember();
    bytes.op('(');
    writer.recall(keys[0]);
    writer.recall(actions[event % 3]);
    writer.recall(keys[1]);
    writer.integer(0x7F0000000000 + event % 4096 * 512);
    writer.recall(keys[2]);
    bytes.op('J').little_endian(1 + event * 12345 % 100000000, 4);
    writer.recall(keys[3]);
    bytes.number(0);
    writer.recall(keys[4]);
    writer.integer(1'700'000'000'000'000 + event);
    writer.recall(keys[5]);
    writer.recall(context);
    writer.recall(keys[6]);
    writer.recall(metadata);
    writer.recall(keys[7]);
    const int which = static_cast<int>(event * 31 % kStacks);
    if (python) {
      stack(which);
    } else {
      writer.recall(stacks[static_cast<std::size_t>(which)]);
    }
    bytes.op('u');
    size = bytes.size();
  }
  bytes.op('e').op('e').op('u');
  return bytes.stop();
}

void open(benchmark::State& state, const std::string& content) {
  std::size_t events = 0;
  for (auto _ : state) {
    auto file = ts::snapshot::parse_snapshot(content);
    if (!file || !file->fault.empty()) state.SkipWithError("not read");
    events = file ? file->snapshot.entry_count() : 0;
    benchmark::DoNotOptimize(file);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * content.size()));
  state.counters["events"] = static_cast<double>(events);
  state.counters["MB"] = static_cast<double>(content.size()) / 1e6;
}

void open_cpp_pickle(benchmark::State& state) {
  static const std::string content = synthetic(false);
  open(state, content);
}
BENCHMARK(open_cpp_pickle)->Unit(benchmark::kMillisecond);

void open_python_pickle(benchmark::State& state) {
  static const std::string content = synthetic(true);
  open(state, content);
}
BENCHMARK(open_python_pickle)->Unit(benchmark::kMillisecond);

// From the file to what the window draws.
void open_in_the_window(benchmark::State& state) {
  const auto path = std::filesystem::temp_directory_path() / "tensorscope_snapshot_bench.pickle";
  if (!ts::io::write_file(path, synthetic(state.range(0) != 0))) state.SkipWithError("not written");
  std::size_t events = 0;
  for (auto _ : state) {
    auto opened = ts::files::open_file(path);
    if (!opened || !(*opened)->file.fault.empty()) state.SkipWithError("not read");
    events = opened ? (*opened)->devices.at(0).run.memory.events().size() : 0;
    benchmark::DoNotOptimize(opened);
  }
  state.counters["log_events"] = static_cast<double>(events);
  std::filesystem::remove(path);
}
BENCHMARK(open_in_the_window)->ArgName("python")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void write_pickle(benchmark::State& state) {
  static const auto file = ts::snapshot::parse_snapshot(synthetic(false));
  std::size_t size = 0;
  for (auto _ : state) {
    size = 0;
    ts::snapshot::write_snapshot([&size](std::string_view piece) { size += piece.size(); },
                                 file->snapshot, ts::snapshot::SnapshotFormat::pickle);
  }
  state.counters["events"] = static_cast<double>(file->snapshot.entry_count());
  state.counters["MB"] = static_cast<double>(size) / 1e6;
}
BENCHMARK(write_pickle)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
