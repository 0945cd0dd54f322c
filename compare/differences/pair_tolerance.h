// How far apart the two results of a pair may be.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_PAIR_TOLERANCE_H_
#define ONNXCMP_COMPARE_DIFFERENCES_PAIR_TOLERANCE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/differences/value_difference.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

// By the least precise type that either value, or what it was computed from, passed through, unless
// the options say otherwise. docs/formats.md has the table.
Tolerance ToleranceOf(const StreamResult& left, const StreamResult& right,
                      const ToleranceOptions& options);

// What the options say of results of these names; of several the widest.
std::optional<Tolerance> NamedTolerance(const ToleranceOptions& options,
                                        absl::Span<const std::string> names);

// Adds "NAME=RTOL,ATOL" to `by_name`. The name may hold '='. InvalidArgument if it is none.
absl::Status AddNamedTolerance(absl::string_view text, ToleranceOptions* options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_PAIR_TOLERANCE_H_
