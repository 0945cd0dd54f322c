// Cuts the two regions of a cause out of their models.
#ifndef ONNXCMP_COMPARE_CAUSES_REPRO_MAKE_REPRO_H_
#define ONNXCMP_COMPARE_CAUSES_REPRO_MAKE_REPRO_H_

#include "absl/status/statusor.h"
#include "compare/causes/cause.h"
#include "compare/causes/causes.h"
#include "compare/causes/repro.h"

namespace onnxcmp {

// Makes the repro of a named cause. The regions end at the judged result; for a constant or an
// input that differs, at the first result after it that both sides have, preferably one that shows
// the difference: then both models have it as a constant.
//
// An error has the reason why there is none: no common result depends on the constant, a region is
// too long to be useful, a value is missing.
absl::StatusOr<Repro> MakeRepro(const FoundCause& found, const Cause& cause);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPRO_MAKE_REPRO_H_
