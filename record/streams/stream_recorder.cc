#include "record/streams/stream_recorder.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "record/differences/precision.h"
#include "record/operators/operator_traits.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

DType DTypeOfValue(const Value& value) {
  return value.is_tensor() ? value.tensor().dtype() : DType::kUndefined;
}

// The type that an accuracy_level of MatMulNBits allows for activations.
DType TypeOfLevel(int64_t level) {
  switch (level) {
    case 2:
      return DType::kFloat16;
    case 3:
      return DType::kBfloat16;
    case 4:
      return DType::kInt8;
    default:
      return DType::kUndefined;
  }
}

// The type that a runtime may compute a node's products in, whatever type its floats have.
// DynamicQuantizeLSTM rounds states to 8 bits in each step, by scales of its own.
DType TypeInside(const Node& node, int64_t accuracy_level) {
  return node.op_type == "DynamicQuantizeLSTM" ? DType::kInt8 : TypeOfLevel(accuracy_level);
}

bool IsConstant(const Node& node) {
  return node.op_type == "Constant" && node.domain == kOnnxDomain;
}

// The number of states of a Scan, which are its first inputs; nothing if they have a batch axis, of
// which the body gets slices.
std::optional<size_t> ScanStates(const Node& node) {
  const auto scans = node.attributes.find("num_scan_inputs");
  if (scans == node.attributes.end() || !std::holds_alternative<int64_t>(scans->second)) {
    return std::nullopt;
  }
  if (node.imports != nullptr) {
    const auto import = node.imports->find(kOnnxDomain);
    if (import != node.imports->end() && import->second < 9) return std::nullopt;
  }
  const int64_t count = std::get<int64_t>(scans->second);
  const auto inputs = static_cast<int64_t>(node.inputs.size());
  if (count < 0 || count > inputs) return std::nullopt;
  return static_cast<size_t>(inputs - count);
}

}  // namespace

StreamRecorder::StreamRecorder(const OpRegistry& registry, const StreamRecorderOptions& options)
    : options_(options), scopes_(1), own_facts_(registry) {
  if (options_.cache == nullptr) options_.cache = &own_cache_;
  if (options_.facts == nullptr) options_.facts = &own_facts_;
}

void StreamRecorder::Expect(const Graph& graph) {
  size_t results = graph.initializers.size() + graph.inputs.size() + graph.outputs.size();
  for (const Node& node : graph.nodes) results += node.outputs.size();
  stream_.results.reserve(results);
  stream_.nodes.reserve(graph.nodes.size());
  scopes_[0].names.reserve(results);
}

void StreamRecorder::CloseTo(size_t depth) {
  while (scopes_.size() > depth) {
    const DType least = scopes_.back().least;
    scopes_.pop_back();
    if (!scopes_.empty()) scopes_.back().inner = LessPrecise(scopes_.back().inner, least);
  }
}

const StreamRecorder::Named* StreamRecorder::Find(absl::string_view name) const {
  if (name.empty()) return nullptr;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto it = scope->names.find(name);
    if (it != scope->names.end()) return &it->second;
  }
  return nullptr;
}

StreamRecorder::Named StreamRecorder::FromContent(const Value& value) const {
  const DType dtype = DTypeOfValue(value);
  return {kNone, options_.cache->Content(value, options_.pool).low, dtype, PrecisionOf(dtype)};
}

const StreamRecorder::Named* StreamRecorder::OwnersInput(const Node& owner, size_t i) const {
  return i < owner.inputs.size() ? Find(owner.inputs[i]) : nullptr;
}

const StreamRecorder::Named* StreamRecorder::Carried(const GraphStart& start, size_t i,
                                                     const Scope* before) const {
  const Node& owner = start.node;
  size_t output = i;
  if (owner.op_type == "Loop") {
    // Inputs: trip count, condition, values; inputs of the body: counter, condition, values.
    if (i == 0) return nullptr;
    output = i - 1;
  } else if (owner.op_type == "Scan") {
    const std::optional<size_t> states = ScanStates(owner);
    if (!states.has_value() || i >= *states) return nullptr;
  } else {
    return nullptr;
  }
  if (before == nullptr) return OwnersInput(owner, i);
  if (output >= start.graph.outputs.size()) return nullptr;
  const std::string& name = start.graph.outputs[output].name;
  const auto it = before->names.find(name);
  return it != before->names.end() ? &it->second : Find(name);
}

void StreamRecorder::OnGraphStart(const GraphStart& start) {
  if (start.depth > options_.max_depth) return;
  const auto depth = static_cast<size_t>(start.depth);
  CloseTo(depth + 1);
  // The previous iteration, if there is one.
  std::optional<Scope> before;
  if (scopes_.size() == depth + 1) {
    if (scopes_.back().owner == &start.node && scopes_.back().graph == &start.graph) {
      before = scopes_.back();
    }
    CloseTo(depth);
  }
  Scope scope;
  scope.owner = &start.node;
  scope.graph = &start.graph;
  for (const Initializer& initializer : start.graph.initializers) {
    auto [it, is_new] = initializers_.try_emplace(&initializer);
    if (is_new) it->second = FromContent(initializer.value);
    scope.names[initializer.name] = it->second;
  }
  const size_t given = std::min(start.inputs.size(), start.graph.inputs.size());
  for (size_t i = 0; i < given; ++i) {
    const Named* carried = Carried(start, i, before.has_value() ? &*before : nullptr);
    Named& named = scope.names[start.graph.inputs[i].name];
    if (carried != nullptr) {
      named = *carried;
      continue;
    }
    named = FromContent(start.inputs[i]);
    // A slice is as precise as the whole.
    const Named* whole = start.node.op_type == "Scan" ? OwnersInput(start.node, i) : nullptr;
    if (whole != nullptr) named.precision = LessPrecise(named.precision, whole->precision);
  }
  scopes_.push_back(std::move(scope));
}

