// The order of a recording, which excludes partners of a result.
#ifndef ONNXCMP_COMPARE_RECORDED_SEQUENCE_H_
#define ONNXCMP_COMPARE_RECORDED_SEQUENCE_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

class RecordedSequence {
 public:
  // `settled`: by the model's result, its recorded result. Both must outlive the object and not
  // change.
  RecordedSequence(const ResultStream& model, const absl::flat_hash_map<int, int>& settled);

  // True if a result computed from `result` was recorded before `recorded`, so that `recorded` is
  // no further recording of `result`. Never for recordings without order.
  bool IsPast(int result, int recorded);

 private:
  const ResultStream& model_;
  std::vector<std::pair<int, int>> settled_;  // recorded and the model's, in the recorded order
  const absl::flat_hash_map<int, int>& recorded_of_;  // by the model's result
  absl::flat_hash_map<int, int> first_after_;  // by the model's result: the first computed from it
  bool in_order_ = false;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_SEQUENCE_H_
