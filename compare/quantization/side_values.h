// All values of a side's main graph, and the numbers that quantized ones stand for.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_SIDE_VALUES_H_
#define ONNXCMP_COMPARE_QUANTIZATION_SIDE_VALUES_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compare/quantization/dequantized_view.h"
#include "compare/quantization/quant_params.h"
#include "compare/sides/pair_values.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

class SideValues {
 public:
  // Runs the side again for values that were not kept. The recorded side and the pool must outlive
  // the object; the pool may be null.
  static absl::StatusOr<std::unique_ptr<SideValues>> Get(const RecordedSide& side,
                                                         absl::string_view run,
                                                         const PairValues::Watch& watch,
                                                         const ThreadPool* pool);

  const SideGraph& graph() const { return graph_; }
  const QuantParamsByResult& all_params() const { return params_; }
  const Value& value(int r) const { return values_[Index(r)]; }
  // True for results that depend on constants alone.
  bool IsFixed(int r) const { return fixed_[Index(r)]; }

  // Quantization parameters in numbers; nothing if the result has none.
  std::optional<QuantParamValues> QuantParamsOf(int r) const {
    return QuantParamsOf(r, params_.of(r));
  }
  std::optional<QuantParamValues> QuantParamsOf(int r,
                                                const std::optional<QuantParams>& params) const;
  // A value of result r in reals: floats as they are, integers dequantized. Nothing for strings,
  // booleans, and integers without a scale.
  std::optional<DequantizedView> RealsOf(int r, const Value& value) const;
  // Numbers in a result's type and shape, integers rounded with its quantization parameters. Empty
  // if that is impossible.
  Value InFormOf(int r, const DequantizedView& reals) const;
  // The result's own value.
  std::optional<DequantizedView> RealsOf(int r) const { return RealsOf(r, value(r)); }
  const ThreadPool* pool() const { return pool_; }

 private:
  SideValues(const RecordedSide& side, const ThreadPool* pool);

  SideGraph graph_;
  QuantParamsByResult params_;
  std::vector<Value> values_;  // by result
  std::vector<bool> fixed_;
  const ThreadPool* pool_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_SIDE_VALUES_H_
