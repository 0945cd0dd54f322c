#include "show/model/pair_difference.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "evaluator/model/model.h"
#include "record/operators/version_changes.h"
#include "record/text/display_text.h"

namespace onnxcmp {
namespace {

constexpr const char* kNoText = "none";

// A type that both cannot have. What is not known of either is no difference.
bool Clash(const TypeInfo& a, const TypeInfo& b) {
  if (a.kind != TypeInfo::Kind::kTensor || b.kind != TypeInfo::Kind::kTensor) {
    return ShownType(a) != ShownType(b);
  }
  if (a.dtype != b.dtype) return true;
  if (!a.shape.has_value() || !b.shape.has_value()) return false;
  if (a.shape->size() != b.shape->size()) return true;
  for (size_t i = 0; i < a.shape->size(); ++i) {
    const TypeInfo::Dim& ours = (*a.shape)[i];
    const TypeInfo::Dim& theirs = (*b.shape)[i];
    if (ours.value.has_value() && theirs.value.has_value() && ours.value != theirs.value) {
      return true;
    }
  }
  return false;
}

bool TypesClash(const ShownGraph& left, const std::string& a, const ShownGraph& right,
                const std::string& b) {
  const auto ours = left.types.find(a);
  const auto theirs = right.types.find(b);
  return ours != left.types.end() && theirs != right.types.end() &&
         Clash(ours->second, theirs->second);
}

// "x f32[4]"
std::string EndText(const ShownGraph& graph, const std::string& name) {
  const std::string type = graph.TypeOf(name);
  return absl::StrCat(name, type.empty() ? "" : " ", type);
}

// A constant by its value or its type, for the other side has something else in its place.
std::string Operand(const ShownConstant* constant, const std::string& name) {
  if (constant == nullptr) return name;
  return constant->inlined() ? constant->value : absl::StrCat("constant ", constant->type());
}

// A dimension that one of them leaves open. Inputs are declared: there it is a difference.
bool IsFree(const TypeInfo::Dim& a, const TypeInfo::Dim& b) {
  return a.value.has_value() != b.value.has_value();
}

bool FreeDimsClash(const ShownGraph& left, const std::string& a, const ShownGraph& right,
                   const std::string& b) {
  const auto ours = left.types.find(a);
  const auto theirs = right.types.find(b);
  if (ours == left.types.end() || theirs == right.types.end()) return false;
  const auto& our_shape = ours->second.shape;
  const auto& their_shape = theirs->second.shape;
  return our_shape.has_value() && their_shape.has_value() &&
         !std::equal(our_shape->begin(), our_shape->end(), their_shape->begin(), their_shape->end(),
                     [](const auto& x, const auto& y) { return !IsFree(x, y); });
}

// Inputs that no constant is the default of: those that have to be given.
std::vector<std::string> GivenInputs(const ShownGraph& graph) {
  std::vector<std::string> names;
  for (const std::string& name : graph.inputs) {
    if (graph.ConstantOf(name) == nullptr) names.push_back(name);
  }
  return names;
}

bool Gives(const ShownNode& node, absl::string_view name) {
  return std::any_of(node.attributes.begin(), node.attributes.end(),
                     [&](const auto& one) { return one.first == name; });
}

void Attributes(const ShownNode& ours, const ShownNode& theirs, std::vector<std::string>* parts) {
  const auto find = [](const ShownNode& node, const std::string& name) {
    for (const auto& [known, value] : node.attributes) {
      if (known == name) return value;
    }
    const auto standard = node.defaults.find(name);
    return standard == node.defaults.end() ? std::string("not given")
                                           : absl::StrCat(standard->second, " (default)");
  };
  const auto same_whole = [&](const std::string& name) {
    const auto a = ours.attribute_hashes.find(name);
    const auto b = theirs.attribute_hashes.find(name);
    return a == ours.attribute_hashes.end() || b == theirs.attribute_hashes.end() ||
           a->second == b->second;
  };
  for (const auto& [name, value] : ours.attributes) {
    const std::string other = find(theirs, name);
    const bool same_text = other == value || other == absl::StrCat(value, " (default)");
    if (same_text && same_whole(name)) continue;
    parts->push_back(absl::StrCat(name, ": ", value, " | ", other,
                                  same_text ? ", which differ further on" : ""));
  }
  for (const auto& [name, value] : theirs.attributes) {
    const std::string other = find(ours, name);
    if (Gives(ours, name) || other == absl::StrCat(value, " (default)")) continue;
    parts->push_back(absl::StrCat(name, ": ", other, " | ", value));
  }
  // Versions of an operator may take different values for what is not given.
  for (const auto& [name, value] : ours.defaults) {
    const auto other = theirs.defaults.find(name);
    if (other == theirs.defaults.end() || other->second == value) continue;
    if (Gives(ours, name) || Gives(theirs, name)) continue;
    parts->push_back(absl::StrCat(name, ": ", value, " (default) | ", other->second, " (default)"));
  }
}

// The node as rules of versions know it: with attributes that are strings or integers.
Node NodeForRules(const ShownGraph& graph, const ShownNode& shown) {
  Node node;
  node.domain = shown.domain;
  node.op_type = shown.op_type;
  for (const auto& [name, text] : shown.attributes) {
    int64_t number = 0;
    absl::string_view inside = text;
    if (absl::SimpleAtoi(text, &number)) {
      node.attributes[name] = number;
    } else if (absl::ConsumePrefix(&inside, "\"") && absl::ConsumeSuffix(&inside, "\"")) {
      node.attributes[name] = std::string(inside);
    }
  }
  // An axis counted from the front may be the last one.
  const auto axis = node.attributes.find("axis");
  const auto type = shown.inputs.empty() ? graph.types.end() : graph.types.find(shown.inputs[0]);
  if (axis == node.attributes.end() || type == graph.types.end()) return node;
  const auto* number = std::get_if<int64_t>(&axis->second);
  const auto& shape = type->second.shape;
  if (number != nullptr && shape.has_value() && *number + 1 == std::ssize(*shape)) {
    axis->second = int64_t{-1};
  }
  return node;
}

void Constants(absl::string_view what, const ShownConstant& a, const ShownConstant& b,
               std::vector<std::string>* parts) {
  if (a.content == b.content) return;
  const bool values = a.inlined() && b.inlined() && a.value != b.value;
  parts->push_back(absl::StrCat(what, ": ", values ? a.value : a.type(), " | ",
                                values ? b.value : b.type(),
                                !values && a.type() == b.type() ? ", other elements" : ""));
}

}  // namespace

PairDifference::PairDifference(const ShownGraph& left, const ShownGraph& right, NodeMatches matches,
                               Inputs inputs, const PairDifference* outer)
    : left_(left),
      right_(right),
      matches_(std::move(matches)),
      outer_(outer),
      named_ends_(inputs == Inputs::kByName),
      left_origins_(OriginsIn(left)),
      right_origins_(OriginsIn(right)) {
  MatchInputs(inputs);
}

PairDifference::Origins PairDifference::OriginsIn(const ShownGraph& graph) const {
  Origins origins;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    origins[graph.inputs[i]] = {Origin::Kind::kInput, static_cast<int>(i), 0, nullptr, this};
  }
  for (const ShownConstant& constant : graph.constants) {
    origins[constant.name] = {Origin::Kind::kConstant, -1, 0, &constant, this};
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::vector<std::string>& outputs = graph.nodes[i].outputs;
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k].empty()) continue;
      origins[outputs[k]] = {Origin::Kind::kNode, static_cast<int>(i), k, nullptr, this};
    }
  }
  return origins;
}

