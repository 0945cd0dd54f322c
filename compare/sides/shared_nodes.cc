#include "compare/sides/shared_nodes.h"

#include <algorithm>

#include "compare/streams/xxh128.h"

namespace onnxcmp {
namespace {

// What stands for an input in a key.
enum InputTag : uint64_t { kAbsentInput, kContiguousInput, kStridedInput };

bool IsShareable(const Value& value) {
  return value.empty() || (value.is_tensor() && value.tensor().dtype() != DType::kString &&
                           value.tensor().buffer() != nullptr);
}

}  // namespace

std::optional<Hash128> SharedNodes::KeyOf(const PendingNode& run) {
  if (!std::all_of(run.inputs.begin(), run.inputs.end(), IsShareable)) return std::nullopt;
  std::vector<uint64_t> words = {facts_.Of(run.node).operation, run.inputs.size(),
                                 run.node.outputs.size()};
  for (const Value& input : run.inputs) {
    if (input.empty()) {
      words.push_back(kAbsentInput);
      continue;
    }
    const Tensor& tensor = input.tensor();
    const Hash128 content = fingerprints_->Content(input, pool_);
    words.insert(words.end(), {tensor.is_contiguous() ? kContiguousInput : kStridedInput,
                               content.low, content.high});
    // How the elements lie may decide in which order a kernel adds them.
    if (tensor.is_contiguous()) continue;
    for (const int64_t stride : tensor.strides()) words.push_back(static_cast<uint64_t>(stride));
  }
  for (const std::string& output : run.node.outputs) words.push_back(output.empty() ? 0 : 1);
  return HashOf(words);
}

std::optional<std::vector<Value>> SharedNodes::Find(const PendingNode& run) {
  key_ = KeyOf(run);
  if (!key_.has_value()) return std::nullopt;
  const auto it = known_.find(*key_);
  if (it == known_.end()) return std::nullopt;
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
  ++nodes_;
  return outputs;
}

void SharedNodes::Add(const PendingNode& run, absl::Span<const Value> outputs, bool drew) {
  if (!key_.has_value() || !std::all_of(outputs.begin(), outputs.end(), IsShareable)) return;
  const auto [it, is_new] = known_.try_emplace(*key_);
  Known& known = it->second;
  known.drew = drew;
  known.random_seed = run.random_seed;
  known.outputs.assign(outputs.size(), std::nullopt);
  known.fingerprints.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty()) continue;
    known.outputs[i].emplace(outputs[i].tensor());
    if (is_new) {
      known.fingerprints[i] = fingerprints_->Get(outputs[i], pool_);
    } else {
      fingerprints_->Know(outputs[i], known.fingerprints[i]);
    }
  }
}

}  // namespace onnxcmp
