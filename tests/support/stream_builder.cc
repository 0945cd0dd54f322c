#include "tests/support/stream_builder.h"

#include <algorithm>

#include "evaluator/tensor/value.h"
#include "record/differences/precision.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp::testing {

int StreamBuilder::Add(ResultKind kind, const std::string& name, const Tensor& value) {
  StreamResult result;
  result.kind = kind;
  result.name = name;
  result.dtype = value.dtype();
  result.own_precision = PrecisionOf(value.dtype());
  result.shape = value.shape();
  result.type = Value(value).TypeString();
  result.fingerprint = FingerprintOf(Value(value));
  stream_.results.push_back(std::move(result));
  return static_cast<int>(stream_.results.size()) - 1;
}

int StreamBuilder::Initializer(const std::string& name, const Tensor& value) {
  return Add(ResultKind::kInitializer, name, value);
}

int StreamBuilder::Input(const std::string& name, const Tensor& value) {
  return Add(ResultKind::kInput, name, value);
}

int StreamBuilder::Node(const std::string& op_type, const std::vector<int>& inputs,
                        const std::string& name, const Tensor& value) {
  return Node(op_type, inputs, name, value, {});
}

int StreamBuilder::Node(const std::string& op_type, const std::vector<int>& inputs,
                        const std::string& name, const Tensor& value, const NodeOptions& options) {
  return Nodes(op_type, inputs, {{name, value}}, options);
}

int StreamBuilder::Nodes(const std::string& op_type, const std::vector<int>& inputs,
                         const std::vector<std::pair<std::string, Tensor>>& outputs,
                         const NodeOptions& options) {
  const int number = static_cast<int>(stream_.nodes.size());
  StreamNode node;
  node.op_type = op_type;
  node.domain = options.domain;
  node.path = options.path;
  node.attributes = options.attributes;
  node.inputs.assign(inputs.begin(), inputs.end());
  node.captures.assign(options.captures.begin(), options.captures.end());
  for (const auto& [name, value] : outputs) {
    const int r = Add(ResultKind::kResult, name, value);
    StreamResult& result = stream_.results.back();
    result.path = options.path;
    result.depth = static_cast<int>(std::count(options.path.begin(), options.path.end(), '['));
    result.node = number;
    result.slot = static_cast<int>(node.outputs.size());
    node.outputs.push_back(r);
  }
  stream_.nodes.push_back(std::move(node));
  return stream_.nodes.back().outputs.front();
}

int StreamBuilder::Recorded(const std::string& name, const Tensor& value) {
  stream_.recorded = true;
  return Add(ResultKind::kResult, name, value);
}

int StreamBuilder::Output(const std::string& name, int source) {
  StreamResult result = stream_.results[static_cast<size_t>(source)];
  result.kind = ResultKind::kOutput;
  result.name = name;
  result.node = kNone;
  result.slot = 0;
  result.source = source;
  stream_.results.push_back(std::move(result));
  return static_cast<int>(stream_.results.size()) - 1;
}

}  // namespace onnxcmp::testing
