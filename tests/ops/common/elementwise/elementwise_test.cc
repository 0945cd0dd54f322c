#include "ops/common/elementwise/elementwise.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "evaluator/run/evaluator.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Elements [offset, offset + count) of a vector.
Tensor Part(const Tensor& tensor, int64_t offset, int64_t count) {
  return tensor.Strided({count}, {1}, offset);
}

Tensor Binary(const char* op, const Tensor& a, const Tensor& b, int threads = 1) {
  absl::StatusOr<Tensor> result = OpTest(op, 14).Input(a).Input(b).Threads(threads).Run();
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : Tensor();
}

Tensor Unary(const char* op, const Tensor& x) {
  absl::StatusOr<Tensor> result = OpTest(op, 14).Input(x).Run();
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : Tensor();
}

// One element at a time, by the definition of broadcasting.
Tensor AddByDefinition(const Tensor& a, const Tensor& b, absl::Span<const int64_t> shape) {
  std::vector<float> sums;
  const int64_t count = *NumElements(shape);
  for (int64_t i = 0; i < count; ++i) {
    const auto element = [&](const Tensor& tensor) {
      int64_t rest = i;
      int64_t offset = 0;
      for (int axis = static_cast<int>(shape.size()) - 1; axis >= 0; --axis) {
        const int64_t index = rest % shape[static_cast<size_t>(axis)];
        rest /= shape[static_cast<size_t>(axis)];
        const int own = axis - (static_cast<int>(shape.size()) - tensor.rank());
        if (own >= 0 && tensor.dim(own) != 1) {
          offset += index * tensor.strides()[static_cast<size_t>(own)];
        }
      }
      return tensor.data<float>()[offset];
    };
    sums.push_back(element(a) + element(b));
  }
  return Tensor::Of<float>(shape, sums);
}

TEST(ElementwiseTest, EveryKindOfBroadcast) {
  const std::vector<std::vector<Shape>> cases = {
      {{}, {}, {}},
      {{1}, {}, {1}},
      {{3, 1000}, {}, {3, 1000}},
      {{3, 1000}, {1000}, {3, 1000}},
      {{1000}, {3, 1000}, {3, 1000}},
      {{3, 1000}, {3, 1}, {3, 1000}},
      {{3, 4096}, {3, 1}, {3, 4096}},  // an element for many strips
      {{3, 1, 1}, {3, 40, 70}, {3, 40, 70}},
      {{700, 3}, {3}, {700, 3}},
      {{700, 3}, {700, 1}, {700, 3}},
      {{1, 5, 1, 33}, {7, 1, 3, 1}, {7, 5, 3, 33}},
      {{2, 1, 512}, {2, 4, 512}, {2, 4, 512}},
      {{2, 768}, {768}, {2, 768}},
      {{5, 1, 1, 2}, {1, 1, 1}, {5, 1, 1, 2}},
  };
  for (const std::vector<Shape>& shapes : cases) {
    SCOPED_TRACE(ShapeToString(shapes[0]) + " + " + ShapeToString(shapes[1]));
    const Tensor a = RandomFloats(shapes[0], 1);
    const Tensor b = RandomFloats(shapes[1], 2);
    const Tensor want = AddByDefinition(a, b, shapes[2]);
    ExpectSameBits(Binary("Add", a, b), want);
    ExpectSameBits(Binary("Add", AsStridedView(a), b), want);
    ExpectSameBits(Binary("Add", a, AsStridedView(b)), want);
    ExpectSameBits(Binary("Add", AsStridedView(a), AsStridedView(b)), want);
  }
}

TEST(ElementwiseTest, TransposedView) {
  const Tensor a = RandomFloats({40, 30}, 1).Strided({30, 40}, {1, 30}, 0);
  const Tensor b = RandomFloats({30, 40}, 2);
  ExpectSameBits(Binary("Add", a, b), AddByDefinition(a, b, {30, 40}));
  // Large enough to be copied first.
  const Tensor c = RandomFloats({400, 300}, 1).Strided({300, 400}, {1, 300}, 0);
  const Tensor d = RandomFloats({1, 400}, 2);
  ExpectSameBits(Binary("Add", c, d), AddByDefinition(c, d, {300, 400}));
}

