#include "feed/input_places.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/hash/hash.h"
#include "absl/types/span.h"
#include "record/graphs/constants.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

constexpr int kStepsAfter = 24;
constexpr int kStepsAround = 16;
constexpr size_t kMostReaders = 64;

// Colors are compared within a process only.
uint64_t Hash(const std::vector<uint64_t>& words) {
  return absl::Hash<std::vector<uint64_t>>()(words);
}

bool IsStandard(const Node& node) {
  return node.domain == kOnnxDomain || node.domain == kMicrosoftDomain;
}

// True if a node passes on its first input, cast at most.
bool IsTransparent(const Node& node) {
  const bool hands_on = HasTrait(node, OperatorTrait::kCopies) ||
                        HasTrait(node, OperatorTrait::kCasts) ||
                        HasTrait(node, OperatorTrait::kRequantizations);
  return hands_on && !node.inputs.empty() && !node.inputs[0].empty() && !node.outputs.empty() &&
         !node.outputs[0].empty();
}

bool HasGraphs(const Node& node) {
  return absl::c_any_of(node.attributes, [](const auto& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.second) ||
           std::holds_alternative<std::vector<std::shared_ptr<const Graph>>>(attribute.second);
  });
}

// The operator's kind; operators that optimizers exchange have the same.
uint64_t KindOf(const Node& node) {
  static constexpr absl::string_view kProducts[] = {"FusedGemm", "FusedMatMul", "Gemm", "MatMul"};
  static constexpr absl::string_view kConvolutions[] = {"Conv", "FusedConv", "NhwcFusedConv"};
  absl::string_view name = node.op_type;
  if (IsStandard(node)) {
    name = absl::c_linear_search(kProducts, name)       ? "MatMul"
           : absl::c_linear_search(kConvolutions, name) ? "Conv"
                                                        : name;
  }
  return absl::HashOf(IsStandard(node) ? absl::string_view() : absl::string_view(node.domain),
                      name);
}

// Number of leading colors that agree.
int CommonSteps(absl::Span<const uint64_t> left, absl::Span<const uint64_t> right) {
  const size_t size = std::min(left.size(), right.size());
  return static_cast<int>(
      std::mismatch(left.begin(), left.begin() + static_cast<ptrdiff_t>(size), right.begin())
          .first -
      left.begin());
}

}  // namespace

int PlaceSimilarity(const InputPlace& left, const InputPlace& right) {
  const int behind = CommonSteps(left.behind, right.behind);
  return behind == 0 ? 0 : behind + CommonSteps(left.around, right.around);
}

int ReaderSimilarity(const std::vector<uint64_t>& left, const std::vector<uint64_t>& right) {
  return CommonSteps(left, right);
}

// Turns names into numbered values, and nested graphs into one.
class InputPlaces::Builder {
 public:
  explicit Builder(InputPlaces* places) : places_(*places) {}

  void AddMain(const Graph& graph) {
    for (const ValueInfo& input : graph.inputs) AddLeaf(input.name);
    for (const Initializer& initializer : graph.initializers) AddLeaf(initializer.name);
    for (const Node& node : graph.nodes) {
      AddNode(node);
      if (ConstantOf(node) != nullptr) {
        NameLeaf(node.outputs[0], names_[node.outputs[0]]);
      }
    }
    places_.output_.assign(static_cast<size_t>(places_.num_values_), 0);
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      if (const std::optional<int> value = Find(graph.outputs[i].name)) {
        places_.output_[static_cast<size_t>(*value)] = i + 1;
      }
    }
  }

 private:
  void AddLeaf(const std::string& name) {
    if (!names_.contains(name)) NameLeaf(name, Bind(name, NewValue()));
  }

  void NameLeaf(const std::string& name, int value) {
    if (places_.leaves_.emplace(name, value).second) places_.leaf_names_.push_back(name);
  }

  int NewValue() { return places_.num_values_++; }

  // Binds a name, and saves its former value for the end of the subgraph.
  int Bind(absl::string_view name, int value) {
    const auto [it, added] = names_.try_emplace(name, value);
    shadowed_.emplace_back(name, added ? std::nullopt : std::optional<int>(it->second));
    it->second = value;
    return value;
  }

  std::optional<int> Find(absl::string_view name) const {
    const auto it = names_.find(name);
    return it == names_.end() ? std::nullopt : std::optional<int>(it->second);
  }

  void AddNode(const Node& node) {
    if (IsTransparent(node)) {
      if (const std::optional<int> value = Find(node.inputs[0])) {
        Bind(node.outputs[0], *value);
        for (size_t i = 1; i < node.outputs.size(); ++i) {
          if (!node.outputs[i].empty()) Bind(node.outputs[i], NewValue());
        }
        return;
      }
    }
    Operator op = {KindOf(node), {}, {}};
    const bool commutative = HasTrait(node, OperatorTrait::kCommutative);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (const std::optional<int> value = Find(node.inputs[i])) {
        op.inputs.emplace_back(commutative ? 0 : i, *value);
      }
    }
    for (const auto& [name, attribute] : node.attributes) {
      if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
        AddBody(**body, name, &op);
      } else if (const auto* bodies =
                     std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute)) {
        for (const std::shared_ptr<const Graph>& each : *bodies) AddBody(*each, name, &op);
      }
    }
    for (const std::string& output : node.outputs) {
      op.outputs.push_back(output.empty() ? NewValue() : Bind(output, NewValue()));
    }
    places_.ops_.push_back(std::move(op));
  }

  // The results of a body become inputs of the operator that owns it.
  void AddBody(const Graph& body, absl::string_view attribute, Operator* op) {
    const size_t before = shadowed_.size();
    for (const ValueInfo& input : body.inputs) Bind(input.name, NewValue());
    for (const Initializer& initializer : body.initializers) Bind(initializer.name, NewValue());
    for (const Node& node : body.nodes) AddNode(node);
    for (size_t i = 0; i < body.outputs.size(); ++i) {
      if (const std::optional<int> value = Find(body.outputs[i].name)) {
        op->inputs.emplace_back(absl::HashOf(attribute, i), *value);
      }
    }
    for (; shadowed_.size() > before; shadowed_.pop_back()) {
      const auto& [name, value] = shadowed_.back();
      if (value.has_value()) {
        names_[name] = *value;
      } else {
        names_.erase(name);
      }
    }
  }

  InputPlaces& places_;
  absl::flat_hash_map<absl::string_view, int> names_;
  std::vector<std::pair<absl::string_view, std::optional<int>>> shadowed_;
};