void PairDifference::MatchInputs(Inputs inputs) {
  right_input_of_.assign(left_.inputs.size(), -1);
  std::vector<bool> taken(right_.inputs.size());
  if (inputs == Inputs::kByName) {
    for (size_t i = 0; i < left_.inputs.size(); ++i) {
      const auto it = std::find(right_.inputs.begin(), right_.inputs.end(), left_.inputs[i]);
      if (it == right_.inputs.end()) continue;
      right_input_of_[i] = static_cast<int>(it - right_.inputs.begin());
      taken[static_cast<size_t>(right_input_of_[i])] = true;
    }
  }
  size_t next = 0;
  for (int& partner : right_input_of_) {
    if (partner >= 0) continue;
    while (next < taken.size() && taken[next]) ++next;
    if (next == taken.size()) break;
    partner = static_cast<int>(next++);
  }
}

PairDifference::Origin PairDifference::LeftOrigin(const std::string& name) const {
  const auto it = left_origins_.find(name);
  if (it != left_origins_.end()) return it->second;
  return outer_ == nullptr ? Origin() : outer_->LeftOrigin(name);
}

PairDifference::Origin PairDifference::RightOrigin(const std::string& name) const {
  const auto it = right_origins_.find(name);
  if (it != right_origins_.end()) return it->second;
  return outer_ == nullptr ? Origin() : outer_->RightOrigin(name);
}

