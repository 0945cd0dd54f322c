// The nodes of both models around a pair of results.
#ifndef ONNXCMP_REPORTS_SVG_GRAPHS_AROUND_H_
#define ONNXCMP_REPORTS_SVG_GRAPHS_AROUND_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/outcome/comparison.h"
#include "compare/outputs/compared_row.h"
#include "record/base/per_side.h"
#include "reports/layout/layered_layout.h"

namespace onnxcmp {

// A node, an input, an output, or a constant that differs.
struct BoxAround {
  Relation relation = Relation::kSame;
  bool is_node = false;
  bool is_cause = false;
  int64_t more_readers = 0;        // that are not drawn
  std::string error;               // "≠ 0.044"
  std::vector<std::string> lines;  // the operator, the name, the type
};

struct GraphAround {
  std::vector<BoxAround> boxes;  // in the order of the run
  std::vector<LayoutLine> lines;
};

struct GraphsAround {
  PerSide<GraphAround> sides;
  std::vector<LayoutLine> pairs;  // boxes of the left, of the right
};

// The boxes within two steps of these results, `most` of a side at most. Either may be kNone.
GraphsAround AroundPair(const Comparison& comparison, int left, int right, size_t most);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_SVG_GRAPHS_AROUND_H_
