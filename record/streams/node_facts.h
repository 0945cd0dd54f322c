// Facts about a node that are known before it runs: hashes of its computation, outer names that it
// reads.
#ifndef ONNXCMP_RECORD_STREAMS_NODE_FACTS_H_
#define ONNXCMP_RECORD_STREAMS_NODE_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/model/model.h"

namespace onnx {
class OpSchema;
}  // namespace onnx

namespace onnxcmp {

struct Signature;

struct NodeFacts {
  // Attributes by name and value; a default counts as if it were given. A subgraph counts by its
  // computation, whatever its values are called.
  uint64_t attributes = 0;
  // Domain, operator, schema version and attributes.
  uint64_t operation = 0;
  // Width of weights that are packed or in blocks: the attribute `bits` or `expert_weight_bits`.
  int64_t bits = 4;
  // The attribute `accuracy_level`: the type in which a runtime may compute; 0: not given.
  int64_t accuracy_level = 0;
  // Outer names that its subgraphs read: the subgraphs by attribute name, each one's names once in
  // the order in which it reads them.
  std::vector<std::string> captures;
};

class NodeFactsCache {
 public:
  // The registry must outlive the cache.
  explicit NodeFactsCache(const OpRegistry& registry);
  ~NodeFactsCache();

  // Nodes are identified by their address, and must outlive the cache. The reference is valid as
  // long as the cache.
  const NodeFacts& Of(const Node& node);

 private:
  NodeFacts Find(const Node& node);
  const NodeFacts& Know(const Node& node, NodeFacts facts);
  uint64_t HashAttribute(const Attribute& attribute);
  uint64_t HashGraph(const Graph& graph);
  std::vector<std::string> OuterNamesOf(const Graph& graph);
  const Signature* SignatureOf(const onnx::OpSchema* schema);

  const OpRegistry& registry_;
  std::vector<std::unique_ptr<const NodeFacts>> found_;
  absl::flat_hash_map<const Node*, const NodeFacts*> facts_;
  // For nodes without attributes: by opset imports, domain and operator, which determine them.
  using Plain = std::tuple<const void*, absl::string_view, absl::string_view>;
  absl::flat_hash_map<Plain, const NodeFacts*> plain_;
  absl::flat_hash_map<const onnx::OpSchema*, std::shared_ptr<const Signature>> signatures_;
};

// Hash of an output's computation: the operation, the hashes of its inputs and captures (0:
// absent), its slot.
uint64_t HashComputation(const NodeFacts& facts, absl::Span<const uint64_t> inputs,
                         absl::Span<const uint64_t> captures, int slot);

// Hashes of how the values of a graph are computed, by name. The names must outlive the object.
class ComputationHashes {
 public:
  // Makes room for this many names.
  void Expect(size_t names) { hashes_.reserve(names); }
  void Set(absl::string_view name, uint64_t hash) { hashes_[name] = hash; }
  // 0: absent.
  uint64_t Of(absl::string_view name) const;
  // Sets the hashes of a node's outputs from those of its inputs and captures. Returns the hash of
  // the node as a whole.
  uint64_t Add(const Node& node, const NodeFacts& facts);

 private:
  absl::flat_hash_map<absl::string_view, uint64_t> hashes_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_NODE_FACTS_H_
