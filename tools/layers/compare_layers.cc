#include "tools/layers/compare_layers.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "record/base/per_side.h"
#include "tools/layers/layer_cover.h"

namespace onnxcmp {
namespace {

using Covers = std::vector<std::vector<std::string>>;

class LayerComparer {
 public:
  LayerComparer(LayerListing left, LayerListing right, const Graph* model) {
    result_.left = std::move(left);
    result_.right = std::move(right);
    if (model != nullptr) ranges_.emplace(*model);
    const NodeRanges* ranges = ranges_.has_value() ? &*ranges_ : nullptr;
    covers_ = {CoversOf(result_.left, ranges), CoversOf(result_.right, ranges)};
    parents_.resize(size(kLeft) + size(kRight));
    std::iota(parents_.begin(), parents_.end(), size_t{0});
  }

  LayerComparison Compare() {
    LinkByNodes();
    LinkByName();
    LinkRegions();
    MakeGroups();
    NoteNamesOnly();
    NoteRegions();
    return std::move(result_);
  }

 private:
  using enum SideId;

  const LayerListing& listing(SideId side) const { return OfSide(result_, side); }
  size_t size(SideId side) const { return listing(side).layers.size(); }
  const EngineLayer& layer(SideId side, size_t n) const { return listing(side).layers[n]; }

  // Groups are sets of layers: left ones by number, right ones after them.
  size_t Root(size_t n) {
    while (parents_[n] != n) n = parents_[n] = parents_[parents_[n]];
    return n;
  }
  size_t Number(SideId side, size_t n) const { return side == kLeft ? n : size(kLeft) + n; }
  // Joins a layer of a side with one of the other.
  void Link(SideId side, size_t own, size_t other) {
    linked_.insert(Number(side, own));
    linked_.insert(Number(Other(side), other));
    const auto [left, right] = side == kLeft ? std::pair(own, other) : std::pair(other, own);
    parents_[Root(Number(kLeft, left))] = Root(Number(kRight, right));
  }
  bool IsLinked(SideId side, size_t n) const { return linked_.contains(Number(side, n)); }

