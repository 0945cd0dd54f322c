// Fusions: groups of nodes that runtimes compute as one operator, as plain data.
#ifndef ONNXCMP_COMPARE_FUSIONS_FUSION_H_
#define ONNXCMP_COMPARE_FUSIONS_FUSION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/fusions/catalog/fusion_family.h"

namespace onnxcmp {

// Reasons why a runtime cannot compute a fusion as one operator.
enum class ObstacleKind : uint8_t {
  kQuantization,  // QuantizeLinear, DequantizeLinear or both, or an operator that rounds its result
  kCast,
  kReshape,    // Reshape, Squeeze, Unsqueeze, Flatten
  kTranspose,  //
  kIdentity,   // Identity, Dropout
  kReader,     // a node outside reads a result inside
  kOutput,     // a result inside is an output of the graph
};
absl::string_view ObstacleKindName(ObstacleKind kind);  // "Q/DQ", "Cast", "second reader", ...

struct FusionObstacle {
  ObstacleKind kind = ObstacleKind::kReader;
  // The nodes in the way, by name; none for kOutput; the readers for kReader.
  std::vector<std::string> nodes;
  std::string result;          // their input, or the result that is read
  std::string after;           // the fusion's node that makes that result
  std::string before;          // the fusion's next node; "": there is none
  std::string quantized;       // for kQuantization: the integers
  std::optional<double> sqnr;  // for kQuantization: local error in dB, on the other side's values
  std::optional<double> cost;  // and its effect on the other side's outputs, relative to them
};

struct Fusion {
  FusionFamily family = FusionFamily::kAttention;
  std::string form;  // "Gelu (erf)", "MatMul + bias + Relu"
  std::string path;  // path of the subgraph: "if_2[then_branch]"; "" in the main graph
  // Nodes in order, by name (NodeLabel). Only one: an operator that is the whole fusion.
  std::vector<std::string> nodes;
  std::vector<std::string> op_types;  // as many
  std::vector<std::string> inputs;    // results that it reads, each once, without constants
  std::vector<std::string> results;   // its own results: the earliest first, its output last
  // Copies of its output that later nodes lay out, round or cast.
  std::vector<std::string> copies;
  std::vector<FusionObstacle> obstacles;

  bool whole() const { return obstacles.empty(); }
  const std::string& output() const { return results.back(); }
};

// A pair of corresponding fusions of two sides; kNone where a side has none.
struct FusionPair {
  int left = -1;
  int right = -1;
  // For a fusion without a counterpart: some of its nodes are in other fusions, which have one.
  bool elsewhere = false;
};

struct FusionReport {
  std::vector<Fusion> left, right;  // in the order of their last nodes
  std::vector<FusionPair> pairs;    // in the left's order; those of the right alone after
  // Nodes that a quantizer has to leave alone so that fusions broken by Q/DQ on one side only
  // become whole: its nodes_to_exclude.
  std::vector<std::string> nodes_to_exclude;
  // The nodes for the fusions of each family alone, if there are any.
  std::vector<std::pair<FusionFamily, std::vector<std::string>>> exclude_by_family;
  std::vector<std::string> notes;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FUSIONS_FUSION_H_
