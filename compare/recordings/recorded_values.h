// What a recording holds, whatever its form: named values, each read when it is asked for.
#ifndef ONNXCMP_COMPARE_RECORDINGS_RECORDED_VALUES_H_
#define ONNXCMP_COMPARE_RECORDINGS_RECORDED_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/recordings/recording.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class RecordedValues {
 public:
  virtual ~RecordedValues() = default;

  const std::vector<RecordedResult>& results() const { return results_; }
  // What was left out, and why.
  const std::vector<std::string>& notes() const { return notes_; }

  struct Read {
    Value value;
    bool opaque = false;  // see NpyArray
  };
  // The value of results()[index]. An error names the file.
  virtual absl::StatusOr<Read> ReadValue(size_t index) = 0;

 protected:
  std::vector<RecordedResult> results_;
  std::vector<std::string> notes_;
};

// An .npz archive: one that onnxcmp wrote, which describes itself, or any other. No array may take
// more than `max_tensor` bytes.
absl::StatusOr<std::unique_ptr<RecordedValues>> OpenArchive(const std::string& path,
                                                            int64_t max_tensor = kDefaultMaxTensor);

// One .npy file, or the .npy and .pb files of a folder. A .pb file is a serialized TensorProto,
// SequenceProto, OptionalProto or MapProto with its name in it; one without is called by its file,
// as arrays are. input_N and output_N, as ONNX's test data are called, are inputs and outputs.
// No array may take more than `max_tensor` bytes.
absl::StatusOr<std::unique_ptr<RecordedValues>> OpenValueFiles(
    const std::string& path, int64_t max_tensor = kDefaultMaxTensor);

// The name that a .pb file of a value says; "" if it says none.
absl::StatusOr<std::string> NameInValueFile(const std::string& path);

// A .safetensors file. Values stay in the mapped file.
absl::StatusOr<std::unique_ptr<RecordedValues>> OpenSafetensors(const std::string& path);

// Whether a model computes nothing: no inputs, no nodes but constants and those that hand them on
// or put them into sequences.
bool HoldsConstantsOnly(const Graph& graph);

// The values of such a model, called by its outputs; constants that no output shows by themselves.
// Outputs whose names spell a nesting (nested_name.h) get readable ones.
absl::StatusOr<std::unique_ptr<RecordedValues>> ConstantsOf(const Evaluator& evaluator);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDINGS_RECORDED_VALUES_H_
