// Cuts the two regions of a cause out of their models.
#ifndef ONNXCMP_COMPARE_REPRO_MAKE_REPRO_H_
#define ONNXCMP_COMPARE_REPRO_MAKE_REPRO_H_

#include "absl/status/statusor.h"
#include "compare/causes/cause.h"
#include "compare/causes/causes.h"
#include "compare/causes/repro.h"

namespace onnxcmp {

// Of a cause that a search has named. The regions end at the result that was judged; of a constant
// or an input that differs, at the first result after it that both sides have, best at one that
// shows the difference: then both models have it as a constant.
//
// An error says why it cannot be: nothing that both sides have reads the constant, a region is
// longer than any that is worth looking at, a value is missing.
absl::StatusOr<Repro> MakeRepro(const FoundCause& found, const Cause& cause);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPRO_MAKE_REPRO_H_
