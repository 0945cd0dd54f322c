// How far apart the two results of a pair may be, and why. docs/tolerances.md argues the rules.
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
#include "compare/differences/tolerance.h"
#include "compare/streams/result_stream.h"
#include "compare/tolerances/lineage.h"

namespace onnxcmp {

struct PairTolerance {
  Tolerances tolerances;
  // In words: "float16 products on the right", "float32", "indices, which are exact", "--rtol".
  std::string why;
  // That of the results' own types, where what came before them widened it: what they may be apart
  // without any other reason.
  std::optional<Tolerances> own;
};

// Of two streams that are aligned. A pair may be as far apart as the least precise type allows in
// which a difference arose on either way to it: what has the same bits on both sides inherits
// nothing. Numbers that are discrete are exact, whatever came before them.
class PairTolerances {
 public:
  // The streams and the options must outlive the object. The alignment is read here alone: pairs
  // that are added to it later change nothing.
  PairTolerances(const ResultStream& left, const ResultStream& right, const Alignment& alignment,
                 const ToleranceOptions& options);

  PairTolerance Of(int left, int right) const;

  // From here on floats may be as far apart as this, too, `why` saying what has been found out.
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

// What the options say of results of these names; of several the widest.
std::optional<Tolerance> NamedTolerance(const ToleranceOptions& options,
                                        absl::Span<const std::string> names);

// Adds "NAME=RTOL,ATOL" to `by_name`. The name may hold '='. InvalidArgument if it is not one.
absl::Status AddNamedTolerance(absl::string_view text, ToleranceOptions* options);

// The same tolerances by the whole names that are meant (MeantName).
absl::StatusOr<ToleranceOptions> WithWholeNames(const ToleranceOptions& options,
                                                absl::Span<const std::string> names,
                                                absl::string_view what);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_TOLERANCES_PAIR_TOLERANCE_H_
