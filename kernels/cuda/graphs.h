#pragma once

#include "kernels/cuda/api.h"

namespace ts::kernels::graphs {

// CUDA graphs, called through the table of api.h. Worker thread. Functions that can fail return
// null or a sentence.

// Between the two calls the calling thread's work runs on the device's side stream, one for all
// captures, ordered after the work before and before the work afterwards.
const char* enter_side_stream(int device);
void leave_side_stream(int device);

// An empty graph; release it with drop(). Several may live at once, each with its own memory.
CudaGraph* make(int device);
// On the side stream: the work submitted until end() becomes the graph, once.
const char* begin(CudaGraph* graph);
const char* end(CudaGraph* graph);
// Launches it on the current stream.
const char* replay(CudaGraph* graph);
// Waits for its kernels, ends an open capture, and frees the graph. Not null.
void drop(CudaGraph* graph);

}  // namespace ts::kernels::graphs
