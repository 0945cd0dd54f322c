#include "tools/fix/propose_edits.h"

#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/protos/tensor_proto.h"
#include "tools/fix/constant_forms.h"
#include "tools/fix/transplant.h"

namespace onnxcmp {
namespace {

using Kind = Operation::Kind;
using Names = PerSide<std::string>;

Transplant Begin(const FixScene& scene, const Names& names, Trust trust) {
  return Transplant(scene.pairs, scene.registry, scene.model, names.left, names.right, trust);
}

// The constant itself differs: the left's value in each of its forms.
void ChangeConstant(const FixScene& scene, const Names& names, std::vector<Edit>* edits) {
  const Tensor* to = scene.pairs.left.ConstantOf(names.left);
  const Tensor* from = scene.pairs.right.ConstantOf(names.right);
  if (to == nullptr || from == nullptr) return;
  for (const Tensor& form : FormsOf(*to, *from)) {
    onnx::TensorProto tensor;
    if (AreSame(form, *from) || !TensorToProto(form, names.right, &tensor).ok()) continue;
    Edit& edit = edits->emplace_back();
    edit.operations.push_back({Kind::kSetConstant, names.right, 0, "", tensor.SerializeAsString()});
    edit.lines.push_back(absl::StrCat(names.right, ": ", ChangeText(*from, form)));
  }
}

void Join(const Edit& part, Edit* whole) {
  whole->operations.insert(whole->operations.end(), part.operations.begin(), part.operations.end());
  whole->lines.insert(whole->lines.end(), part.lines.begin(), part.lines.end());
}

// Each change alone, where each is one operation, then all.
void AddEach(const Edit& part, std::vector<Edit>* edits) {
  if (part.operations.size() > 1 && part.operations.size() == part.lines.size()) {
    for (size_t i = 0; i < part.operations.size(); ++i) {
      edits->push_back({{part.operations[i]}, {part.lines[i]}});
    }
  }
  edits->push_back(part);
}

template <Trust kTrust>
void ChangeNode(const FixScene& scene, const Names& names, std::vector<Edit>* edits) {
  const absl::StatusOr<Transplant::InPlace> change = Begin(scene, names, kTrust).ChangeNode();
  if (!change.ok()) return;
  AddEach(change->attributes, edits);
  edits->push_back(change->inputs);
  AddEach(change->constants, edits);
  Edit all;
  for (const Edit* part : {&change->attributes, &change->inputs, &change->constants}) {
    Join(*part, &all);
  }
  edits->push_back(std::move(all));
}

template <Trust kTrust>
void GraftNodes(const FixScene& scene, const Names& names, std::vector<Edit>* edits) {
  absl::StatusOr<Edit> graft = Begin(scene, names, kTrust).Graft();
  if (graft.ok()) edits->push_back(*std::move(graft));
}

// The result is in a coarser type than the left's: what a Cast makes of it is made as the left
// makes it, so that the detour through that type is left out.
void KeepInFloat(const FixScene& scene, const Names& names, std::vector<Edit>* edits) {
  const StreamResult* left = scene.pairs.left.ResultOf(names.left);
  const auto readers = scene.pairs.right.readers.find(names.right);
  if (left == nullptr || readers == scene.pairs.right.readers.end()) return;
  for (const Node* reader : readers->second) {
    if (reader->op_type != "Cast" || reader->outputs.size() != 1) continue;
    const StreamResult* made = scene.pairs.right.ResultOf(reader->outputs[0]);
    if (made == nullptr || made->dtype != left->dtype) continue;
    GraftNodes<Trust::kPairsThatAgree>(scene, {names.left, reader->outputs[0]}, edits);
  }
}

using Proposer = void (*)(const FixScene&, const Names&, std::vector<Edit>*);

constexpr Proposer kProposers[] = {
    ChangeConstant,
    ChangeNode<Trust::kAllPairs>,
    GraftNodes<Trust::kAllPairs>,
    ChangeNode<Trust::kPairsThatAgree>,
    GraftNodes<Trust::kPairsThatAgree>,
    KeepInFloat,
};

std::string KeyOf(const Edit& edit) {
  std::string key;
  for (const Operation& operation : edit.operations) {
    absl::StrAppend(&key, static_cast<int>(operation.kind), "\n", operation.result, "\n",
                    operation.slot, "\n", operation.name, "\n", operation.message, "\n");
  }
  return key;
}

// Without those that do nothing, and those that come twice; with the fewest new nodes first.
std::vector<Edit> Distinct(std::vector<Edit> edits) {
  absl::flat_hash_set<std::string> seen = {""};
  std::vector<Edit> distinct;
  for (Edit& edit : edits) {
    if (seen.insert(KeyOf(edit)).second) distinct.push_back(std::move(edit));
  }
  absl::c_stable_sort(distinct, [](const Edit& a, const Edit& b) { return a.added() < b.added(); });
  return distinct;
}

// How many inputs of the left node have a partner among those of the right one.
int InputsAlike(const PairIndex& pairs, const Node& left, const Node& right) {
  if (left.outputs.size() < right.outputs.size()) return 0;
  return static_cast<int>(absl::c_count_if(left.inputs, [&](const std::string& input) {
    return absl::c_any_of(pairs.PartnersOf(input, Trust::kAllPairs), [&](const std::string& name) {
      return absl::c_linear_search(right.inputs, name);
    });
  }));
}

}  // namespace

PerSide<std::string> NamesOf(const Cause& cause, const Comparison& comparison) {
  PerSide<std::string> names;
  for (const SideId side : kBothSides) {
    int number = cause.in_body.has_value() ? OfSide(*cause.in_body, side) : OfSide(cause, side);
    const ResultStream& stream = OfSide(comparison, side);
    if (number != kNone && stream.results[Index(number)].source != kNone) {
      number = stream.results[Index(number)].source;
    }
    if (number == kNone || stream.results[Index(number)].depth != 0) return {};
    names[side] = stream.results[Index(number)].name;
  }
  return names;
}

std::vector<PerSide<std::string>> PairsBeforeFailure(const PairIndex& pairs,
                                                     const Comparison& comparison) {
  std::vector<Names> before;
  for (const ComparedRow& row : comparison.rows) {
    if (row.relation != Relation::kDifferent || !row.aligned.paired()) continue;
    const StreamResult& left = comparison.left.results[Index(row.aligned.left.back())];
    const StreamResult& right = comparison.right.results[Index(row.aligned.right.back())];
    if (left.depth == 0 && right.depth == 0) before.push_back({left.name, right.name});
  }
  const auto& nodes = pairs.right.model.graph.nodes;
  const auto failing = absl::c_find_if(nodes, [&](const Node& node) {
    return absl::c_none_of(node.outputs, [&](const std::string& output) {
      return pairs.right.ResultOf(output) != nullptr;
    });
  });
  if (failing == nodes.end()) return before;
  const auto result =
      absl::c_find_if(failing->outputs, [](const auto& name) { return !name.empty(); });
  if (result == failing->outputs.end()) return before;
  int most = 0;
  Names pair;
  for (const Node& node : pairs.left.model.graph.nodes) {
    const int alike = node.op_type != failing->op_type ? 0 : InputsAlike(pairs, node, *failing);
    if (alike <= most) continue;
    most = alike;
    pair = {node.outputs[static_cast<size_t>(result - failing->outputs.begin())], *result};
  }
  if (most > 0) before.push_back(std::move(pair));
  return before;
}

std::vector<Edit> ProposeEdits(const FixScene& scene, const PerSide<std::string>& names) {
  std::vector<Edit> edits;
  if (names.left.empty() || names.right.empty()) return edits;
  for (const Proposer proposer : kProposers) proposer(scene, names, &edits);
  return Distinct(std::move(edits));
}

std::vector<Edit> ProposeRegion(const FixScene& scene, const PerSide<std::string>& names) {
  std::vector<Edit> edits;
  GraftNodes<Trust::kPairsThatAgree>(scene, names, &edits);
  return Distinct(std::move(edits));
}

}  // namespace onnxcmp
