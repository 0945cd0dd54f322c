#include "compare/alignment/alignment_index.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/weights.h"
#include "record/base/work_bounds.h"
#include "record/operators/operator_traits.h"
#include "record/streams/node_facts.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

// Gives equal keys equal numbers, from 0 on.
template <typename Key>
class Interner {
 public:
  int operator()(const Key& key) {
    return ids_.try_emplace(key, static_cast<int>(ids_.size())).first->second;
  }
  void reserve(size_t keys) { ids_.reserve(keys); }
  int size() const { return static_cast<int>(ids_.size()); }

 private:
  absl::flat_hash_map<Key, int> ids_;
};

// Numbers for data of the streams, which must outlive them.
struct Interners {
  Interner<Hash128> content;
  Interner<Hash128> bits;
  Interner<Hash128> elements;
  Interner<std::pair<absl::string_view, absl::Span<const int64_t>>> shape;
  Interner<std::string> place;
  Interner<std::pair<absl::string_view, absl::string_view>> op;
  Interner<std::pair<int, uint64_t>> attributes;
};

// Labels in brackets: "a/loop_1[3]/if[then_branch]/f" gives "3/then_branch/". Names of calls and
// nodes are left out, since they may differ.
std::string PlaceOf(absl::string_view path) {
  std::string place;
  size_t open = 0;
  while ((open = path.find('[', open)) != absl::string_view::npos) {
    const size_t close = path.find(']', open);
    if (close == absl::string_view::npos) break;
    place.append(path.data() + open + 1, close - open - 1);
    place.push_back('/');
    open = close;
  }
  return place;
}

// True if a node often passes its input on unchanged. A poor value that leaves another node
// unchanged may do so by chance.
bool MayRepeatPoorValues(const StreamNode& node) {
  return HasTrait(node, OperatorTrait::kRearranges) || HasTrait(node, OperatorTrait::kCasts);
}

bool IsNear(const StreamIndex& index, int a, int b, double distance) {
  return index.fingerprint(a).kind == ElementKind::kFloat &&
         index.fingerprint(b).kind == ElementKind::kFloat &&
         SketchDistance(index.fingerprint(a), index.fingerprint(b)) <= distance;
}

// The result before a cast to another float type, or before quantizing and dequantizing.
int BeforeRounding(const StreamIndex& index, int r) {
  const StreamNode& node = index.node(index.producer(r));
  if (node.inputs.empty() || node.inputs[0] == kNone) return kNone;
  const int input = node.inputs[0];
  if (node.op_type == "Cast") return IsNear(index, r, input, weights::kByteAgree) ? input : kNone;
  if (node.op_type != "DequantizeLinear" || index.producer(input) == kNone) return kNone;
  const StreamNode& before = index.node(index.producer(input));
  if (before.op_type != "QuantizeLinear" || before.inputs.empty()) return kNone;
  const int source = before.inputs[0];
  return source != kNone && IsNear(index, r, source, weights::kCoarse) ? source : kNone;
}

bool IsRounded(const StreamIndex& index, int r) {
  return index.is_copy(r) &&
         StreamIndex::At(index.content, r) != StreamIndex::At(index.content, index.root(r));
}

int FindRoot(const StreamIndex& index, int r) {
  const int n = index.producer(r);
  if (n == kNone || index.is_leaf(r)) return r;
  const StreamNode& node = index.node(n);
  const int rounded = BeforeRounding(index, r);
  if (rounded != kNone) {
    return StreamIndex::At(index.computed_rounded, r) ? r : rounded;
  }
  const bool rich = index.fingerprint(r).rich;
  if (!rich && !MayRepeatPoorValues(node)) return r;
  const int content = StreamIndex::At(index.content, r);
  const size_t count = std::min<size_t>(node.inputs.size(), work_bounds::kCandidates);
  for (size_t i = 0; i < count; ++i) {
    const int input = node.inputs[i];
    if (input != kNone && StreamIndex::At(index.content, input) == content) return input;
  }
  for (size_t i = 0; i < count; ++i) {
    const int input = node.inputs[i];
    if (input == kNone || index.producer(input) == kNone) continue;
    const StreamNode& before = index.node(index.producer(input));
    if (before.inputs.empty() || before.inputs[0] == kNone) continue;
    if (!rich && !MayRepeatPoorValues(before)) continue;
    if (StreamIndex::At(index.content, before.inputs[0]) == content) return before.inputs[0];
  }
  return r;
}

bool IsView(const StreamIndex& index, int r) {
  if (index.is_copy(r)) return true;
  if (index.producer(r) == kNone || index.is_leaf(r)) return false;
  const FewResults& inputs = index.node(index.producer(r)).inputs;
  const int bits = StreamIndex::At(index.bits, r);
  return std::any_of(inputs.begin(),
                     inputs.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(
                                          inputs.size(), work_bounds::kCandidates)),
                     [&](int i) { return i != kNone && StreamIndex::At(index.bits, i) == bits; });
}

