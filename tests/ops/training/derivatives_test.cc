// The rules of derivatives against central differences in double, of the sum of sin(y) over the
// elements of y, which gives each of them another weight; and their values where the derivative
// jumps, which are torch's.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Numbers of both signs, none of them 0.
Tensor Doubles(absl::Span<const int64_t> shape, int64_t step, double shift = 0.013) {
  const Tensor x = Convert(Pattern(shape, step, 31, 2), DType::kDouble);
  std::vector<double> values(x.data<double>(), x.data<double>() + x.num_elements());
  for (double& value : values) value += shift;
  return Tensor::Of<double>(shape, values);
}

// From 0.5 to 2.5.
Tensor Positive(absl::Span<const int64_t> shape, int64_t step) { return Doubles(shape, step, 1.5); }

struct Case {
  std::string nodes;           // that make y from a, b, c
  std::vector<Tensor> inputs;  // a, b, c, of double
  int opset = 22;
};

constexpr char kGradient[] = "ai.onnx.preview.training.Gradient";

// Gives l, and its derivatives with respect to a, b, c. `hidden`: nothing tells the ranks of these
// before a run.
std::string ModelOf(const Case& c, bool hidden) {
  std::string inputs;
  std::string names;
  std::string outputs;
  std::string hiding;
  std::string quoted;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    const char* comma = i == 0 ? "" : ", ";
    const std::string input = hidden ? absl::StrCat("of_", name) : name;
    absl::StrAppend(&inputs, comma, "double[", absl::StrJoin(c.inputs[i].shape(), ","), "] ",
                    input);
    if (hidden) absl::StrAppend(&hiding, name, " = Identity(", input, ") ");
    absl::StrAppend(&names, comma, name);
    absl::StrAppend(&quoted, comma, "\"", name, "\"");
    absl::StrAppend(&outputs, ", double d", name);
  }
  const std::string gradients = absl::StrReplaceAll(outputs.substr(2), {{"double ", ""}});
  return absl::StrCat("<ir_version: 10, opset_import: [\"\": ", c.opset,
                      ", \"ai.onnx.preview.training\": 1, \"com.microsoft\": 1]> g (", inputs,
                      ") => (double l", outputs, ") {", hiding, c.nodes,
                      " s = Sin(y) l = ReduceSum <keepdims = 0> (s) ", gradients, " = ", kGradient,
                      " <xs = [", quoted, "], y = \"l\"> (", names, ") }");
}

void ExpectDerivatives(const Case& c, bool hidden) {
  SCOPED_TRACE(c.nodes);
  const absl::StatusOr<Evaluator> evaluator = EvaluatorFromText(ModelOf(c, hidden));
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  const std::vector<ValueInfo>& inputs = evaluator->model().graph.inputs;
  Feeds feeds;
  for (size_t i = 0; i < inputs.size(); ++i) feeds[inputs[i].name] = c.inputs[i];
  const auto outputs = evaluator->Run(feeds);
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  for (size_t i = 0; i < inputs.size(); ++i) {
    constexpr double kStep = 1e-5;
    const Tensor& x = c.inputs[i];
    std::vector<double> want;
    for (int64_t element = 0; element < x.num_elements(); ++element) {
      double at[2];
      for (int side = 0; side < 2; ++side) {
        std::vector<double> moved(x.data<double>(), x.data<double>() + x.num_elements());
        moved[static_cast<size_t>(element)] += side == 0 ? -kStep : kStep;
        Feeds changed = feeds;
        changed[inputs[i].name] = Tensor::Of<double>(x.shape(), moved);
        const auto l = TensorAt(evaluator->Run(changed), 0);
        ASSERT_TRUE(l.ok()) << l.status();
        at[side] = l->data<double>()[0];
      }
      want.push_back((at[1] - at[0]) / (2 * kStep));
    }
    ExpectTensor(TensorAt(outputs, i + 1), Tensor::Of<double>(x.shape(), want), 1e-6, 1e-7);
  }
}

void ExpectDerivatives(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    ExpectDerivatives(c, /*hidden=*/false);
    ExpectDerivatives(c, /*hidden=*/true);
  }
}

