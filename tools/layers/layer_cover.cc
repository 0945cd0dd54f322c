#include "tools/layers/layer_cover.h"

#include <algorithm>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "compare/fusions/matching/fusion_graph.h"
#include "evaluator/model/node_text.h"

namespace onnxcmp {
namespace {

std::string NormalizedName(absl::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (!absl::ascii_isalnum(c)) c = '_';
  }
  return text;
}

}  // namespace

NodeRanges::NodeRanges(const Graph& graph) : graph_(graph) {
  const FusionGraph values(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    constant_.push_back(values.IsConstantNode(static_cast<int>(i)));
    labels_.emplace_back(NodeLabel(graph.nodes[i]));
    positions_.emplace(labels_.back(), i);
    normalized_[NormalizedName(labels_.back())].push_back(i);
    for (const std::string& output : graph.nodes[i].outputs) {
      if (!output.empty()) producers_.emplace(output, i);
    }
  }
}

std::optional<std::string> NodeRanges::Find(absl::string_view name) const {
  if (const auto it = positions_.find(name); it != positions_.end()) return it->first;
  const auto it = normalized_.find(NormalizedName(name));
  if (it != normalized_.end() && it->second.size() == 1) return labels_[it->second[0]];
  // An optimizer's name for a node that it rewrote: "/attn/MatMul/MatMulScaleFusion/".
  for (size_t end = name.rfind('/'); end != absl::string_view::npos && end > 0;
       end = name.rfind('/', end - 1)) {
    if (const auto node = positions_.find(name.substr(0, end)); node != positions_.end()) {
      return node->first;
    }
  }
  return std::nullopt;
}

size_t NodeRanges::Position(const std::string& name) const {
  const auto it = positions_.find(name);
  return it == positions_.end() ? labels_.size() : it->second;
}

// Nodes are sorted topologically, so one pass suffices.
std::vector<bool> NodeRanges::Reached(const std::vector<size_t>& from, bool forward) const {
  std::vector<bool> reached(labels_.size(), false);
  for (const size_t n : from) reached[n] = true;
  for (size_t k = 0; k < labels_.size(); ++k) {
    const size_t n = forward ? k : labels_.size() - 1 - k;
    if (!forward && !reached[n]) continue;
    for (const std::string& input : graph_.nodes[n].inputs) {
      const auto maker = producers_.find(input);
      if (maker == producers_.end()) continue;
      if (forward) {
        reached[n] = reached[n] || reached[maker->second];
      } else {
        reached[maker->second] = true;
      }
    }
  }
  return reached;
}

std::vector<std::string> NodeRanges::Between(const LayerRegion& region) const {
  const auto numbers = [this](const std::vector<std::string>& names) {
    std::vector<size_t> found;
    for (const std::string& name : names) {
      if (const std::optional<std::string> node = Find(name)) found.push_back(Position(*node));
    }
    return found;
  };
  const std::vector<size_t> first = numbers(region.first);
  const std::vector<size_t> last = numbers(region.last);
  if (first.empty() || last.empty()) return {};
  const std::vector<bool> behind = Reached(first, true);
  const std::vector<bool> before = Reached(last, false);
  std::vector<std::string> names;
  for (size_t n = 0; n < labels_.size(); ++n) {
    if (behind[n] && before[n]) names.push_back(labels_[n]);
  }
  return names;
}

std::vector<std::string> NodeRanges::Behind(const EngineLayer& layer,
                                            const absl::flat_hash_set<std::string>& made) const {
  std::set<size_t> found;
  std::vector<std::string> open;
  for (const LayerTensor& output : layer.outputs) {
    if (producers_.contains(output.name)) open.push_back(output.name);
  }
  const auto stops = [&](const std::string& name) {
    return made.contains(name) ||
           std::any_of(layer.inputs.begin(), layer.inputs.end(),
                       [&name](const LayerTensor& input) { return input.name == name; });
  };
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const auto maker = producers_.find(name);
    if (maker == producers_.end() || !found.insert(maker->second).second) continue;
    for (const std::string& input : graph_.nodes[maker->second].inputs) {
      if (!input.empty() && !stops(input)) open.push_back(input);
    }
  }
  std::vector<std::string> names;
  for (const size_t n : found) {
    if (!constant_[n]) names.push_back(labels_[n]);
  }
  return names;
}

std::vector<std::vector<std::string>> CoversOf(const LayerListing& listing,
                                               const NodeRanges* model) {
  std::vector<std::vector<std::string>> covers;
  absl::flat_hash_set<std::string> made;
  for (const EngineLayer& layer : listing.layers) {
    for (const LayerTensor& output : layer.outputs) made.insert(output.name);
  }
  for (const EngineLayer& layer : listing.layers) {
    std::vector<std::string>& cover = covers.emplace_back();
    if (model == nullptr) {
      cover = layer.nodes;
      for (const LayerRegion& region : layer.regions) {
        cover.insert(cover.end(), region.first.begin(), region.first.end());
        cover.insert(cover.end(), region.last.begin(), region.last.end());
      }
    } else {
      for (const std::string& name : layer.nodes) cover.push_back(model->Find(name).value_or(name));
      for (const LayerRegion& region : layer.regions) {
        for (std::string& name : model->Between(region)) cover.push_back(std::move(name));
      }
      if (listing.form == ListingForm::kModel) {
        std::vector<std::string> behind = model->Behind(layer, made);
        if (!behind.empty()) cover = std::move(behind);
      }
    }
    std::vector<std::string> unique;
    absl::flat_hash_set<std::string> seen;
    for (std::string& name : cover) {
      if (seen.insert(name).second) unique.push_back(std::move(name));
    }
    cover = std::move(unique);
  }
  return covers;
}

}  // namespace onnxcmp
