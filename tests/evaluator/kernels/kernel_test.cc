#include "evaluator/kernels/kernel.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "evaluator/run/evaluator.h"
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor kOneFloat = Tensor::Of<float>({1}, {1});

// Runs a kernel as OptionalHasElement-18, which takes a tensor, a sequence, an optional or nothing.
absl::Status RunKernel(std::function<absl::Status(KernelContext&)> kernel, Value input) {
  OpRegistry registry;
  registry.Add("", "OptionalHasElement", {18}, KernelMaker([kernel](const KernelInit&) {
                 return [kernel](KernelContext& ctx) -> absl::Status {
                   OC_RETURN_IF_ERROR(kernel(ctx));
                   return ctx.SetOutput(0, Tensor::Scalar(true));
                 };
               }));
  Node node;
  node.op_type = "OptionalHasElement";
  node.inputs = {"x"};
  node.outputs = {"y"};
  node.imports = std::make_shared<const OpsetImports>(OpsetImports{{"", 18}});
  return RunNode(node, registry, {std::move(input)}, {.threads = 1}).status();
}

TEST(KernelContextTest, GivesEachKindOfInput) {
  const auto sequence = [](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Sequence* s, ctx.SequenceInput(0));
    return s->elements.size() == 1 ? absl::OkStatus() : absl::InternalError("not the sequence");
  };
  const auto optional = [](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Optional* o, ctx.OptionalInput(0));
    return o->element == nullptr ? absl::OkStatus() : absl::InternalError("not the optional");
  };
  const auto tensor = [](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor t, ctx.TensorInput(0));
    return t.dtype() == DType::kFloat ? absl::OkStatus() : absl::InternalError("not the tensor");
  };
  EXPECT_EQ(RunKernel(sequence, Sequence{DType::kFloat, {kOneFloat}}), absl::OkStatus());
  EXPECT_EQ(RunKernel(optional, Optional{}), absl::OkStatus());
  EXPECT_EQ(RunKernel(tensor, kOneFloat), absl::OkStatus());
  ExpectError(RunKernel(sequence, kOneFloat), kInvalid, "input 0 must be a sequence, not float[1]");
  ExpectError(RunKernel(optional, kOneFloat), kInvalid,
              "input 0 must be an optional, not float[1]");
  ExpectError(RunKernel(tensor, Sequence{}), kInvalid, "input 0 must be a tensor, not seq(?)[0]");
  ExpectError(RunKernel(tensor, Value()), kInvalid, "input 0 must be a tensor, not absent");
}

TEST(KernelContextTest, ReadingATensorThatIsNoneIsAnError) {
  const Value sequence = Sequence{};
  ExpectError(RunKernel([](auto& ctx) { return ctx.ContiguousInput(0).status(); }, sequence),
              kInvalid, "must be a tensor");
  ExpectError(RunKernel([](auto& ctx) { return ctx.IntsInput(0).status(); }, sequence), kInvalid,
              "must be a tensor");
  ExpectError(
      RunKernel([](auto& ctx) { return ctx.template ScalarInput<float>(0).status(); }, sequence),
      kInvalid, "must be a tensor");
  ExpectError(RunKernel([](auto& ctx) { return ctx.MapInput(0).status(); }, sequence), kInvalid,
              "must be a map");
  ExpectError(RunKernel([](auto& ctx) { return ctx.SparseInput(0).status(); }, sequence), kInvalid,
              "must be a sparse tensor");
}

// Clip-13 takes input, min and max.
absl::Status RunClip(std::function<absl::Status(KernelContext&)> kernel, Value min,
                     const Tensor& result = kOneFloat) {
  OpRegistry registry;
  registry.Add("", "Clip", {13}, KernelMaker([=](const KernelInit&) {
                 return [=](KernelContext& ctx) -> absl::Status {
                   OC_RETURN_IF_ERROR(kernel(ctx));
                   return ctx.SetOutput(0, result);
                 };
               }));
  Node node;
  node.op_type = "Clip";
  node.inputs = {"x", min.empty() ? "" : "min"};
  node.outputs = {"y"};
  node.imports = std::make_shared<const OpsetImports>(OpsetImports{{"", 13}});
  return RunNode(node, registry, {kOneFloat, std::move(min)}, {.threads = 1}).status();
}

TEST(KernelContextTest, AnInputThatNobodyAskedForIsAnError) {
  const Tensor min = Tensor::Scalar(0.0f);
  const auto reads_first = [](KernelContext& ctx) { return ctx.ContiguousInput(0).status(); };
  ExpectError(RunClip(reads_first, min), absl::StatusCode::kUnimplemented,
              "Clip -> 'output_0': its input 1 (min) is not supported");
  EXPECT_EQ(RunClip(reads_first, Value()), absl::OkStatus());
  // Nothing can be wrong with an empty result.
  EXPECT_EQ(RunClip(reads_first, min, Tensor::Of<float>({0}, {})), absl::OkStatus());
  EXPECT_EQ(RunClip(
                [](KernelContext& ctx) {
                  ctx.IgnoreInput(1);
                  return ctx.Input(0).rank() == 1 ? absl::OkStatus() : absl::InternalError("");
                },
                min),
            absl::OkStatus());
  EXPECT_EQ(RunClip(
                [](KernelContext& ctx) {
                  return ctx.HasInput(0) && ctx.HasInput(1) ? absl::OkStatus()
                                                            : absl::InternalError("");
                },
                min),
            absl::OkStatus());
}

}  // namespace
}  // namespace onnxcmp::testing
