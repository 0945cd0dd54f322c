// How two graphs differ whose nodes are matched, and how the nodes of a pair do.
#ifndef ONNXCMP_SHOW_MODEL_PAIR_DIFFERENCE_H_
#define ONNXCMP_SHOW_MODEL_PAIR_DIFFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "show/model/match_nodes.h"
#include "show/model/shown_model.h"

namespace onnxcmp {

// "output 0: y f32[4] | z f32[4]"
struct EndDifference {
  enum class End : uint8_t { kInput, kOutput, kNone };
  End end = End::kNone;
  size_t number = 0;  // of the input, among those that have to be given, or of the output
  std::string text;
};

class PairDifference {
 public:
  // Inputs of models belong together by name, those of bodies and functions by place.
  enum class Inputs : uint8_t { kByName, kByPlace };

  // `outer` is of the graphs whose nodes have these as bodies: these may read what stands there.
  PairDifference(const ShownGraph& left, const ShownGraph& right, NodeMatches matches,
                 Inputs inputs, const PairDifference* outer = nullptr);

  // "axis: 1 | 0; input 1: x | z", of a pair: attributes, what they read, bodies, types. "" if
  // nothing differs.
  std::string OfNodes(int l, int r) const;

  // Differences of inputs and outputs of the graphs.
  std::vector<EndDifference> OfEnds() const;

  // All that differs, nodes that have no partner included.
  std::vector<std::string> All() const;

 private:
  // Where a value comes from.
  struct Origin {
    enum class Kind : uint8_t { kUnknown, kConstant, kInput, kNode };
    Kind kind = Kind::kUnknown;
    int number = -1;    // of the input or the node
    size_t output = 0;  // of the node
    const ShownConstant* constant = nullptr;
    const PairDifference* graph = nullptr;
  };
  using Origins = absl::flat_hash_map<std::string, Origin>;

  Origins OriginsIn(const ShownGraph& graph) const;
  void MatchInputs(Inputs inputs);
  Origin LeftOrigin(const std::string& name) const;
  Origin RightOrigin(const std::string& name) const;
  bool LeftIsLone(const std::string& name) const;
  bool RightIsLone(const std::string& name) const;
  bool Same(const std::string& left, const std::string& right) const;

  using Parts = std::vector<std::string>;
  void Input(const ShownNode& ours, const ShownNode& theirs, size_t slot, Parts* parts) const;
  void InputsInAnyOrder(const ShownNode& ours, const ShownNode& theirs, Parts* parts) const;
  void Bodies(const ShownNode& ours, const ShownNode& theirs, Parts* parts) const;
  void Types(const ShownNode& ours, const ShownNode& theirs, Parts* parts) const;
  void InputEnds(std::vector<EndDifference>* found) const;
  void OutputEnds(std::vector<EndDifference>* found) const;

  const ShownGraph& left_;
  const ShownGraph& right_;
  const NodeMatches matches_;
  const PairDifference* const outer_;
  const bool named_ends_;
  const Origins left_origins_;
  const Origins right_origins_;
  std::vector<int> right_input_of_;  // by the left's input; -1: none
};

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_MODEL_PAIR_DIFFERENCE_H_
