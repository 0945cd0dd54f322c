// Traces the size of a value along an axis to its origin.
#ifndef ONNXCMP_FEED_MADE_UP_TRACED_SIZE_H_
#define ONNXCMP_FEED_MADE_UP_TRACED_SIZE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "feed/made_up/input_purpose.h"
#include "record/graphs/graph_scope.h"

namespace onnxcmp {

// A fixed size, or an input's dimension.
struct TracedSize {
  std::optional<int64_t> fixed;
  std::optional<InputDim> dim;
};

// Follows products, lookups and nodes that leave an axis in its place. A negative axis counts from
// the end. Nothing if the origin is lost.
std::optional<TracedSize> SizeAlong(const GraphScope& scope, absl::string_view name, int64_t axis);

// A constant that is passed on, possibly cast; null if there is none.
const Tensor* TableIn(const GraphScope& scope, absl::string_view name);

// The least size of a constant's axes, in which each index of a tuple stays.
std::optional<int64_t> LeastDim(const GraphScope& scope, absl::string_view table);

// True if the tuples that a GatherND or ScatterND reads hold a single index; if these select whole
// rows of its data.
bool OneIndexEach(const GraphScope& scope, const Node& node);
bool SelectsRows(const GraphScope& scope, const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_TRACED_SIZE_H_