void StreamRecorder::BeginNode(const Result& result, Scope* scope) {
  const Node& node = *result.node;
  const NodeFacts& facts = options_.facts->Of(node);
  scope->node = &node;
  scope->index = static_cast<int>(stream_.nodes.size());
  scope->inputs.clear();
  scope->captures.clear();
  StreamNode& made = stream_.nodes.emplace_back();
  made.op_type = node.op_type;
  made.domain = node.domain;
  made.name = node.name;
  made.path = std::string(result.path);
  made.attributes = facts.attributes;
  made.bits = facts.bits;
  if (options_.runtime_precision.has_value()) {
    made.computes_in =
        LessPrecise(*options_.runtime_precision, TypeInside(node, facts.accuracy_level));
  }
  made.inputs.reserve(node.inputs.size());
  made.outputs.assign(node.outputs.size(), kNone);
  DType precision = std::exchange(scope->inner, DType::kUndefined);
  const auto read = [&](const Named& named) {
    made.closed = made.closed && named.result != kNone;
    precision = LessPrecise(precision, named.precision);
    precision = LessPrecise(precision, QuantizedAs(node.op_type, named.dtype, made.bits));
  };
  for (const std::string& input : node.inputs) {
    const Named* named = Find(input);
    made.inputs.push_back(named != nullptr ? named->result : kNone);
    scope->inputs.push_back(named != nullptr ? named->computation : 0);
    if (named != nullptr) read(*named);
  }
  for (const std::string& capture : facts.captures) {
    const Named* named = Find(capture);
    scope->captures.push_back(named != nullptr ? named->computation : 0);
    if (named == nullptr) continue;
    read(*named);
    if (named->result != kNone && std::find(made.captures.begin(), made.captures.end(),
                                            named->result) == made.captures.end()) {
      made.captures.push_back(named->result);
    }
  }
  scope->precision =
      HasTrait(node, OperatorTrait::kReadsNoElements) ? DType::kUndefined : precision;
}

Fingerprint StreamRecorder::LookAt(const Result& result) {
  if (!options_.glance || result.kind == ResultKind::kInput) {
    return options_.cache->Get(result.value, options_.pool);
  }
  // No caller asks for equal results within one side, so a unique hash suffices.
  const Hash128 content = HashOf({stream_.results.size()});
  return options_.cache->Glance(result.value, content, options_.pool);
}

int StreamRecorder::Add(const Result& result, Fingerprint fingerprint) {
  StreamResult& added = stream_.results.emplace_back();
  added.kind = result.kind;
  added.name = std::string(result.name);
  added.path = std::string(result.path);
  added.depth = result.depth;
  added.dtype = DTypeOfValue(result.value);
  added.own_precision = PrecisionOf(result.value);
  if (result.value.is_tensor()) added.shape = result.value.tensor().shape();
  added.type = result.value.TypeString();
  added.fingerprint = std::move(fingerprint);
  return static_cast<int>(stream_.results.size()) - 1;
}

absl::Status StreamRecorder::OnResult(const Result& result, std::optional<Value>* /*replacement*/) {
  if (result.depth > options_.max_depth) {
    Scope& scope = scopes_.back();
    scope.inner = LessPrecise(scope.inner, PrecisionOf(DTypeOfValue(result.value)));
    return absl::OkStatus();
  }
  CloseTo(static_cast<size_t>(result.depth) + 1);
  const absl::string_view name = result.name;
  const int index = static_cast<int>(stream_.results.size());
  if (result.kind == ResultKind::kOutput) {
    const Named* named = Find(name);
    const int source = named != nullptr ? named->result : kNone;
    Add(result, source != kNone && !options_.own_outputs
                    ? stream_.results[static_cast<size_t>(source)].fingerprint
                    : LookAt(result));
    StreamResult& added = stream_.results.back();
    added.source = source;
    if (named != nullptr) {
      added.precision = named->precision;
      added.computation = named->computation;
    }
    return absl::OkStatus();
  }
  Add(result, LookAt(result));
  StreamResult& added = stream_.results.back();
  added.precision = added.own_precision;
  added.computation = added.fingerprint.content.low;
  Scope& scope = scopes_.back();
  if (result.node != nullptr) {
    if (scope.node != result.node) BeginNode(result, &scope);
    const Node& node = *result.node;
    StreamNode& made = stream_.nodes[static_cast<size_t>(scope.index)];
    const auto output = std::find(node.outputs.begin(), node.outputs.end(), name);
    added.node = scope.index;
    added.slot = static_cast<int>(output - node.outputs.begin());
    if (output != node.outputs.end()) made.outputs[Index(added.slot)] = index;
    added.precision = LessPrecise(scope.precision, added.precision);
    added.precision =
        LessPrecise(added.precision, QuantizedAs(node.op_type, added.dtype, made.bits));
    // A constant is a leaf, like the initializer that it may be on the other side.
    if (!IsConstant(node)) {
      added.computation =
          HashComputation(options_.facts->Of(node), scope.inputs, scope.captures, added.slot);
    }
  }
  scope.least = LessPrecise(scope.least, added.precision);
  scope.names[name] = {index, added.computation, added.dtype, added.precision};
  return absl::OkStatus();
}

}  // namespace onnxcmp
