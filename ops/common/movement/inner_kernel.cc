#include "ops/common/movement/inner_kernel.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace onnxcmp {
namespace {

// The outer context with other inputs.
class InnerContext final : public KernelContext {
 public:
  InnerContext(KernelContext& outer, const std::vector<Value>& inputs) : outer_(outer) {
    inputs_ = inputs;
    outputs_.resize(static_cast<size_t>(outer.num_outputs()));
    for (int i = 0; i < outer.num_outputs(); ++i) wanted_.push_back(outer.HasOutput(i));
    pool_ = &outer.pool();
    max_tensor_ = outer.*(&InnerContext::max_tensor_);
  }

  absl::StatusOr<std::vector<Value>> RunSubgraph(SubgraphId subgraph, std::vector<Value> inputs,
                                                 absl::string_view label) override {
    return outer_.RunSubgraph(subgraph, std::move(inputs), label);
  }
  const Graph& SubgraphOf(SubgraphId subgraph) const override {
    return outer_.SubgraphOf(subgraph);
  }
  uint64_t random_seed() const override { return outer_.random_seed(); }

  absl::StatusOr<std::vector<Value>> Run(const Kernel& kernel) {
    OC_RETURN_IF_ERROR(kernel(*this));
    if (const int unread = UnreadInput(); unread >= 0) {
      return absl::UnimplementedError(absl::StrCat("input ", unread, " is not supported"));
    }
    return std::move(outputs_);
  }

 private:
  KernelContext& outer_;
};

}  // namespace

std::vector<Value> InputValues(const KernelContext& ctx) {
  std::vector<Value> values;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    values.push_back(ctx.HasInput(i) ? ctx.InputValue(i) : Value());
  }
  return values;
}

absl::StatusOr<std::vector<Value>> RunInner(KernelContext& ctx, const Kernel& kernel,
                                            const std::vector<Value>& inputs) {
  return InnerContext(ctx, inputs).Run(kernel);
}

absl::Status SetOutputs(KernelContext& ctx, std::vector<Value> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty()) continue;
    OC_RETURN_IF_ERROR(ctx.SetOutput(static_cast<int>(i), std::move(outputs[i])));
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
