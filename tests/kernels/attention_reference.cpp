#include "tests/kernels/attention_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ts::kernels {
namespace {

using Vector = std::vector<double>;

struct Head {
  std::size_t keys;
  std::size_t width;
  const double* q;
  const double* k;
  const double* v;
  bool causal;
};

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

Vector probabilities_of_row(const Head& head, std::size_t row) {
  const double scale = 1 / std::sqrt(static_cast<double>(head.width));
  const std::size_t seen = head.causal ? row + 1 : head.keys;
  Vector p(head.keys, 0.0);
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < seen; ++j) {
    p[j] = scale * dot(head.q + row * head.width, head.k + j * head.width, head.width);
    largest = std::max(largest, p[j]);
  }
  double sum = 0;
  for (std::size_t j = 0; j < seen; ++j) sum += p[j] = std::exp(p[j] - largest);
  for (std::size_t j = 0; j < seen; ++j) p[j] /= sum;
  return p;
}

}  // namespace

Vector values(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().to(at::kCPU, at::kDouble).contiguous();
  const auto* const data = flat.const_data_ptr<double>();
  return {data, data + flat.numel()};
}

double relative_error(const at::Tensor& tensor, const Vector& reference) {
  const Vector got = values(tensor);
  if (got.size() != reference.size()) return std::numeric_limits<double>::quiet_NaN();
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    largest = std::max(largest, std::abs(reference[i]));
    difference = std::max(difference, std::abs(got[i] - reference[i]));
  }
  return difference / largest;
}

AttentionReference reference_attention(const at::Tensor& q, const at::Tensor& k,
                                       const at::Tensor& v, bool causal) {
  const Vector q_values = values(q), k_values = values(k), v_values = values(v);
  const auto heads = static_cast<std::size_t>(q.size(0) * q.size(1));
  const auto queries = static_cast<std::size_t>(q.size(2));
  const auto keys = static_cast<std::size_t>(k.size(2));
  const auto width = static_cast<std::size_t>(q.size(3));
  const auto groups = static_cast<std::size_t>(q.size(1) / k.size(1));
  const double scale = 1 / std::sqrt(static_cast<double>(width));
  AttentionReference out;
  const auto numbers = static_cast<double>(q_values.size());
  for (Vector* vector : {&out.output, &out.q_gradient}) vector->assign(q_values.size(), 0.0);
  for (Vector* vector : {&out.k_gradient, &out.v_gradient}) vector->assign(k_values.size(), 0.0);
  for (std::size_t h = 0; h < heads; ++h) {
    const std::size_t at = h * queries * width;
    // Heads of all sequences in a row: so are those they share.
    const std::size_t kv_at = h / groups * keys * width;
    const Head head{keys, width, &q_values[at], &k_values[kv_at], &v_values[kv_at], causal};
    for (std::size_t i = 0; i < queries; ++i) {
      const Vector p = probabilities_of_row(head, i);
      double* const o = &out.output[at + i * width];
      for (std::size_t j = 0; j < keys; ++j) {
        for (std::size_t c = 0; c < width; ++c) o[c] += p[j] * head.v[j * width + c];
      }
      Vector o_gradient(width);
      for (std::size_t c = 0; c < width; ++c) {
        out.loss += o[c] * o[c] / numbers;
        o_gradient[c] = 2 * o[c] / numbers;
      }
      const double mean = dot(o_gradient.data(), o, width);
      for (std::size_t j = 0; j < keys; ++j) {
        const double p_gradient = dot(o_gradient.data(), head.v + j * width, width);
        const double s_gradient = p[j] * (p_gradient - mean) * scale;
        for (std::size_t c = 0; c < width; ++c) {
          out.v_gradient[kv_at + j * width + c] += p[j] * o_gradient[c];
          out.q_gradient[at + i * width + c] += s_gradient * head.k[j * width + c];
          out.k_gradient[kv_at + j * width + c] += s_gradient * head.q[i * width + c];
        }
      }
    }
  }
  return out;
}

}  // namespace ts::kernels
