// The pairs of results that are measured on every sample, and what a run has to show for that.
#ifndef ONNXCMP_SAMPLES_MEASURED_PAIRS_H_
#define ONNXCMP_SAMPLES_MEASURED_PAIRS_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "compare/outcome/comparison.h"
#include "compare/quantization/dequantized_view.h"
#include "compare/quantization/quant_params.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/side.h"
#include "record/base/per_side.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

class MeasuredPairs {
 public:
  // Of the sides' last comparison; all must outlive the object.
  MeasuredPairs(const PerSide<Side*>& sides, const Comparison& comparison);

  // Pairs of computed results in the order of the right's run, without outputs and without those
  // that constants alone decide, and the layers of a quantized side; the pairs of outputs.
  const std::vector<ResultPair>& layers() const { return layers_; }
  const std::vector<ResultPair>& outputs() const { return outputs_; }
  // Pairs that are left out: their elements are in another order.
  int64_t left_out() const { return left_out_; }
  const SideGraph& graph(SideId side) const { return *graphs_[side]; }

  // The values of one side's pairs, and of their scales and zero points, of a run on the side's
  // present feeds.
  using Values = absl::node_hash_map<int, Value>;
  absl::StatusOr<Values> Run(SideId side, const PairValues::Watch& watch) const;

  // The numbers that a result stands for in such a run; nothing for strings and what is missing.
  std::optional<DequantizedView> RealsOf(SideId side, int result, const Values& values) const;

 private:
  void Want(SideId side, int result);
  void AddQuantized(const QuantizationReport& report);

  PerSide<Side*> sides_;
  PerSide<const ResultStream*> streams_;
  PerSide<std::unique_ptr<SideGraph>> graphs_;
  PerSide<std::unique_ptr<QuantParamsByResult>> params_;
  PerSide<std::vector<bool>> wanted_;  // by result
  std::vector<ResultPair> layers_, outputs_;
  int64_t left_out_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_MEASURED_PAIRS_H_