TEST(ElementwiseTest, EmptyTensors) {
  ExpectTensor(
      OpTest("Add", 14).Input(Tensor::Of<float>({0, 3}, {})).Input(Floats({1, 2, 3})).Run(),
      Tensor::Of<float>({0, 3}, {}));
  ExpectTensor(OpTest("Add", 14)
                   .Input(Tensor::Of<float>({0, 1}, {}))
                   .Input(Tensor::Of<float>({1, 5}, {1, 2, 3, 4, 5}))
                   .Run(),
               Tensor::Of<float>({0, 5}, {}));
}

TEST(ElementwiseTest, ShapesThatDoNotFit) {
  ExpectError(
      OpTest("Add", 14).Input(RandomFloats({2, 3}, 1)).Input(RandomFloats({2}, 1)).Run().status(),
      kInvalid, "shapes [2x3] and [2] do not broadcast");
  ExpectError(OpTest("Add", 14)
                  .Input(Tensor::Of<float>({0}, {}))
                  .Input(RandomFloats({3}, 1))
                  .Run()
                  .status(),
              kInvalid, "do not broadcast");
}

// Two views whose broadcast has 2^80 elements.
TEST(ElementwiseTest, ResultThatIsTooLarge) {
  const Tensor one = Tensor::Scalar<float>(1);
  const Tensor a = one.Strided({int64_t{1} << 40, 1}, {0, 0}, 0);
  const Tensor b = one.Strided({1, int64_t{1} << 40}, {0, 0}, 0);
  EXPECT_FALSE(OpTest("Add", 14).Input(a).Input(b).Run().ok());
}

// Where an element lies does not matter: every offset in the buffer, and every length of the tail.
TEST(ElementwiseTest, ValuesDoNotDependOnPosition) {
  const Tensor x = RandomFloats({600}, 3, 20.0f);
  const Tensor y = RandomFloats({600}, 4, 3.0f);
  for (const char* op : {"Sigmoid", "Tanh", "Erf", "Sin", "Cos", "Sqrt", "Reciprocal", "HardSwish",
                         "HardSigmoid", "Relu"}) {
    const Tensor whole = Unary(op, x);
    for (int64_t offset = 0; offset <= 16; ++offset) {
      for (int64_t count : {1, 7, 8, 15, 16, 17, 511, 512, 513, 530}) {
        SCOPED_TRACE(::testing::Message() << op << " from " << offset << ", " << count);
        ExpectSameBits(Unary(op, Part(x, offset, count)), *Part(whole, offset, count).Contiguous());
      }
    }
  }
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Pow", "Greater", "Equal"}) {
    const Tensor whole = Binary(op, x, y);
    for (int64_t offset = 0; offset <= 16; ++offset) {
      for (int64_t count : {1, 7, 16, 17, 513}) {
        SCOPED_TRACE(::testing::Message() << op << " from " << offset << ", " << count);
        ExpectSameBits(Binary(op, Part(x, offset, count), Part(y, offset, count)),
                       *Part(whole, offset, count).Contiguous());
      }
    }
  }
}

TEST(ElementwiseTest, SameBitsForAnyNumberOfThreads) {
  const Tensor a = RandomFloats({300, 1000}, 5);
  const Tensor row = RandomFloats({1000}, 6);
  const Tensor column = RandomFloats({300, 1}, 7);
  for (const Tensor& b : {a, row, column}) {
    ExpectSameBits(Binary("Pow", a, b, 2), Binary("Pow", a, b, 1));
    ExpectSameBits(Binary("Div", a, b, 2), Binary("Div", a, b, 1));
  }
}

// Narrow floats are computed in float and rounded once: 2049 is no float16.
TEST(ElementwiseTest, NarrowFloatsRoundOnce) {
  const Tensor a = testing::Convert(Floats({2048, 65504, 1}), DType::kFloat16);
  const Tensor b = testing::Convert(Floats({1, 32, 0x1p-11f}), DType::kFloat16);
  ExpectTensor(OpTest("Add", 14).Input(a).Input(b).Run(),
               testing::Convert(Floats({2048, INFINITY, 1}), DType::kFloat16));
}

TEST(BroadcastTest, Shapes) {
  EXPECT_THAT(*BroadcastShapes({2, 1, 4}, {3, 1}), ::testing::ElementsAre(2, 3, 4));
  EXPECT_THAT(*BroadcastShapes({1}, {0}), ::testing::ElementsAre(0));
  EXPECT_FALSE(BroadcastShapes({2}, {3}).ok());
  EXPECT_TRUE(CheckBroadcastsTo({3, 1}, {2, 3, 4}).ok());
  EXPECT_FALSE(CheckBroadcastsTo({2, 3, 4}, {3, 4}).ok());
  EXPECT_FALSE(CheckBroadcastsTo({3}, {1}).ok());
}

