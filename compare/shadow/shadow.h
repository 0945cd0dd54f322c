// How far results are from what they are in double, and which side is nearer to it.
#ifndef ONNXCMP_COMPARE_SHADOW_SHADOW_H_
#define ONNXCMP_COMPARE_SHADOW_SHADOW_H_

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

// A floating result from the same in double. Infinite where one is NaN or infinite and the other is
// not; masks, which are so large that no type tells them from infinity, count as equal.
struct TruthDistance {
  double max_absolute = 0;
  double rms = 0;    // of the differences
  double scale = 0;  // of the elements in double, as ScaleOf() has it
  DType dtype = DType::kUndefined;

  double relative() const { return scale > 0 ? rms / scale : rms; }
};
// This and what follows: the pool may be null.
TruthDistance TruthDistanceOf(const Tensor& own, const Tensor& in_double,
                              const ThreadPool* pool = nullptr);
// Its max_absolute alone, for a fraction of the rest.
double GreatestTruthDistance(const Tensor& own, const Tensor& in_double,
                             const ThreadPool* pool = nullptr);

enum class Nearer : uint8_t { kLeft, kRight, kEqual };
absl::string_view NearerName(Nearer nearer);  // "left", "right", "equal"

// Which side of a pair is nearer to its own truth: by a factor of four, of root mean squares
// against the size of the elements, and beyond what the finer type rounds anyway.
struct TruthVerdict {
  Nearer nearer = Nearer::kEqual;
  double factor = 1;  // at least 1
  double left = 0;    // TruthDistance::relative()
  double right = 0;
};
TruthVerdict JudgeTruth(const TruthDistance& left, const TruthDistance& right);
// "the left is 4100 times nearer", "both are equally good".
std::string NearerText(const TruthVerdict& verdict);

// One side beside its run in double.
struct SideShadow {
  bool ran = false;     // a recording has no shadow
  absl::Status status;  // why the run in double ended early, or did not begin
  // By result; nothing where there is nothing to measure.
  std::vector<std::optional<TruthDistance>> distances;
  // By result: computed from what is another in double, so that its distance says nothing.
  std::vector<bool> misleading;
  // Results that are no floats and others in double, or of another shape: the first, and how many.
  std::string first_changed;
  int64_t changed = 0;
  // The first result that only one of both runs has: a loop runs longer, another branch is taken.
  std::string other_flow;
};

// Both sides, and what follows for the pairs of their results.
struct ShadowReport {
  SideShadow left, right;
  std::vector<std::optional<TruthVerdict>> rows;  // as Comparison::rows
  // Of the pair of outputs that is farthest from double; if none of them can be judged, of the last
  // row that can.
  std::optional<TruthVerdict> verdict;
  bool of_outputs = false;
  // How far the outputs in double are apart, against the size of their elements: what rounding has
  // no part in. Nothing if they cannot be compared.
  std::optional<double> apart;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SHADOW_SHADOW_H_
