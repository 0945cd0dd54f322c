// A recording as a side of a comparison: an .npz archive, a folder of .npy or .pb files, a
// .safetensors file, a model that holds nothing but constants. docs/formats.md describes them.
#ifndef ONNXCMP_COMPARE_SIDES_RECORDING_SIDE_H_
#define ONNXCMP_COMPARE_SIDES_RECORDING_SIDE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/inputs/feeds.h"
#include "compare/recordings/recorded_values.h"
#include "compare/sides/recorded_layout.h"
#include "compare/sides/side.h"
#include "compare/sides/side_summary.h"
#include "compare/streams/result_stream.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Values are read when they are looked at and not kept.
class RecordingSide : public Side {
 public:
  // `source`: the file or folder.
  RecordingSide(std::string source, std::unique_ptr<RecordedValues> values);

  // The values that were recorded as inputs, for the model on the other side.
  absl::StatusOr<std::vector<NamedValue>> RecordedInputs() override;

  const SideSummary& summary() const override { return summary_; }
  std::unique_ptr<RecordRun> StartRecord(const RecordOptions& options,
                                         RecordVisitor visit) override;
  absl::Status Revisit(const std::vector<bool>& wanted, Observer* watcher, Visitor visit) override;
  void SetLayout(int result, RecordedLayout layout) override;

 private:
  class Reading;
  ResultStream ReadAll(const RecordOptions& options, RecordVisitor visit);
  // The value of values_->results()[i]; an array of two bytes an element of a type without a name
  // is bfloat16.
  absl::StatusOr<Value> ReadResult(size_t i);

  std::unique_ptr<RecordedValues> values_;
  SideSummary summary_;
  std::vector<size_t> shown_;  // by result of the last Record(): index in values_
  absl::flat_hash_map<int, RecordedLayout> layouts_;  // by result of the last Record()
};

// Whether a path is surely a recording: a folder, or a file that begins as an archive, an array or
// tensors do. A model of constants is known only when it has been loaded.
bool LooksLikeRecording(const std::string& path);

// A recording or a model, whichever the path is. Only models have an evaluator().
absl::StatusOr<std::unique_ptr<Side>> OpenSide(const std::string& path, const OpRegistry& registry,
                                               const LoadOptions& load = {},
                                               const EvaluatorOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_RECORDING_SIDE_H_