InputPlaces::InputPlaces(const Graph& graph) {
  Builder(this).AddMain(graph);
  ConnectReaders();
}

void InputPlaces::Color() {
  ColorAfter();
  SetKnown({});
}

const InputPlace* InputPlaces::Find(absl::string_view name) const {
  const auto it = leaves_.find(name);
  return it == leaves_.end() ? nullptr : &places_.at(it->second);
}

// Drops the operators that no output depends on, and finds the readers of values.
void InputPlaces::ConnectReaders() {
  const size_t values = static_cast<size_t>(num_values_);
  std::vector<bool> live(values);
  for (size_t i = 0; i < values; ++i) live[i] = output_[i] != 0;
  std::vector<Operator> alive;
  for (auto op = ops_.rbegin(); op != ops_.rend(); ++op) {
    if (std::none_of(op->outputs.begin(), op->outputs.end(),
                     [&](int output) { return live[static_cast<size_t>(output)]; })) {
      continue;
    }
    for (const auto& [slot, value] : op->inputs) live[static_cast<size_t>(value)] = true;
    alive.push_back(std::move(*op));
  }
  std::reverse(alive.begin(), alive.end());
  ops_ = std::move(alive);
  // A body's results are computed before the operator that takes them, so the order still holds.
  readers_.resize(values);
  producer_.assign(values, {-1, 0});
  for (size_t i = 0; i < ops_.size(); ++i) {
    for (const auto& [slot, value] : ops_[i].inputs) {
      readers_[static_cast<size_t>(value)].push_back({slot, static_cast<int>(i)});
    }
    for (size_t k = 0; k < ops_[i].outputs.size(); ++k) {
      producer_[static_cast<size_t>(ops_[i].outputs[k])] = {static_cast<int>(i), k};
    }
  }
  for (const auto& [name, value] : leaves_) {
    places_[value].read = live[static_cast<size_t>(value)];
  }
  for (size_t i = ops_.size(); i-- > 0;) {
    for (size_t slot = ops_[i].inputs.size(); slot-- > 0;) {
      const auto place = places_.find(ops_[i].inputs[slot].second);
      if (place != places_.end()) place->second.position = {i, slot};
    }
  }
}

void InputPlaces::ColorReaders(const std::vector<uint64_t>& op_colors) {
  for (auto& [value, place] : places_) {
    const std::vector<Reader>& readers = readers_[static_cast<size_t>(value)];
    if (readers.size() > kMostReaders) continue;
    place.readers.resize(readers.size());
    for (size_t i = 0; i < readers.size(); ++i) {
      place.readers[i].push_back(
          absl::HashOf(readers[i].slot, op_colors[static_cast<size_t>(readers[i].op)]));
    }
  }
}

