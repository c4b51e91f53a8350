#pragma once

#include "kernels/cuda/api.h"

namespace ts::kernels::graphs {

// CUDA graphs behind the table of api.h. Worker thread. Functions that can fail return null or a
// sentence.

// Between the two the calling thread's work goes to the device's side stream, one for all captures,
// in order after what came before and before what comes afterwards.
const char* enter_side_stream(int device);
void leave_side_stream(int device);

// A graph that has nothing yet; drop() it. Several may live at once, each with memory of its own.
CudaGraph* make(int device);
// On the side stream: what is started until end() becomes the graph, once.
const char* begin(CudaGraph* graph);
const char* end(CudaGraph* graph);
// Launches it on the current stream.
const char* replay(CudaGraph* graph);
// Waits for its kernels, ends a capture that is open, and gives back the graph. Not null.
void drop(CudaGraph* graph);

}  // namespace ts::kernels::graphs
