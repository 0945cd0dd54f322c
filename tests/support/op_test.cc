#include "tests/support/op_test.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/convert.h"
#include "gtest/gtest.h"
#include "ops/operators.h"
#include "tests/support/mismatch.h"

namespace onnxcmp::testing {
namespace {

void Report(const absl::StatusOr<Tensor>& got, const Tensor& want, const Tolerance& tolerance,
            const std::source_location& where) {
  if (!got.ok()) {
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << got.status();
    return;
  }
  if (std::optional<std::string> mismatch = Mismatch(*got, want, tolerance)) {
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << *mismatch;
  }
}

}  // namespace

const OpRegistry& Registry() {
  static const OpRegistry* const registry = new OpRegistry(AllOperators());
  return *registry;
}

OpTest::OpTest(const std::string& op_type, int opset, const std::string& domain) {
  node_.op_type = op_type;
  node_.domain = domain;
  node_.imports = std::make_shared<const OpsetImports>(OpsetImports{{domain, opset}});
  Outputs(1);
  options_.threads = 1;
}

OpTest& OpTest::Input(Value value) {
  node_.inputs.push_back(absl::StrCat("input_", inputs_.size()));
  inputs_.push_back(std::move(value));
  return *this;
}

OpTest& OpTest::NoInput() {
  node_.inputs.emplace_back();
  inputs_.emplace_back();
  return *this;
}

OpTest& OpTest::Outputs(int count) {
  node_.outputs.clear();
  for (int i = 0; i < count; ++i) node_.outputs.push_back(absl::StrCat("output_", i));
  return *this;
}

OpTest& OpTest::Attr(const std::string& name, int64_t value) {
  node_.attributes[name] = value;
  return *this;
}
OpTest& OpTest::Attr(const std::string& name, float value) {
  node_.attributes[name] = value;
  return *this;
}
OpTest& OpTest::Attr(const std::string& name, const char* value) {
  node_.attributes[name] = std::string(value);
  return *this;
}
OpTest& OpTest::Attr(const std::string& name, std::vector<int64_t> value) {
  node_.attributes[name] = std::move(value);
  return *this;
}
OpTest& OpTest::Attr(const std::string& name, std::vector<float> value) {
  node_.attributes[name] = std::move(value);
  return *this;
}
OpTest& OpTest::Attr(const std::string& name, std::vector<std::string> value) {
  node_.attributes[name] = std::move(value);
  return *this;
}
OpTest& OpTest::Attr(const std::string& name, Tensor value) {
  node_.attributes[name] = std::move(value);
  return *this;
}

OpTest& OpTest::Attr(const std::string& name, SparseTensor value) {
  node_.attributes[name] = std::move(value);
  return *this;
}

OpTest& OpTest::Threads(int threads) {
  options_.threads = threads;
  return *this;
}

absl::StatusOr<std::vector<Value>> RunNode(const Node& node, const OpRegistry& registry,
                                           const std::vector<Value>& inputs,
                                           const EvaluatorOptions& options) {
  if (inputs.size() != node.inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(inputs.size(), " values for ", node.inputs.size(), " inputs"));
  }
  auto model = std::make_shared<Model>();
  if (node.imports != nullptr) model->imports = *node.imports;
  Node copy = node;
  Feeds feeds;
  for (size_t i = 0; i < inputs.size(); ++i) {
    copy.inputs[i] = inputs[i].empty() ? "" : absl::StrCat("input_", i);
    if (inputs[i].empty()) continue;
    feeds[copy.inputs[i]] = inputs[i];
    model->graph.inputs.push_back(ValueInfo{copy.inputs[i], {}});
  }
  for (size_t i = 0; i < copy.outputs.size(); ++i) {
    if (copy.outputs[i].empty()) continue;
    copy.outputs[i] = absl::StrCat("output_", i);
    model->graph.outputs.push_back(ValueInfo{copy.outputs[i], {}});
  }
  model->graph.nodes.push_back(std::move(copy));
  OC_ASSIGN_OR_RETURN(Evaluator evaluator, Evaluator::Create(std::move(model), registry, options));
  OC_ASSIGN_OR_RETURN(std::vector<Value> results, evaluator.Run(feeds));
  std::vector<Value> outputs(node.outputs.size());
  for (size_t i = 0, next = 0; i < outputs.size(); ++i) {
    if (!node.outputs[i].empty()) outputs[i] = std::move(results[next++]);
  }
  return outputs;
}

