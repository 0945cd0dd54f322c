#include "benchmarks/one_node.h"

#include <memory>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/run/evaluator.h"
#include "ops/operators.h"

namespace onnxcmp {

OneNode::OneNode(const std::string& op_type, int opset, std::vector<Value> inputs,
                 const std::string& domain, int outputs)
    : inputs_(std::move(inputs)) {
  node_.op_type = op_type;
  node_.domain = domain;
  node_.imports = std::make_shared<const OpsetImports>(OpsetImports{{domain, opset}});
  for (size_t i = 0; i < inputs_.size(); ++i) {
    node_.inputs.push_back(inputs_[i].empty() ? "" : absl::StrCat("input_", i));
  }
  for (int i = 0; i < outputs; ++i) node_.outputs.push_back(absl::StrCat("output_", i));
}

void OneNode::Measure(benchmark::State& state) const {
  auto model = std::make_shared<Model>();
  model->imports = *node_.imports;
  model->graph.nodes.push_back(node_);
  for (const std::string& output : node_.outputs) {
    model->graph.outputs.push_back(ValueInfo{output, {}});
  }
  Feeds feeds;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].empty()) continue;
    model->graph.inputs.push_back(ValueInfo{node_.inputs[i], {}});
    feeds[node_.inputs[i]] = inputs_[i];
  }
  const OpRegistry registry = AllOperators();
  EvaluatorOptions options;
  options.threads = 1;
  absl::StatusOr<Evaluator> evaluator = Evaluator::Create(std::move(model), registry, options);
  if (!evaluator.ok()) {
    state.SkipWithError(evaluator.status().ToString().c_str());
    return;
  }
  int64_t bytes = 0;
  for (auto _ : state) {
    absl::StatusOr<std::vector<Value>> outputs = evaluator->Run(feeds);
    if (!outputs.ok()) {
      state.SkipWithError(outputs.status().ToString().c_str());
      return;
    }
    absl::StatusOr<Tensor> output = outputs->front().tensor().Contiguous();
    OC_CHECK(output.ok());
    benchmark::DoNotOptimize(output->buffer().get());
    bytes += output->byte_size();
  }
  state.SetBytesProcessed(bytes);
}

Tensor RandomTensor(absl::Span<const int64_t> shape) {
  std::mt19937 engine(1);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(static_cast<size_t>(NumElements(shape).value()));
  for (float& value : values) value = uniform(engine);
  return Tensor::Of<float>(shape, values);
}

}  // namespace onnxcmp