TEST(BroadcastTest, RunsJoinDimensions) {
  StridedRuns runs({2, 3, 4}, {12, 4, 1});
  EXPECT_TRUE(runs.is_contiguous());
  StridedRuns row({2, 3, 4}, {0, 4, 1});
  row.Seek(10);
  EXPECT_EQ(row.Next(100).count, 2);
  const StridedRuns::Run second = row.Next(100);
  EXPECT_EQ(second.offset, 0);
  EXPECT_EQ(second.count, 12);
}

// Variadic operators of this test.
const OpRegistry& VariadicOperators() {
  static const OpRegistry* const registry = [] {
    auto* made = new OpRegistry;
    made->Add(kOnnxDomain, "Max", {8, 13}, [](const KernelInit& node) {
      return VariadicKernel<Numbers>(node, [](auto a, auto b) { return vec::Max(a, b); });
    });
    made->Add(kOnnxDomain, "Mean", {6, 13}, [](const KernelInit& node) {
      return VariadicKernel<onnxcmp::Floats>(
          node, [](auto a, auto b) { return a + b; }, [](auto sum, auto n) { return sum / n; });
    });
    return made;
  }();
  return *registry;
}

absl::StatusOr<Tensor> Variadic(const char* op, const std::vector<Value>& inputs, int opset = 13) {
  Node node;
  node.op_type = op;
  node.imports = std::make_shared<const OpsetImports>(OpsetImports{{"", opset}});
  for (size_t i = 0; i < inputs.size(); ++i) {
    node.inputs.push_back(inputs[i].empty() ? "" : absl::StrCat("x", i));
  }
  node.outputs = {"y"};
  OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, RunNode(node, VariadicOperators(), inputs));
  return outputs[0].tensor();
}

TEST(VariadicTest, FoldsAllInputsBroadcast) {
  const Tensor column = Tensor::Of<float>({2, 1}, {2, 5});
  ExpectTensor(Variadic("Max", {Floats({1, 4, 3}), column, Tensor::Scalar(2.5f)}),
               Tensor::Of<float>({2, 3}, {2.5f, 4, 3, 5, 5, 5}));
  ExpectTensor(Variadic("Mean", {Floats({1, 4, 3}), column}),
               Tensor::Of<float>({2, 3}, {1.5f, 3, 2.5f, 3, 4.5f, 4}));
}

TEST(VariadicTest, OneInputIsTheResult) {
  ExpectTensor(Variadic("Max", {Ints({3, -1})}), Ints({3, -1}));
}

TEST(VariadicTest, KeepsNaNAndLargeIntegers) {
  ExpectTensor(Variadic("Max", {Floats({kNaN, 1, 2}), Floats({0, kNaN, kInf})}),
               Floats({kNaN, kNaN, kInf}));
  constexpr int64_t kLarge = (int64_t{1} << 53) + 1;
  ExpectTensor(Variadic("Max", {Ints({kLarge}), Ints({kLarge - 1})}), Ints({kLarge}));
}

// 2049 is no float16: rounded after every sum it would be 2048, and their mean 2048 / 3.
TEST(VariadicTest, NarrowFloatsAreRoundedOnce) {
  const auto half = [](float x) { return Convert(Floats({x}), DType::kFloat16); };
  ExpectTensor(Variadic("Mean", {half(2048), half(1), half(1)}), half(683.5f));
}

TEST(VariadicTest, MoreThanOneStripAndTask) {
  constexpr int64_t kCount = 100003;
  const Tensor x = RandomFloats({kCount}, 1);
  ExpectTensor(Variadic("Max", {x, Tensor::Scalar(-100.0f), x}), x);
}

TEST(VariadicTest, RefusesWhatDoesNotFit) {
  ExpectError(Variadic("Max", {Floats({1, 2}), Floats({1, 2, 3})}).status(), kInvalid, "");
  ExpectError(Variadic("Mean", {Floats({1, 2}), Floats({1})}, 6).status(), kInvalid,
              "before opset 8");
  ExpectTensor(Variadic("Mean", {Floats({1, 2}), Floats({3, 2})}, 6), Floats({2, 2}));
}

}  // namespace
}  // namespace onnxcmp::testing
