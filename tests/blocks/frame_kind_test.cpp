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
  const auto frame = frame_of_program(snapshot, stack);
  EXPECT_EQ(frame_text(snapshot, snapshot.stacks.frame(frame)),
            "forward  /data/course/model.py:42");
  EXPECT_EQ(short_frame_text(snapshot, snapshot.stacks.frame(frame)), "forward  model.py:42");
  const StackParts parts = parts_of(snapshot, stack);
  EXPECT_EQ(parts[FrameKind::own].size(), 2U);
  EXPECT_EQ(parts[FrameKind::torch].size(), 2U);
  EXPECT_EQ(parts[FrameKind::runtime].size(), 2U);
  EXPECT_EQ(parts.size(), 6U);
  EXPECT_EQ(stack_text(snapshot, stack).find("torch::unwind::unwind()\nat::_ops"), 0U)
      << "the clipboard has all of them, in the order of the file";
  EXPECT_EQ(frame_of_program(snapshot, memory::kNone), memory::kNone);
  const auto backward =
      made.stack({{"c10::cuda::CUDACachingAllocator::Native::malloc(unsigned long)", "??", 0},
                  {"at::_ops::empty_strided::call(c10::ArrayRef<long>)", "??", 0},
                  {"at::_ops::mm::call(at::Tensor const&, at::Tensor const&)", "??", 0},
                  {"torch::autograd::Engine::thread_main()", "??", 0}});
  const auto asks = frame_of_program(snapshot, backward);
  EXPECT_EQ(snapshot.text(snapshot.stacks.frame(asks).name),
            "at::_ops::mm::call(at::Tensor const&, at::Tensor const&)");
  const auto freed = made.stack({{"c10::StorageImpl::~StorageImpl()", "", 0},
                                 {"std::vector<at::Tensor>::~vector()", "??", 0},
                                 {"torch::autograd::Engine::thread_main()", "??", 0}});
  EXPECT_EQ(snapshot.text(snapshot.stacks.frame(frame_of_program(snapshot, freed)).name),
            "torch::autograd::Engine::thread_main()");
}

// A stack as stacks="all" records it, in a notebook: C++ from the allocator to the operator, Python
// of PyTorch, of a library and of the program, the interpreter between them, the notebook outside.
TEST(StackWords, BeginWithTheProgramNotWithTheAllocator) {
  testing::MadeSnapshot made;
  const auto stack = made.stack(
      {{"c10::cuda::CUDACachingAllocator::Native::malloc(unsigned long)", "Caching.cpp", 0},
       {"at::_ops::empty_strided::call(c10::ArrayRef<long>)", "??", 0},
       {"at::_ops::bmm::redispatch(c10::DispatchKeySet, at::Tensor const&)", "??", 0},
       {"at::_ops::bmm::call(at::Tensor const&, at::Tensor const&)", "??", 0},
       {"at::native::einsum(c10::ArrayRef<at::Tensor>)", "??", 0},
       {"at::_ops::einsum::call(c10::ArrayRef<at::Tensor>)", "??", 0},
       {"_PyEval_EvalFrameDefault", "??", 0},
       {"einsum", "/x/site-packages/torch/functional.py", 373},
       {"einsum", "/x/site-packages/einops/einops.py", 939},
       {"forward", "/data/model.py", 39},
       {"_call_impl", "/x/site-packages/torch/nn/modules/module.py", 1790},
       {"<module>", "/n/ipykernel/31.py", 21},
       {"run_code", "/x/site-packages/IPython/core/interactiveshell.py", 3577},
       {"_start", "??", 0}});
  const allocator::Snapshot& snapshot = made.snapshot();
  EXPECT_EQ(short_stack_text(snapshot, stack, Paths::names),
            "forward  model.py:39 < <module>  31.py:21 \xe2\x80\xa6 einsum  einops.py:939 "
            "\xe2\x80\xa6 aten::bmm < aten::einsum < einsum  functional.py:373");
  EXPECT_EQ(short_stack_text(snapshot, stack, Paths::whole).find("forward  /data/model.py:39 < "),
            0U);
  const StackParts parts = parts_of(snapshot, stack);
  EXPECT_EQ(parts[FrameKind::library].size(), 1U) << "a notebook only starts the program";
  EXPECT_EQ(parts[FrameKind::runtime].size(), 3U);
}

TEST(StackWords, OfCppAloneAreItsOperatorsAndTheNodeOfTheBackward) {
  testing::MadeSnapshot made;
  const auto words = [&](const std::vector<testing::Line>& frames) {
    return short_stack_text(made.snapshot(), made.stack(frames), Paths::names);
  };
  const testing::Line allocator{"c10::cuda::CUDACachingAllocator::malloc(unsigned long)", "??", 0};
  const testing::Line engine{"torch::autograd::Engine::thread_main()", "??", 0};
  EXPECT_EQ(
      words({allocator,
             {"at::_ops::mm::call(at::Tensor const&, at::Tensor const&)", "??", 0},
             {"torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&)", "??", 0},
             engine}),
      "aten::mm < MmBackward0");
  EXPECT_EQ(words({allocator, {"at::cuda::getWorkspace(unsigned long)", "??", 0}}),
            "at::cuda::getWorkspace");
  EXPECT_EQ(words({allocator}), "c10::cuda::CUDACachingAllocator::malloc");
  EXPECT_EQ(words({{"_start", "??", 0}}), "") << "the runtime alone says nothing";
}

}  // namespace
}  // namespace ts::blocks
