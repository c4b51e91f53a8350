#pragma once

namespace ts::kernels::graphs {

// CUDA graphs behind the table of api.h, one for each device. Worker thread. Functions that can
// fail return null or a sentence.
const char* enter_side_stream(int device);
void leave_side_stream(int device);
const char* begin(int device);
const char* end(int device);
const char* replay(int device);
void drop(int device);

}  // namespace ts::kernels::graphs
