// An attention such as a student writes it: tiles of keys in shared memory, a thread a query.
constexpr int kTile = 32;

__global__ void forward(const float* q, const float* k, const float* v, float* o, int length,
                        int d_head, bool causal) {
  extern __shared__ float tiles[];
  float* keys = tiles;
  float* values = tiles + kTile * d_head;
  const int query = blockIdx.x * kTile + threadIdx.x;
  const size_t head = size_t(blockIdx.y) * length * d_head;
  const float scale = rsqrtf(d_head);
  float sum[256] = {}, l = 0, m = -INFINITY;
  for (int j = 0; j < length; j += kTile) {
    for (int c = 0; c < d_head; c++) {
      const bool inside = j + threadIdx.x < length;
      keys[threadIdx.x * d_head + c] = inside ? k[head + (j + threadIdx.x) * d_head + c] : 0;
      values[threadIdx.x * d_head + c] = inside ? v[head + (j + threadIdx.x) * d_head + c] : 0;
    }
    __syncthreads();
    for (int i = 0; i < kTile && query < length; i++) {
      if (j + i >= length || (causal && j + i > query)) continue;
      float s = 0;
      for (int c = 0; c < d_head; c++) s += q[head + query * d_head + c] * keys[i * d_head + c];
      s *= scale;
      const float larger = fmaxf(m, s), shrink = expf(m - larger), p = expf(s - larger);
      l = l * shrink + p;
      for (int c = 0; c < d_head; c++) sum[c] = sum[c] * shrink + p * values[i * d_head + c];
      m = larger;
    }
    __syncthreads();
  }
  if (query >= length) return;
  for (int c = 0; c < d_head; c++) o[head + query * d_head + c] = sum[c] / l;
}

extern "C" void attention(const float* q, const float* k, const float* v, float* o, int heads,
                          int length, int d_head, bool causal) {
  const dim3 blocks((length + kTile - 1) / kTile, heads);
  forward<<<blocks, kTile, 2 * kTile * d_head * sizeof(float)>>>(q, k, v, o, length, d_head,
                                                                 causal);
}

// The gradients of a query's row: with d_q null only L and D, else all sums by atomicAdd.
__global__ void backward(const float* q, const float* k, const float* v, const float* d_o,
                         float* sums, float* d_q, float* d_k, float* d_v, int length, int d_head,
                         bool causal) {
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= length) return;
  const size_t head = size_t(blockIdx.y) * length * d_head, row = head + query * d_head;
  float* mine = sums + 2 * (size_t(blockIdx.y) * length + query);
  const float scale = rsqrtf(d_head);
  float l = 0, m = -INFINITY, weighted = 0;
  for (int j = 0; j < length && (!causal || j <= query); j++) {
    float s = 0, d_p = 0;
    for (int c = 0; c < d_head; c++) {
      s += q[row + c] * k[head + j * d_head + c];
      d_p += d_o[row + c] * v[head + j * d_head + c];
    }
    s *= scale;
    if (d_q == nullptr) {
      const float larger = fmaxf(m, s), shrink = expf(m - larger), e = expf(s - larger);
      l = l * shrink + e;
      weighted = weighted * shrink + e * d_p;
      m = larger;
      continue;
    }
    const float p = expf(s - mine[0]), d_s = p * (d_p - mine[1]) * scale;
    for (int c = 0; c < d_head; c++) {
      atomicAdd(&d_q[row + c], d_s * k[head + j * d_head + c]);
      atomicAdd(&d_k[head + j * d_head + c], d_s * q[row + c]);
      atomicAdd(&d_v[head + j * d_head + c], p * d_o[row + c]);
    }
  }
  if (d_q == nullptr) {
    mine[0] = m + logf(l);
    mine[1] = weighted / l;
  }
}

extern "C" void attention_backward(const float* q, const float* k, const float* v, const float* d_o,
                                   float* d_q, float* d_k, float* d_v, int heads, int length,
                                   int d_head, bool causal) {
  float* sums = nullptr;
  const size_t bytes = size_t(heads) * length * d_head * sizeof(float);
  cudaMalloc(&sums, size_t(heads) * length * 2 * sizeof(float));
  cudaMemset(d_q, 0, bytes);
  cudaMemset(d_k, 0, bytes);
  cudaMemset(d_v, 0, bytes);
  const dim3 blocks((length + 63) / 64, heads);
  backward<<<blocks, 64>>>(q, k, v, d_o, sums, nullptr, nullptr, nullptr, length, d_head, causal);
  backward<<<blocks, 64>>>(q, k, v, d_o, sums, d_q, d_k, d_v, length, d_head, causal);
  cudaFree(sums);
}
