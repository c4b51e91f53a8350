#pragma once

// What most sources of the engine include of LibTorch, compiled once. Nobody includes this file:
// sources name what they use, so that they also stand without it (clang-tidy reads them so). Keep
// fmt out of sources that include LibTorch, which ships a newer one.
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>
