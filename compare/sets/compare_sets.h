// Compares two models on inputs that are made up: on several sets of them, and on as many as it
// takes to find one on which they differ.
#ifndef ONNXCMP_COMPARE_SETS_COMPARE_SETS_H_
#define ONNXCMP_COMPARE_SETS_COMPARE_SETS_H_

#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "compare/compare.h"
#include "compare/comparison/comparison.h"
#include "compare/inputs/input_sets.h"
#include "compare/sides/side.h"

namespace onnxcmp {

struct SetsOptions {
  // At most as many, and no more once one exercised nothing new. Each has other numbers and other
  // sizes where the models leave them open, a batch of 1 among them.
  int sets = 4;
  // Goes on for that long with zeros, ties, large and small numbers, lengths and masks at their
  // ends, longer axes, and mixtures.
  std::optional<absl::Duration> search;
  // Which sizes run, and agree, is tried as well.
  bool sizes = false;
};

struct SetsResult {
  // Of the set that shows a difference, else of the one that is the least alike.
  Comparison comparison;
  FedInputs fed;
};

// The sides are models, and are left with the inputs of the comparison that is given. Where the
// left cannot run on the first sizes others are tried; if it can run on none, the comparison is the
// first one's, with a note that lists what was tried.
absl::StatusOr<SetsResult> CompareSets(Side& left, Side& right, InputSets& inputs,
                                       const CompareOptions& options, const SetsOptions& sets);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SETS_COMPARE_SETS_H_
