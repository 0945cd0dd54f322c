// Names as people give them: whole, or their ends.
#ifndef ONNXCMP_COMPARE_TEXT_MEANT_NAME_H_
#define ONNXCMP_COMPARE_TEXT_MEANT_NAME_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnxcmp {

// Which of the names is meant: one that is equal, else the only one that ends so. NotFound, with
// the nearest names, or InvalidArgument, with those that end so. `what` says in errors what has the
// names ("results of the left side").
absl::StatusOr<std::string> MeantName(absl::string_view given, absl::Span<const std::string> names,
                                      absl::string_view what);

// Up to three of the names that are most like the one given, as "; did you mean a, b?"; "" if none
// is like it.
std::string DidYouMean(absl::string_view given, absl::Span<const std::string> names);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_TEXT_MEANT_NAME_H_
