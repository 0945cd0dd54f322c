#include "compare/sides/shared_nodes.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "record/operators/operator_traits.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

// Kind of an input in a key.
enum InputTag : uint64_t { kAbsentInput, kContiguousInput, kStridedInput };

// Least size in bytes at which values of equal bits are merged.
constexpr int64_t kWorthMerging = int64_t{1} << 16;

bool IsShareable(const Value& value) {
  return value.empty() || (value.is_tensor() && value.tensor().dtype() != DType::kString &&
                           value.tensor().buffer() != nullptr);
}

}  // namespace

void NodeMeetings::Add(const Node& left, const Node& right) {
  const auto [it, is_new] = meetings_.try_emplace(&left, static_cast<int>(to_come_.size()));
  const int meeting = it->second;
  if (is_new) to_come_.push_back(1);
  meetings_[&right] = meeting;
  ++to_come_[static_cast<size_t>(meeting)];
}

std::optional<int> NodeMeetings::Of(const Node& node) const {
  const auto it = meetings_.find(&node);
  return it == meetings_.end() ? std::nullopt : std::optional<int>(it->second);
}

std::optional<Hash128> SharedNodes::KeyOf(const PendingNode& run) {
  is_constant_ = false;
  if (!std::all_of(run.inputs.begin(), run.inputs.end(), IsShareable)) return std::nullopt;
  bool is_constant = constants_ != nullptr;
  absl::InlinedVector<uint64_t, 24> words = {facts_.Of(run.node).operation, run.inputs.size(),
                                             run.node.outputs.size()};
  for (const Value& input : run.inputs) {
    if (input.empty()) {
      words.push_back(kAbsentInput);
      continue;
    }
    const Tensor& tensor = input.tensor();
    const Hash128 content = fingerprints_->Content(input, pool_);
    is_constant = is_constant && constants_->IsConstant(content);
    words.push_back(tensor.is_contiguous() ? kContiguousInput : kStridedInput);
    words.push_back(content.low);
    words.push_back(content.high);
    // The layout of the elements may decide in which order a kernel adds them.
    if (tensor.is_contiguous()) continue;
    for (const int64_t stride : tensor.strides()) words.push_back(static_cast<uint64_t>(stride));
  }
  for (const std::string& output : run.node.outputs) words.push_back(output.empty() ? 0 : 1);
  is_constant_ = is_constant;
  return HashOf(absl::MakeConstSpan(words));
}

std::optional<std::vector<Value>> SharedNodes::Find(const PendingNode& run) {
  key_ = KeyOf(run);
  std::optional<std::vector<Value>> found = Recall(run);
  if (found.has_value()) {
    ++nodes_;
    Meet(run.node, *found);
  }
  return found;
}

std::optional<std::vector<Value>> SharedNodes::Recall(const PendingNode& run) {
  if (!key_.has_value()) return std::nullopt;
  const auto it = known_.find(*key_);
  if (it == known_.end()) return is_constant_ ? constants_->Outputs(*key_) : std::nullopt;
  const Known& known = it->second;
  if (known.drew && known.random_seed != run.random_seed) {
    key_ = std::nullopt;
    return std::nullopt;
  }
  std::vector<Value> outputs(known.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!known.outputs[i].has_value()) continue;
    Tensor tensor = known.outputs[i]->Lock();
    if (!tensor.defined()) return std::nullopt;
    outputs[i] = std::move(tensor);
  }
  return outputs;
}

void SharedNodes::Meet(const Node& node, absl::Span<const Value> outputs) {
  const std::optional<int> meeting = meetings_.Of(node);
  if (!meeting.has_value()) return;
  std::vector<int>& held = held_for_[*meeting];
  if (meetings_.Attend(*meeting) > 0) {
    for (const Value& output : outputs) {
      if (held_.Keep(next_held_, output)) held.push_back(next_held_++);
    }
    return;
  }
  for (const int number : held) held_.Drop(number);
  held_for_.erase(*meeting);
}

void SharedNodes::MergeMemory(const Hash128& content, Value* output) {
  const Tensor& tensor = output->tensor();
  // A part of a larger buffer would keep all of it in memory.
  if (!tensor.is_contiguous() || tensor.byte_size() < kWorthMerging ||
      tensor.buffer()->size() != tensor.byte_size()) {
    return;
  }
  const auto [it, is_new] = large_.try_emplace(content, tensor);
  if (is_new) return;
  Tensor before = it->second.Lock();
  if (before.defined()) {
    *output = std::move(before);
  } else {
    it->second = WeakTensor(tensor);
  }
}

void SharedNodes::Add(const PendingNode& run, absl::Span<Value> outputs, bool drew) {
  if (key_.has_value() && std::all_of(outputs.begin(), outputs.end(), IsShareable)) {
    const auto [it, is_new] = known_.try_emplace(*key_);
    Known& known = it->second;
    known.drew = drew;
    known.random_seed = run.random_seed;
    known.outputs.assign(outputs.size(), std::nullopt);
    const std::vector<Fingerprint>* const before =
        is_new && is_constant_ ? constants_->Fingerprints(*key_) : nullptr;
    if (before != nullptr) known.fingerprints = *before;
    known.fingerprints.resize(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].empty()) continue;
      if (is_new && before == nullptr) {
        known.fingerprints[i] = fingerprints_->Get(outputs[i], pool_);
      } else {
        fingerprints_->Know(outputs[i], known.fingerprints[i]);
      }
      MergeMemory(known.fingerprints[i].content, &outputs[i]);
      known.outputs[i].emplace(outputs[i].tensor());
    }
    if (is_constant_ && !drew) {
      // Rearranging is cheap, but its output may be as large as a weight.
      const bool worth_holding = !HasTrait(run.node, OperatorTrait::kRearranges);
      constants_->Add(*key_, outputs, known.fingerprints, worth_holding);
    }
  }
  Meet(run.node, outputs);
}

}  // namespace onnxcmp
