// What operators came to compute otherwise from one version to the next: rules, which no schema
// tells. Defaults that two versions both have stand in the schemas.
#ifndef ONNXCMP_COMPARE_OPERATORS_VERSION_CHANGES_H_
#define ONNXCMP_COMPARE_OPERATORS_VERSION_CHANGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

struct VersionChange {
  absl::string_view op_type;
  int64_t since;           // the version of ai.onnx that brought it
  absl::string_view rule;  // "coordinates are half_pixel by default, asymmetric before"
  // The newer node does what the older one did if it gives this attribute so; "" if none does that.
  absl::string_view attribute;
  absl::string_view as_before;
  // It matters only where the newer node gives this attribute so, or not at all; "": everywhere.
  absl::string_view only_with = "";
  absl::string_view value = "";
};

// By name and version.
absl::Span<const VersionChange> VersionChangeTable();

// A node, and since which version its operator is what it is.
struct VersionedNode {
  const Node& node;
  int64_t since;
};

// "from 11 on coordinates are half_pixel by default, asymmetric before": the changes between the
// two that may matter to them, oldest first. Upsample counts as the first Resize.
std::vector<std::string> VersionChangeTexts(const VersionedNode& left, const VersionedNode& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OPERATORS_VERSION_CHANGES_H_