// The gradient of the sum of y = nodes(a), in float.
void ExpectJumps(const std::string& nodes, const Tensor& a, const Tensor& want) {
  SCOPED_TRACE(nodes);
  const std::string text =
      absl::StrCat("<ir_version: 10, opset_import: [\"\": 22, \"ai.onnx.preview.training\": 1]> g ",
                   "(float[", absl::StrJoin(a.shape(), ","), "] a) => (float[", "n] da) {", nodes,
                   " da = ", kGradient, " <xs = [\"a\"], y = \"y\"> (a) }");
  ExpectTensor(TensorAt(RunText(text, {{"a", a}}), 0), want);
}

TEST(DerivativesTest, Arithmetic) {
  const Tensor x = Doubles({2, 3}, 7);
  const Tensor row = Doubles({3}, 5, 0.2);
  const Tensor column = Positive({4, 2, 1}, 3);
  ExpectDerivatives({{"y = Add(a, b)", {x, column}},
                     {"y = Sub(a, b)", {x, row}},
                     {"y = Sub(a, b)", {row, column}},
                     {"y = Mul(a, b)", {row, x}},
                     {"y = Mul(a, a)", {x}},
                     {"y = Div(a, b)", {x, column}},
                     {"y = Neg(a)", {x}},
                     {"y = Pow(a, b)", {column, x}},
                     {"n = Constant <value = int64 {3}> () y = Pow(a, n)", {x}},
                     {"y = Sum(a, b, c)", {x, row, column}},
                     {"y = Mean(a, b, c)", {x, row, column}},
                     {"y = Max(a, b, c)", {x, row, column}},
                     {"y = Min(a, b)", {x, row}, 8}});
}

TEST(DerivativesTest, Functions) {
  const Tensor x = Doubles({2, 3}, 7);
  std::vector<Case> cases;
  for (const char* name :
       {"Abs",       "Atan", "Asinh", "Cos",     "Cosh",     "Erf",      "Exp",
        "Sin",       "Sinh", "Tan",   "Tanh",    "Elu",      "Gelu",     "HardSigmoid",
        "LeakyRelu", "Relu", "Selu",  "Sigmoid", "Softplus", "Softsign", "Identity"}) {
    cases.push_back({absl::StrCat("y = ", name, "(a)"), {x}});
  }
  for (const char* name : {"Log", "Reciprocal", "Sqrt"}) {
    cases.push_back({absl::StrCat("y = ", name, "(a)"), {Positive({3}, 7)}});
  }
  cases.push_back({"y = Acosh(a)", {Doubles({3}, 7, 2.5)}});
  for (const char* name : {"Acos", "Asin", "Atanh"}) {
    cases.push_back({absl::StrCat("h = Sin(a) y = ", name, "(h)"), {x}});
  }
  cases.push_back({"y = Elu <alpha = 0.3> (a)", {x}});
  cases.push_back({"y = HardSigmoid <alpha = 0.9, beta = 0.4> (a)", {x}});
  cases.push_back({"y = LeakyRelu <alpha = 0.3> (a)", {x}, 7});
  cases.push_back({"y = Gelu <approximate = \"tanh\"> (a)", {x}});
  cases.push_back({"y = PRelu(a, b)", {x, Doubles({3}, 5)}});
  ExpectDerivatives(cases);
}

TEST(DerivativesTest, Softmax) {
  const Tensor x = Doubles({2, 3, 2}, 7);
  ExpectDerivatives({{"y = Softmax(a)", {x}},
                     {"y = Softmax <axis = 1> (a)", {x}},
                     {"y = LogSoftmax <axis = -2> (a)", {x}}});
}

TEST(DerivativesTest, Products) {
  const Tensor vector = Doubles({3}, 5);
  const Tensor matrix = Doubles({2, 3}, 7);
  const Tensor stack = Doubles({4, 3, 2}, 11);
  ExpectDerivatives({{"y = MatMul(a, b)", {matrix, stack}},
                     {"y = MatMul(a, b)", {stack, matrix}},
                     {"y = MatMul(a, b)", {vector, stack}},
                     {"y = MatMul(a, b)", {matrix, vector}},
                     {"y = MatMul(a, b)", {vector, vector}},
                     {"y = Gemm(a, b)", {matrix, Doubles({3, 4}, 3)}}});
  for (const int transposed : {0, 1}) {
    const Tensor a = transposed != 0 ? Doubles({3, 2}, 7) : matrix;
    const Tensor b = transposed != 0 ? Doubles({4, 3}, 3) : Doubles({3, 4}, 3);
    const Tensor other = transposed != 0 ? Doubles({3, 4}, 3) : Doubles({4, 3}, 3);
    const std::string flags = absl::StrCat("transA = ", transposed, ", transB = ", transposed);
    const std::string crossed =
        absl::StrCat("transA = ", transposed, ", transB = ", 1 - transposed);
    ExpectDerivatives(
        {{absl::StrCat("y = Gemm <alpha = 0.5, beta = 2.0, ", flags, "> (a, b, c)"),
          {a, b, Doubles({4}, 5)}},
         {absl::StrCat("y = Gemm <", crossed, "> (a, b, c)"), {a, other, Doubles({2, 1}, 5)}},
         {absl::StrCat("y = com.microsoft.FusedMatMul <alpha = 0.5, ", flags, "> (a, b)"), {a, b}},
         {absl::StrCat("y = com.microsoft.FusedMatMul <", crossed, "> (a, b)"), {a, other}}});
  }
}