// The result of a node that has no partner: it stands as such by itself, and says nothing of its
// readers.
bool PairDifference::LeftIsLone(const std::string& name) const {
  const Origin origin = LeftOrigin(name);
  return origin.kind == Origin::Kind::kNode &&
         origin.graph->matches_.right_of[static_cast<size_t>(origin.number)] < 0;
}

bool PairDifference::RightIsLone(const std::string& name) const {
  const Origin origin = RightOrigin(name);
  return origin.kind == Origin::Kind::kNode &&
         origin.graph->matches_.left_of[static_cast<size_t>(origin.number)] < 0;
}

bool PairDifference::Same(const std::string& left, const std::string& right) const {
  const Origin a = LeftOrigin(left);
  const Origin b = RightOrigin(right);
  if (a.kind != b.kind) return false;
  if (a.kind == Origin::Kind::kConstant) return a.constant->content == b.constant->content;
  if (a.kind == Origin::Kind::kUnknown) return true;
  if (a.graph != b.graph) return false;
  const auto number = static_cast<size_t>(a.number);
  if (a.kind == Origin::Kind::kInput) return a.graph->right_input_of_[number] == b.number;
  return a.graph->matches_.right_of[number] == b.number && a.output == b.output;
}

void PairDifference::Input(const ShownNode& ours, const ShownNode& theirs, size_t slot,
                           Parts* parts) const {
  const std::string a = slot < ours.inputs.size() ? ours.inputs[slot] : "";
  const std::string b = slot < theirs.inputs.size() ? theirs.inputs[slot] : "";
  const std::string what = absl::StrCat("input ", slot);
  if (a.empty() != b.empty()) {
    parts->push_back(absl::StrCat(what, ": ", a.empty() ? "absent" : "given", " | ",
                                  b.empty() ? "absent" : "given"));
    return;
  }
  if (a.empty() || Same(a, b) || LeftIsLone(a) || RightIsLone(b)) return;
  const ShownConstant* const our_constant = LeftOrigin(a).constant;
  const ShownConstant* const their_constant = RightOrigin(b).constant;
  if (our_constant != nullptr && their_constant != nullptr) {
    Constants(what, *our_constant, *their_constant, parts);
  } else {
    parts->push_back(
        absl::StrCat(what, ": ", Operand(our_constant, a), " | ", Operand(their_constant, b)));
  }
}

