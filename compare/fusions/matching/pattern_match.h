// Finds a pattern in a graph.
#ifndef ONNXCMP_COMPARE_FUSIONS_MATCHING_PATTERN_MATCH_H_
#define ONNXCMP_COMPARE_FUSIONS_MATCHING_PATTERN_MATCH_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compare/fusions/matching/fusion_graph.h"
#include "compare/fusions/matching/pattern.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Nodes by number.
struct PatternMatch {
  std::set<int> nodes;               // the pattern's
  std::set<int> obstacles;           // nodes that were looked through
  std::set<int> exposed;             // values that may be read from outside
  std::map<std::string, int> bound;  // values by the pattern's variables
};

// True if a node is the quantized form of a standard operator and rounds its result: QLinearMatMul.
bool RoundsItsResult(const Node& node);

// The matches whose result is the first output of node `root`, at most a handful; those with the
// fewest obstacles first, then those with the most nodes.
std::vector<PatternMatch> MatchPattern(const FusionGraph& graph, const Pattern& pattern, int root);

// Adds the operators that may make the pattern's result.
void CollectRootOperators(const Pattern& pattern, std::set<std::string>* operators);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FUSIONS_MATCHING_PATTERN_MATCH_H_
