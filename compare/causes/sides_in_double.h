// Computes results of both sides in double, from the same values.
#ifndef ONNXCMP_COMPARE_CAUSES_SIDES_IN_DOUBLE_H_
#define ONNXCMP_COMPARE_CAUSES_SIDES_IN_DOUBLE_H_

#include <optional>

#include "evaluator/base/thread_pool.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/per_side.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// Two sides whose nodes run in double on demand.
class SidesInDouble {
 public:
  // The evaluators and streams must outlive the object; a null evaluator runs nothing.
  SidesInDouble(const PerSide<const SideGraph*>& graphs,
                const PerSide<const Evaluator*>& evaluators)
      : graphs_(graphs), evaluators_(evaluators) {}

  // Null if the side cannot run in double.
  const SideGraph* Graph(SideId side);

 private:
  struct Shadow {
    bool tried = false;
    std::optional<Evaluator> evaluator;
    std::optional<SideGraph> graph;
  };

  PerSide<const SideGraph*> graphs_;
  PerSide<const Evaluator*> evaluators_;
  PerSide<Shadow> shadows_;
};

// True if two results differ in double at least half as much as in their own types, so that
// rounding plays no part. False if they do not fit. The pool may be null.
bool StaysApart(const PerSide<Tensor>& own, const PerSide<Tensor>& in_double,
                const ThreadPool* pool);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_SIDES_IN_DOUBLE_H_