void PairDifference::InputsInAnyOrder(const ShownNode& ours, const ShownNode& theirs,
                                      Parts* parts) const {
  std::vector<std::string> a = ours.inputs;
  std::vector<std::string> b = theirs.inputs;
  // Names that both read are no difference.
  for (size_t i = a.size(); i-- > 0;) {
    const auto same = std::find_if(b.begin(), b.end(),
                                   [&](const std::string& other) { return Same(a[i], other); });
    if (same == b.end()) continue;
    b.erase(same);
    a.erase(a.begin() + static_cast<std::ptrdiff_t>(i));
  }
  // Results without a partner stand for what the other side reads in their place.
  const size_t left_lone =
      std::erase_if(a, [&](const std::string& name) { return LeftIsLone(name); });
  const size_t right_lone =
      std::erase_if(b, [&](const std::string& name) { return RightIsLone(name); });
  if (a.size() <= right_lone && b.size() <= left_lone) return;
  const auto constants = [](std::vector<std::string>* names, const auto& origin) {
    std::vector<const ShownConstant*> found;
    for (const std::string& name : *names) {
      if (const ShownConstant* constant = origin(name).constant) found.push_back(constant);
    }
    std::sort(found.begin(), found.end(),
              [](const auto* x, const auto* y) { return x->content < y->content; });
    return found;
  };
  const auto left_origin = [&](const std::string& name) { return LeftOrigin(name); };
  const auto right_origin = [&](const std::string& name) { return RightOrigin(name); };
  const std::vector<const ShownConstant*> ours_constant = constants(&a, left_origin);
  const std::vector<const ShownConstant*> theirs_constant = constants(&b, right_origin);
  if (ours_constant.size() == theirs_constant.size()) {
    for (size_t i = 0; i < ours_constant.size(); ++i) {
      Constants("constant", *ours_constant[i], *theirs_constant[i], parts);
    }
    std::erase_if(a, [&](const std::string& name) { return LeftOrigin(name).constant != nullptr; });
    std::erase_if(b,
                  [&](const std::string& name) { return RightOrigin(name).constant != nullptr; });
    if (a.size() <= right_lone && b.size() <= left_lone) return;
  }
  const auto joined = [](const std::vector<std::string>& names, const auto& origin) {
    std::vector<std::string> texts;
    for (const std::string& name : names) texts.push_back(Operand(origin(name).constant, name));
    return texts.empty() ? std::string(kNoText) : absl::StrJoin(texts, ", ");
  };
  parts->push_back(
      absl::StrCat("inputs: ", joined(a, left_origin), " | ", joined(b, right_origin)));
}

void PairDifference::Bodies(const ShownNode& ours, const ShownNode& theirs, Parts* parts) const {
  if (ours.graphs.size() != theirs.graphs.size()) {
    parts->push_back(absl::StrCat("bodies: ", ours.graphs.size(), " | ", theirs.graphs.size()));
    return;
  }
  // Attributes have no order, and a list of graphs stands under one name.
  const auto ordered = [](const ShownNode& node) {
    auto graphs = node.graphs;
    std::stable_sort(graphs.begin(), graphs.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    return graphs;
  };
  const auto left = ordered(ours);
  const auto right = ordered(theirs);
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].first != right[i].first) {
      parts->push_back(absl::StrCat("bodies: ", left[i].first, " | ", right[i].first));
      continue;
    }
    const PairDifference inside(*left[i].second, *right[i].second,
                                MatchNodes(*left[i].second, *right[i].second), Inputs::kByPlace,
                                this);
    const std::vector<std::string> found = inside.All();
    if (found.empty()) continue;
    parts->push_back(
        absl::StrCat(left[i].first, ": ", found.front(),
                     found.size() > 1 ? absl::StrCat(", and ", found.size() - 1, " more") : ""));
  }
}

void PairDifference::Types(const ShownNode& ours, const ShownNode& theirs, Parts* parts) const {
  for (size_t i = 0; i < std::min(ours.outputs.size(), theirs.outputs.size()); ++i) {
    const auto a = left_.types.find(ours.outputs[i]);
    const auto b = right_.types.find(theirs.outputs[i]);
    if (a == left_.types.end() || b == right_.types.end()) continue;
    if (a->second.dtype != b->second.dtype) {
      parts->push_back(absl::StrCat("type: ", ShownType(a->second), " | ", ShownType(b->second)));
    }
  }
}

std::string PairDifference::OfNodes(int l, int r) const {
  const ShownNode& ours = left_.nodes[static_cast<size_t>(l)];
  const ShownNode& theirs = right_.nodes[static_cast<size_t>(r)];
  Parts parts;
  Attributes(ours, theirs, &parts);
  if (Commutes(ours)) {
    InputsInAnyOrder(ours, theirs, &parts);
  } else {
    for (size_t i = 0; i < std::max(ours.inputs.size(), theirs.inputs.size()); ++i) {
      Input(ours, theirs, i, &parts);
    }
  }
  Bodies(ours, theirs, &parts);
  Types(ours, theirs, &parts);
  if (parts.empty() && ours.since != theirs.since) {
    const Node our_node = NodeForRules(left_, ours);
    const Node their_node = NodeForRules(right_, theirs);
    parts = VersionChangeTexts({our_node, ours.since}, {their_node, theirs.since});
  }
  return PrintableText(absl::StrJoin(parts, "; "));
}

