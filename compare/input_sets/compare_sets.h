// Compares two models on several sets of made-up inputs, or searches for a set on which they
// differ.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_COMPARE_SETS_H_
#define ONNXCMP_COMPARE_INPUT_SETS_COMPARE_SETS_H_

#include <functional>
#include <limits>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "compare/compare.h"
#include "compare/outcome/comparison.h"
#include "compare/sides/side.h"
#include "feed/input_sets.h"

namespace onnxcmp {

struct SetsOptions {
  // Limit of the sets; ends earlier once a set exercised nothing new. Each has other numbers and
  // other sizes where the models leave them open, a batch of 1 among them.
  int sets = 4;
  // Duration of a search with zeros, ties, large and small numbers, lengths and masks at their
  // ends, longer axes, and mixtures.
  std::optional<absl::Duration> search;
  // The search ends after so many sets, so that it is the same each time.
  int most_searched = std::numeric_limits<int>::max();
  // Sizes are tried, too: those that run, and agree.
  bool sizes = false;
};

struct SetsResult {
  // The set that shows a difference, else the one with the greatest distance.
  Comparison comparison;
  FedInputs fed;
};

// The sides must be models; afterwards they have the inputs of the returned comparison. If the left
// cannot run on the first sizes, others are tried; if it runs on none, the first comparison is
// returned, with a note that lists the sizes tried.
absl::StatusOr<SetsResult> CompareSets(Side& left, Side& right, InputSets& inputs,
                                       const CompareOptions& options, const SetsOptions& sets);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_COMPARE_SETS_H_
