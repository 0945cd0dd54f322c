// Resolves names that users give: full names, or their ends.
#ifndef ONNXCMP_RECORD_TEXT_MEANT_NAME_H_
#define ONNXCMP_RECORD_TEXT_MEANT_NAME_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnxcmp {

// The name that `given` refers to: an equal one, else the only one with that end. NotFound, with
// the nearest names, or InvalidArgument, with all that have that end. `what` describes the owner of
// the names in errors ("results of the left side").
absl::StatusOr<std::string> MeantName(absl::string_view given, absl::Span<const std::string> names,
                                      absl::string_view what);

// Up to three of the most similar names, as "; did you mean a, b?"; "" if none is similar.
std::string DidYouMean(absl::string_view given, absl::Span<const std::string> names);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_TEXT_MEANT_NAME_H_
