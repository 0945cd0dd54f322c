#include "tools/fix/requantize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/load/name_scopes.h"
#include "evaluator/protos/tensor_proto.h"
#include "evaluator/tensor/convert.h"
#include "tools/fix/constant_forms.h"
#include "tools/fix/integer_grid.h"
#include "tools/fix/weight_sites.h"

namespace onnxcmp {
namespace {

using Kind = Operation::Kind;
using NumberList = std::vector<double>;

// The places of the scale and the zero point of a node's result.
struct GridSlots {
  const char* op_type;
  int scale, zero;
};

constexpr GridSlots kGrids[] = {
    {"QuantizeLinear", 1, 2},
    {"DequantizeLinear", 1, 2},
    {"QLinearConv", 6, 7},
    {"QLinearMatMul", 6, 7},
    {"QLinearAdd", 6, 7},
    {"QLinearMul", 6, 7},
    {"QGemm", 7, 8},
    {"QLinearSigmoid", 3, 4},
    {"QLinearLeakyRelu", 3, 4},
    {"QLinearSoftmax", 3, 4},
    {"QLinearReduceMean", 3, 4},
    {"QLinearAveragePool", 3, 4},
    {"QLinearGlobalAveragePool", 3, 4},
};

absl::StatusOr<Tensor> TensorOf(DType dtype, const Shape& shape, const NumberList& numbers) {
  absl::StatusOr<Tensor> tensor = Tensor::Allocate(dtype, shape);
  if (!tensor.ok()) return tensor;
  StoreElements<double>(dtype, numbers.data(), static_cast<int64_t>(numbers.size()),
                        tensor->mutable_raw_data(), 0, Overflow::kSaturate);
  return tensor;
}

class GridFinder {
 public:
  GridFinder(const FixScene& scene, const absl::flat_hash_map<std::string, std::string>& causes)
      : right_(scene.pairs.right),
        left_(scene.pairs.left),
        scene_(scene),
        causes_(causes),
        sites_(scene.pairs) {}

  std::vector<WrongGrid> Find() {
    for (const Node& node : right_.model.graph.nodes) {
      for (const WeightSlots& slots : KnownWeightSlots()) {
        if (node.op_type == slots.op_type) LookAtWeights(node, slots);
      }
    }
    FindActivations();
    return std::move(found_);
  }

 private:
  void LookAtWeights(const Node& node, const WeightSlots& slots) {
    std::optional<WeightSite> site = sites_.SiteOf(node, slots);
    if (!site.has_value()) return;
    const std::optional<NumberList> integers = NumbersOfTensor(*site->tensor);
    if (!integers.has_value()) return;
    site->floats = sites_.FloatsOf(*site->tensor, site->grid);
    if (site->floats.forms.empty()) return;
    LookAtBias(*site);
    const bool is_wide = site->tensor->dtype() == DType::kInt32;
    const auto is_right = [&](const IntegerGrid& grid, const NumberList& stored,
                              const NumberList& form) {
      // Numbers that leave half of the integers alone were rounded with too great a scale.
      return grid.Fits(stored, form) && (is_wide || 2 * grid.Used(stored) >= 1);
    };
    WrongGrid wrong;
    wrong.names = {site->integers, site->scale, site->zero, FirstResultOf(node)};
    if (is_right(site->grid, *integers, site->floats.forms[0])) {
      if (!is_wide) AddByChannel(*site, &wrong);
      wrong.text = absl::StrCat("one scale for all channels of ", site->floats.name, " is too few");
      if (!wrong.edits.empty()) coarse_.push_back(std::move(wrong));
      return;
    }
    wrong.text =
        absl::StrCat(site->integers, " is not ", site->floats.name, ", rounded to its steps");
    for (const NumberList& form : site->floats.forms) {
      const std::vector<IntegerGrid> scaled = WithFittedScales(site->grid, *integers, form);
      const auto right = absl::c_find_if(
          scaled, [&](const IntegerGrid& grid) { return is_right(grid, *integers, form); });
      if (right != scaled.end()) AddEdit(*site, *right, *integers, &wrong);
      const IntegerGrid shifted = WithFittedZeros(site->grid, *integers, form);
      if (!site->zero.empty() && is_right(shifted, *integers, form)) {
        AddEdit(*site, shifted, *integers, &wrong);
      }
      const NumberList rounded = site->grid.Rounded(form);
      if (is_right(site->grid, rounded, form)) AddEdit(*site, site->grid, rounded, &wrong);
      if (is_wide) continue;
      const IntegerGrid anew = GridOfRange(site->grid, form);
      AddEdit(*site, anew, anew.Rounded(form), &wrong);
    }
    if (!is_wide) AddByChannel(*site, &wrong);
    if (!wrong.edits.empty()) found_.push_back(std::move(wrong));
  }

