#include "tests/support/graph_variants.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/tensor.h"
#include "tests/support/stream_builder.h"
#include "tests/support/synthetic_graph.h"

namespace onnxcmp::testing {
namespace {

void ReplaceUses(SyntheticGraph& graph, int from, int to) {
  for (SyntheticNode& node : graph.nodes) {
    std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  }
  for (auto& [name, value] : graph.outputs) value = value == from ? to : value;
}

bool IsOutput(const SyntheticGraph& graph, int value) {
  return std::any_of(graph.outputs.begin(), graph.outputs.end(),
                     [&](const auto& output) { return output.second == value; });
}

void InsertNoOps(SyntheticGraph& graph, double share, Random& random) {
  std::vector<SyntheticNode> nodes;
  for (SyntheticNode& node : graph.nodes) {
    for (int& input : node.inputs) {
      if (!Happens(random, share)) continue;
      const SyntheticValue original = graph.values[static_cast<size_t>(input)];
      const auto add = [&](const std::string& op, const Shape& shape) {
        graph.values.push_back({absl::StrCat(op, "_no_op_", graph.values.size()), original.quantity,
                                shape, ResultKind::kResult});
        const int value = static_cast<int>(graph.values.size()) - 1;
        nodes.push_back({op, {input}, {value}, 1, true});
        input = value;
      };
      if (Happens(random, 0.5)) {
        add("Identity", original.shape);
      } else {
        add("Reshape", {*NumElements(original.shape)});
        graph.values.back().other_shape = true;
        add("Reshape", original.shape);
      }
    }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
}

void Fold(SyntheticGraph& graph) {
  std::set<int> constant(graph.initializers.begin(), graph.initializers.end());
  std::vector<SyntheticNode> nodes;
  for (SyntheticNode& node : graph.nodes) {
    if (!std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](int input) { return constant.contains(input); })) {
      nodes.push_back(std::move(node));
      continue;
    }
    for (int output : node.outputs) {
      graph.values[static_cast<size_t>(output)].kind = ResultKind::kInitializer;
      graph.initializers.push_back(output);
      constant.insert(output);
    }
  }
  graph.nodes = std::move(nodes);
  // Initializers that nobody uses any more go.
  std::set<int> used;
  for (const SyntheticNode& node : graph.nodes) used.insert(node.inputs.begin(), node.inputs.end());
  std::erase_if(graph.initializers, [&](int value) { return !used.contains(value); });
}

void Deduplicate(SyntheticGraph& graph, const Quantities& quantities) {
  std::map<std::pair<std::vector<float>, std::vector<int64_t>>, int> first;
  std::vector<int> kept;
  for (int value : graph.initializers) {
    const SyntheticValue& v = graph.values[static_cast<size_t>(value)];
    const auto [it, added] = first.try_emplace(
        {quantities.At(v.quantity), std::vector<int64_t>(v.shape.begin(), v.shape.end())}, value);
    if (added) {
      kept.push_back(value);
    } else {
      ReplaceUses(graph, value, it->second);
    }
  }
  graph.initializers = std::move(kept);
}

// Nodes that one other node alone uses become part of it.
void Fuse(SyntheticGraph& graph, double share, Random& random) {
  std::map<int, std::vector<size_t>> users;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (int input : graph.nodes[n].inputs) users[input].push_back(n);
  }
  std::vector<uint8_t> gone(graph.nodes.size(), 0);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    SyntheticNode& node = graph.nodes[n];
    const int output = node.outputs[0];
    if (node.no_op || users[output].size() != 1 || IsOutput(graph, output)) continue;
    if (!Happens(random, share)) continue;
    SyntheticNode& user = graph.nodes[users[output][0]];
    if (user.no_op) continue;
    std::vector<int> inputs = node.inputs;
    for (int input : user.inputs) {
      if (input != output) inputs.push_back(input);
    }
    user.inputs = inputs;
    user.op = "Fused" + node.op + user.op;
    user.fused = true;
    for (int input : node.inputs)
      std::replace(users[input].begin(), users[input].end(), n, users[output][0]);
    gone[n] = 1;
  }
  std::vector<SyntheticNode> nodes;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!gone[n]) nodes.push_back(std::move(graph.nodes[n]));
  }
  graph.nodes = std::move(nodes);
}

