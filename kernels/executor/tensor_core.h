#pragma once

#include <cstdint>

// The instructions of tensor cores as the executor runs them, by the layout of fragments that the
// PTX ISA documents ("Matrix Fragments for mma.m16n8k16", "ldmatrix"). All lanes of a warp call
// them.
namespace ts::executor {

// ldmatrix.x4: four matrices of 8 x 8 numbers of 16 bits. Lane i gives the address of row i % 8 of
// matrix i / 8, aligned to 16 bytes. A lane receives of each matrix, in one register, the numbers
// [lane / 4][lane % 4 * 2] and the next; transposed: [lane % 4 * 2][lane / 4] and that of the row
// below.
void load_matrices(std::uint32_t (&registers)[4], const void* row, bool transposed);

// mma.sync.m16n8k16: d [16][8] += a [16][16] times b [16][8], sums of fp32.
// With g = lane / 4 and t = lane % 4 * 2 a lane has
//   a: [g][t, t + 1], [g + 8][t, t + 1], [g][t + 8, t + 9], [g + 8][t + 8, t + 9]
//   b: [t, t + 1][g], [t + 8, t + 9][g]
//   d: [g][t], [g][t + 1], [g + 8][t], [g + 8][t + 1]
void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                  float (*widen)(std::uint16_t bits));

}  // namespace ts::executor
