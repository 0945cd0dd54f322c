// Tolerances of pairs, and their reasons. docs/tolerances.md justifies the rules.
#ifndef ONNXCMP_COMPARE_TOLERANCES_PAIR_TOLERANCE_H_
#define ONNXCMP_COMPARE_TOLERANCES_PAIR_TOLERANCE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/tolerances/lineage.h"
#include "record/differences/tolerance.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct PairTolerance {
  Tolerances tolerances;
  // In words: "float16 products on the right", "float32", "indices, which are exact", "--rtol".
  std::string why;
  // The tolerance of the results' own types, if earlier results widened it: their limit without any
  // other reason.
  std::optional<Tolerances> own;
};

// For two aligned streams. The tolerance of a pair is that of the least precise type in which a
// difference arose on either way to it: nothing propagates from results with the same bits on both
// sides. Discrete numbers are exact, whatever comes before them.
class PairTolerances {
 public:
  // The streams and the options must outlive the object. The alignment is read only here: later
  // changes have no effect.
  PairTolerances(const ResultStream& left, const ResultStream& right, const Alignment& alignment,
                 const ToleranceOptions& options);

  PairTolerance Of(int left, int right) const;

  // From here on floats may differ by this, too; `why` is the reason.
  void Allow(const Tolerance& tolerance, std::string why);

 private:
  const ResultStream& left_;
  const ResultStream& right_;
  const ToleranceOptions& options_;
  std::vector<Lineage> left_lineages_;
  std::vector<Lineage> right_lineages_;
  Tolerance allowed_;
  std::string why_allowed_;
};

// The tolerance of the options for results of these names; the widest of several.
std::optional<Tolerance> NamedTolerance(const ToleranceOptions& options,
                                        absl::Span<const std::string> names);

// Adds "NAME=RTOL,ATOL" to `by_name`. The name may contain '='. InvalidArgument if the text is
// malformed.
absl::Status AddNamedTolerance(absl::string_view text, ToleranceOptions* options);

// The same tolerances by the full names that are meant (MeantName).
absl::StatusOr<ToleranceOptions> WithWholeNames(const ToleranceOptions& options,
                                                absl::Span<const std::string> names,
                                                absl::string_view what);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_TOLERANCES_PAIR_TOLERANCE_H_