  // A scale for each channel, where the node can have them.
  void AddByChannel(const WeightSite& site, WrongGrid* wrong) {
    if (site.grid.scales.size() != 1 || site.node != site.scale_node) return;
    const Shape& shape = site.tensor->shape();
    const auto rank = static_cast<int64_t>(shape.size());
    const Node* layer = site.node;
    std::vector<Operation> attributes;
    const bool dequantizes = site.node->op_type == "DequantizeLinear";
    if (rank < 2 || (!dequantizes && site.node->op_type != "QLinearConv") ||
        right_.VersionOf(*site.node) < 13) {
      return;
    }
    if (dequantizes) {
      const auto readers = right_.readers.find(FirstResultOf(*site.node));
      if (readers == right_.readers.end() || readers->second.size() != 1) return;
      layer = readers->second[0];
    }
    const int64_t axis = ChannelAxis(*layer, rank);
    if (axis < 0 || axis >= rank) return;
    if (dequantizes) {
      onnx::AttributeProto attribute;
      attribute.set_name("axis");
      attribute.set_type(onnx::AttributeProto::INT);
      attribute.set_i(axis);
      attributes.push_back({Kind::kSetAttribute, FirstResultOf(*site.node), 0, "axis",
                            attribute.SerializeAsString()});
    }
    IntegerGrid grid = site.grid;
    grid.scales.assign(static_cast<size_t>(shape[static_cast<size_t>(axis)]), grid.scales[0]);
    grid.inner = InnerOf(shape, axis);
    if (!site.zero.empty()) grid.zeros.assign(grid.scales.size(), grid.zeros[0]);
    const IntegerGrid anew = GridOfRange(grid, site.floats.forms[0]);
    const auto [least, most] = std::minmax_element(anew.scales.begin(), anew.scales.end());
    // Those with a quarter of the range have lost two bits.
    if (*most < 4 * *least) return;
    AddEdit(site, anew, anew.Rounded(site.floats.forms[0]), wrong);
    if (wrong->edits.empty() || attributes.empty()) return;
    std::vector<Operation>& operations = wrong->edits.back().operations;
    operations.insert(operations.end(), attributes.begin(), attributes.end());
  }

  // The constant gets these numbers, for this reader alone.
  void Set(const std::string& name, const NumberList& numbers, bool is_list,
           const std::vector<std::pair<const Node*, int>>& places, const std::string& source,
           Edit* edit) const {
    const Tensor* from = right_.ConstantOf(name);
    const std::optional<NumberList> before = sites_.NumbersOf(name);
    if (from == nullptr || !before.has_value()) return;
    const Shape shape = static_cast<size_t>(from->num_elements()) == numbers.size() && !is_list
                            ? from->shape()
                            : Shape{static_cast<int64_t>(numbers.size())};
    const absl::StatusOr<Tensor> made = TensorOf(from->dtype(), shape, numbers);
    if (!made.ok() || AreSame(*made, *from)) return;
    const auto readers = right_.readers.find(name);
    const bool alone = absl::c_all_of(readers->second, [&](const Node* reader) {
      return absl::c_any_of(places, [&](const auto& place) { return place.first == reader; });
    });
    onnx::TensorProto proto;
    const std::string as = alone ? name : NameGenerator(scene_.model.graph()).New(name);
    if (!TensorToProto(*made, as, &proto).ok()) return;
    edit->operations.push_back(
        {alone ? Kind::kSetConstant : Kind::kAddConstant, as, 0, "", proto.SerializeAsString()});
    for (const auto& [node, slot] : places) {
      if (!alone) edit->operations.push_back({Kind::kSetInput, FirstResultOf(*node), slot, as});
    }
    edit->lines.push_back(absl::StrCat(
        as, ": ",
        shape == from->shape() ? ChangeText(*from, *made)
                               : absl::StrCat("a number for each of ", numbers.size(), " channels"),
        source.empty() ? "" : absl::StrCat(", computed anew from ", source)));
  }

