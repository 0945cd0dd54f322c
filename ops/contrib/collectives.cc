#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/products/matmul.h"
#include "ops/common/reduction/reduce.h"
#include "ops/common/shapes/slices.h"

namespace onnxcmp {
namespace {

// Operators of a model that several processes run together, each with its part of the data. Here
// one process runs the model: what all have is what it has.

absl::Status EmitInputs(KernelContext& ctx) {
  if (ctx.num_outputs() > ctx.num_inputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat(ctx.num_outputs(), " outputs of ", ctx.num_inputs(), " inputs"));
  }
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (i < ctx.num_outputs()) {
      OC_RETURN_IF_ERROR(ctx.SetOutput(i, ctx.Input(i)));
    } else {
      ctx.IgnoreInput(i);
    }
  }
  return absl::OkStatus();
}

// AllReduce (com.microsoft 1), AdasumAllReduce, NcclAllReduce, NcclAllGather, NcclReduceScatter,
// MegatronF, MegatronG (com.microsoft 1, training): with one process, the inputs.
Kernel Collective(const KernelInit& node) {
  for (const char* attribute : {"group_type", "reduce_algo", "axis"}) node.Ignore(attribute);
  return EmitInputs;
}

// AllGather, AllToAll (com.microsoft 1): the inputs, for a group of one process; larger ones are
// refused.
absl::StatusOr<Kernel> GroupCollective(const KernelInit& node) {
  if (const int64_t size = node.Int("group_size"); size != 1) {
    return absl::UnimplementedError(
        absl::StrCat("a group of ", size, " processes; there is one here"));
  }
  return Collective(node);
}

// The plain operator, if every mesh of devices has one device.
absl::StatusOr<Kernel> OnOneDevice(const KernelInit& node, Kernel plain) {
  for (const char* attribute : {"input_device_mesh_elements", "output_device_mesh_elements",
                                "input_shard_specs", "output_shard_specs"}) {
    node.Ignore(attribute);
  }
  for (const char* attribute : {"input_device_mesh_shapes", "output_device_mesh_shapes"}) {
    for (const std::string& shape : node.Strings(attribute)) {
      if (shape != "[1]") {
        return absl::UnimplementedError(
            absl::StrCat(attribute, ": a mesh of ", shape, " devices; there is one here"));
      }
    }
  }
  return plain;
}

// DistributedMatMul (com.microsoft 1): MatMul.
absl::StatusOr<Kernel> DistributedMatMul(const KernelInit& node) {
  return OnOneDevice(node, [](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor y, MatMulTensors(ctx, ctx.Input(0), ctx.Input(1)));
    return ctx.SetOutput(0, std::move(y));
  });
}

// DistributedSlice (com.microsoft 1): Slice.
absl::StatusOr<Kernel> DistributedSlice(const KernelInit& node) {
  return OnOneDevice(node, [](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Slicing slicing, SlicingInputs(ctx, 1));
    OC_ASSIGN_OR_RETURN(Tensor slice, Sliced(ctx.Input(0), slicing));
    return ctx.SetOutput(0, std::move(slice));
  });
}

// DistributedReduceSum, DistributedReduceMax, DistributedReduceMean (com.microsoft 1): the
// reductions of those names, with the axes as an input.
absl::StatusOr<Kernel> DistributedReduceSum(const KernelInit& node) {
  return OnOneDevice(node, ReduceKernel(node, Reduction::kSum, /*axes_input_since=*/1));
}
absl::StatusOr<Kernel> DistributedReduceMax(const KernelInit& node) {
  return OnOneDevice(node, ReduceKernel(node, Reduction::kMax, /*axes_input_since=*/1));
}
absl::StatusOr<Kernel> DistributedReduceMean(const KernelInit& node) {
  return OnOneDevice(node, ReduceKernel(node, Reduction::kMean, /*axes_input_since=*/1));
}

}  // namespace

void RegisterContribCollectives(OpRegistry& registry) {
  for (const char* name : {"AdasumAllReduce", "AllReduce", "MegatronF", "MegatronG",
                           "NcclAllGather", "NcclAllReduce", "NcclReduceScatter"}) {
    registry.Add(kMicrosoftDomain, name, {1}, Collective);
  }
  registry.Add(kMicrosoftDomain, "AllGather", {1}, GroupCollective);
  registry.Add(kMicrosoftDomain, "AllToAll", {1}, GroupCollective);
  registry.Add(kMicrosoftDomain, "DistributedMatMul", {1}, DistributedMatMul);
  registry.Add(kMicrosoftDomain, "DistributedReduceMax", {1}, DistributedReduceMax);
  registry.Add(kMicrosoftDomain, "DistributedReduceMean", {1}, DistributedReduceMean);
  registry.Add(kMicrosoftDomain, "DistributedReduceSum", {1}, DistributedReduceSum);
  registry.Add(kMicrosoftDomain, "DistributedSlice", {1}, DistributedSlice);
}

}  // namespace onnxcmp
