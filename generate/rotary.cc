#include "generate/rotary.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "generate/tensors.h"
#include "record/graphs/graph_scope.h"

namespace onnxcmp {
namespace {

// Operators that move elements, or change their type.
constexpr absl::string_view kRotaryMoves[] = {
    "Cast",  "Concat", "Expand",  "Flatten", "Gather",    "Identity", "Reshape",
    "Slice", "Split",  "Squeeze", "Tile",    "Transpose", "Unsqueeze"};
// Operators that turn positions into angles.
constexpr absl::string_view kAngles[] = {"Add", "Einsum", "Gemm", "MatMul", "Mul", "Sub"};

template <typename Words>
bool IsAmong(absl::string_view word, const Words& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// True for a table of cosines or sines: the first row is all 1 or all 0.
bool IsTableOfAngles(const Tensor& table) {
  if (table.rank() < 2 || table.dim(0) == 0 || !IsFloatingPoint(table.dtype())) return false;
  const absl::StatusOr<Tensor> row = SliceOf(table, 0, 0, 1);
  if (!row.ok()) return false;
  const absl::StatusOr<std::vector<double>> numbers = NumbersOf(*row);
  if (!numbers.ok() || numbers->empty()) return false;
  const double first = numbers->front();
  return (first == 0 || first == 1) &&
         std::all_of(numbers->begin(), numbers->end(), [&](double x) { return x == first; });
}

class Followed {
 public:
  explicit Followed(const Graph& graph) : scope_(MakeScope(graph)) {}

  bool OnlyRotates(const std::string& positions) {
    Follow(positions, /*turned=*/false);
    while (!open_.empty()) {
      const Open at = open_.back();
      open_.pop_back();
      const auto readers = scope_->readers.find(at.name);
      if (readers == scope_->readers.end()) continue;
      for (const GraphScope::Reader& reader : readers->second) {
        if (!Passes(*reader.node, reader.slot, at.turned)) return false;
      }
    }
    return turns_;
  }

 private:
  // `turned`: a sine or cosine already.
  struct Open {
    absl::string_view name;
    bool turned = false;
  };

  void Follow(absl::string_view name, bool turned) {
    if (!name.empty() && seen_.insert(name).second) open_.push_back({name, turned});
  }

  void FollowAll(const Node& node, bool turned) {
    for (const std::string& output : node.outputs) Follow(output, turned);
  }

  bool Passes(const Node& node, size_t slot, bool turned) {
    if (node.op_type == "RotaryEmbedding") return turns_ = true;
    if (node.op_type == "Shape" || node.op_type == "Size") return true;
    const bool moves = IsAmong(node.op_type, kRotaryMoves);
    if (turned) {
      const bool scaled = node.op_type == "Mul" && node.inputs.size() == 2 &&
                          ConstantIn(*scope_, node.inputs[1 - slot]) != nullptr;
      if (node.op_type == "Mul" && !scaled) return turns_ = true;
      if (!moves && !scaled) return false;
      FollowAll(node, true);
      return true;
    }
    if (node.op_type == "Gather" && slot == 1) {
      const Tensor* const table = ConstantIn(*scope_, node.inputs[0]);
      if (table == nullptr || !IsTableOfAngles(*table)) return false;
      FollowAll(node, true);
      return true;
    }
    if (node.op_type == "Cos" || node.op_type == "Sin") {
      FollowAll(node, true);
      return true;
    }
    if (!moves && !IsAmong(node.op_type, kAngles)) return false;
    FollowAll(node, false);
    return true;
  }

  const std::unique_ptr<GraphScope> scope_;
  std::vector<Open> open_;
  absl::flat_hash_set<absl::string_view> seen_;
  bool turns_ = false;
};

}  // namespace

bool OnlyRotates(const Graph& graph, const std::string& positions) {
  return Followed(graph).OnlyRotates(positions);
}

}  // namespace onnxcmp
