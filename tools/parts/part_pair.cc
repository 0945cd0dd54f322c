#include "tools/parts/part_pair.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

// Weights that are dequantized, say, stay as they are computed.
bool IsSmallConstant(const KnownModel& known, const std::string& name) {
  const auto maker = known.makers.find(name);
  const auto value = known.values.find(name);
  if (maker == known.makers.end() || !known.constant.contains(name) ||
      value == known.values.end() || !value->second.is_tensor()) {
    return false;
  }
  const std::string& op_type = known.proto->graph().node(maker->second).op_type();
  const DType dtype = value->second.tensor().dtype();
  return op_type == "Constant" || op_type == "Identity" || dtype == DType::kInt64 ||
         dtype == DType::kInt32 || dtype == DType::kBool;
}

absl::StatusOr<FedModel> PartOfSide(const KnownModel& known, const std::vector<std::string>& from,
                                    const std::vector<std::string>& to, SmallConstants constants) {
  PartChoice choice;
  const absl::flat_hash_set<std::string> stops(from.begin(), from.end());
  choice.nodes = NodesBehind(known, to, [&](const std::string& name) {
    return stops.contains(name) || (constants == SmallConstants::kFolded && name != to.front() &&
                                    IsSmallConstant(known, name));
  });
  choice.outputs = to;
  if (choice.nodes.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("no node computes ", to.front()));
  }
  return MakePart(known, choice);
}

// Names that a model gives to anything.
absl::flat_hash_set<std::string> AllNames(const onnx::GraphProto& graph) {
  absl::flat_hash_set<std::string> names;
  for (const auto& input : graph.input()) names.insert(input.name());
  for (const auto& initializer : graph.initializer()) names.insert(initializer.name());
  for (const auto& node : graph.node()) {
    names.insert(node.output().begin(), node.output().end());
    for (const std::string& name : NamesReadBy(node)) names.insert(name);
  }
  return names;
}

// False if a graph inside of a node reads it: there it stays.
bool CanRename(const std::string& name, const onnx::GraphProto& graph) {
  return std::all_of(graph.node().begin(), graph.node().end(), [&](const auto& node) {
    const std::vector<std::string> read = NamesReadBy(node);
    return std::find(read.begin(), read.end(), name) == read.end() ||
           std::find(node.input().begin(), node.input().end(), name) != node.input().end();
  });
}

void RenameInput(const std::string& from, const std::string& to, FedModel* model) {
  onnx::GraphProto* graph = model->proto.mutable_graph();
  for (auto& input : *graph->mutable_input()) {
    if (input.name() == from) input.set_name(to);
  }
  for (auto& node : *graph->mutable_node()) {
    std::replace(node.mutable_input()->begin(), node.mutable_input()->end(), from, to);
  }
  const auto feed = model->feeds.find(from);
  if (feed == model->feeds.end()) return;
  Value value = feed->second;
  model->feeds.erase(feed);
  model->feeds[to] = std::move(value);
}

}  // namespace

bool CanCutAt(const PerSide<const KnownModel*>& known, const NamePair& pair) {
  const auto left = known.left->values.find(pair.left);
  const auto right = known.right->values.find(pair.right);
  return left != known.left->values.end() && right != known.right->values.end() &&
         left->second.is_tensor() && left->second.TypeString() == right->second.TypeString();
}

absl::StatusOr<PerSide<FedModel>> MakePartPair(const PerSide<const KnownModel*>& known,
                                               const std::vector<NamePair>& from,
                                               const std::vector<NamePair>& to,
                                               SmallConstants constants) {
  const auto names = [](const std::vector<NamePair>& pairs, SideId side) {
    std::vector<std::string> of_side;
    for (const NamePair& pair : pairs) of_side.push_back(OfSide(pair, side));
    return of_side;
  };
  PerSide<FedModel> parts;
  OC_ASSIGN_OR_RETURN(parts.left, PartOfSide(*known.left, names(from, SideId::kLeft),
                                             names(to, SideId::kLeft), constants));
  OC_ASSIGN_OR_RETURN(parts.right, PartOfSide(*known.right, names(from, SideId::kRight),
                                              names(to, SideId::kRight), constants));
  absl::flat_hash_set<std::string> taken = AllNames(parts.right.proto.graph());
  for (const NamePair& pair : from) {
    const auto feed = parts.right.feeds.find(pair.right);
    if (feed == parts.right.feeds.end()) continue;
    feed->second = known.left->values.at(pair.left);
    if (pair.left == pair.right || taken.contains(pair.left) ||
        !CanRename(pair.right, parts.right.proto.graph())) {
      continue;
    }
    taken.insert(pair.left);
    RenameInput(pair.right, pair.left, &parts.right);
  }
  return parts;
}

}  // namespace onnxcmp
