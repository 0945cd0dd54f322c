#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/controlflow/subgraph.h"

namespace onnxcmp {
namespace {

// The declared type of the subgraph's output, for a sequence of no results.
DType DeclaredDType(const ValueInfo& output) {
  return output.type.kind == TypeInfo::Kind::kTensor ? output.type.dtype : DType::kUndefined;
}

// SequenceMap (ai.onnx 17): output k is the sequence of output k of `body`, run on element i of
// every input that is a sequence and on the other inputs as they are. The first input says how many
// elements there are.
absl::StatusOr<Kernel> SequenceMap(const KernelInit& node) {
  const SubgraphId body = node.Subgraph("body");
  OC_RETURN_IF_ERROR(CheckSubgraph(node, "body", node.num_inputs(), node.num_outputs()));
  return [body](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Sequence* first, ctx.SequenceInput(0));
    const size_t size = first->elements.size();
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      const Value& input = ctx.InputValue(i);
      if (input.is_sequence() && input.sequence().elements.size() != size) {
        return absl::InvalidArgumentError(absl::StrCat("input ", i, " has ",
                                                       input.sequence().elements.size(),
                                                       " elements, input 0 has ", size));
      }
    }
    std::vector<Sequence> outputs(static_cast<size_t>(ctx.num_outputs()));
    for (size_t k = 0; k < outputs.size(); ++k) {
      outputs[k].element_dtype = DeclaredDType(ctx.SubgraphOf(body).outputs[k]);
    }
    for (size_t element = 0; element < size; ++element) {
      std::vector<Value> inputs;
      for (int i = 0; i < ctx.num_inputs(); ++i) {
        const Value& input = ctx.InputValue(i);
        inputs.push_back(input.is_sequence() ? input.sequence().elements[element] : input);
      }
      OC_ASSIGN_OR_RETURN(std::vector<Value> results,
                          ctx.RunSubgraph(body, std::move(inputs), absl::StrCat(element)));
      for (size_t k = 0; k < outputs.size(); ++k) {
        if (!results[k].is_tensor()) {
          return absl::InvalidArgumentError(absl::StrCat(
              "output ", k, " of the body is ", results[k].TypeString(), ", not a tensor"));
        }
        const DType dtype = results[k].tensor().dtype();
        if (element > 0 && outputs[k].element_dtype != dtype) {
          return absl::InvalidArgumentError(
              absl::StrCat("output ", k, " of the body is of several types: ", DTypeName(dtype),
                           " and ", DTypeName(outputs[k].element_dtype)));
        }
        outputs[k].element_dtype = dtype;
        outputs[k].elements.push_back(std::move(results[k]));
      }
    }
    for (size_t k = 0; k < outputs.size(); ++k) {
      OC_RETURN_IF_ERROR(ctx.SetOutput(static_cast<int>(k), std::move(outputs[k])));
    }
    return absl::OkStatus();
  };
}

}  // namespace

void RegisterSequenceMap(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "SequenceMap", {17}, SequenceMap);
}

}  // namespace onnxcmp
