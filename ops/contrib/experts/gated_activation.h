// SwiGLU, the gated activation of feed-forward blocks and experts:
//   h = G * sigmoid(alpha * G) * (L + beta),  G = min(g, limit),  L = l within +-limit
#ifndef ONNXCMP_OPS_CONTRIB_EXPERTS_GATED_ACTIVATION_H_
#define ONNXCMP_OPS_CONTRIB_EXPERTS_GATED_ACTIVATION_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "evaluator/tensor/dtype.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"

namespace onnxcmp {

struct SwiGluOptions {
  float alpha = 1;
  float beta = 0;  // 0 leaves -0 what it is
  float limit = std::numeric_limits<float>::infinity();
  bool clamps_result = false;  // G = g, and min(G * sigmoid(alpha * G), limit) is what L scales
  DType rounds_gate_to = DType::kUndefined;  // G * sigmoid(alpha * G), before L scales it
};

// h[i] of g[i * step] and l[i * step]; NaN stays NaN. Where alpha * G is below -87, the least
// whose exp is an ordinary float, the product is of doubles, so that small values are not lost.
template <typename C>
void ApplySwiGlu(const SwiGluOptions& options, const C* g, const C* l, int64_t step, int64_t count,
                 C* h) {
  const C limit = static_cast<C>(options.limit);
  const C alpha = static_cast<C>(options.alpha);
  const C beta = static_cast<C>(options.beta);
  const C input_limit = options.clamps_result ? std::numeric_limits<C>::infinity() : limit;
  const auto at_most = [](C x, C most) { return x > most ? most : x; };
  C gate[vec::kMaxStrip];
  for (int64_t begin = 0; begin < count; begin += vec::kMaxStrip) {
    const int64_t part = std::min(vec::kMaxStrip, count - begin);
    C sigmoid[vec::kMaxStrip];
    for (int64_t i = 0; i < part; ++i) {
      gate[i] = at_most(g[(begin + i) * step], input_limit);
      sigmoid[i] = alpha * gate[i];
    }
    vec::Sigmoid(sigmoid, part, sigmoid);
    const auto linear = [&](int64_t i) {
      const C x = at_most(l[(begin + i) * step], limit);
      const C inside = x < -limit ? -limit : x;
      return beta == C{0} ? inside : inside + beta;
    };
    const bool rounds = options.rounds_gate_to != DType::kUndefined;
    for (int64_t i = 0; i < part; ++i) {
      C factor = gate[i] * sigmoid[i];
      if (alpha * gate[i] < C{-87}) {
        double wide = static_cast<double>(alpha * gate[i]);
        vec::Sigmoid(&wide, 1, &wide);
        wide *= static_cast<double>(gate[i]);
        factor = static_cast<C>(wide);
        if (!rounds && !options.clamps_result) {
          h[begin + i] = static_cast<C>(wide * static_cast<double>(linear(i)));
          continue;
        }
      }
      if (options.clamps_result) factor = at_most(factor, limit);
      if (rounds) RoundElements(options.rounds_gate_to, 1, &factor);
      h[begin + i] = factor * linear(i);
    }
  }
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_EXPERTS_GATED_ACTIVATION_H_