void InputPlaces::ColorAfter() {
  const size_t values = static_cast<size_t>(num_values_);
  std::vector<uint64_t> words;
  const auto color_op = [&](const Operator& op, const std::vector<uint64_t>& colors) {
    words.assign({op.kind});
    for (const int output : op.outputs) words.push_back(colors[static_cast<size_t>(output)]);
    return Hash(words);
  };
  const auto color_value = [&](size_t value, uint64_t output, const std::vector<uint64_t>& ops) {
    words.clear();
    for (const Reader& reader : readers_[value]) {
      words.push_back(absl::HashOf(reader.slot, ops[static_cast<size_t>(reader.op)]));
    }
    std::sort(words.begin(), words.end());
    words.push_back(output);
    return Hash(words);
  };
  std::vector<uint64_t> colors(values, 0);
  std::vector<uint64_t> op_colors(ops_.size());
  for (int step = 0; step < kStepsAfter; ++step) {
    for (size_t i = 0; i < ops_.size(); ++i) op_colors[i] = color_op(ops_[i], colors);
    // The index of an output counts only for the whole: exporters order outputs differently.
    for (size_t i = 0; i < values; ++i) {
      colors[i] = color_value(i, output_[i] == 0 ? 0 : 1, op_colors);
    }
    for (auto& [value, place] : places_) {
      place.behind.push_back(colors[static_cast<size_t>(value)]);
    }
    ColorReaders(op_colors);
  }
  // Readers come later, so going backwards all readers of a value are known.
  std::vector<int64_t> heights(values, 0);
  std::vector<int64_t> op_heights(ops_.size(), 0);
  const auto finish = [&](size_t value) {
    colors[value] = color_value(value, output_[value], op_colors);
    for (const Reader& reader : readers_[value]) {
      heights[value] = std::max(heights[value], 1 + op_heights[static_cast<size_t>(reader.op)]);
    }
  };
  for (size_t i = ops_.size(); i-- > 0;) {
    for (const int output : ops_[i].outputs) {
      finish(static_cast<size_t>(output));
      op_heights[i] = std::max(op_heights[i], heights[static_cast<size_t>(output)]);
    }
    op_colors[i] = color_op(ops_[i], colors);
  }
  for (auto& [value, place] : places_) {
    // A constant is both a result and a leaf.
    if (producer_[static_cast<size_t>(value)].first < 0) finish(static_cast<size_t>(value));
    place.behind.push_back(colors[static_cast<size_t>(value)]);
    place.height = heights[static_cast<size_t>(value)];
  }
  ColorReaders(op_colors);
}

void InputPlaces::SetKnown(const absl::flat_hash_map<std::string, uint64_t>& known) {
  constexpr uint64_t kResult = 1;
  constexpr uint64_t kLeaf = 2;
  std::vector<uint64_t> colors(static_cast<size_t>(num_values_), kResult);
  for (const std::string& name : leaf_names_) {
    const auto it = known.find(name);
    colors[static_cast<size_t>(leaves_.at(name))] =
        it == known.end() ? kLeaf : absl::HashOf(it->second);
  }
  for (auto& [value, place] : places_) place.around.clear();
  std::vector<uint64_t> op_colors(ops_.size());
  std::vector<uint64_t> words;
  for (int step = 0; step < kStepsAround; ++step) {
    for (size_t i = 0; i < ops_.size(); ++i) {
      const Operator& op = ops_[i];
      words.clear();
      for (const auto& [slot, value] : op.inputs) {
        words.push_back(absl::HashOf(slot, colors[static_cast<size_t>(value)]));
      }
      std::sort(words.begin(), words.end());
      for (const int output : op.outputs) words.push_back(colors[static_cast<size_t>(output)]);
      words.push_back(op.kind);
      op_colors[i] = Hash(words);
    }
    for (size_t i = 0; i < colors.size(); ++i) {
      words.clear();
      for (const Reader& reader : readers_[i]) {
        words.push_back(absl::HashOf(reader.slot, op_colors[static_cast<size_t>(reader.op)]));
      }
      std::sort(words.begin(), words.end());
      const auto& [op, output] = producer_[i];
      // A constant is a leaf like any other, whichever node makes it.
      const bool made = op >= 0 && !ops_[static_cast<size_t>(op)].inputs.empty();
      words.push_back(made ? absl::HashOf(output, op_colors[static_cast<size_t>(op)]) : 0);
      words.push_back(colors[i]);
      colors[i] = Hash(words);
    }
    for (auto& [value, place] : places_) {
      place.around.push_back(colors[static_cast<size_t>(value)]);
    }
  }
}

absl::flat_hash_set<absl::string_view> InputsRead(const Graph& graph) {
  absl::flat_hash_set<absl::string_view> read;
  if (absl::c_any_of(graph.nodes, HasGraphs)) {
    const InputPlaces places(graph);
    for (const ValueInfo& input : graph.inputs) {
      if (places.Find(input.name)->read) read.insert(input.name);
    }
    return read;
  }
  absl::flat_hash_set<absl::string_view> live;
  live.reserve(graph.nodes.size());
  for (const ValueInfo& output : graph.outputs) live.insert(output.name);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const auto is_live = [&](const std::string& output) { return live.contains(output); };
    if (absl::c_none_of(node->outputs, is_live)) continue;
    if (!IsTransparent(*node)) {
      live.insert(node->inputs.begin(), node->inputs.end());
    } else if (is_live(node->outputs[0])) {
      live.insert(node->inputs[0]);
    }
  }
  for (const ValueInfo& input : graph.inputs) {
    if (live.contains(input.name)) read.insert(input.name);
  }
  return read;
}

}  // namespace onnxcmp