TEST(DerivativesTest, ShapesAndTypes) {
  const Tensor x = Doubles({2, 1, 3}, 7);
  ExpectDerivatives({{"n = Constant <value_ints = [3, -1]> () y = Reshape(a, n)", {x}},
                     {"y = Flatten <axis = 2> (a)", {x}},
                     {"n = Constant <value_ints = [1]> () y = Squeeze(a, n)", {x}},
                     {"n = Constant <value_ints = [0, -1]> () y = Unsqueeze(a, n)", {x}},
                     {"n = Constant <value_ints = [4, 2, 2, 1]> () y = Expand(a, n)", {x}},
                     {"n = Shape(b) y = Expand(a, n)", {x, Doubles({2, 4, 3}, 5)}},
                     {"y = Transpose(a)", {x}},
                     {"y = Transpose <perm = [1, 2, 0]> (a)", {x}},
                     {"f = Cast <to = 11> (a) y = CastLike(f, b)", {x, x}}});
}

TEST(DerivativesTest, Movement) {
  const Tensor x = Doubles({3, 4}, 7);
  ExpectDerivatives(
      {{"y = Concat <axis = -1> (a, b, a)", {x, Doubles({3, 1}, 5)}},
       {"p, q = Split <axis = 1, num_outputs = 2> (a) y = Mul(p, q)", {x}},
       {"n = Constant <value_ints = [1, 3]> () p, q = Split <axis = 1> (a, n) y = Exp(q)", {x}},
       {"n = Constant <value_ints = [2]> () m = Constant <value_ints = [-9]> () "
        "i = Constant <value_ints = [0]> () k = Constant <value_ints = [-2]> () "
        "y = Slice(a, n, m, i, k)",
        {x}},
       {"n = Constant <value_ints = [2, 0, -1]> () y = Gather <axis = 1> (a, n)", {x}},
       {"n = Constant <value = int64[3,1] {2, 0, 2}> () y = GatherElements <axis = 1> (a, n)", {x}},
       {"n = Constant <value = int64[2,2] {2, 0, 2, 0}> () y = GatherND(a, n)", {x}},
       {"n = Constant <value_ints = [1, 0, -1, 2]> () y = Pad(a, n)", {x}},
       {"n = Constant <value_ints = [2, 1]> () i = Constant <value_ints = [-1]> () "
        "y = Pad(a, n, , i)",
        {x}},
       {"n = Constant <value_ints = [2, 3]> () y = Tile(a, n)", {x}},
       {"n = Constant <value = int64 {1}> () y = CumSum <exclusive = 1> (a, n)", {x}},
       {"n = Constant <value = int64 {0}> () y = CumSum <reverse = 1> (a, n)", {x}}});
}