void IndexResults(StreamIndex& index, Interners& interners) {
  const ResultStream& stream = index.stream();
  for (std::vector<int>* const by_result :
       {&index.content, &index.bits, &index.elements, &index.shape, &index.place, &index.made_by,
        &index.producers, &index.slots}) {
    by_result->reserve(stream.results.size());
  }
  for (std::vector<uint8_t>* const by_result : {&index.leaf, &index.rich, &index.output_row}) {
    by_result->reserve(stream.results.size());
  }
  index.kinds.reserve(stream.results.size());
  index.name.reserve(stream.results.size());
  for (const StreamResult& result : stream.results) {
    const Fingerprint& f = result.fingerprint;
    index.producers.push_back(result.node);
    index.slots.push_back(result.slot);
    index.kinds.push_back(f.kind);
    index.rich.push_back(f.rich);
    index.output_row.push_back(result.kind == ResultKind::kOutput);
    index.name.push_back(HashOfText(result.name).low);
    index.content.push_back(interners.content(f.content));
    index.bits.push_back(interners.bits(f.bits));
    index.elements.push_back(interners.elements(f.elements));
    // Element types are left out: a cast keeps the shape.
    index.shape.push_back(result.shape ? interners.shape({"", *result.shape})
                                       : interners.shape({result.type, {}}));
    index.place.push_back(interners.place(PlaceOf(result.path)));
    const std::string& op_type = OpTypeOf(result, stream);
    const std::string& domain = DomainOf(result, stream);
    index.made_by.push_back(op_type.empty() ? kNone : interners.op({domain, op_type}));
    const bool constant = op_type == "Constant" && domain.empty();
    index.leaf.push_back(result.kind == ResultKind::kInitializer ||
                         result.kind == ResultKind::kInput || constant);
  }
  index.op.reserve(stream.nodes.size());
  index.attributes.reserve(stream.nodes.size());
  index.commutative.reserve(stream.nodes.size());
  std::vector<std::pair<int, int>> inputs;
  std::vector<std::pair<int, int>> outputs;
  inputs.reserve(2 * stream.nodes.size());
  outputs.reserve(stream.nodes.size());
  for (size_t n = 0; n < stream.nodes.size(); ++n) {
    for (int input : stream.nodes[n].inputs) inputs.push_back({static_cast<int>(n), input});
    for (int output : stream.nodes[n].outputs) outputs.push_back({static_cast<int>(n), output});
  }
  index.inputs = Csr<int>(stream.nodes.size(), inputs);
  index.outputs = Csr<int>(stream.nodes.size(), outputs);
  absl::flat_hash_map<int, bool> commutative;  // keyed by operator
  for (const StreamNode& node : stream.nodes) {
    const int op = interners.op({node.domain, node.op_type});
    index.op.push_back(op);
    index.attributes.push_back(interners.attributes({op, node.attributes}));
    const auto [it, is_new] = commutative.try_emplace(op);
    if (is_new) it->second = HasTrait(node, OperatorTrait::kCommutative);
    index.commutative.push_back(it->second);
  }
}

void IndexRoots(StreamIndex& index) {
  index.roots.clear();
  index.views.clear();
  for (int r = 0; r < index.size(); ++r) {
    int root = index.is_output_row(r) ? r : FindRoot(index, r);
    // An input precedes its readers, so its root is known.
    if (root < r) root = index.root(root);
    if (root > r) root = r;
    index.roots.push_back(root);
    index.views.push_back(IsView(index, r));
  }
}

// Finds rounded results that the other side computes in one operator: QLinearMatMul does the work
// of MatMul, QuantizeLinear and DequantizeLinear. Such a result is no copy. It is recognized by
// being much nearer to the other side's result than to its own unrounded one.
bool FindComputedRounded(StreamIndex& index, const StreamIndex& other) {
  std::vector<int> rounded;
  for (int r = 0; r < index.size(); ++r) {
    if (IsRounded(index, r)) rounded.push_back(r);
  }
  if (rounded.empty()) return false;
  std::vector<std::tuple<int64_t, double, int>> originals;  // size, rms, result
  for (int r = 0; r < other.size(); ++r) {
    const Fingerprint& f = other.fingerprint(r);
    if (other.producer(r) == kNone || other.is_copy(r) || f.kind != ElementKind::kFloat) continue;
    originals.push_back({f.size, f.numbers().squashed.rms, r});
  }
  std::sort(originals.begin(), originals.end());
  bool found = false;
  for (int r : rounded) {
    const Fingerprint& f = index.fingerprint(r);
    const double apart = SketchDistance(f, index.fingerprint(index.root(r)));
    const double rms = f.numbers().squashed.rms;
    auto it = std::lower_bound(originals.begin(), originals.end(),
                               std::tuple(f.size, rms * (1 - weights::kNearOutput), 0));
    for (size_t seen = 0; it != originals.end() && seen < work_bounds::kCandidates; ++it, ++seen) {
      const auto& [size, other_rms, original] = *it;
      if (size != f.size || other_rms > rms * (1 + weights::kNearOutput)) break;
      if (SketchDistance(f, other.fingerprint(original)) * weights::kTimesNearer > apart) continue;
      index.computed_rounded[Index(r)] = 1;
      found = true;
      break;
    }
  }
  return found;
}

