// Runs one operator in a test.
//
//   OpTest test("Softmax", 13);
//   test.Attr("axis", 1).Input(Tensor::Of<float>({1, 2}, {0, 0}));
//   ExpectTensor(test.Run(), Tensor::Of<float>({1, 2}, {0.5f, 0.5f}));
#ifndef ONNXCMP_TESTS_SUPPORT_OP_TEST_H_
#define ONNXCMP_TESTS_SUPPORT_OP_TEST_H_

#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/tensor.h"
#include "gtest/gtest.h"

namespace onnxcmp::testing {

// Every operator of the project, made once.
const OpRegistry& Registry();

// Leaves a test out where the ONNX in use is older than the opset that it is about.
#define ONNXCMP_NEEDS_OPSET(version)                                \
  if (::onnxcmp::testing::Registry().LatestVersion("") < (version)) \
  GTEST_SKIP() << "the ONNX in use knows no opset " << (version)

// Runs one operator on given values: `node` names its inputs and outputs only to say which are
// absent. Returns the outputs (empty Value: not wanted).
absl::StatusOr<std::vector<Value>> RunNode(const Node& node, const OpRegistry& registry,
                                           const std::vector<Value>& inputs,
                                           const EvaluatorOptions& options = {});

class OpTest {
 public:
  // `opset`: the opset version imported for the operator's domain.
  OpTest(const std::string& op_type, int opset, const std::string& domain = "");

  OpTest& Input(Value value);
  OpTest& NoInput();           // an optional input that is left out
  OpTest& Outputs(int count);  // 1 by default
  OpTest& Attr(const std::string& name, int64_t value);
  OpTest& Attr(const std::string& name, int value) { return Attr(name, int64_t{value}); }
  OpTest& Attr(const std::string& name, float value);
  OpTest& Attr(const std::string& name, const char* value);
  OpTest& Attr(const std::string& name, std::vector<int64_t> value);
  OpTest& Attr(const std::string& name, std::vector<float> value);
  OpTest& Attr(const std::string& name, std::vector<std::string> value);
  OpTest& Attr(const std::string& name, Tensor value);
  OpTest& Attr(const std::string& name, SparseTensor value);
  OpTest& Threads(int threads);

  absl::StatusOr<std::vector<Value>> RunAll() const;
  absl::StatusOr<Tensor> Run(int output = 0) const;  // one output, a tensor

 private:
  Node node_;
  std::vector<Value> inputs_;
  EvaluatorOptions options_;
};

// A test of an operator of com.microsoft.
inline OpTest Contrib(const std::string& op_type) { return OpTest(op_type, 1, "com.microsoft"); }

// The usual values and codes of tests.
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
inline constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;

using Int64s = std::vector<int64_t>;  // attributes

// Vectors: axes, shapes, indices, ... of int64; of float.
Tensor Ints(const std::vector<int64_t>& values);
Tensor Floats(const std::vector<float>& values);
// Tensors of any shape: Bools({2, 2}, {1, 0, 0, 1}).
Tensor Bools(absl::Span<const int64_t> shape, const std::vector<uint8_t>& values);
Tensor Halves(absl::Span<const int64_t> shape, const std::vector<float>& values);
Tensor Int8s(absl::Span<const int64_t> shape, const std::vector<int8_t>& values);
Tensor Uint8s(absl::Span<const int64_t> shape, const std::vector<uint8_t>& values);
// A matrix of one row.
Tensor OneRow(float x, float y);
// 0, 1, 2, ... as float.
Tensor Iota(absl::Span<const int64_t> shape);

Value MapOf(Tensor keys, Value values);

// Shape, dtype and elements; NaN equals NaN, 0 equals -0. |got - want| <= atol + rtol * |want|;
// exact by default. A mismatch prints counts and the five worst elements with their indices.
void ExpectTensor(const absl::StatusOr<Tensor>& got, const Tensor& want, double rtol = 0,
                  double atol = 0, std::source_location where = std::source_location::current());
// The first outputs, as many as are given.
void ExpectOutputs(const OpTest& test, const std::vector<Tensor>& want, double rtol = 0,
                   double atol = 0, std::source_location where = std::source_location::current());
// Bit for bit: -0 is not 0, NaNs have the same payload.
void ExpectSameBits(const absl::StatusOr<Tensor>& got, const Tensor& want,
                    std::source_location where = std::source_location::current());
// The status is not OK, has this code and its message contains `part`.
void ExpectError(const absl::Status& status, absl::StatusCode code, const std::string& part,
                 std::source_location where = std::source_location::current());

// A float tensor cast to another type (float16, bfloat16, int32, float8, int4, ...), saturating.
Tensor Convert(const Tensor& tensor, DType dtype);
Tensor AsHalf(const Tensor& tensor);
// A view of the same elements with other strides than row-major (for kernels that meet views).
Tensor AsStridedView(const Tensor& tensor);
// Normally distributed floats, the same for the same seed.
Tensor RandomFloats(absl::Span<const int64_t> shape, uint64_t seed, float scale = 1.0f);
// Element i is scale * ((i * step) % modulus - modulus / 2) / modulus: all signs and no structure,
// easily made again where expected values come from.
Tensor Pattern(absl::Span<const int64_t> shape, int64_t step, int64_t modulus, float scale = 1.0f);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_OP_TEST_H_