TEST(DerivativesTest, Reductions) {
  const Tensor x = Doubles({2, 3, 2}, 7);
  std::vector<Case> cases;
  for (const char* name :
       {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceSumSquare", "ReduceL2"}) {
    for (const char* rest : {"(a)", " <keepdims = 0> (a)", "(a, n)", " <keepdims = 0> (a, n)",
                             " <noop_with_empty_axes = 1> (a)", " <keepdims = 0> (a, none)",
                             " <keepdims = 0, noop_with_empty_axes = 1> (a, none)"}) {
      cases.push_back({absl::StrCat("n = Constant <value_ints = [-1, 0]> () "
                                    "none = Constant <value = int64[0] {}> () y = ",
                                    name, rest),
                       {x}});
    }
    if (std::string(name) == "ReduceSum") continue;
    cases.push_back({absl::StrCat("y = ", name, " <keepdims = 0, axes = [1]> (a)"), {x}, 13});
  }
  cases.push_back({"y = GlobalAveragePool(a)", {x}});
  ExpectDerivatives(cases);
}

TEST(DerivativesTest, Selection) {
  const Tensor x = Doubles({2, 3}, 7);
  ExpectDerivatives(
      {{"h = Greater(a, b) y = Where(h, a, b)", {x, Doubles({3}, 5, 0.2)}},
       {"p = Constant <value = double {-0.4}> () q = Constant <value = double {0.5}> () "
        "y = Clip(a, p, q)",
        {x}},
       {"y = Dropout(a)", {x}},
       {"y = Dropout(a)", {x}, 7},
       {"r = Constant <value = double {0.5}> () t = Constant <value = bool {1}> () "
        "y, m = Dropout <seed = 3> (a, r, t)",
        {x}}});
}

TEST(DerivativesTest, Layers) {
  const Tensor image = Doubles({1, 2, 4, 3}, 7);
  ExpectDerivatives(
      {{"y = Conv <pads = [1, 0, 1, 0], strides = [2, 1]> (a, b, c)",
        {image, Doubles({3, 2, 2, 2}, 5), Doubles({3}, 11)}},
       {"y = Conv(a, b)", {image, Doubles({3, 2, 1, 1}, 5)}},
       {"y = ConvTranspose <pads = [1, 0, 0, 1], strides = [2, 3], output_padding = [1, 0]> "
        "(a, b, c)",
        {image, Doubles({2, 3, 2, 3}, 5), Doubles({3}, 11)}},
       {"y = ConvTranspose <group = 2, dilations = [2, 1]> (a, b)",
        {image, Doubles({2, 1, 2, 2}, 5)}},
       {"y = AveragePool <kernel_shape = [2, 2], pads = [1, 1, 0, 0], strides = [2, 1]> (a)",
        {image}},
       {"y = AveragePool <kernel_shape = [3, 2], count_include_pad = 1, auto_pad = \"SAME_UPPER\", "
        "strides = [2, 2]> (a)",
        {image}},
       {"y = AveragePool <kernel_shape = [2, 2], strides = [3, 2]> (a)", {image}, 10},
       {"y = AveragePool <kernel_shape = [2, 2], dilations = [2, 1], pads = [1, 0, 0, 1]> (a)",
        {image}},
       {"y = MaxPool <kernel_shape = [2, 2], pads = [1, 1, 0, 0]> (a)", {image}},
       {"y, i = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (a)", {image}},
       {"m = Constant <value = double[2] {0.1, -0.2}> () v = Constant <value = double[2] {0.5, 2}> "
        "() y = BatchNormalization <epsilon = 0.1> (a, b, c, m, v)",
        {image, Doubles({2}, 5), Doubles({2}, 3)}},
       {"y = LayerNormalization(a, b, c)", {image, Doubles({3}, 5), Doubles({3}, 3)}},
       {"y, m, v = LayerNormalization <axis = 2> (a, b)", {image, Doubles({4, 3}, 5)}},
       {"n = Constant <value = int64[3] {1, 0, 3}> () y = SoftmaxCrossEntropyLoss(a, n)",
        {Doubles({3, 4}, 7)}},
       {"n = Constant <value = int64[3] {1, 0, 3}> () w = Constant <value = double[4] {1, 2, 3, "
        "4}> "
        "() y, p = SoftmaxCrossEntropyLoss <reduction = \"none\", ignore_index = 0> (a, n, w)",
        {Doubles({3, 4}, 7)}}});
}

// Operators without a rule, which ONNX defines by others.
TEST(DerivativesTest, Bodies) {
  const Tensor x = Doubles({2, 3}, 7);
  ExpectDerivatives({{"y = Mish(a)", {x}},
                     {"y = HardSwish(a)", {x}},
                     {"y = ThresholdedRelu <alpha = 0.3> (a)", {x}},
                     {"y = Swish <alpha = 0.5> (a)", {x}, 24},
                     {"h = Mul(a, b) k = Mish(h) y = Mul(k, h)", {x, Doubles({3}, 5)}},
                     {"n = Constant <value_ints = [1]> () y = ReduceL1(a, n)", {x}, 18},
                     {"y = ReduceLogSumExp <keepdims = 0> (a)", {x}, 18}});
}

// y is itself a gradient.
TEST(DerivativesTest, SecondDerivatives) {
  const Tensor x = Positive({2, 3}, 7);
  std::vector<Case> cases;
  for (const char* nodes :
       {"h = Mul(a, b)", "h = Div(a, b)", "h = Pow(a, b)", "h = Tanh(a)", "h = Softmax(a)",
        "h = Relu(a)", "e = Sigmoid(a) h = Mul(e, a)",
        "t = Transpose(b) e = MatMul(a, t) h = Tanh(e)",
        "e = ReduceMean <keepdims = 0> (a) h = Mul(e, e)", "e = Max(a, b) h = Mul(e, a)",
        "n = Constant <value_ints = [1, 1]> () e = Gather(a, n) h = Mul(e, e)",
        "n = Constant <value_ints = [1]> () m = Constant <value_ints = [2]> () "
        "e = Slice(a, n, m) h = Exp(e)",
        "e = Concat <axis = 0> (a, b) h = Mul(e, e)", "h = Mish(a)", "e = Sqrt(a) h = Log(e)"}) {
    cases.push_back(
        {absl::StrCat(nodes, " y = ", kGradient, " <xs = [\"a\"], zs = [\"b\"], y = \"h\"> (a, b)"),
         {x, Doubles({2, 3}, 5, 1.4)}});
  }
  ExpectDerivatives(cases);
}

// As torch's derivatives.yaml has it for relu, leaky_relu, abs, clamp, maximum, amax, pow, floor.
TEST(DerivativesTest, WhereTheyJump) {
  const Tensor x = Floats({-1, 0, 2, kNaN});
  ExpectJumps("y = Relu(a)", x, Floats({0, 0, 1, 1}));
  ExpectJumps("y = LeakyRelu <alpha = 0.5> (a)", Floats({-1, 0, 2}), Floats({0.5f, 0.5f, 1}));
  ExpectJumps("y = Abs(a)", Floats({-1, 0, 2}), Floats({-1, 0, 1}));
  ExpectJumps(
      "p = Constant <value = float {0}> () q = Constant <value = float {2}> () "
      "y = Clip(a, p, q)",
      Floats({-1, 0, 1, 2, 3}), Floats({0, 1, 1, 1, 0}));
  ExpectJumps("z = Constant <value = float {0}> () y = Max(a, z)", Floats({-1, 0, 2}),
              Floats({0, 0.5f, 1}));
  ExpectJumps("y = ReduceMax(a)", Floats({1, 3, 3, 2}), Floats({0, 0.5f, 0.5f, 0}));
  ExpectJumps("z = Constant <value = float {0}> () y = Pow(a, z)", Floats({0, 2}), Floats({0, 0}));
  ExpectJumps("z = Constant <value = float {0}> () y = Pow(z, a)", Floats({0, 2}), Floats({0, 0}));
  ExpectJumps("y = Floor(a)", Floats({0.5f, 1}), Floats({0, 0}));
  ExpectJumps("n = Cast <to = 7> (a) m = Cast <to = 1> (n) y = Mul(m, a)", Floats({1.5f, -2.5f}),
              Floats({1, -2}));
  ExpectJumps(
      "i = Constant <value = int32 {0}> () n = CastLike(a, i) m = CastLike(n, a) "
      "y = Mul(m, a)",
      Floats({1.5f, -2.5f}), Floats({1, -2}));
}

// In types of 16 bits: the mean of 131072 elements, of which float16 cannot count so many.
TEST(DerivativesTest, NarrowTypes) {
  const std::string text = absl::StrCat(
      "<ir_version: 10, opset_import: [\"\": 22, \"ai.onnx.preview.training\": 1]> g ",
      "(float16[n] a) => (float16[n] da) { h = ReduceMean <keepdims = 0> (a) ",
      "k = Constant <value = float {1024}> () l = CastLike(k, a) y = Mul(h, l) da = ", kGradient,
      " <xs = [\"a\"], y = \"y\"> (a) }");
  const Tensor x = Convert(Iota({131072}), DType::kFloat16);
  const std::vector<float> want(131072, 1.0f / 128);
  ExpectTensor(TensorAt(RunText(text, {{"a", x}}), 0), Convert(Floats(want), DType::kFloat16));
}

TEST(DerivativesTest, EmptyTensors) {
  ExpectDerivatives({{"y = Mul(a, b)", {Doubles({2, 0}, 7), Doubles({1}, 5)}},
                     {"y = ReduceSum(a)", {Doubles({2, 0}, 7)}},
                     {"y = Add(a, b)", {Doubles({0}, 7), Doubles({3, 1}, 5)}}});
}

}  // namespace
}  // namespace onnxcmp::testing
