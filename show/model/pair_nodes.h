// Nodes of two models that belong together by structure alone: nothing is run.
#ifndef ONNXCMP_SHOW_MODEL_PAIR_NODES_H_
#define ONNXCMP_SHOW_MODEL_PAIR_NODES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "show/model/pair_difference.h"
#include "show/model/shown_model.h"

namespace onnxcmp {

enum class NodeRelation : uint8_t {
  kSame,       // operator, attributes, inputs and bodies agree
  kDifferent,  // the same operator with other attributes, inputs, bodies or types
  kLeftOnly,
  kRightOnly,
};

struct NodePair {
  int left = -1;  // nodes of the main graphs; -1: none
  int right = -1;
  NodeRelation relation = NodeRelation::kSame;
  std::string difference;  // "epsilon: 1e-05 | 0.01"; of kDifferent
};

// In the left's order, nodes of the right alone where they stand among their neighbours.
//
// Nodes pair by what they do and what is around them: those first that have the same operator,
// attributes, constants and a neighbourhood that stands once on either side, the larger the
// earlier; from there on from pair to pair along inputs and outputs of the same number; what is
// left by its operator and an output of the same name.
std::vector<NodePair> PairNodes(const ShownGraph& left, const ShownGraph& right);

// "output 0: y f32[4] | z f32[4]", "opset of ai.onnx: 18 | 11": how the models differ beside their
// nodes, by inputs, outputs, operator sets, and functions that are kept.
std::vector<EndDifference> ModelDifferences(const ShownModel& left, const ShownModel& right,
                                            const std::vector<NodePair>& pairs);

// "3 the same (=), 1 different (≠), 0 only left (-), 0 only right (+); beside the nodes 1
// difference"
std::string PairSummary(const std::vector<NodePair>& pairs,
                        const std::vector<EndDifference>& differences);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_MODEL_PAIR_NODES_H_
