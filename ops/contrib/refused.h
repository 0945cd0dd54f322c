// Operators that onnxruntime knows and that cannot be evaluated here, with the reason.
#ifndef ONNXCMP_OPS_CONTRIB_REFUSED_H_
#define ONNXCMP_OPS_CONTRIB_REFUSED_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnxcmp {

struct RefusedOperator {
  absl::string_view domain;
  absl::string_view op_type;
  int version;
  absl::string_view reason;  // "it ...", the operator being "it"
};

absl::Span<const RefusedOperator> RefusedOperators();

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_REFUSED_H_