  void AddEdit(const WeightSite& site, const IntegerGrid& grid, const NumberList& integers,
               WrongGrid* wrong) {
    Edit edit;
    const bool by_channel = grid.scales.size() != site.grid.scales.size();
    Set(site.scale, grid.scales, by_channel, {{site.scale_node, site.scale_slot}}, site.floats.name,
        &edit);
    const NumberList zeros = by_channel || grid.zeros.size() == site.grid.zeros.size()
                                 ? grid.zeros
                                 : NumberList(site.grid.zeros.size(), grid.zeros[0]);
    if (!site.zero.empty()) {
      Set(site.zero, zeros, by_channel, {{site.node, site.slots.zero}}, site.floats.name, &edit);
    }
    Set(site.integers, integers, false, {{site.node, site.slots.integers}}, site.floats.name,
        &edit);
    RoundBias(site, grid, std::nullopt, &edit);
    if (!edit.operations.empty()) wrong->edits.push_back(std::move(edit));
  }

  // The integers of a layer's bias in steps of the input's scale times that of the weights. Those
  // that a fault in either leaves alone were right before it.
  void RoundBias(const WeightSite& site, const IntegerGrid& weights, std::optional<double> input,
                 Edit* edit) const {
    const std::string name = InputOf(*site.node, site.slots.bias);
    const std::optional<NumberList> integers = sites_.NumbersOf(name);
    const std::optional<NumberList> scale =
        sites_.NumbersOf(InputOf(*site.node, site.slots.input_scale));
    if (!integers.has_value() || !scale.has_value() || scale->size() != 1) return;
    NumberList steps = weights.scales;
    for (double& step : steps) step *= input.value_or((*scale)[0]);
    const IntegerGrid grid =
        GridOf(DType::kInt32, steps, {}, steps.size() == 1 ? integers->size() : 1);
    const FloatsOfIntegers floats = sites_.FloatsOf(*right_.ConstantOf(name), grid);
    if (floats.forms.empty() || grid.Fits(*integers, floats.forms[0])) return;
    Set(name, grid.Rounded(floats.forms[0]), false, {{site.node, site.slots.bias}}, floats.name,
        edit);
  }

  void LookAtBias(const WeightSite& site) {
    if (site.slots.bias < 0) return;
    Edit edit;
    RoundBias(site, site.grid, std::nullopt, &edit);
    if (edit.operations.empty()) return;
    const std::string name = InputOf(*site.node, site.slots.bias);
    biases_.push_back({{name, FirstResultOf(*site.node)},
                       absl::StrCat(name, " is not its bias, rounded to its steps"),
                       {std::move(edit)}});
  }

  // A grid of computed results: the constants, who reads them, and how far the left's values go.
  struct ActivationSite {
    std::string scale, zero;
    std::vector<std::pair<const Node*, int>> scales, zeros;
    std::vector<std::string> results;
    double least = 0, most = 0;
    DType dtype = DType::kUndefined;
  };

  void Observe(const std::string& name, ActivationSite* site) const {
    const StreamResult* left = left_.ResultOf(name);
    if (left == nullptr || !IsFloatingPoint(left->dtype) || !left->fingerprint.finite ||
        !left->fingerprint.has_sketch) {
      return;
    }
    const Statistics& numbers = left->fingerprint.numbers().statistics;
    site->least = std::min(site->least, numbers.min);
    site->most = std::max(site->most, numbers.max);
  }

  void FindActivations() {
    std::map<std::pair<std::string, std::string>, ActivationSite> sites;
    for (const Node& node : right_.model.graph.nodes) {
      for (const GridSlots& slots : kGrids) {
        if (node.op_type != slots.op_type) continue;
        const std::string scale = InputOf(node, slots.scale), zero = InputOf(node, slots.zero);
        const Tensor* type = right_.ConstantOf(zero);
        const std::optional<NumberList> number = sites_.NumbersOf(scale);
        if (type == nullptr || !number.has_value() || number->size() != 1 ||
            right_.ConstantOf(InputOf(node, 0)) != nullptr) {
          continue;
        }
        ActivationSite& site = sites[{scale, zero}];
        site.scale = scale;
        site.zero = zero;
        site.dtype = type->dtype();
        site.results.push_back(FirstResultOf(node));
        if (node.op_type == "QuantizeLinear") site.results.push_back(InputOf(node, 0));
      }
    }
    for (auto& [key, site] : sites) {
      site.results.push_back(site.scale);
      site.results.push_back(site.zero);
      for (const Node& node : right_.model.graph.nodes) {
        for (size_t i = 0; i < node.inputs.size(); ++i) {
          if (node.inputs[i] == site.scale) site.scales.emplace_back(&node, static_cast<int>(i));
          if (node.inputs[i] == site.zero) site.zeros.emplace_back(&node, static_cast<int>(i));
        }
      }
      LookAtActivations(std::move(site));
    }
    for (std::vector<WrongGrid>* more : {&biases_, &activations_, &coarse_}) {
      found_.insert(found_.end(), std::make_move_iterator(more->begin()),
                    std::make_move_iterator(more->end()));
    }
  }