void PairDifference::InputEnds(std::vector<EndDifference>* found) const {
  using End = EndDifference::End;
  if (!named_ends_) {
    if (left_.inputs.size() == right_.inputs.size()) return;
    found->push_back({End::kNone, 0,
                      absl::StrCat("inputs: ", left_.inputs.size(), " | ", right_.inputs.size())});
    return;
  }
  const std::vector<std::string> ours = GivenInputs(left_);
  const std::vector<std::string> theirs = GivenInputs(right_);
  for (size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
    const bool both = i < ours.size() && i < theirs.size();
    if (both && ours[i] == theirs[i] && !TypesClash(left_, ours[i], right_, theirs[i]) &&
        !FreeDimsClash(left_, ours[i], right_, theirs[i])) {
      continue;
    }
    found->push_back(
        {End::kInput, i,
         absl::StrCat("input ", i, ": ", i < ours.size() ? EndText(left_, ours[i]) : kNoText, " | ",
                      i < theirs.size() ? EndText(right_, theirs[i]) : kNoText)});
  }
}

void PairDifference::OutputEnds(std::vector<EndDifference>* found) const {
  using End = EndDifference::End;
  for (size_t i = 0; i < std::max(left_.outputs.size(), right_.outputs.size()); ++i) {
    const std::string what = absl::StrCat("output ", i, ": ");
    if (i >= left_.outputs.size() || i >= right_.outputs.size()) {
      found->push_back(
          {End::kOutput, i,
           absl::StrCat(what, i < left_.outputs.size() ? EndText(left_, left_.outputs[i]) : kNoText,
                        " | ",
                        i < right_.outputs.size() ? EndText(right_, right_.outputs[i]) : kNoText)});
      continue;
    }
    const std::string& a = left_.outputs[i];
    const std::string& b = right_.outputs[i];
    const bool others = !Same(a, b) && !LeftIsLone(a) && !RightIsLone(b);
    const bool ends = named_ends_ && (a != b || TypesClash(left_, a, right_, b));
    if (!others && !ends) continue;
    Parts parts;
    const ShownConstant* const our_constant = LeftOrigin(a).constant;
    const ShownConstant* const their_constant = RightOrigin(b).constant;
    if (others && a == b && our_constant != nullptr && their_constant != nullptr) {
      Constants(absl::StrCat("output ", i, ": ", a), *our_constant, *their_constant, &parts);
    } else {
      parts.push_back(absl::StrCat(what, EndText(left_, a), " | ", EndText(right_, b),
                                   others ? ", another result" : ""));
    }
    found->push_back({End::kOutput, i, parts.front()});
  }
}

std::vector<EndDifference> PairDifference::OfEnds() const {
  std::vector<EndDifference> found;
  InputEnds(&found);
  OutputEnds(&found);
  for (EndDifference& difference : found) difference.text = PrintableText(difference.text);
  return found;
}

std::vector<std::string> PairDifference::All() const {
  Parts parts;
  for (size_t l = 0; l < left_.nodes.size(); ++l) {
    const int r = matches_.right_of[l];
    if (r < 0) {
      parts.push_back(absl::StrCat("only left ", left_.nodes[l].op()));
    } else if (const std::string text = OfNodes(static_cast<int>(l), r); !text.empty()) {
      parts.push_back(absl::StrCat(left_.nodes[l].op(), " ", text));
    }
  }
  for (size_t r = 0; r < right_.nodes.size(); ++r) {
    if (matches_.left_of[r] < 0) parts.push_back("only right " + right_.nodes[r].op());
  }
  for (EndDifference& end : OfEnds()) parts.push_back(std::move(end.text));
  return parts;
}

}  // namespace onnxcmp