void Reorder(SyntheticGraph& graph, Random& random) {
  std::shuffle(graph.initializers.begin(), graph.initializers.end(), random);
  std::map<int, size_t> maker;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (int output : graph.nodes[n].outputs) maker[output] = n;
  }
  std::vector<int> waits(graph.nodes.size(), 0);
  std::vector<std::vector<size_t>> then(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (int input : graph.nodes[n].inputs) {
      const auto it = maker.find(input);
      if (it == maker.end()) continue;
      then[it->second].push_back(n);
      ++waits[n];
    }
  }
  std::vector<size_t> ready;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (waits[n] == 0) ready.push_back(n);
  }
  std::vector<SyntheticNode> nodes;
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const size_t n = ready.back();
    ready.pop_back();
    nodes.push_back(graph.nodes[n]);
    for (size_t next : then[n]) {
      if (--waits[next] == 0) ready.push_back(next);
    }
  }
  graph.nodes = std::move(nodes);
}

void Rename(SyntheticGraph& graph, Random& random) {
  std::vector<int> numbers(graph.values.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::shuffle(numbers.begin(), numbers.end(), random);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    graph.values[v].name = absl::StrCat("v", numbers[v]);
  }
  for (auto& [name, value] : graph.outputs) name = absl::StrCat("o", value);
}

// How the values of a side differ from the quantities'.
struct Deviation {
  double noise = 0;
  bool after_fusion = false;
  bool faulty = false;
};

class Recording {
 public:
  Recording(const SyntheticGraph& graph, const Quantities& quantities,
            const VariantOptions& options, bool right, uint64_t seed)
      : graph_(graph), quantities_(quantities), seed_(seed), random_(seed) {
    if (right) {
      deviation_ = {options.noise, options.noise_after_fusion, options.faulty};
      missing_ = options.missing;
      drop_nodes_ = options.drop_nodes;
    }
    const double kept = right ? 1 - options.truncated : 1;
    values_.resize(graph.values.size());
    results_.assign(graph.values.size(), kNone);
    deviating_.assign(graph.values.size(), 0);
    if (right) {
      for (int i = 0; i < options.extra_initializers; ++i) {
        builder_.Initializer(absl::StrCat("extra", i),
                             Tensor::Of<float>({4}, {1, 2, 3.5f * static_cast<float>(i), 4}));
        quantity_.push_back(-1 - i);
      }
    }
    for (int value : graph.initializers) AddLeaf(value);
    for (int value : graph.inputs) AddLeaf(value);
    const size_t count = static_cast<size_t>(kept * static_cast<double>(graph.nodes.size()));
    fault_ = count / 3 + random_() % (count / 3 + 1);
    for (size_t n = 0; n < count; ++n) AddNode(n);
    if (count < graph.nodes.size() || drop_nodes_) return;
    for (const auto& [name, value] : graph.outputs) {
      builder_.Output(name, results_[static_cast<size_t>(value)]);
      quantity_.push_back(graph.values[static_cast<size_t>(value)].quantity);
    }
  }

  ResultStream TakeStream() { return builder_.stream(); }
  std::vector<int> TakeQuantity() { return std::move(quantity_); }

 private:
  const SyntheticValue& ValueAt(int value) const {
    return graph_.values[static_cast<size_t>(value)];
  }

  Tensor TensorOf(int value) const {
    return Tensor::Of<float>(ValueAt(value).shape, values_[static_cast<size_t>(value)]);
  }

