// Changes of operators' results from one version to the next: rules that no schema contains.
// Schemas have the defaults of attributes that both versions share.
#ifndef ONNXCMP_RECORD_OPERATORS_VERSION_CHANGES_H_
#define ONNXCMP_RECORD_OPERATORS_VERSION_CHANGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

struct VersionChange {
  absl::string_view op_type;
  int64_t since;           // the version of ai.onnx that introduced it
  absl::string_view rule;  // "coordinates are half_pixel by default, asymmetric before"
  // The value of this attribute with which the newer node behaves like the older one; "" if there
  // is none.
  absl::string_view attribute;
  absl::string_view as_before;
  // It matters only if the newer node sets this attribute to this value, or not at all; "": always.
  absl::string_view only_with = "";
  absl::string_view value = "";
  bool but_for_last_axis = false;  // it does not matter if both nodes give -1 as axis
};

// By name and version.
absl::Span<const VersionChange> VersionChangeTable();

// A node, and the version that introduced its operator's present behaviour.
struct VersionedNode {
  const Node& node;
  int64_t since;
};

// "from 11 on coordinates are half_pixel by default, asymmetric before": the changes between the
// two that may matter to them, oldest first. Upsample counts as the first Resize.
std::vector<std::string> VersionChangeTexts(const VersionedNode& left, const VersionedNode& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_OPERATORS_VERSION_CHANGES_H_
