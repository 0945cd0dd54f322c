// The order of a recording, as far as it tells what a result cannot be.
#ifndef ONNXCMP_COMPARE_OUTPUTS_RECORDED_SEQUENCE_H_
#define ONNXCMP_COMPARE_OUTPUTS_RECORDED_SEQUENCE_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

class RecordedSequence {
 public:
  // `settled`: by the model's result, what was recorded of it. Both must outlive the object and
  // stay as they are.
  RecordedSequence(const ResultStream& model, const absl::flat_hash_map<int, int>& settled);

  // True if something computed from a result of the model had been recorded before a recorded
  // result, so that this is no further recording of the former. Never for recordings without order.
  bool IsPast(int result, int recorded);

 private:
  const ResultStream& model_;
  std::vector<std::pair<int, int>> settled_;  // recorded and the model's, in the recorded order
  const absl::flat_hash_map<int, int>& recorded_of_;  // by the model's result
  absl::flat_hash_map<int, int> first_after_;  // by the model's result: the first computed from it
  bool in_order_ = false;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTPUTS_RECORDED_SEQUENCE_H_
