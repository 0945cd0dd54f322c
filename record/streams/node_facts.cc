#include "record/streams/node_facts.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/container/inlined_vector.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/model/outer_names.h"
#include "onnx/defs/schema.h"
#include "record/streams/fingerprint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace onnxcmp {
namespace {

// Kind of a name in a subgraph.
enum NameTag : uint64_t { kGraphInput, kCapture };

uint64_t HashWords(absl::Span<const uint64_t> words) {
  return XXH3_64bits(words.data(), words.size() * sizeof(uint64_t));
}

uint64_t HashText(absl::string_view text) { return XXH3_64bits(text.data(), text.size()); }

uint64_t AttributeHash(int64_t value) { return static_cast<uint64_t>(value); }
uint64_t AttributeHash(float value) { return std::bit_cast<uint32_t>(value); }
uint64_t AttributeHash(const std::string& value) { return HashText(value); }
uint64_t AttributeHash(const Tensor& value) { return ContentOf(value).low; }
uint64_t AttributeHash(const SparseTensor& value) { return ContentOf(Value(value)).low; }
uint64_t AttributeHash(const TypeInfo& value) { return HashText(TypeInfoToString(value)); }

}  // namespace

uint64_t HashComputation(const NodeFacts& facts, absl::Span<const uint64_t> inputs,
                         absl::Span<const uint64_t> captures, int slot) {
  // Absent inputs at the end do not count.
  while (!inputs.empty() && inputs.back() == 0) inputs.remove_suffix(1);
  absl::InlinedVector<uint64_t, 16> words = {facts.operation, static_cast<uint64_t>(slot),
                                             inputs.size()};
  for (const uint64_t input : inputs) words.push_back(input);
  for (const uint64_t capture : captures) words.push_back(capture);
  return HashWords(words);
}

uint64_t ComputationHashes::Of(absl::string_view name) const {
  const auto it = hashes_.find(name);
  return it == hashes_.end() ? 0 : it->second;
}

uint64_t ComputationHashes::Add(const Node& node, const NodeFacts& facts) {
  constexpr int kWhole = -1;
  absl::InlinedVector<uint64_t, 8> inputs;
  for (const std::string& input : node.inputs) inputs.push_back(Of(input));
  absl::InlinedVector<uint64_t, 8> captures;
  for (const std::string& capture : facts.captures) captures.push_back(Of(capture));
  for (size_t slot = 0; slot < node.outputs.size(); ++slot) {
    if (node.outputs[slot].empty()) continue;
    Set(node.outputs[slot], HashComputation(facts, inputs, captures, static_cast<int>(slot)));
  }
  return HashComputation(facts, inputs, captures, kWhole);
}

NodeFactsCache::NodeFactsCache(const OpRegistry& registry) : registry_(registry) {}
NodeFactsCache::~NodeFactsCache() = default;

const Signature* NodeFactsCache::SignatureOf(const onnx::OpSchema* schema) {
  std::shared_ptr<const Signature>& signature = signatures_[schema];
  if (signature == nullptr) signature = MakeSignature(*schema);
  return signature.get();
}

uint64_t NodeFactsCache::HashAttribute(const Attribute& attribute) {
  const auto hash = [this](const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::shared_ptr<const Graph>>) {
      return HashGraph(*value);
    } else {
      return AttributeHash(value);
    }
  };
  absl::InlinedVector<uint64_t, 8> words = {attribute.index()};
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (requires { typename T::allocator_type; } && !std::is_same_v<T, std::string>) {
          for (const auto& element : value) words.push_back(hash(element));
        } else {
          words.push_back(hash(value));
        }
      },
      attribute);
  return HashWords(words);
}

std::vector<std::string> NodeFactsCache::OuterNamesOf(const Graph& graph) {
  return OuterNames(graph, [this](const Node& node) { return Of(node).captures; });
}

uint64_t NodeFactsCache::HashGraph(const Graph& graph) {
  const std::vector<std::string> captures = OuterNamesOf(graph);
  ComputationHashes hashes;
  for (size_t i = 0; i < captures.size(); ++i) hashes.Set(captures[i], HashWords({kCapture, i}));
  for (const Initializer& initializer : graph.initializers) {
    hashes.Set(initializer.name, ContentOf(initializer.value).low);
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    hashes.Set(graph.inputs[i].name, HashWords({kGraphInput, i}));
  }
  for (const Node& node : graph.nodes) hashes.Add(node, Of(node));
  std::vector<uint64_t> words = {graph.inputs.size()};
  for (const ValueInfo& output : graph.outputs) words.push_back(hashes.Of(output.name));
  return HashWords(words);
}

const NodeFacts& NodeFactsCache::Of(const Node& node) {
  if (const auto it = facts_.find(&node); it != facts_.end()) return *it->second;
  if (!node.attributes.empty() || node.body != nullptr || !node.overload.empty()) {
    return Know(node, Find(node));
  }
  // Nodes of such an operator are all alike.
  const Plain plain(node.imports.get(), node.domain, node.op_type);
  const auto it = plain_.find(plain);
  if (it == plain_.end()) return *(plain_[plain] = &Know(node, Find(node)));
  facts_.emplace(&node, it->second);
  return *it->second;
}

const NodeFacts& NodeFactsCache::Know(const Node& node, NodeFacts facts) {
  found_.push_back(std::make_unique<const NodeFacts>(std::move(facts)));
  facts_.emplace(&node, found_.back().get());
  return *found_.back();
}

NodeFacts NodeFactsCache::Find(const Node& node) {
  NodeFacts facts;
  int64_t version = 0;
  if (node.imports != nullptr) {
    const auto import = node.imports->find(node.domain);
    if (import != node.imports->end()) version = import->second;
  }
  absl::InlinedVector<std::pair<absl::string_view, uint64_t>, 8> attributes;
  for (const auto& [name, attribute] : node.attributes) {
    attributes.emplace_back(name, HashAttribute(attribute));
  }
  const onnx::OpSchema* schema = registry_.FindSchema(node.domain, node.op_type, version);
  if (schema != nullptr) {
    version = schema->SinceVersion();
    for (const auto& [name, attribute] : SignatureOf(schema)->defaults) {
      if (!node.attributes.contains(name)) attributes.emplace_back(name, HashAttribute(attribute));
    }
  }
  std::sort(attributes.begin(), attributes.end());
  absl::InlinedVector<uint64_t, 16> words;
  for (const auto& [name, hash] : attributes) {
    words.push_back(HashText(name));
    words.push_back(hash);
  }
  if (node.body != nullptr) words.push_back(HashGraph(*node.body));
  facts.attributes = HashWords(words);
  for (const absl::string_view name : {"bits", "expert_weight_bits"}) {
    const auto bits = node.attributes.find(name);
    if (bits == node.attributes.end()) continue;
    if (const auto* value = std::get_if<int64_t>(&bits->second)) facts.bits = *value;
  }
  const auto level = node.attributes.find("accuracy_level");
  if (level != node.attributes.end()) {
    if (const auto* value = std::get_if<int64_t>(&level->second)) facts.accuracy_level = *value;
  }
  facts.operation =
      HashWords({HashText(node.domain), HashText(node.op_type), HashText(node.overload),
                 static_cast<uint64_t>(version), facts.attributes});
  for (const Graph* graph : GraphsOf(node)) {
    for (std::string& name : OuterNamesOf(*graph)) facts.captures.push_back(std::move(name));
  }
  return facts;
}

}  // namespace onnxcmp
