// Finds values that count along an axis: 0, 1, 2, ...
#ifndef ONNXCMP_FEED_MADE_UP_ARANGE_H_
#define ONNXCMP_FEED_MADE_UP_ARANGE_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "feed/made_up/traced_size.h"
#include "record/graphs/graph_scope.h"

namespace onnxcmp {

// The end of the count; neither a number nor a dimension if its origin is lost. Nothing if the
// value is not known to count.
std::optional<TracedSize> CountsUpTo(const GraphScope& scope, absl::string_view name);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_ARANGE_H_