  // Null if there are none, or several.
  static const Node* OnlyReader(const SideIndex& side, const std::string& name) {
    const auto readers = side.readers.find(name);
    return readers == side.readers.end() || readers->second.size() != 1 ? nullptr
                                                                        : readers->second[0];
  }

  void LookAtActivations(ActivationSite site) {
    bool is_named = false;
    for (const std::string& name : site.results) {
      const auto cause = causes_.find(name);
      if (cause == causes_.end()) continue;
      is_named = true;
      Observe(cause->second, &site);
      // An activation may be nothing but the end of the grid.
      const Node* activation = OnlyReader(left_, cause->second);
      const Node* own = OnlyReader(right_, name);
      const auto cuts = [](const Node* node) {
        return node != nullptr && (node->op_type == "Relu" || node->op_type == "Clip");
      };
      if (!cuts(activation) || cuts(own)) continue;
      site.least = site.most = 0;
      Observe(FirstResultOf(*activation), &site);
    }
    if (!is_named) return;
    for (const std::string& name : site.results) {
      if (site.most <= site.least) Observe(scene_.pairs.LeftOf(name), &site);
    }
    if (site.most <= site.least) return;
    const IntegerGrid grid =
        GridOf(site.dtype, *sites_.NumbersOf(site.scale), *sites_.NumbersOf(site.zero), 1);
    const NumberList range = {site.least, site.most};
    WrongGrid wrong;
    wrong.names = site.results;
    wrong.text = absl::StrCat("scale ", site.scale, " and zero point ", site.zero,
                              " do not fit the other side's values");
    // With the zero point kept, with the scale kept, with neither.
    IntegerGrid scaled = grid, shifted = grid;
    const double below = grid.zeros[0] - grid.least, above = grid.most - grid.zeros[0];
    if (above > 0 && (below > 0 || site.least == 0)) {
      scaled.scales[0] = std::max(below > 0 ? -site.least / below : 0.0, site.most / above);
    }
    const double shift = grid.least - site.least / grid.scales[0];
    shifted.zeros[0] = std::clamp(std::nearbyint(shift), grid.least, grid.most);
    std::vector<IntegerGrid> grids = {scaled, shifted};
    // The better one of the two uses more of its grid and cuts nothing off.
    const auto fit = [&](const IntegerGrid& of) {
      const auto [low, high] = of.Reach(0);
      const double both = std::min(high, site.most) - std::max(low, site.least);
      return both / std::max(high - low, site.most - site.least);
    };
    if (fit(shifted) > fit(scaled)) std::swap(grids[0], grids[1]);
    grids.push_back(GridOfRange(grid, range));
    for (const IntegerGrid& made : grids) {
      Edit edit;
      const std::string source = "the other side's values";
      Set(site.scale, made.scales, false, site.scales, source, &edit);
      Set(site.zero, made.zeros, false, site.zeros, source, &edit);
      RoundBiasesBehind(site, made.scales[0], &edit);
      if (!edit.operations.empty()) wrong.edits.push_back(std::move(edit));
    }
    if (!wrong.edits.empty()) activations_.push_back(std::move(wrong));
  }

  // Biases of layers that read this grid.
  void RoundBiasesBehind(const ActivationSite& site, double scale, Edit* edit) const {
    for (const auto& [node, slot] : site.scales) {
      for (const WeightSlots& slots : KnownWeightSlots()) {
        if (node->op_type != slots.op_type || slots.input_scale != slot) continue;
        if (const std::optional<WeightSite> layer = sites_.SiteOf(*node, slots)) {
          RoundBias(*layer, layer->grid, scale, edit);
        }
      }
    }
  }

  const SideIndex& right_;
  const SideIndex& left_;
  const FixScene& scene_;
  const absl::flat_hash_map<std::string, std::string>& causes_;
  const WeightSites sites_;
  std::vector<WrongGrid> found_, biases_, activations_, coarse_;
};

}  // namespace

std::vector<WrongGrid> ProposeGrids(const FixScene& scene,
                                    const absl::flat_hash_map<std::string, std::string>& causes) {
  return GridFinder(scene, causes).Find();
}

}  // namespace onnxcmp
