// Table of the purposes of operators' inputs, a row each.
#ifndef ONNXCMP_FEED_MADE_UP_PURPOSE_TABLE_H_
#define ONNXCMP_FEED_MADE_UP_PURPOSE_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "feed/made_up/input_purpose.h"

namespace onnxcmp {

// Source of the limit of an input's numbers.
enum class LimitKind : uint8_t {
  kNone,
  kAxis,       // the size of input `other` along `axis`
  kAxisOf,     // along the axis in the attribute `attribute`, `axis` by default
  kAttribute,  // the attribute itself
  kValue,      // the constant in that input
};

struct SlotPurpose {
  absl::string_view domain;
  absl::string_view op_type;
  size_t slot;
  Purpose purpose;
  LimitKind limit = LimitKind::kNone;
  size_t other = 0;  // the input that sets the limit
  int64_t axis = 0;
  absl::string_view attribute = {};
  // For small numbers.
  int64_t first = 0;
  int64_t rest = 0;
  int64_t step = 0;
  double fraction = 0;
};

// The rows of an operator; none if its inputs are numbers.
absl::Span<const SlotPurpose> SlotPurposesOf(absl::string_view domain, absl::string_view op_type);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_PURPOSE_TABLE_H_
