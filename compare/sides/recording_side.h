// A recording as a side of a comparison: values in a file or folder of any format that
// OpenRecording() reads, or a model of constants alone. docs/formats.md describes them.
#ifndef ONNXCMP_COMPARE_SIDES_RECORDING_SIDE_H_
#define ONNXCMP_COMPARE_SIDES_RECORDING_SIDE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/sides/recorded_layout.h"
#include "compare/sides/side.h"
#include "compare/sides/side_summary.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"
#include "feed/feeds.h"
#include "record/recordings/recorded_values.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Values are read on demand and not kept.
class RecordingSide : public Side {
 public:
  // `source`: the file or folder.
  RecordingSide(std::string source, std::unique_ptr<RecordedValues> values);
  // There is at least one set.
  RecordingSide(std::string source, std::vector<RecordedSet> sets);

  int64_t sets() const override { return static_cast<int64_t>(sets_.size()); }
  void ChooseSet(int64_t set) override;
  std::string SetName() const override { return sets_[set_].name; }
  // The values that were recorded as inputs. If the recording does not mark inputs, the values with
  // the name, type and shape of an input of the model that has no default.
  absl::StatusOr<InputsOfRecording> RecordedInputs(const Graph& model) override;

  const SideSummary& summary() const override { return summary_; }
  std::unique_ptr<RecordRun> StartRecord(const RecordOptions& options,
                                         RecordVisitor visit) override;
  absl::Status Revisit(const std::vector<bool>& wanted, Observer* watcher, Visitor visit) override;
  void SetLayout(int result, RecordedLayout layout) override;

  // The chosen set.
  RecordedValues& values() { return *sets_[set_].values; }
  // The value of values().results()[i]; two-byte elements of a type without a name are bfloat16.
  absl::StatusOr<Value> ReadResult(size_t i);

 private:
  class Reading;
  ResultStream ReadAll(const RecordOptions& options, RecordVisitor visit);
  void Choose(size_t set);

  std::vector<RecordedSet> sets_;
  size_t set_ = 0;
  SideSummary summary_;
  std::vector<bool> are_inputs_;  // by index in values(), for values that are called results
  std::vector<size_t> shown_;     // by result of the last Record(): index in values()
  absl::flat_hash_map<int, RecordedLayout> layouts_;  // by result of the last Record()
};

// A recording or a model, depending on the path. Only models have an evaluator().
absl::StatusOr<std::unique_ptr<Side>> OpenSide(const std::string& path, const OpRegistry& registry,
                                               const LoadOptions& load = {},
                                               const EvaluatorOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_RECORDING_SIDE_H_
