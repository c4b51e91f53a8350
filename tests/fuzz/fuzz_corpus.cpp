// fuzz_corpus FOLDER: writes what fuzzing begins with, a folder for each reader: what the program's
// own writers make, and files that were made to hurt.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "assets/assets.h"
#include "core/capture/gpu_buffer_file.h"
#include "core/run/recording.h"
#include "core/run/recording_format.h"
#include "core/sweep/sweep_journal.h"
#include "tests/exported/pt2_bytes.h"
#include "tests/files/made_session.h"
#include "tests/fuzz/snapshot_seeds.h"
#include "tests/fuzz/trace_seeds.h"
#include "tests/io/gzip_bytes.h"
#include "tests/run/made_batch.h"
#include "tests/run/made_runs.h"
#include "tests/run/made_stream.h"
#include "tests/sweep/made_sweeps.h"

namespace ts::fuzz {
namespace {

using Files = std::vector<std::string>;
using snapshot::testing::PickleBytes;

// Letters that stand for `levels` levels of whatever opens with it.
std::string nested(std::string_view open, std::string_view close, int levels) {
  std::string text;
  for (int i = 0; i < levels; ++i) text += open;
  for (int i = 0; i < levels; ++i) text += close;
  return text;
}

// A text of 2^63 and of 2^64 - 1 bytes, a frame of them, a number of 2^31 bytes.
Files far_lengths() {
  Files all;
  for (const std::uint64_t bytes : {std::uint64_t{1} << 63U, ~std::uint64_t{0}}) {
    all.push_back(PickleBytes().op(0x8D).little_endian(bytes, 8).ops("x").stop());
    all.push_back(PickleBytes().op(0x95).little_endian(bytes, 8).op('}').stop());
    all.push_back(PickleBytes().op(0x8E).little_endian(bytes, 8).ops("x").stop());
  }
  all.push_back(PickleBytes().op(0x8B).little_endian(0x7FFFFFFF, 4).ops("x").stop());
  all.push_back(PickleBytes().op('r').little_endian(0xFFFFFFFF, 4).op('}').stop());
  return all;
}

// A list of two times the list before, 40 times over: 2^40 items for whoever walks through it.
std::string memo_bomb() {
  PickleBytes bytes;
  bytes.op('}').op('(').text("device_traces").op(']').op(0x94);
  for (unsigned i = 0; i < 40; ++i)
    bytes.op(']').op(0x94).op('(').op('h').little_endian(i, 1).op('h').little_endian(i, 1).op('e');
  return bytes.op('u').stop();
}

Files snapshots() {
  Files all = snapshot_files(snapshot::SnapshotFormat::pickle);
  for (Files more :
       {snapshot_files(snapshot::SnapshotFormat::json), snapshot_recordings(), far_lengths()})
    all.insert(all.end(), more.begin(), more.end());
  all.push_back(rare_opcodes());
  all.push_back(memo_bomb());
  all.push_back(PickleBytes().ops(nested("(", "t", 1100)).stop());
  all.push_back(nested("[", "]", 1500));
  all.push_back(nested("{\"segments\":", "}", 200));
  all.push_back(io::testing::gzipped(all.front()));
  all.push_back(io::testing::gzipped(std::string(1'000'000, '[')));
  return all;
}

Files traces() {
  const std::string whole = whole_trace().dump();
  return {whole,
          whole_trace()["traceEvents"].dump(),
          io::testing::gzipped(whole),
          io::testing::gzipped("[" + std::string(1'000'000, ' ')),
          nested("[", "]", 1500),
          "{\"traceEvents\": [" + nested("{\"args\":", "}", 200),
          R"([{"ph":"X","cat":"kernel","ts":9223372036854775807,"dur":18446744073709551615}])"};
}

Files packed() {
  const std::string once = io::testing::gzipped(std::string(4'000'000, '\0'), 9);
  return {once, io::testing::gzipped(once), io::testing::gzipped("a") + io::testing::gzipped("b"),
          once.substr(0, once.size() / 2), "plain"};
}

Files recordings() {
  Files all;
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    std::mt19937 random(seed);
    base::StringTable strings;
    run::Run run = run::testing::made_run(spec::WorkloadSpec{}, 3, 4096, 2);
    run::BatchUpdate update{run.id, run::testing::random_batch(random, strings, true, 10)};
    run::RecordingWriter writer(run.id, strings);
    writer.add(update.batch);
    run.apply(std::move(update));
    all.push_back(writer.file(run));
    const auto parts = run::recording_format::parts_of(all.back());
    all.push_back(std::string(parts->header) + '\0' + std::string(parts->records));
    all.push_back(run::testing::MadeStream(seed, 1, 5).bytes());
  }
  all.push_back(std::string(run::recording_format::kMagic) + std::string(24, '\xFF'));
  return all;
}

Files sessions() {
  files::SavedSession made = files::testing::made_session();
  made.runs.pop_back();
  made.shown_run = 0;
  const std::string whole = files::session_bytes(made).value();
  return {whole, files::testing::parts_of(whole).at("session.json"), nested("[", "]", 200)};
}

Files models() {
  using namespace exported::testing;
  return {linear_pt2(),         bare_pt2(), layers_pt2(2), linear_json(), layers_program(2).dump(),
          nested("[", "]", 200)};
}

Files configs() {
  return {R"({"model_type":"llama","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,
"num_key_value_heads":2,"intermediate_size":128,"vocab_size":1000,"max_position_embeddings":256,
"hidden_act":"silu","rms_norm_eps":1e-5,"rope_theta":10000.0,"tie_word_embeddings":false,
"torch_dtype":"bfloat16"})",
          R"({"model_type":"gpt2","n_embd":64,"n_layer":2,"n_head":4,"n_positions":128,
"vocab_size":50257,"activation_function":"gelu_new","n_inner":null})",
          R"({"model_type":"mistral","hidden_size":9223372036854775807,"num_hidden_layers":1e308})",
          nested("[", "]", 200)};
}

