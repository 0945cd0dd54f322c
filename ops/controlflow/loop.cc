#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/controlflow/scan_output.h"
#include "ops/controlflow/subgraph.h"

namespace onnxcmp {
namespace {

// An iteration's number or condition as the body's input: a scalar, or a tensor of one element
// where it declares so.
Tensor OneElement(const Tensor& scalar, const TypeInfo& declared) {
  return declared.shape && declared.shape->size() == 1 ? scalar.Reshaped({1}) : scalar;
}

// A carried value as the body's input, where it declares an optional but yields what one holds.
Value AsDeclared(Value value, const TypeInfo& declared) {
  if (declared.kind != TypeInfo::Kind::kOptional || value.empty() || value.is_optional()) {
    return value;
  }
  const TypeInfo* innermost = &declared;
  while (innermost->element != nullptr) innermost = innermost->element.get();
  return Optional{std::make_shared<const Value>(std::move(value)), innermost->dtype};
}

absl::StatusOr<bool> Condition(const Value& value) {
  if (!value.is_tensor() || value.tensor().dtype() != DType::kBool ||
      value.tensor().num_elements() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("the body's condition must be one bool, it is ", value.TypeString()));
  }
  return *value.tensor().data<bool>();
}

struct LoopRun {
  KernelContext& ctx;
  SubgraphId body;
  int carried;
  const Graph& graph = ctx.SubgraphOf(body);
  bool condition_ends_loop = ctx.HasInput(1);
  int64_t trips = std::numeric_limits<int64_t>::max();
  bool condition = true;
  std::vector<Value> state = {};       // the condition, then the loop-carried values
  std::vector<ScanOutput> scans = {};  // only of outputs that the node names

  absl::Status ReadInputs() {
    if (ctx.HasInput(0)) {
      OC_ASSIGN_OR_RETURN(trips, ctx.ScalarInput<int64_t>(0));
    }
    if (condition_ends_loop) {
      OC_ASSIGN_OR_RETURN(condition, ctx.ScalarInput<bool>(1));
    }
    state.emplace_back(OneElement(Tensor::Scalar<bool>(condition), graph.inputs[1].type));
    for (int i = 0; i < carried; ++i) state.push_back(ctx.InputValue(2 + i));
    for (int i = carried; i < ctx.num_outputs(); ++i) {
      scans.emplace_back(ctx, graph.outputs[1 + static_cast<size_t>(i)], trips);
    }
    return absl::OkStatus();
  }

  absl::Status RunBody(int64_t trip) {
    std::vector<Value> inputs;
    inputs.reserve(state.size() + 1);
    inputs.emplace_back(OneElement(Tensor::Scalar<int64_t>(trip), graph.inputs[0].type));
    for (Value& value : state) {
      inputs.push_back(AsDeclared(std::move(value), graph.inputs[inputs.size()].type));
    }
    OC_ASSIGN_OR_RETURN(std::vector<Value> results,
                        ctx.RunSubgraph(body, std::move(inputs), absl::StrCat(trip)));
    for (size_t i = 0; i < scans.size(); ++i) {
      OC_RETURN_IF_ERROR(scans[i].Append(results[state.size() + i]));
    }
    results.resize(state.size());
    state = std::move(results);
    OC_ASSIGN_OR_RETURN(const bool more, Condition(state[0]));
    if (condition_ends_loop) condition = more;
    return absl::OkStatus();
  }

  absl::Status SetOutputs() {
    for (int i = 0; i < carried; ++i) {
      OC_RETURN_IF_ERROR(ctx.SetOutput(i, std::move(state[1 + static_cast<size_t>(i)])));
    }
    for (size_t i = 0; i < scans.size(); ++i) {
      const int output = carried + static_cast<int>(i);
      if (!ctx.HasOutput(output)) continue;
      OC_ASSIGN_OR_RETURN(Tensor stacked, scans[i].Finish());
      OC_RETURN_IF_ERROR(ctx.SetOutput(output, std::move(stacked)));
    }
    return absl::OkStatus();
  }
};

// Loop (ai.onnx 1, 11, 13, 16, 19, 21, 23, 24, 25):
//   for (i = 0; i < M && cond; ++i) cond, v..., scan... = body(i, cond, v...)
// yields the last v... and each scan stacked along a new first dimension. Without M only the
// condition ends the loop; without cond only M does, and what the body yields as condition is
// ignored, as the text says (onnxruntime obeys it). Without both nothing would: an error.
absl::StatusOr<Kernel> Loop(const KernelInit& node) {
  const SubgraphId body = node.Subgraph("body");
  const int carried = std::max(node.num_inputs() - 2, 0);
  const int outputs = node.num_outputs();
  OC_RETURN_IF_ERROR(CheckSubgraph(node, "body", 2 + carried, 1 + std::max(carried, outputs)));
  if (!node.HasInput(0) && !node.HasInput(1)) {
    return absl::InvalidArgumentError("neither a trip count nor a condition: it would never end");
  }
  return [=](KernelContext& ctx) -> absl::Status {
    LoopRun run = {ctx, body, carried};
    OC_RETURN_IF_ERROR(run.ReadInputs());
    for (int64_t trip = 0; trip < run.trips && run.condition; ++trip) {
      OC_RETURN_IF_ERROR(run.RunBody(trip));
    }
    return run.SetOutputs();
  };
}

}  // namespace

void RegisterLoop(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Loop", {1, 11, 13, 16, 19, 21, 23, 24, 25}, Loop);
}

}  // namespace onnxcmp