  void AddLeaf(int value) {
    const SyntheticValue& v = ValueAt(value);
    values_[static_cast<size_t>(value)] = quantities_.At(v.quantity);
    if (drop_nodes_ && v.kind == ResultKind::kInitializer) return;
    results_[static_cast<size_t>(value)] = v.kind == ResultKind::kInput
                                               ? builder_.Input(v.name, TensorOf(value))
                                               : builder_.Initializer(v.name, TensorOf(value));
    quantity_.push_back(v.quantity);
  }

  void AddNode(size_t n) {
    const SyntheticNode& node = graph_.nodes[n];
    const int output = node.outputs[0];
    const size_t o = static_cast<size_t>(output);
    bool deviating = false;
    for (int input : node.inputs) deviating |= deviating_[static_cast<size_t>(input)] != 0;
    if (deviation_.after_fusion) deviating |= node.fused;
    if (deviation_.faulty) deviating |= n == fault_;
    deviating_[o] = deviating;
    // A node that leaves its input as it is, on this side or in the model, gives what went in.
    int source = kNone;
    for (int input : node.inputs) {
      if (ValueAt(input).quantity == ValueAt(output).quantity) source = input;
    }
    if (source != kNone) {
      values_[o] = values_[static_cast<size_t>(source)];
    } else {
      values_[o] = quantities_.At(ValueAt(output).quantity);
      const bool selective = deviation_.after_fusion || deviation_.faulty;
      if (!selective || deviating) {
        Disturb(values_[o], deviation_.faulty ? 0.3 : deviation_.noise);
      }
    }
    if (drop_nodes_) {
      if (Happens(random_, missing_)) return;
      builder_.Recorded(ValueAt(output).name, TensorOf(output));
    } else {
      std::vector<int> inputs;
      for (int input : node.inputs) inputs.push_back(results_[static_cast<size_t>(input)]);
      results_[o] = builder_.Node(node.op, inputs, ValueAt(output).name, TensorOf(output),
                                  {.attributes = node.attributes});
    }
    const SyntheticValue& v = ValueAt(output);
    quantity_.push_back(v.other_shape ? -1000 - output : v.quantity);
  }

  void Disturb(std::vector<float>& values, double relative) {
    if (relative == 0) return;
    // Equal values that are computed alike go wrong alike.
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()),
                                 values.size() * sizeof(float));
    Random random(seed_ ^ std::hash<std::string_view>()(bytes));
    std::normal_distribution<double> normal(0, relative);
    for (float& v : values) v = static_cast<float>(v * (1 + normal(random)));
  }

  const SyntheticGraph& graph_;
  const Quantities& quantities_;
  const uint64_t seed_;
  Random random_;
  Deviation deviation_;
  double missing_ = 0;
  bool drop_nodes_ = false;
  size_t fault_ = 0;
  std::vector<std::vector<float>> values_;  // by graph value
  std::vector<int> results_;                // by graph value
  std::vector<uint8_t> deviating_;          // by graph value
  StreamBuilder builder_;
  std::vector<int> quantity_;
};

}  // namespace

StreamPair MakeVariant(const VariantOptions& options) {
  const SyntheticModel model =
      MakeModel(options.seed, options.layers, options.rows, options.width, options.crowding);
  const SyntheticGraph& left = model.graph;
  const Quantities& quantities = model.quantities;
  SyntheticGraph right = left;
  Random random(options.seed + 1);
  if (options.fold) Fold(right);
  if (options.deduplicate) Deduplicate(right, quantities);
  if (options.fuse > 0) Fuse(right, options.fuse, random);
  if (options.no_ops > 0) InsertNoOps(right, options.no_ops, random);
  if (options.reorder) Reorder(right, random);
  if (options.rename) Rename(right, random);
  Recording left_recording(left, quantities, options, /*right=*/false, options.seed + 2);
  Recording right_recording(right, quantities, options, /*right=*/true, options.seed + 3);
  return {left_recording.TakeStream(), right_recording.TakeStream(), left_recording.TakeQuantity(),
          right_recording.TakeQuantity()};
}

}  // namespace onnxcmp::testing
