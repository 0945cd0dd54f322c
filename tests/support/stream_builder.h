// Result streams that no model was run for: tests write down what a run would have recorded.
#ifndef ONNXCMP_TESTS_SUPPORT_STREAM_BUILDER_H_
#define ONNXCMP_TESTS_SUPPORT_STREAM_BUILDER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/tensor/tensor.h"
#include "record/streams/result_stream.h"

namespace onnxcmp::testing {

// Functions that return an int return the index of the new result.
class StreamBuilder {
 public:
  struct NodeOptions {
    std::string domain = {};
    std::string path = {};
    uint64_t attributes = 0;
    std::vector<int> captures = {};
  };

  int Initializer(const std::string& name, const Tensor& value);
  int Input(const std::string& name, const Tensor& value);
  // A node with one output.
  int Node(const std::string& op_type, const std::vector<int>& inputs, const std::string& name,
           const Tensor& value);
  int Node(const std::string& op_type, const std::vector<int>& inputs, const std::string& name,
           const Tensor& value, const NodeOptions& options);
  // A node with several; the first result is returned.
  int Nodes(const std::string& op_type, const std::vector<int>& inputs,
            const std::vector<std::pair<std::string, Tensor>>& outputs, const NodeOptions& options);
  // A result as a recording holds it: no node is known for it.
  int Recorded(const std::string& name, const Tensor& value);
  // Shows a result once more.
  int Output(const std::string& name, int source);

  const ResultStream& stream() const { return stream_; }

 private:
  int Add(ResultKind kind, const std::string& name, const Tensor& value);

  ResultStream stream_;
};

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_STREAM_BUILDER_H_
