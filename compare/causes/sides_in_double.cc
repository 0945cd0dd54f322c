#include "compare/causes/sides_in_double.h"

#include <utility>

#include "compare/in_double/shadow.h"

namespace onnxcmp {

const SideGraph* SidesInDouble::Graph(SideId side) {
  Shadow& shadow = shadows_[side];
  if (!shadow.tried && evaluators_[side] != nullptr) {
    absl::StatusOr<Evaluator> in_double = evaluators_[side]->InDouble();
    if (in_double.ok()) {
      shadow.evaluator.emplace(*std::move(in_double));
      shadow.graph.emplace(graphs_[side]->stream(), &*shadow.evaluator);
    }
  }
  shadow.tried = true;
  return shadow.graph.has_value() ? &*shadow.graph : nullptr;
}

bool StaysApart(const PerSide<Tensor>& own, const PerSide<Tensor>& in_double,
                const ThreadPool* pool) {
  if (own.left.num_elements() != own.right.num_elements() ||
      in_double.left.num_elements() != in_double.right.num_elements()) {
    return false;
  }
  const double apart = GreatestTruthDistance(own.right, own.left, pool);
  return apart > 0 && GreatestTruthDistance(in_double.right, in_double.left, pool) >= 0.5 * apart;
}

}  // namespace onnxcmp
