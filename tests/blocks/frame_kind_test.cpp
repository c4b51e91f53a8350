#include "core/blocks/frame_kind.h"

#include <gtest/gtest.h>

#include "core/blocks/stack_parts.h"
#include "tests/blocks/snapshots.h"

namespace ts::blocks {
namespace {

// Frames as files of PyTorch 2.1 to 2.11 have them.
TEST(FrameKind, TellsTheProgramFromLibrariesPyTorchAndTheInterpreter) {
  EXPECT_EQ(frame_kind("forward", "/data/x/course/model.py"), FrameKind::own);
  EXPECT_EQ(frame_kind("<module>", "train.py"), FrameKind::own);
  EXPECT_EQ(frame_kind("aten::bmm", "operator"), FrameKind::own) << "of a run of our own";
  EXPECT_EQ(frame_kind("my_extension::scan(at::Tensor const&)", "??"), FrameKind::own);
  EXPECT_EQ(frame_kind("forward", "/opt/lib/python3.12/site-packages/transformers/llama.py"),
            FrameKind::library);
  EXPECT_EQ(frame_kind("forward", "/opt/lib/python3.12/site-packages/torch/nn/linear.py"),
            FrameKind::torch);
  EXPECT_EQ(frame_kind("at::_ops::mm::call(at::Tensor const&, at::Tensor const&)", "??"),
            FrameKind::torch);
  EXPECT_EQ(frame_kind("at::(anonymous namespace)::wrapper_CUDA_mm(at::Tensor const&)", "??"),
            FrameKind::torch);
  EXPECT_EQ(frame_kind("void at::native::fill<float>(at::Tensor&)", ""), FrameKind::torch);
  EXPECT_EQ(frame_kind("torch::unwind::unwind()", "??"), FrameKind::runtime);
  EXPECT_EQ(frame_kind("torch::CapturedTraceback::gather(bool, bool, bool)", "??"),
            FrameKind::runtime);
  EXPECT_EQ(frame_kind("_PyEval_EvalFrameDefault", "/usr/src/Python/ceval.c"), FrameKind::runtime);
  EXPECT_EQ(frame_kind("_start", "??"), FrameKind::runtime);
  EXPECT_EQ(frame_kind("_run_code", "<frozen runpy>"), FrameKind::runtime);
}

TEST(FrameKind, TheTellingFrameIsTheInnermostOfTheProgram) {
  testing::MadeSnapshot made;
  const auto stack = made.stack({{"torch::unwind::unwind()", "??", 0},
                                 {"at::_ops::mm::call(at::Tensor const&)", "??", 0},
                                 {"forward", "/x/site-packages/torch/nn/linear.py", 116},
                                 {"forward", "/data/course/model.py", 42},
                                 {"main", "/data/course/train.py", 7},
                                 {"_start", "??", 0}});
  const allocator::Snapshot& snapshot = made.snapshot();
  const auto frame = telling_frame(snapshot, stack);
  EXPECT_EQ(frame_words(snapshot, snapshot.stacks.frame(frame)),
            "forward  /data/course/model.py:42");
  EXPECT_EQ(short_frame_words(snapshot, snapshot.stacks.frame(frame)), "forward  model.py:42");
  const StackParts parts = parts_of(snapshot, stack);
  EXPECT_EQ(parts[FrameKind::own].size(), 2U);
  EXPECT_EQ(parts[FrameKind::torch].size(), 2U);
  EXPECT_EQ(parts[FrameKind::runtime].size(), 2U);
  EXPECT_EQ(parts.size(), 6U);
  EXPECT_EQ(stack_text(snapshot, stack).find("torch::unwind::unwind()\nat::_ops"), 0U)
      << "the clipboard has all of them, in the order of the file";
  EXPECT_EQ(telling_frame(snapshot, memory::kNone), memory::kNone);
  const auto backward =
      made.stack({{"c10::cuda::CUDACachingAllocator::Native::malloc(unsigned long)", "??", 0},
                  {"at::_ops::empty_strided::call(c10::ArrayRef<long>)", "??", 0},
                  {"at::_ops::mm::call(at::Tensor const&, at::Tensor const&)", "??", 0},
                  {"torch::autograd::Engine::thread_main()", "??", 0}});
  const auto asks = telling_frame(snapshot, backward);
  EXPECT_EQ(snapshot.text(snapshot.stacks.frame(asks).name),
            "at::_ops::mm::call(at::Tensor const&, at::Tensor const&)");
  const auto freed = made.stack({{"c10::StorageImpl::~StorageImpl()", "", 0},
                                 {"std::vector<at::Tensor>::~vector()", "??", 0},
                                 {"torch::autograd::Engine::thread_main()", "??", 0}});
  EXPECT_EQ(snapshot.text(snapshot.stacks.frame(telling_frame(snapshot, freed)).name),
            "torch::autograd::Engine::thread_main()");
}

}  // namespace
}  // namespace ts::blocks
