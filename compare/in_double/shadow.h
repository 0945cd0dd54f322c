// Distances of results from their values in double, and the side that is nearer to these.
#ifndef ONNXCMP_COMPARE_IN_DOUBLE_SHADOW_H_
#define ONNXCMP_COMPARE_IN_DOUBLE_SHADOW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Distance of a floating result from its value in double. Infinite where one is NaN or infinite and
// the other is not; masks, which are too large for a type to distinguish from infinity, count as
// equal.
struct TruthDistance {
  double max_absolute = 0;
  double rms = 0;    // root mean square of the differences
  double scale = 0;  // scale of the elements in double, as from ScaleOf()
  DType dtype = DType::kUndefined;

  double relative() const { return scale > 0 ? rms / scale : rms; }
};
// From here on, the pool may be null.
TruthDistance TruthDistanceOf(const Tensor& own, const Tensor& in_double,
                              const ThreadPool* pool = nullptr);
// Only its max_absolute, at a fraction of the cost.
double GreatestTruthDistance(const Tensor& own, const Tensor& in_double,
                             const ThreadPool* pool = nullptr);

enum class Nearer : uint8_t { kLeft, kRight, kEqual };
absl::string_view NearerName(Nearer nearer);  // "left", "right", "equal"

// The side of a pair that is nearer to its own truth: by a factor of four in root mean squares
// relative to the size of the elements, and beyond the finer type's rounding.
struct TruthFinding {
  Nearer nearer = Nearer::kEqual;
  double factor = 1;  // at least 1
  double left = 0;    // TruthDistance::relative()
  double right = 0;
};
TruthFinding JudgeTruth(const TruthDistance& left, const TruthDistance& right);
// "the left is 4100 times nearer", "both are equally good".
std::string NearerText(const TruthFinding& finding);

// One side's distances from its run in double.
struct SideShadow {
  bool ran = false;     // a recording has no shadow
  absl::Status status;  // why the run in double ended early, or did not begin
  // By result; nothing where it cannot be measured.
  std::vector<std::optional<TruthDistance>> distances;
  // By result: true if an input of it differs in double, so that its distance is meaningless.
  std::vector<bool> misleading;
  // Results that are no floats and differ in double, or have another shape: the first one, and
  // their number.
  std::string first_changed;
  int64_t changed = 0;
  // The first result that only one of both runs has: a loop has more iterations, or another branch
  // is taken.
  std::string other_flow;
};

// Both sides, and findings on the pairs of their results.
struct ShadowReport {
  SideShadow left, right;
  std::vector<std::optional<TruthFinding>> rows;  // as Comparison::rows
  // For the pair of outputs that is farthest from double; if none of them can be judged, for the
  // last row that can.
  std::optional<TruthFinding> farthest;
  bool of_outputs = false;
  // Distance of the outputs in double, relative to the size of their elements, in which rounding
  // plays no part. Nothing if they cannot be compared.
  std::optional<double> apart;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_IN_DOUBLE_SHADOW_H_
