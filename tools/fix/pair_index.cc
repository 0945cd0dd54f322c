#include "tools/fix/pair_index.h"

#include <algorithm>
#include <cstddef>

#include "absl/algorithm/container.h"
#include "evaluator/model/outer_names.h"
#include "record/graphs/constants.h"

namespace onnxcmp {
namespace {

// A result of the main graph that a node, an initializer or a feed gives.
bool IsNamed(const StreamResult& result) {
  return result.depth == 0 && result.kind != ResultKind::kOutput && !result.name.empty();
}

}  // namespace

SideIndex::SideIndex(const Model& of, const ResultStream& recorded) : model(of), stream(recorded) {
  for (const Initializer& initializer : model.graph.initializers) {
    if (initializer.value.is_tensor()) {
      constants[initializer.name] = &initializer.value.tensor();
    }
  }
  for (const Node& node : model.graph.nodes) {
    const Tensor* constant = onnxcmp::ConstantOf(node);
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      makers[output] = &node;
      if (constant != nullptr) constants[output] = constant;
    }
    const auto read = [&](const std::string& name) {
      std::vector<const Node*>& known = readers[name];
      if (!name.empty() && (known.empty() || known.back() != &node)) known.push_back(&node);
    };
    for (const std::string& input : node.inputs) read(input);
    for (const std::string& outer : OuterNames(node)) read(outer);
  }
  for (size_t i = 0; i < stream.results.size(); ++i) {
    if (IsNamed(stream.results[i])) results.emplace(stream.results[i].name, static_cast<int>(i));
  }
}

const Node* SideIndex::MakerOf(const std::string& name) const {
  const auto maker = makers.find(name);
  return maker == makers.end() ? nullptr : maker->second;
}

const Tensor* SideIndex::ConstantOf(const std::string& name) const {
  const auto constant = constants.find(name);
  return constant == constants.end() ? nullptr : constant->second;
}

const StreamResult* SideIndex::ResultOf(const std::string& name) const {
  const auto result = results.find(name);
  return result == results.end() ? nullptr : &stream.results[Index(result->second)];
}

bool SideIndex::IsOutput(const std::string& name) const {
  return absl::c_any_of(model.graph.outputs,
                        [&](const ValueInfo& output) { return output.name == name; });
}

absl::flat_hash_set<std::string> SideIndex::After(const std::string& name) const {
  absl::flat_hash_set<std::string> after = {name};
  std::vector<std::string> open = {name};
  while (!open.empty()) {
    const auto reading = readers.find(open.back());
    open.pop_back();
    if (reading == readers.end()) continue;
    for (const Node* node : reading->second) {
      for (const std::string& output : node->outputs) {
        if (!output.empty() && after.insert(output).second) open.push_back(output);
      }
    }
  }
  return after;
}

int64_t SideIndex::VersionOf(const Node& node) const {
  const OpsetImports& imports = node.imports == nullptr ? model.imports : *node.imports;
  const auto import = imports.find(node.domain);
  return import == imports.end() ? 1 : import->second;
}

PairIndex::PairIndex(const PerSide<const Model*>& models, const Comparison& comparison)
    : left(*models.left, comparison.left),
      right(*models.right, comparison.right),
      alignment_(comparison.alignment),
      agree_(comparison.left.results.size()) {
  for (const ComparedRow& row : comparison.rows) {
    if (!row.aligned.paired() || Has(row.aligned.marks, Mark::kTransposed)) continue;
    agree_[Index(row.aligned.left.back())] =
        row.relation == Relation::kSame || row.relation == Relation::kClose;
  }
  for (size_t i = 0; i < comparison.right.results.size(); ++i) {
    const StreamResult& result = comparison.right.results[i];
    if (IsNamed(result) && result.fingerprint.rich) {
      by_bits_[result.fingerprint.content].push_back(static_cast<int>(i));
    }
  }
}

std::vector<std::string> PairIndex::PartnersOf(const std::string& name, Trust trust) const {
  std::vector<std::string> partners;
  const auto found = left.results.find(name);
  if (found == left.results.end()) return partners;
  const auto add = [&](int result) {
    const StreamResult& partner = right.stream.results[Index(result)];
    if (!IsNamed(partner) || absl::c_linear_search(partners, partner.name)) return;
    if (partner.shape == left.stream.results[Index(found->second)].shape) {
      partners.push_back(partner.name);
    }
  };
  const int paired = alignment_.left_to_right[Index(found->second)];
  const Fingerprint& bits = left.stream.results[Index(found->second)].fingerprint;
  const bool same =
      paired != kNone && right.stream.results[Index(paired)].fingerprint.content == bits.content;
  const bool trusted = same || agree_[Index(found->second)];
  if (paired != kNone && trusted) add(paired);
  if (const auto others = by_bits_.find(bits.content); others != by_bits_.end()) {
    for (const int other : others->second) add(other);
  }
  if (paired != kNone && trust == Trust::kAllPairs) add(paired);
  return partners;
}

std::string PairIndex::LeftOf(const std::string& name) const {
  const auto found = right.results.find(name);
  if (found == right.results.end()) return "";
  const int paired = alignment_.right_to_left[Index(found->second)];
  if (paired == kNone || !IsNamed(left.stream.results[Index(paired)])) return "";
  return left.stream.results[Index(paired)].name;
}

}  // namespace onnxcmp
