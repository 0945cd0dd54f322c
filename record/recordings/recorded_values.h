// The values of a recording in any format: named, each read on demand.
#ifndef ONNXCMP_RECORD_RECORDINGS_RECORDED_VALUES_H_
#define ONNXCMP_RECORD_RECORDINGS_RECORDED_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "record/recordings/recording.h"

namespace onnxcmp {

class RecordedValues {
 public:
  virtual ~RecordedValues() = default;

  const std::vector<RecordedResult>& results() const { return results_; }
  // Parts that were left out, and why.
  const std::vector<std::string>& notes() const { return notes_; }
  // True if the recording marks inputs and outputs. If not, kinds mean nothing.
  bool described() const { return described_; }

  struct Read {
    Value value;
    bool opaque = false;  // see NpyArray
  };
  // The value of results()[index]. An error names the file.
  virtual absl::StatusOr<Read> ReadValue(size_t index) = 0;

 protected:
  std::vector<RecordedResult> results_;
  std::vector<std::string> notes_;
  bool described_ = false;
};

// One set of results, those of one run.
struct RecordedSet {
  std::string name;  // "test_data_set_0"; "" if it is the only one
  std::unique_ptr<RecordedValues> values;
};

// A recording in any of the formats below. There is at least one set; there are several in a folder
// of test_data_set_N or of archives, and in a Polygraphy file of several iterations.
// InvalidArgument, with a description of the file, if it holds no values.
absl::StatusOr<std::vector<RecordedSet>> OpenRecording(const std::string& path,
                                                       int64_t max_tensor = kDefaultMaxTensor);
// True if a path is certainly no model: a folder, or a file that begins like another format. A
// model of constants is recognized only after loading.
bool LooksLikeRecording(const std::string& path);

// An .npz archive: one by onnxcmp, which has a description, or any other. No array may take more
// than `max_tensor` bytes.
absl::StatusOr<std::unique_ptr<RecordedValues>> OpenArchive(const std::string& path,
                                                            int64_t max_tensor = kDefaultMaxTensor);

// One file of a value, or those of a folder: .npy arrays, and serialized TensorProtos,
// SequenceProtos, OptionalProtos and MapProtos with any file name (.pb, .tensorproto), named by the
// name in them; without one they are named by their file, as arrays are. input_N and output_N, the
// names of ONNX's test data, are inputs and outputs. A note lists other files in the folder. No
// array may take more than `max_tensor` bytes.
absl::StatusOr<std::unique_ptr<RecordedValues>> OpenValueFiles(
    const std::string& path, int64_t max_tensor = kDefaultMaxTensor);

// A .safetensors file. Values stay in the mapped file.
absl::StatusOr<std::unique_ptr<RecordedValues>> OpenSafetensors(const std::string& path);

// Polygraphy's JSON: --save-outputs, or --save-inputs, with a set for each iteration.
absl::StatusOr<std::vector<RecordedSet>> OpenPolygraphy(const std::string& path,
                                                        int64_t max_tensor = kDefaultMaxTensor);

// A value that a caller has, without a file.
struct ValueInMemory {
  RecordedResult result;
  Value value;
  bool opaque = false;  // see NpyArray
};
// `described`: kinds mean something.
std::unique_ptr<RecordedValues> RecordValuesInMemory(std::vector<ValueInMemory> values,
                                                     bool described);

// True if a model computes nothing: it has no inputs, and only nodes that are constants, pass them
// on or join them to sequences.
bool HoldsConstantsOnly(const Graph& graph);

// The values of such a model, named by its outputs, and constants that are in no output. Outputs
// whose names encode a nesting (nested_name.h) get readable names.
absl::StatusOr<std::unique_ptr<RecordedValues>> ConstantsOf(const Evaluator& evaluator);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RECORDINGS_RECORDED_VALUES_H_
