// Leaves of trees and keys of encoders that inputs have reached.
#ifndef ONNXCMP_FEED_COVERAGE_REACHED_PARTS_H_
#define ONNXCMP_FEED_COVERAGE_REACHED_PARTS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"

namespace onnxcmp {

// The parts of one node that all runs together reached.
struct ReachedParts {
  absl::string_view word;     // "leaves", "keys"
  std::vector<bool> reached;  // empty: that is not known

  // "12 of 64 leaves were not reached"; "" if all were.
  std::string MissingText() const;
};

// By the name of the node's first output, the path before it.
using PartsOfNodes = absl::flat_hash_map<std::string, ReachedParts>;

// True if a graph, or one inside it, has nodes with such parts.
bool HasParts(const Graph& graph);

// Runs the model once more to see what goes into them.
void AddReachedParts(const Evaluator& evaluator, const Feeds& feeds, PartsOfNodes* parts);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_COVERAGE_REACHED_PARTS_H_