  // Joins each layer with the one of the other side that covers most of its nodes: a layer that
  // repeats a node of others, a constant or a mask's cast, must not join everything.
  void LinkByNodes() {
    for (const SideId side : kBothSides) {
      absl::flat_hash_map<std::string, std::vector<size_t>> others;
      for (size_t n = 0; n < size(Other(side)); ++n) {
        for (const std::string& name : covers_[Other(side)][n]) others[name].push_back(n);
      }
      for (size_t n = 0; n < size(side); ++n) {
        std::map<size_t, double> shares;
        for (const std::string& name : covers_[side][n]) {
          const auto found = others.find(name);
          if (found == others.end()) continue;
          for (const size_t other : found->second) {
            shares[other] += 1.0 / static_cast<double>(found->second.size());
          }
        }
        const auto best =
            std::max_element(shares.begin(), shares.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        if (best != shares.end()) Link(side, n, best->first);
      }
    }
  }

  // Joins copies, and kernels whose names contain no nodes.
  void LinkByName() {
    std::map<std::string, std::vector<size_t>> named;
    for (size_t n = size(kRight); n-- > 0;) {
      if (!IsLinked(kRight, n)) named[layer(kRight, n).name].push_back(n);
    }
    for (size_t n = 0; n < size(kLeft); ++n) {
      if (IsLinked(kLeft, n)) continue;
      const auto found = named.find(layer(kLeft, n).name);
      if (found == named.end() || found->second.empty()) continue;
      Link(kLeft, n, found->second.back());
      found->second.pop_back();
    }
  }

  // If the model does not resolve a side's only region, the other side's unmatched layers between
  // matched ones are inside it.
  void LinkRegions() {
    for (const SideId side : kBothSides) {
      const SideId other = Other(side);
      std::vector<size_t> regions;
      for (size_t n = 0; n < size(side); ++n) {
        if (!layer(side, n).regions.empty()) regions.push_back(n);
      }
      if (regions.size() != 1 || ranges_.has_value()) continue;
      for (size_t n = 0; n < size(other); ++n) {
        if (IsLinked(other, n) || layer(other, n).reformat) continue;
        Link(side, regions[0], n);
      }
    }
  }

  static std::optional<double> TimeOf(const LayerListing& listing, const std::vector<int>& layers) {
    std::optional<double> sum;
    for (const int n : layers) {
      const std::optional<double>& time = listing.layers[static_cast<size_t>(n)].milliseconds;
      if (time.has_value()) sum = sum.value_or(0) + *time;
    }
    return sum;
  }

  static DType CoarsestOf(const LayerListing& listing, const std::vector<int>& layers) {
    EngineLayer all;
    for (const int n : layers) {
      const EngineLayer& one = listing.layers[static_cast<size_t>(n)];
      all.inputs.insert(all.inputs.end(), one.inputs.begin(), one.inputs.end());
      all.outputs.insert(all.outputs.end(), one.outputs.begin(), one.outputs.end());
    }
    return PrecisionOf(all);
  }

  bool HasRegion(SideId side, const std::vector<int>& layers) const {
    return std::any_of(layers.begin(), layers.end(),
                       [&](int n) { return !layer(side, static_cast<size_t>(n)).regions.empty(); });
  }

  std::vector<std::string> NodesOf(SideId side, const std::vector<int>& layers) const {
    std::vector<std::string> names;
    absl::flat_hash_set<std::string> seen;
    for (const int n : layers) {
      for (const std::string& name : covers_[side][static_cast<size_t>(n)]) {
        if (seen.insert(name).second) names.push_back(name);
      }
    }
    return names;
  }

  static std::vector<std::string> Without(const std::vector<std::string>& names,
                                          const std::vector<std::string>& others) {
    const absl::flat_hash_set<std::string> taken(others.begin(), others.end());
    std::vector<std::string> left;
    for (const std::string& name : names) {
      if (!taken.contains(name)) left.push_back(name);
    }
    return left;
  }

  LayerRelation RelationOf(const LayerGroup& group) const {
    if (group.right.empty()) return LayerRelation::kLeftOnly;
    if (group.left.empty()) return LayerRelation::kRightOnly;
    const bool one_left = group.left.size() == 1;
    const bool one_right = group.right.size() == 1;
    const bool left_region = HasRegion(kLeft, group.left);
    const bool right_region = HasRegion(kRight, group.right);
    if (one_left != one_right && left_region != right_region &&
        (one_left ? left_region : right_region)) {
      if (listing(one_left ? kLeft : kRight).names_only) return LayerRelation::kInside;
    }
    if (one_left && one_right) {
      return group.left_nodes.empty() && group.right_nodes.empty() ? LayerRelation::kSame
                                                                   : LayerRelation::kNodes;
    }
    if (one_left) return LayerRelation::kSplit;
    return one_right ? LayerRelation::kMerged : LayerRelation::kRegrouped;
  }

  // The first node of every layer but the first, in the model's order if that is known.
  std::vector<std::string> BeginningsOf(SideId side, const std::vector<int>& layers) const {
    std::vector<std::string> names;
    std::vector<std::pair<size_t, std::string>> first;
    for (const int n : layers) {
      const std::vector<std::string>& cover = covers_[side][static_cast<size_t>(n)];
      if (cover.empty()) continue;
      std::pair<size_t, std::string> best = {static_cast<size_t>(n), cover[0]};
      if (ranges_.has_value()) {
        best.first = ranges_->Position(cover[0]);
        for (const std::string& name : cover) {
          best = std::min(best, std::pair(ranges_->Position(name), name));
        }
      }
      first.push_back(std::move(best));
    }
    std::stable_sort(first.begin(), first.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t k = 1; k < first.size(); ++k) names.push_back(first[k].second);
    return names;
  }

  void MakeGroups() {
    std::map<size_t, size_t> by_root;
    std::vector<double> places;
    std::vector<LayerGroup> groups;
    double last = 0;
    // Layers of the right alone come after the group of the layer before them.
    for (size_t n = 0; n < size(kLeft); ++n) {
      const auto [it, added] = by_root.emplace(Root(Number(kLeft, n)), groups.size());
      if (added) {
        groups.emplace_back();
        places.push_back(static_cast<double>(n) + 1);
      }
      groups[it->second].left.push_back(static_cast<int>(n));
    }
    for (size_t n = 0; n < size(kRight); ++n) {
      const auto [it, added] = by_root.emplace(Root(Number(kRight, n)), groups.size());
      if (added) {
        groups.emplace_back();
        places.push_back(last + 0.5);
      }
      groups[it->second].right.push_back(static_cast<int>(n));
      last = places[it->second];
    }
    std::vector<size_t> order(groups.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return places[a] < places[b]; });
    for (const size_t g : order) {
      LayerGroup& group = groups[g];
      Describe(&group);
      result_.groups.push_back(std::move(group));
    }
  }

