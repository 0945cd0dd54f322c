// The difference of one pair of results over samples.
#ifndef ONNXCMP_SAMPLES_FIGURES_LAYER_FIGURES_H_
#define ONNXCMP_SAMPLES_FIGURES_LAYER_FIGURES_H_

#include <cstdint>
#include <optional>

#include "compare/sides/pair_values.h"
#include "record/differences/lanes/pair_moments.h"
#include "samples/figures/exact_sum.h"
#include "samples/figures/spread.h"

namespace onnxcmp {

// Signal to noise in decibels of these sums: infinite if nothing differs; minus infinity for noise
// without a signal.
double DecibelsOf(const PairSums& sums);

struct LayerFigures {
  // The figures of one sample. `most`: the greatest difference of two elements.
  void Add(int64_t sample, const PairMoments& moments, double most);
  void Add(const LayerFigures& other);
  // Signal to noise of all samples together.
  double pooled() const;

  // As Spread::Visit().
  template <typename Archive>
  void Visit(Archive& archive) {
    archive("sqnr", sqnr);
    archive("cosine", cosine);
    archive("most", most);
    archive("saturated", saturated);
    archive("signal", signal);
    archive("noise", noise);
    archive("unlike", unlike);
    archive("not_finite", not_finite);
  }

  Spread sqnr, cosine, most;
  Spread saturated;  // share of integers at the ends of their type's range
  ExactSum signal, noise;
  int64_t unlike = 0;      // samples on which the shapes differ or a side has no such result
  int64_t not_finite = 0;  // samples with NaN or infinities on one side alone
};

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FIGURES_LAYER_FIGURES_H_
