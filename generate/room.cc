#include "generate/room.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "feed/feeds.h"
#include "generate/tensors.h"
#include "record/base/work_bounds.h"
#include "record/graphs/graph_scope.h"

namespace onnxcmp {
namespace {

// Operators that move numbers of positions or change their type.
constexpr absl::string_view kMoves[] = {"Cast",    "Expand", "Gather",  "Identity",
                                        "Reshape", "Slice",  "Squeeze", "Unsqueeze"};

std::optional<int64_t> FixedDim(const ValueInfo* input, size_t axis) {
  if (input == nullptr || !input->type.shape.has_value() || axis >= input->type.shape->size()) {
    return std::nullopt;
  }
  return (*input->type.shape)[axis].value;
}

class Room {
 public:
  Room(const Graph& graph, DecoderRoles* roles)
      : graph_(graph), roles_(*roles), scope_(MakeScope(graph)) {}

  void Limit(int64_t positions, std::string where) {
    if (positions <= 0 || roles_.most_positions.value_or(positions + 1) <= positions) return;
    roles_.most_positions = positions;
    roles_.limited_by = std::move(where);
  }

  void OfInputs(const InputPurposes& purposes) {
    for (const Role role : {Role::kPositions, Role::kCachePosition}) {
      const DecoderRoles::Input* const input = roles_.Find(role);
      if (input == nullptr) continue;
      const auto purpose = purposes.find(input->name);
      if (purpose == purposes.end() || !purpose->second.limit.has_value()) continue;
      if (IsWrapped(input->name, work_bounds::kNesting)) continue;
      Limit(*purpose->second.limit, absl::StrCat("input `", input->name, "`"));
    }
    if (const DecoderRoles::Input* const mask = roles_.Find(Role::kMask); mask != nullptr) {
      const ValueInfo* const input = FindValueInfo(graph_.inputs, mask->name);
      const size_t rank = input->type.shape.has_value() ? input->type.shape->size() : 0;
      const std::optional<int64_t> width = rank == 0 ? std::nullopt : FixedDim(input, rank - 1);
      Limit(width.value_or(0), absl::StrCat("input `", mask->name, "`"));
    }
  }

  // Buffers that slots are written to; a state of one size that is none stays as it is.
  void OfBuffers() {
    const size_t slots = 2;  // [batch, heads, slots, depth]
    for (const StatePair& state : roles_.states) {
      const ValueInfo* const input = FindValueInfo(graph_.inputs, state.past);
      if (state.axis.has_value() || state.cross || !FixedDim(input, slots + 1).has_value() ||
          !IsWritten(state.past, work_bounds::kNesting)) {
        continue;
      }
      Limit(FixedDim(input, slots).value_or(0), absl::StrCat("the state `", state.past, "`"));
    }
  }

  // Tables whose rows are selected by positions that the model computes itself.
  void OfTables() {
    for (const Node& node : graph_.nodes) {
      if (node.op_type != "Gather" || node.inputs.size() != 2) continue;
      const Tensor* const table = ConstantIn(*scope_, node.inputs[0]);
      if (table == nullptr || table->rank() != 2 || !IsFloatingPoint(table->dtype())) continue;
      const std::optional<int64_t> first = FirstPosition(node.inputs[1], work_bounds::kNesting);
      if (!first.has_value()) continue;
      Limit(table->dim(0) - *first, absl::StrCat("the table `", node.inputs[0], "`"));
    }
  }

 private:
  bool IsWritten(absl::string_view name, int nodes) const {
    const auto readers = scope_->readers.find(name);
    if (readers == scope_->readers.end()) return false;
    return std::any_of(readers->second.begin(), readers->second.end(),
                       [&](const GraphScope::Reader& reader) {
                         const Node& node = *reader.node;
                         if (node.op_type == "Identity" || node.op_type == "Transpose") {
                           return nodes > 0 && IsWritten(node.outputs[0], nodes - 1);
                         }
                         return absl::StrContains(node.op_type, "Scatter") ||
                                node.op_type == "GroupQueryAttention";
                       });
  }

  // A remainder fits into its table whatever the position is.
  bool IsWrapped(absl::string_view name, int nodes) const {
    const auto readers = scope_->readers.find(name);
    if (readers == scope_->readers.end() || nodes == 0) return false;
    return std::any_of(readers->second.begin(), readers->second.end(),
                       [&](const GraphScope::Reader& reader) {
                         const Node& node = *reader.node;
                         if (node.op_type == "Mod") return true;
                         return std::find(std::begin(kMoves), std::end(kMoves), node.op_type) !=
                                    std::end(kMoves) &&
                                IsWrapped(node.outputs[0], nodes - 1);
                       });
  }

  std::optional<int64_t> WholeNumber(absl::string_view name) const {
    const std::optional<double> number = NumberOf(ConstantIn(*scope_, name));
    if (!number.has_value()) return std::nullopt;
    return static_cast<int64_t>(*number);
  }

  // The number of the first position, of a value that has one more for each further position;
  // nothing for all other values, and for those that take more nodes to compute.
  std::optional<int64_t> FirstPosition(absl::string_view name, int nodes) const {
    if (const Tensor* const constant = ConstantIn(*scope_, name); constant != nullptr) {
      return FirstOf(*constant);
    }
    const Node* const node = ProducerIn(*scope_, name);
    if (node == nullptr || nodes == 0) return std::nullopt;
    if (node->op_type == "Range") return 0;
    if (node->op_type == "CumSum") return 1;
    if (std::find(std::begin(kMoves), std::end(kMoves), node->op_type) != std::end(kMoves)) {
      return FirstPosition(node->inputs[0], nodes - 1);
    }
    const bool sum = node->op_type == "Add" || node->op_type == "Sub";
    if (!sum && node->op_type != "Mul" && node->op_type != "Where") return std::nullopt;
    const size_t begin = node->op_type == "Where" ? 1 : 0;
    const std::optional<int64_t> a = FirstPosition(node->inputs[begin], nodes - 1);
    const std::optional<int64_t> b = FirstPosition(node->inputs[begin + 1], nodes - 1);
    // The difference of two positions is a distance.
    if (a.has_value() == b.has_value()) return std::nullopt;
    if (!sum) return a.has_value() ? a : b;
    const int64_t constant = WholeNumber(node->inputs[a.has_value() ? 1 : 0]).value_or(0);
    if (node->op_type == "Add") return a.value_or(b.value_or(0)) + constant;
    if (!a.has_value()) return std::nullopt;
    return *a - constant;
  }

  // Constants that count up.
  static std::optional<int64_t> FirstOf(const Tensor& constant) {
    if (!IsInteger(constant.dtype()) || constant.num_elements() < 2) return std::nullopt;
    const absl::StatusOr<std::vector<double>> numbers = NumbersOf(constant);
    if (!numbers.ok()) return std::nullopt;
    for (size_t i = 1; i < numbers->size(); ++i) {
      if ((*numbers)[i] != (*numbers)[i - 1] + 1) return std::nullopt;
    }
    return static_cast<int64_t>(numbers->front());
  }

  const Graph& graph_;
  DecoderRoles& roles_;
  const std::unique_ptr<GraphScope> scope_;
};

}  // namespace

void LimitPositions(const Graph& graph, const InputPurposes& purposes, DecoderRoles* roles) {
  Room room(graph, roles);
  room.OfInputs(purposes);
  room.OfBuffers();
  room.OfTables();
}

}  // namespace onnxcmp