Files lesson_files() {
  Files all;
  for (const assets::Lesson& one : assets::lessons()) all.emplace_back(one.json);
  all.push_back(nested("[", "]", 200));
  return all;
}

Files sweeps() {
  sweep::Sweep sweep(sweep::testing::over_t("T=64:512:x2"));
  sweep::testing::predict_all(sweep, sweep::testing::as_theory, 1 << 20);
  sweep::testing::run_all(sweep, sweep::testing::with_limit(256));
  const nlohmann::json header = {{"tensorscope_sweep", 1},
                                 {"identity", {{"program", "tensorscope"}}},
                                 {"sweep", to_json(sweep.spec())}};
  std::string text = header.dump() + "\n";
  Files all = {text};
  for (const sweep::SweepPoint& point : sweep.points()) text += to_json(sweep, point).dump() + "\n";
  all.push_back(text);
  return all;
}

Files gpu_records() {
  capture::GpuBufferFile file;
  file.begin_buffer();
  const std::vector<std::uint64_t> words(5, 7);
  file.add_record(words.data(), words.size() * 8);
  file.add_text("void at::native::two<float>(float)");
  return {file.bytes(), file.bytes().substr(0, 16)};
}

bool write(const std::filesystem::path& folder, const Files& files) {
  std::filesystem::create_directories(folder);
  bool written = true;
  for (std::size_t i = 0; i < files.size(); ++i)
    written = (std::ofstream(folder / ("seed-" + std::to_string(i)), std::ios::binary) << files[i])
                  .good() &&
              written;
  return written;
}

}  // namespace
}  // namespace ts::fuzz

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "fuzz_corpus FOLDER\n");
    return 2;
  }
  using namespace ts::fuzz;
  const std::map<std::string, Files> all = {
      {"snapshot", snapshots()},     {"trace", traces()},        {"packed", packed()},
      {"recording", recordings()},   {"session", sessions()},    {"model", models()},
      {"config", configs()},         {"lesson", lesson_files()}, {"sweep", sweeps()},
      {"gpu_records", gpu_records()}};
  for (const auto& [reader, files] : all)
    if (!write(std::filesystem::path(arguments[1]) / reader, files)) return 1;
  return 0;
}
