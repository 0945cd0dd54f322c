#include "ops/operation_count.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {
namespace {

// A node's tensors and attributes; what a formula asks for and is not there ends it.
class Call {
 public:
  Call(const Node& node, absl::Span<const Value> inputs, absl::Span<const Value> outputs)
      : node_(node), inputs_(inputs), outputs_(outputs) {}

  // Null if it is left out or no tensor.
  const Tensor* Input(size_t index) const { return At(inputs_, index); }
  const Tensor* Output(size_t index) const { return At(outputs_, index); }
  template <typename T>
  const T* Attribute(absl::string_view name) const {
    const auto found = node_.attributes.find(name);
    return found == node_.attributes.end() ? nullptr : std::get_if<T>(&found->second);
  }
  bool Flag(absl::string_view name) const {
    const int64_t* value = Attribute<int64_t>(name);
    return value != nullptr && *value != 0;
  }

 private:
  static const Tensor* At(absl::Span<const Value> values, size_t index) {
    const bool there = index < values.size() && values[index].is_tensor();
    return there ? &values[index].tensor() : nullptr;
  }

  const Node& node_;
  absl::Span<const Value> inputs_;
  absl::Span<const Value> outputs_;
};

double Elements(const Tensor& tensor) { return static_cast<double>(tensor.num_elements()); }

// The dimension counted from the last one, which is 0; 0 if there is none.
double DimFromEnd(const Tensor& tensor, int from_end) {
  const int axis = tensor.rank() - 1 - from_end;
  return axis < 0 ? 0 : static_cast<double>(tensor.dim(axis));
}

// Y = A B: each element of Y is a sum over the columns of A (its rows, if it is transposed).
std::optional<double> Product(const Call& call) {
  const Tensor* a = call.Input(0);
  const Tensor* y = call.Output(0);
  if (a == nullptr || y == nullptr || a->rank() == 0 || call.Flag("transBatchA")) {
    return std::nullopt;
  }
  const bool transposed = call.Flag("transA") && a->rank() > 1;
  return 2 * Elements(*y) * DimFromEnd(*a, transposed ? 1 : 0);
}

// Each element of Y is a sum over the weights of its channel.
template <size_t kWeights>
std::optional<double> Convolution(const Call& call) {
  const Tensor* w = call.Input(kWeights);
  const Tensor* y = call.Output(0);
  if (w == nullptr || y == nullptr || w->rank() == 0 || w->dim(0) == 0) return std::nullopt;
  return 2 * Elements(*y) * Elements(*w) / static_cast<double>(w->dim(0));
}

// Each element of X meets the weights of its channel.
std::optional<double> TransposedConvolution(const Call& call) {
  const Tensor* x = call.Input(0);
  const Tensor* w = call.Input(1);
  if (x == nullptr || w == nullptr || w->rank() == 0 || w->dim(0) == 0) return std::nullopt;
  return 2 * Elements(*x) * Elements(*w) / static_cast<double>(w->dim(0));
}

// Every step of every sequence meets all of W and R.
std::optional<double> Recurrence(const Call& call) {
  const Tensor* x = call.Input(0);
  const Tensor* w = call.Input(1);
  const Tensor* r = call.Input(2);
  if (x == nullptr || w == nullptr || r == nullptr || x->rank() != 3) return std::nullopt;
  const double steps = static_cast<double>(x->dim(0)) * static_cast<double>(x->dim(1));
  return 2 * steps * (Elements(*w) + Elements(*r));
}

// Queries times keys, weights times values, for so many keys.
double AttentionOperations(double queries, double outputs, double keys) {
  return 2 * keys * (queries + outputs);
}

// ai.onnx.Attention: Q, K and V of rank 3 or 4, past keys of rank 4.
std::optional<double> Attention(const Call& call) {
  const Tensor* q = call.Input(0);
  const Tensor* k = call.Input(1);
  const Tensor* past = call.Input(4);
  const Tensor* y = call.Output(0);
  if (q == nullptr || k == nullptr || y == nullptr || k->rank() < 3) return std::nullopt;
  const double keys = DimFromEnd(*k, 1) + (past == nullptr ? 0 : DimFromEnd(*past, 1));
  return AttentionOperations(Elements(*q), Elements(*y), keys);
}

// com.microsoft.Attention: a product of the input and the weights of Q, K and V before it.
std::optional<double> AttentionWithProjection(const Call& call) {
  const Tensor* x = call.Input(0);
  const Tensor* w = call.Input(1);
  const Tensor* past = call.Input(4);
  const Tensor* y = call.Output(0);
  if (x == nullptr || w == nullptr || y == nullptr || x->rank() != 3 || w->rank() != 2) {
    return std::nullopt;
  }
  const auto* sizes = call.Attribute<std::vector<int64_t>>("qkv_hidden_sizes");
  const double columns = static_cast<double>(w->dim(1));
  const double query_columns =
      sizes == nullptr || sizes->empty() ? columns / 3 : static_cast<double>((*sizes)[0]);
  const double rows = static_cast<double>(x->dim(0)) * static_cast<double>(x->dim(1));
  const double keys = static_cast<double>(x->dim(1)) + (past == nullptr ? 0 : DimFromEnd(*past, 1));
  return 2 * Elements(*x) * columns + AttentionOperations(rows * query_columns, Elements(*y), keys);
}

// com.microsoft.MultiHeadAttention: (B, L, heads * size) and keys alike or in heads (B, H, S,
// size); packed (B, L, H, 3, size) without keys, keys with values (B, S, H, 2, size).
std::optional<double> MultiHeadAttention(const Call& call) {
  const Tensor* q = call.Input(0);
  const Tensor* k = call.Input(1);
  const Tensor* past = call.Input(6);
  const Tensor* y = call.Output(0);
  if (q == nullptr || y == nullptr) return std::nullopt;
  const bool packed = k == nullptr;
  if (packed ? q->rank() != 5 : k->rank() < 3) return std::nullopt;
  const double new_keys = packed           ? static_cast<double>(q->dim(1))
                          : k->rank() == 5 ? static_cast<double>(k->dim(1))
                                           : DimFromEnd(*k, 1);
  const double keys = new_keys + (past == nullptr ? 0 : DimFromEnd(*past, 1));
  return AttentionOperations(Elements(*q) / (packed ? 3 : 1), Elements(*y), keys);
}

// com.microsoft.GroupQueryAttention: seqlens_k holds the keys of each sequence, less one.
std::optional<double> GroupQueryAttention(const Call& call) {
  const Tensor* lengths = call.Input(5);
  const Tensor* y = call.Output(0);
  if (lengths == nullptr || y == nullptr || lengths->dtype() != DType::kInt32 ||
      !lengths->is_contiguous() || lengths->num_elements() == 0) {
    return std::nullopt;
  }
  const double outputs = Elements(*y) / Elements(*lengths);  // of a sequence
  double operations = 0;
  for (const int32_t length : lengths->AsSpan<int32_t>()) {
    operations += AttentionOperations(outputs, outputs, static_cast<double>(length) + 1);
  }
  return operations;
}

// Two operands without ellipsis: a multiplication and an addition for each combination of indices.
std::optional<double> Einsum(const Call& call) {
  const auto* equation = call.Attribute<std::string>("equation");
  if (equation == nullptr) return std::nullopt;
  const std::string text = absl::StrReplaceAll(*equation, {{" ", ""}});
  const std::vector<std::string> sides = absl::StrSplit(text, "->");
  const std::vector<std::string> terms = absl::StrSplit(sides[0], ',');
  if (terms.size() != 2 || text.find('.') != std::string::npos) return std::nullopt;
  std::map<char, int64_t> dims;
  for (size_t i = 0; i < terms.size(); ++i) {
    const Tensor* tensor = call.Input(i);
    if (tensor == nullptr || terms[i].size() != tensor->shape().size()) return std::nullopt;
    for (size_t axis = 0; axis < terms[i].size(); ++axis) {
      int64_t& dim = dims.try_emplace(terms[i][axis], 1).first->second;
      dim = std::max(dim, tensor->shape()[axis]);
    }
  }
  double operations = 2;
  for (const auto& [letter, dim] : dims) operations *= static_cast<double>(dim);
  return operations;
}

struct CountedOperator {
  absl::string_view domain;
  absl::string_view op_type;
  std::optional<double> (*count)(const Call& call);
};

constexpr CountedOperator kCountedOperators[] = {
    {kOnnxDomain, "Attention", Attention},
    {kOnnxDomain, "Conv", Convolution<1>},
    {kOnnxDomain, "ConvInteger", Convolution<1>},
    {kOnnxDomain, "ConvTranspose", TransposedConvolution},
    {kOnnxDomain, "DeformConv", Convolution<1>},
    {kOnnxDomain, "Einsum", Einsum},
    {kOnnxDomain, "GRU", Recurrence},
    {kOnnxDomain, "Gemm", Product},
    {kOnnxDomain, "LSTM", Recurrence},
    {kOnnxDomain, "MatMul", Product},
    {kOnnxDomain, "MatMulInteger", Product},
    {kOnnxDomain, "QLinearConv", Convolution<3>},
    {kOnnxDomain, "QLinearMatMul", Product},
    {kOnnxDomain, "RNN", Recurrence},
    {kMicrosoftDomain, "Attention", AttentionWithProjection},
    {kMicrosoftDomain, "DynamicQuantizeLSTM", Recurrence},
    {kMicrosoftDomain, "DynamicQuantizeMatMul", Product},
    {kMicrosoftDomain, "FusedConv", Convolution<1>},
    {kMicrosoftDomain, "FusedGemm", Product},
    {kMicrosoftDomain, "FusedMatMul", Product},
    {kMicrosoftDomain, "GemmFastGelu", Product},
    {kMicrosoftDomain, "GemmFloat8", Product},
    {kMicrosoftDomain, "GroupQueryAttention", GroupQueryAttention},
    {kMicrosoftDomain, "MatMulBnb4", Product},
    {kMicrosoftDomain, "MatMulInteger16", Product},
    {kMicrosoftDomain, "MatMulIntegerToFloat", Product},
    {kMicrosoftDomain, "MatMulNBits", Product},
    {kMicrosoftDomain, "MultiHeadAttention", MultiHeadAttention},
    {kMicrosoftDomain, "QGemm", Product},
    {kMicrosoftDomain, "QLinearConv", Convolution<3>},
};

// Null if there is none.
const CountedOperator* Find(absl::string_view domain, absl::string_view op_type) {
  const auto* const found = std::find_if(
      std::begin(kCountedOperators), std::end(kCountedOperators),
      [&](const CountedOperator& row) { return row.op_type == op_type && row.domain == domain; });
  return found == std::end(kCountedOperators) ? nullptr : found;
}

}  // namespace

std::optional<double> OperationCount(const Node& node, absl::Span<const Value> inputs,
                                     absl::Span<const Value> outputs) {
  const CountedOperator* found = Find(node.domain, node.op_type);
  return found == nullptr ? std::nullopt : found->count(Call(node, inputs, outputs));
}

bool CountsOperations(absl::string_view domain, absl::string_view op_type) {
  return Find(domain, op_type) != nullptr;
}

}  // namespace onnxcmp