void IndexUses(StreamIndex& index) {
  const ResultStream& stream = index.stream();
  std::vector<std::pair<int, Use>> uses;
  uses.reserve(2 * stream.nodes.size());
  const auto add = [&](int input, const Use& use) {
    if (input == kNone) return;
    uses.push_back({input, use});
    if (index.is_copy(input)) uses.push_back({index.root(input), use});
  };
  for (size_t n = 0; n < stream.nodes.size(); ++n) {
    const StreamNode& node = stream.nodes[n];
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      add(node.inputs[slot], {static_cast<int>(n), static_cast<int>(slot)});
    }
    for (int capture : node.captures) add(capture, {static_cast<int>(n), kCaptureSlot});
  }
  index.uses = Csr<Use>(stream.results.size(), uses);

  std::vector<std::pair<int, int>> output_rows;
  for (int r = 0; r < index.size(); ++r) {
    if (!index.is_output_row(r) || index.result(r).source == kNone) continue;
    const int source = index.result(r).source;
    output_rows.push_back({source, r});
    if (index.is_copy(source)) output_rows.push_back({index.root(source), r});
  }
  index.output_rows = Csr<int>(stream.results.size(), output_rows);
}

void IndexContents(StreamIndex& index, int contents) {
  std::vector<std::pair<int, int>> of_content;
  of_content.reserve(index.content.size());
  index.rank.reserve(index.content.size());
  std::vector<int> counts(static_cast<size_t>(contents), 0);
  for (int r = 0; r < index.size(); ++r) {
    const int content = StreamIndex::At(index.content, r);
    index.rank.push_back(counts[static_cast<size_t>(content)]);
    if (index.is_output_row(r)) continue;
    ++counts[static_cast<size_t>(content)];
    of_content.push_back({content, r});
  }
  index.of_content = Csr<int>(static_cast<size_t>(contents), of_content);
}

bool HasHalf(const ResultStream& stream) {
  return std::any_of(stream.results.begin(), stream.results.end(), [](const StreamResult& r) {
    return IsNarrowFloat(r.dtype) || IsNarrowFloat(r.precision);
  });
}

}  // namespace

int StreamIndex::first_output(int n) const {
  for (int output : outputs[n]) {
    if (output != kNone) return output;
  }
  return kNone;
}

int StreamIndex::Reads(int n, int r, int slot) const {
  const absl::Span<const int> read = inputs[n];
  const auto is = [&](int input) { return input != kNone && (input == r || root(input) == r); };
  const size_t s = static_cast<size_t>(slot);
  if (s < read.size() && is(read[s])) return 2;
  const size_t count = std::min<size_t>(read.size(), work_bounds::kCandidates);
  for (size_t i = 0; i < count; ++i) {
    if (is(read[i])) return At(commutative, n) ? 2 : 1;
  }
  const FewResults& captured = node(n).captures;
  const size_t captures = std::min<size_t>(captured.size(), work_bounds::kCandidates);
  for (size_t i = 0; i < captures; ++i) {
    if (is(captured[i])) return slot == kCaptureSlot ? 2 : 1;
  }
  return 0;
}

AlignmentIndex::AlignmentIndex(const ResultStream& left_stream, const ResultStream& right_stream)
    : left(left_stream), right(right_stream) {
  Interners interners;
  // Most contents occur on both sides.
  const size_t results = std::max(left_stream.results.size(), right_stream.results.size());
  for (Interner<Hash128>* const hashes :
       {&interners.content, &interners.bits, &interners.elements}) {
    hashes->reserve(results);
  }
  IndexResults(left, interners);
  IndexResults(right, interners);
  contents = interners.content.size();
  for (StreamIndex* index : {&left, &right}) {
    index->computed_rounded.assign(static_cast<size_t>(index->size()), 0);
    IndexRoots(*index);
  }
  const bool left_changes = FindComputedRounded(left, right);
  const bool right_changes = FindComputedRounded(right, left);
  if (left_changes) IndexRoots(left);
  if (right_changes) IndexRoots(right);
  for (StreamIndex* index : {&left, &right}) {
    IndexUses(*index);
    IndexContents(*index, contents);
  }
  has_half = HasHalf(left_stream) || HasHalf(right_stream);
}

}  // namespace onnxcmp
