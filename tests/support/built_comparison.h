// Comparisons of streams that no model was run for, measured as Compare() measures.
#ifndef ONNXCMP_TESTS_SUPPORT_BUILT_COMPARISON_H_
#define ONNXCMP_TESTS_SUPPORT_BUILT_COMPARISON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compare/outcome/comparison.h"
#include "evaluator/tensor/tensor.h"
#include "record/streams/result_stream.h"
#include "tests/support/stream_builder.h"

namespace onnxcmp::testing {

// A stream with its values. Functions that return an int return the index of the new result.
class BuiltSide {
 public:
  int Initializer(const std::string& name, const Tensor& value);
  int Input(const std::string& name, const Tensor& value);
  int Node(const std::string& op_type, const std::vector<int>& inputs, const std::string& name,
           const Tensor& value, const StreamBuilder::NodeOptions& options = {});
  int Nodes(const std::string& op_type, const std::vector<int>& inputs,
            const std::vector<std::pair<std::string, Tensor>>& outputs,
            const StreamBuilder::NodeOptions& options = {});
  int Recorded(const std::string& name, const Tensor& value);
  int Output(const std::string& name, int source);

  const ResultStream& stream() const { return builder_.stream(); }
  const Tensor& value(int result) const { return values_[static_cast<size_t>(result)]; }

 private:
  int Keep(int result, const Tensor& value);

  StreamBuilder builder_;
  std::vector<Tensor> values_;
};

// Aligned, measured, with a verdict and summaries; without causes.
Comparison CompareBuilt(const BuiltSide& left, const BuiltSide& right);

// Distinct numbers about 1 in size, the same for the same seed; times (1 + relative * noise).
Tensor SomeFloats(const Shape& shape, uint64_t seed, double relative = 0);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_BUILT_COMPARISON_H_
