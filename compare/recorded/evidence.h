// Results of a model that recorded ones confirm.
#ifndef ONNXCMP_COMPARE_RECORDED_EVIDENCE_H_
#define ONNXCMP_COMPARE_RECORDED_EVIDENCE_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

class RecordedEvidence {
 public:
  // `partners`: by recorded result. The streams must outlive the object.
  RecordedEvidence(const ResultStream& recording, const ResultStream& model,
                   const std::vector<int>& partners);

  // True if a recorded result of another content than `recorded` agrees with one of the model's.
  bool Agrees(int result, int recorded) const;
  // True if recorded results other than `recorded` confirm the model's result: one agrees with it,
  // or all that depend on it do and there is one.
  bool Confirms(int result, int recorded) const;

 private:
  bool IsOther(int agreeing, int recorded) const;

  const ResultStream& recording_;
  const ResultStream& model_;
  const std::vector<int>& partners_;
  absl::flat_hash_map<int, std::vector<int>> agreeing_;  // by the model's result: recorded ones
  absl::flat_hash_set<int> disagreeing_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_EVIDENCE_H_
