#include "generate/direction.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/tensor.h"
#include "generate/tensors.h"
#include "record/graphs/graph_scope.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

// Operators that move positions, change their type, or add a constant to them.
constexpr absl::string_view kKeepOrder[] = {"Add",     "Cast",     "Expand",    "Flatten",
                                            "Gather",  "Identity", "Reshape",   "Slice",
                                            "Squeeze", "Sub",      "Transpose", "Unsqueeze"};
// The same of weights.
constexpr absl::string_view kKeepWeights[] = {"Cast", "Identity", "Reshape", "Transpose"};
constexpr absl::string_view kComparisons[] = {"Greater", "GreaterOrEqual", "Less", "LessOrEqual"};
constexpr absl::string_view kActivations[] = {"BiasGelu", "Elu",     "Erf",  "FastGelu", "Gelu",
                                              "Relu",     "Sigmoid", "Silu", "Tanh"};

template <typename Words>
bool IsOneOf(absl::string_view word, const Words& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::string NameOf(const Node& node) {
  return node.name.empty() ? node.op_type : absl::StrCat(node.op_type, " '", node.name, "'");
}

// Constants of a square in their last dimensions, whose upper triangle differs from the diagonal
// throughout, and whose lower one does not.
bool IsTriangle(const Tensor& table) {
  const size_t rank = table.shape().size();
  if (rank < 2 || table.shape()[rank - 1] != table.shape()[rank - 2]) return false;
  const auto size = static_cast<size_t>(table.shape()[rank - 1]);
  if (size < 3 || table.num_elements() != static_cast<int64_t>(size * size)) return false;
  // Most squares are weights, whose first line tells that.
  const absl::StatusOr<Tensor> line = SliceOf(table, rank - 2, 0, 1);
  const absl::StatusOr<std::vector<double>> first = line.ok() ? NumbersOf(*line) : line.status();
  if (!first.ok()) return false;
  const double seen = first->front(), hidden = (*first)[1];
  if (std::any_of(first->begin() + 1, first->end(), [&](double x) { return x != hidden; })) {
    return false;
  }
  const absl::StatusOr<std::vector<double>> numbers = NumbersOf(table);
  if (!numbers.ok()) return false;
  for (size_t i = 0; i < size; ++i) {
    for (size_t j = 0; j < size; ++j) {
      if ((*numbers)[i * size + j] != (j > i ? hidden : seen)) return false;
    }
  }
  return seen != hidden;
}

class Evidence {
 public:
  explicit Evidence(const Graph& graph) : scope_(MakeScope(graph)) {}

  // The first node or constant that orders positions; "" if there is none.
  std::string OfOrder() const { return OfOrderIn(*scope_); }

  // The node of an activation that the logits are computed from by products alone with weights, and
  // which is itself computed from one such product: the head of a masked language model.
  std::string OfHead(const std::string& logits) const {
    const std::vector<const Node*> last = ProductsBefore(logits, nullptr);
    if (last.size() != 1) return "";
    std::string activation;
    const std::vector<const Node*> inner = ProductsBefore(DataOf(*last.front()), &activation);
    return inner.size() == 1 ? activation : "";
  }

 private:
  static std::string OfOrderIn(const GraphScope& scope) {
    for (const Node& node : scope.graph->nodes) {
      const bool attention = IntAttribute(node, "is_causal").value_or(0) != 0 ||
                             IntAttribute(node, "unidirectional").value_or(0) != 0;
      const bool compares = IsOneOf(node.op_type, kComparisons) && node.inputs.size() == 2 &&
                            IsRange(scope, node.inputs[0]) && IsRange(scope, node.inputs[1]);
      if (attention || compares || node.op_type == "Trilu") {
        return absl::StrCat(NameOf(node), " orders positions");
      }
    }
    std::vector<std::string> found;
    for (const auto& [name, table] : scope.constants) {
      if (IsTriangle(*table)) {
        found.push_back(absl::StrCat("the constant `", name, "` is a causal mask"));
      }
    }
    for (const auto& [graph, inner] : scope.inner) {
      if (std::string order = OfOrderIn(*inner); !order.empty()) found.push_back(std::move(order));
    }
    // Maps have no order that is the same in each run.
    if (!found.empty()) return *std::min_element(found.begin(), found.end());
    return "";
  }

  // True for the numbers of positions: a Range, moved.
  static bool IsRange(const GraphScope& scope, absl::string_view name) {
    const Node* node = ProducerIn(scope, name);
    while (node != nullptr && IsOneOf(node->op_type, kKeepOrder)) {
      const bool sums = node->op_type == "Add" || node->op_type == "Sub";
      const bool first = sums && ProducerIn(scope, node->inputs[0]) == nullptr;
      node = ProducerIn(scope, node->inputs[first ? 1 : 0]);
    }
    return node != nullptr && node->op_type == "Range";
  }

  bool IsWeight(absl::string_view name) const {
    const Node* node = ProducerIn(*scope_, name);
    while (ConstantIn(*scope_, name) == nullptr) {
      if (node == nullptr || node->inputs.empty()) return false;
      const bool same =
          absl::StrContains(node->op_type, "Dequantize") || IsOneOf(node->op_type, kKeepWeights);
      if (!same) return false;
      name = node->inputs.front();
      node = ProducerIn(*scope_, name);
    }
    return true;
  }

  bool IsProduct(const Node& node) const {
    const bool called = absl::StrContains(node.op_type, "MatMul") ||
                        absl::StrContains(node.op_type, "Gemm") ||
                        absl::StrContains(node.op_type, "Conv");
    return called &&
           std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](const std::string& name) { return !name.empty() && IsWeight(name); });
  }

  std::string DataOf(const Node& product) const {
    for (const std::string& input : product.inputs) {
      if (!input.empty() && !IsWeight(input)) return input;
    }
    return "";
  }

  // The products with weights that a value is computed from without another one between; tables
  // that ids select count as well. `activation`: the last one that is passed.
  std::vector<const Node*> ProductsBefore(absl::string_view name, std::string* activation) const {
    std::vector<absl::string_view> open = {name};
    absl::flat_hash_set<const Node*> seen;
    std::vector<const Node*> products;
    while (!open.empty()) {
      const Node* const node = ProducerIn(*scope_, open.back());
      open.pop_back();
      if (node == nullptr || !seen.insert(node).second) continue;
      if (IsProduct(*node) || (node->op_type == "Gather" && IsWeight(node->inputs[0]))) {
        products.push_back(node);
        continue;
      }
      if (activation != nullptr && IsOneOf(node->op_type, kActivations))
        *activation = NameOf(*node);
      open.insert(open.end(), node->inputs.begin(), node->inputs.end());
    }
    return products;
  }

  const std::unique_ptr<GraphScope> scope_;
};

}  // namespace

TokenDirection DirectionOf(const Graph& graph, const std::string& logits, int64_t words,
                           int64_t tokens) {
  const Evidence evidence(graph);
  if (std::string order = evidence.OfOrder(); !order.empty()) {
    return {TokenDirection::Kind::kDecoder, std::move(order)};
  }
  if (tokens > 0 && words != tokens) {
    return {TokenDirection::Kind::kEncoder, absl::StrCat("output `", logits, "` has ", words,
                                                         " numbers a position, which are no "
                                                         "logits over the ",
                                                         tokens, " tokens")};
  }
  if (const std::string head = evidence.OfHead(logits); !head.empty()) {
    return {TokenDirection::Kind::kEncoder,
            absl::StrCat(head, " in its head, as in a masked language model")};
  }
  return {};
}

}  // namespace onnxcmp
