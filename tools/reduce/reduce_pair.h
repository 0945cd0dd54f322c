// The smallest parts of two models whose outputs still differ.
#ifndef ONNXCMP_TOOLS_REDUCE_REDUCE_PAIR_H_
#define ONNXCMP_TOOLS_REDUCE_REDUCE_PAIR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/differences/tolerance.h"
#include "tools/parts/known_model.h"
#include "tools/parts/part.h"
#include "tools/parts/part_pair.h"

namespace onnxcmp {

struct PairReductionOptions {
  KnownModelOptions model;
  bool bits = false;  // other bits are a difference
};

// Results that belong together, as a comparison of the whole models measured them.
struct MeasuredPair {
  NamePair names;
  bool differs = false;
  Tolerance tolerance;
};

struct ReducedPair {
  PerSide<FedModel> parts;
  NamePair output;
  PerSide<Value> values;   // of the output
  std::string difference;  // in words
  PerSide<int> nodes_before;
  int64_t runs = 0;  // of pairs of parts
};

// `pairs`: in the left's order; outputs among them. Of the pairs that differ and that an output
// which differs depends on, the one is kept that the fewest nodes before it make differ, fed with
// the left's values. NotFound if no output differs.
absl::StatusOr<ReducedPair> ReducePair(const PerSide<const KnownModel*>& known,
                                       const std::vector<MeasuredPair>& pairs,
                                       const OpRegistry& registry,
                                       const PairReductionOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_REDUCE_PAIR_H_