  void Describe(LayerGroup* group) const {
    const std::vector<std::string> left = NodesOf(kLeft, group->left);
    const std::vector<std::string> right = NodesOf(kRight, group->right);
    if (!group->left.empty() && !group->right.empty()) {
      group->left_nodes = Without(left, right);
      group->right_nodes = Without(right, left);
    }
    group->relation = RelationOf(*group);
    group->reformat = std::all_of(kBothSides.begin(), kBothSides.end(), [&](SideId side) {
      const std::vector<int>& layers = OfSide(*group, side);
      return std::all_of(layers.begin(), layers.end(),
                         [&](int n) { return layer(side, static_cast<size_t>(n)).reformat; });
    });
    group->left_precision = CoarsestOf(result_.left, group->left);
    group->right_precision = CoarsestOf(result_.right, group->right);
    group->left_milliseconds = TimeOf(result_.left, group->left);
    group->right_milliseconds = TimeOf(result_.right, group->right);
    if (group->relation == LayerRelation::kSplit)
      group->begins_at = BeginningsOf(kRight, group->right);
    if (group->relation == LayerRelation::kMerged)
      group->begins_at = BeginningsOf(kLeft, group->left);
  }

  // True if a listing contains a layer name of another in the names of its layers or tensors.
  static bool Mentions(const LayerListing& listing, const std::string& name) {
    return std::any_of(listing.layers.begin(), listing.layers.end(), [&](const EngineLayer& one) {
      if (absl::StrContains(one.name, name)) return true;
      for (const std::vector<LayerTensor>* tensors : {&one.inputs, &one.outputs}) {
        for (const LayerTensor& tensor : *tensors) {
          if (absl::StrContains(tensor.name, name)) return true;
        }
      }
      return false;
    });
  }

  void NoteNamesOnly() {
    if (result_.left.names_only == result_.right.names_only) return;
    const SideId side = result_.left.names_only ? kLeft : kRight;
    const LayerListing& detailed = listing(Other(side));
    int64_t regions = 0;
    int64_t mentioned = 0;
    for (const EngineLayer& one : listing(side).layers) {
      if (one.regions.empty()) continue;
      ++regions;
      mentioned += Mentions(detailed, one.name) ? 1 : 0;
    }
    if (detailed.form == ListingForm::kModel || detailed.form == ListingForm::kProfile) return;
    result_.one_engine = regions > 0 && mentioned == regions;
    result_.notes.push_back(absl::StrCat(
        "the ", SideName(side), " lists layers by name alone, the ", SideName(Other(side)),
        " in detail: ", size(side), " and ", detailed.layers.size(),
        " layers do not mean that the engines differ. ",
        result_.one_engine
            ? "Both speak of the same regions: most likely they list one and the same engine"
            : "List both with the profiling verbosity `detailed`"));
  }

  void NoteRegions() {
    int64_t regions = 0;
    for (const SideId side : kBothSides) {
      for (const EngineLayer& one : listing(side).layers) {
        regions += static_cast<int64_t>(one.regions.size());
      }
    }
    if (regions > 0 && !ranges_.has_value()) {
      result_.notes.push_back(
          "regions ({ForeignNode[...]}) list only their ends; --model gives their nodes");
    }
  }

  LayerComparison result_;
  std::optional<NodeRanges> ranges_;
  PerSide<Covers> covers_;
  std::vector<size_t> parents_;
  std::set<size_t> linked_;
};

}  // namespace

LayerComparison CompareLayers(LayerListing left, LayerListing right, const Graph* model) {
  return LayerComparer(std::move(left), std::move(right), model).Compare();
}

bool LayerComparison::same() const {
  return std::all_of(groups.begin(), groups.end(), [this](const LayerGroup& group) {
    if (group.precision_changed() && !one_engine) return false;
    // A copy at the border of a region is a separate layer in both formats.
    return group.relation == LayerRelation::kSame ||
           (one_engine && (group.relation == LayerRelation::kInside || group.reformat));
  });
}

absl::string_view LayerRelationName(LayerRelation relation) {
  constexpr std::array<absl::string_view, 8> kNames = {
      "same", "nodes", "split", "merged", "regrouped", "inside", "left_only", "right_only"};
  return kNames[static_cast<size_t>(relation)];
}

}  // namespace onnxcmp