absl::StatusOr<std::vector<Value>> OpTest::RunAll() const {
  return RunNode(node_, Registry(), inputs_, options_);
}

absl::StatusOr<Tensor> OpTest::Run(int output) const {
  OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, RunAll());
  if (output < 0 || static_cast<size_t>(output) >= outputs.size()) {
    return absl::OutOfRangeError(absl::StrCat("no output ", output, " of ", outputs.size()));
  }
  const Value& value = outputs[static_cast<size_t>(output)];
  if (!value.is_tensor()) {
    return absl::FailedPreconditionError(
        absl::StrCat("output ", output, " is ", value.TypeString(), ", no tensor"));
  }
  return value.tensor();
}

Tensor Ints(const std::vector<int64_t>& values) {
  return Tensor::Of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

Tensor Floats(const std::vector<float>& values) {
  return Tensor::Of<float>({static_cast<int64_t>(values.size())}, values);
}

Tensor Bools(absl::Span<const int64_t> shape, const std::vector<uint8_t>& values) {
  return Convert(Tensor::Of<uint8_t>(shape, values), DType::kBool);
}

Value MapOf(Tensor keys, Value values) {
  return Map{.keys = std::move(keys), .values = std::make_shared<const Value>(std::move(values))};
}

Tensor Halves(absl::Span<const int64_t> shape, const std::vector<float>& values) {
  return AsHalf(Tensor::Of<float>(shape, values));
}

Tensor Int8s(absl::Span<const int64_t> shape, const std::vector<int8_t>& values) {
  return Tensor::Of<int8_t>(shape, values);
}

Tensor Uint8s(absl::Span<const int64_t> shape, const std::vector<uint8_t>& values) {
  return Tensor::Of<uint8_t>(shape, values);
}

Tensor OneRow(float x, float y) { return Tensor::Of<float>({1, 2}, {x, y}); }

Tensor AsHalf(const Tensor& tensor) { return Convert(tensor, DType::kFloat16); }

Tensor Iota(absl::Span<const int64_t> shape) {
  std::vector<float> values(static_cast<size_t>(NumElements(shape).value()));
  std::iota(values.begin(), values.end(), 0.0f);
  return Tensor::Of<float>(shape, values);
}

void ExpectTensor(const absl::StatusOr<Tensor>& got, const Tensor& want, double rtol, double atol,
                  std::source_location where) {
  Report(got, want, {.rtol = rtol, .atol = atol}, where);
}

void ExpectOutputs(const OpTest& test, const std::vector<Tensor>& want, double rtol, double atol,
                   std::source_location where) {
  const absl::StatusOr<std::vector<Value>> got = test.RunAll();
  const auto line = static_cast<int>(where.line());
  if (!got.ok()) {
    ADD_FAILURE_AT(where.file_name(), line) << got.status();
    return;
  }
  if (got->size() < want.size()) {
    ADD_FAILURE_AT(where.file_name(), line)
        << "want " << want.size() << " outputs, got " << got->size();
    return;
  }
  for (size_t i = 0; i < want.size(); ++i) {
    SCOPED_TRACE(absl::StrCat("output ", i));
    ExpectTensor((*got)[i].tensor(), want[i], rtol, atol, where);
  }
}

void ExpectSameBits(const absl::StatusOr<Tensor>& got, const Tensor& want,
                    std::source_location where) {
  Report(got, want, {.same_bits = true}, where);
}

void ExpectError(const absl::Status& status, absl::StatusCode code, const std::string& part,
                 std::source_location where) {
  const auto line = static_cast<int>(where.line());
  if (status.code() != code) {
    ADD_FAILURE_AT(where.file_name(), line)
        << "want " << absl::StatusCodeToString(code) << ", got " << status;
  } else if (status.message().find(part) == absl::string_view::npos) {
    ADD_FAILURE_AT(where.file_name(), line)
        << "no \"" << part << "\" in the message: " << status.message();
  }
}

Tensor Convert(const Tensor& tensor, DType dtype) {
  const absl::StatusOr<Tensor> from = tensor.Contiguous();
  absl::StatusOr<Tensor> to = Tensor::Allocate(dtype, tensor.shape());
  OC_CHECK(from.ok() && to.ok());
  std::vector<double> elements(static_cast<size_t>(tensor.num_elements()));
  // A packed type keeps what its last byte holds beyond the end.
  if (to->byte_size() > 0)
    std::memset(to->mutable_raw_data(), 0, static_cast<size_t>(to->byte_size()));
  LoadElements<double>(from->dtype(), from->raw_data(), 0, from->num_elements(), elements.data());
  StoreElements<double>(dtype, elements.data(), to->num_elements(), to->mutable_raw_data(), 0,
                        Overflow::kSaturate);
  return *std::move(to);
}

Tensor AsStridedView(const Tensor& tensor) {
  if (IsSubByte(tensor.dtype())) return tensor;  // packed tensors have no strides
  const absl::StatusOr<Tensor> from = tensor.Contiguous();
  OC_CHECK(from.ok());

  // Outermost dimension fastest and backwards, every second element, some elements in front.
  constexpr int64_t kFront = 3;
  Shape strides(tensor.shape().size());
  int64_t room = 2;
  int64_t first = kFront;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    const int64_t dim = std::max<int64_t>(tensor.shape()[axis], 1);
    strides[axis] = axis == 0 ? -room : room;
    if (axis == 0) first += (dim - 1) * room;
    room *= dim;
  }
  absl::StatusOr<Tensor> memory = Tensor::Allocate(tensor.dtype(), {room + kFront});
  OC_CHECK(memory.ok());
  const bool strings = tensor.dtype() == DType::kString;
  const int64_t bytes = BitWidth(tensor.dtype()) / 8;
  std::byte* to = strings ? nullptr : memory->mutable_raw_data();
  // The bytes between the elements must not be read: NaN, or -1.
  if (!strings) std::memset(to, 0xff, static_cast<size_t>(memory->byte_size()));

  Shape index(tensor.shape().size(), 0);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    int64_t place = first;
    for (size_t axis = 0; axis < index.size(); ++axis) place += index[axis] * strides[axis];
    if (strings) {
      memory->mutable_string_data()[place] = from->string_data()[i];
    } else {
      std::memcpy(to + place * bytes, from->raw_data() + i * bytes, static_cast<size_t>(bytes));
    }
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < tensor.shape()[axis]) break;
      index[axis] = 0;
    }
  }
  return memory->Strided(tensor.shape(), strides, first);
}

Tensor RandomFloats(absl::Span<const int64_t> shape, uint64_t seed, float scale) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<float> normal(0.0f, scale);
  std::vector<float> values(static_cast<size_t>(NumElements(shape).value()));
  for (float& value : values) value = normal(engine);
  return Tensor::Of<float>(shape, values);
}

Tensor Pattern(absl::Span<const int64_t> shape, int64_t step, int64_t modulus, float scale) {
  std::vector<float> values(static_cast<size_t>(NumElements(shape).value()));
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t k = static_cast<int64_t>(i) * step % modulus - modulus / 2;
    values[i] = scale * (static_cast<float>(k) / static_cast<float>(modulus));
  }
  return Tensor::Of<float>(shape, values);
}

}  // namespace onnxcmp::testing
