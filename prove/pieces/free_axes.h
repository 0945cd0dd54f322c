// Axes along which nodes do the same everywhere, so that a few places stand for all.
#ifndef ONNXCMP_PROVE_PIECES_FREE_AXES_H_
#define ONNXCMP_PROVE_PIECES_FREE_AXES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The axes of tensors in classes. Places of joined axes are the same places. A class is free until
// one of its axes is fixed: no node mixes its places or tells them apart, and no constant has other
// numbers there. Then each element of a result is one function of elements at its own places, and
// a result with as many places as it has axes of the class has an element where all of them differ:
// what holds there holds for all elements.
class FreeAxes {
 public:
  using Axes = std::vector<int>;

  Axes Add(absl::Span<const int64_t> shape);
  // Axes of other sizes become fixed.
  void Join(int a, int b);
  void Fix(int axis) { fixed_[static_cast<size_t>(Root(axis))] = true; }
  void Fix(const Axes& axes) {
    for (const int axis : axes) Fix(axis);
  }
  int64_t size(int axis) const { return sizes_[static_cast<size_t>(axis)]; }
  bool IsFree(int axis) { return !fixed_[static_cast<size_t>(Root(axis))]; }
  // One place of this axis is enough, where no tensor has another axis of its class.
  void TakeOne(int axis) { ones_[static_cast<size_t>(Root(axis))] = true; }
  // The sizes that are enough, once all is joined.
  Shape EnoughOf(const Axes& axes);

 private:
  int Root(int axis);

  std::vector<int> parents_;
  std::vector<int64_t> sizes_;
  std::vector<bool> fixed_, ones_;  // by root
  std::vector<Axes> tensors_;
};

// A node with the axes of its values.
struct NodeAxes {
  const Node& node;
  std::vector<std::optional<FreeAxes::Axes>> inputs, outputs;  // nothing: left out
  // The whole numbers of an input that is a constant.
  absl::FunctionRef<std::optional<std::vector<int64_t>>(size_t)> integers;
  FreeAxes* axes;
};

// Joins the axes of a node's values, and fixes those whose places it mixes or tells apart: all, for
// an operator without a rule.
void JoinAxes(NodeAxes& node);

// True for operators that only move elements, of which there is a rule.
bool MovesElements(const Node& node);

// True for operators that keep the order of all elements: Reshape, Flatten, ...
bool IsReshape(const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_PIECES_FREE_AXES_H_
