#include "reports/table/render_layers.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "evaluator/tensor/dtype.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "record/text/utf8.h"
#include "reports/table/table_style.h"
#include "reports/table/table_summary.h"

namespace onnxcmp {
namespace {

using LayersAsJson = nlohmann::ordered_json;

constexpr int kWhatWidth = 22;
constexpr int kTimeWidth = 10;

std::string MillisecondsText(const std::optional<double>& time) {
  return time.has_value() ? absl::StrFormat("%.4g ms", *time) : "";
}

std::string SomeNames(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    shown.push_back(absl::StrCat("'", PrintableText(name), "'"));
  }
  CutList(&shown, 4);
  return absl::StrJoin(shown, ", ");
}

bool IsQuiet(const LayerGroup& group) {
  return group.relation == LayerRelation::kSame && !group.precision_changed();
}

std::string WhatText(const LayerGroup& group) {
  const auto count = [&](const char* word) {
    return absl::StrCat(word, " ", group.left.size(), "→", group.right.size());
  };
  switch (group.relation) {
    case LayerRelation::kSame:
      return group.precision_changed() ? "precision changed" : "same";
    case LayerRelation::kNodes:
      return "other nodes";
    case LayerRelation::kSplit:
      return count("split");
    case LayerRelation::kMerged:
      return count("merged");
    case LayerRelation::kRegrouped:
      return count("regrouped");
    case LayerRelation::kInside:
      return count("listed inside");
    case LayerRelation::kLeftOnly:
      return group.reformat ? "reformat gone" : "left only";
    case LayerRelation::kRightOnly:
      return group.reformat ? "reformat added" : "right only";
  }
  return "";
}

Relation SignOf(const LayerGroup& group) {
  if (group.relation == LayerRelation::kLeftOnly) return Relation::kLeftOnly;
  if (group.relation == LayerRelation::kRightOnly) return Relation::kRightOnly;
  if (group.relation == LayerRelation::kInside) return Relation::kClose;
  return IsQuiet(group) ? Relation::kSame : Relation::kDifferent;
}

std::string NameOfLayers(const LayerListing& listing, const std::vector<int>& layers) {
  if (layers.empty()) return "";
  const std::string first = PrintableText(listing.layers[static_cast<size_t>(layers[0])].name);
  return layers.size() == 1 ? first : absl::StrCat(first, ", …");
}

class LayersTable {
 public:
  LayersTable(const LayerComparison& comparison, const TableOptions& options)
      : comparison_(comparison), options_(options), style_(options) {
    const bool timed = std::any_of(
        comparison.groups.begin(), comparison.groups.end(), [](const LayerGroup& group) {
          return group.left_milliseconds.has_value() || group.right_milliseconds.has_value();
        });
    time_width_ = timed ? kTimeWidth : 0;
    const int room = options.width - 3 - kWhatWidth - 4 - 2 * (time_width_ + (timed ? 2 : 0));
    name_width_ = std::max(12, room / 2);
  }

  std::string Render() {
    std::string text =
        absl::StrCat(Head("left", comparison_.left), Head("right", comparison_.right));
    for (const std::string& note : comparison_.notes) {
      absl::StrAppend(&text, LabelledLines("note", Color::kNear, note, options_, style_));
    }
    absl::StrAppend(&text, "\n");
    size_t folded = 0;
    for (const LayerGroup& group : comparison_.groups) {
      if (IsQuiet(group) && options_.rows != TableOptions::Rows::kAll) {
        ++folded;
        continue;
      }
      absl::StrAppend(&text, Folded(&folded), Line(group), Details(group));
    }
    absl::StrAppend(&text, Folded(&folded), "\n", Counts());
    return text;
  }

 private:
  std::string Head(const char* side, const LayerListing& listing) const {
    std::optional<double> total;
    for (const EngineLayer& layer : listing.layers) {
      if (layer.milliseconds.has_value()) total = total.value_or(0) + *layer.milliseconds;
    }
    std::string text = absl::StrCat(
        PrintableText(listing.source), ": ", ListingFormName(listing.form), ", ",
        Count(static_cast<int64_t>(listing.layers.size()), "layer"),
        total.has_value() ? absl::StrCat(", ", MillisecondsText(total), " a run") : "");
    for (const std::string& note : listing.notes) absl::StrAppend(&text, "; ", PrintableText(note));
    return LabelledLines(side, Color::kBold, text, options_, style_);
  }

  std::string Folded(size_t* folded) const {
    if (*folded == 0) return "";
    std::string text = absl::StrCat(
        "   ",
        style_.Paint(absl::StrCat(style_.Ellipsis(), " ", *folded,
                                  *folded == 1 ? " layer is" : " layers are", " the same"),
                     Color::kDim),
        "\n");
    *folded = 0;
    return text;
  }

  std::string Name(const std::string& name) const {
    const std::string text = style_.Text(name);
    if (options_.wide) return PadRight(text, name_width_);
    return PadRight(ShortenMiddle(text, name_width_, style_.Ellipsis()), name_width_);
  }

  std::string Line(const LayerGroup& group) const {
    const Relation sign = SignOf(group);
    std::string right = NameOfLayers(comparison_.right, group.right);
    if (right == NameOfLayers(comparison_.left, group.left)) right = "\"";
    std::string line =
        absl::StrCat(" ", style_.Paint(style_.Sign(sign), TableStyle::ColorOf(sign)), " ",
                     PadRight(style_.Text(WhatText(group)), kWhatWidth), "  ",
                     Name(NameOfLayers(comparison_.left, group.left)), "  ", Name(right));
    if (time_width_ > 0) {
      absl::StrAppend(&line, "  ", PadLeft(MillisecondsText(group.left_milliseconds), time_width_),
                      "  ", PadLeft(MillisecondsText(group.right_milliseconds), time_width_));
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line + "\n";
  }

  std::string Details(const LayerGroup& group) const {
    std::vector<std::string> lines;
    if (group.precision_changed() && group.relation != LayerRelation::kInside) {
      lines.push_back(absl::StrCat("precision: ", ShortDType(group.left_precision), " → ",
                                   ShortDType(group.right_precision)));
    }
    if (group.relation == LayerRelation::kSplit && !group.begins_at.empty()) {
      lines.push_back(absl::StrCat("splits at ", SomeNames(group.begins_at)));
    }
    if (group.relation != LayerRelation::kInside) {
      if (!group.left_nodes.empty()) {
        lines.push_back(absl::StrCat("left alone covers ", SomeNames(group.left_nodes)));
      }
      if (!group.right_nodes.empty()) {
        lines.push_back(absl::StrCat("right alone covers ", SomeNames(group.right_nodes)));
      }
    }
    std::string text;
    for (const std::string& line : lines) {
      absl::StrAppend(&text, LabelledLines("", Color::kPlain, line, options_, style_));
    }
    return text;
  }

  std::string Counts() const {
    std::map<std::string, int64_t> counts;
    for (const LayerGroup& group : comparison_.groups) {
      std::string word(LayerRelationName(group.relation));
      if (group.relation == LayerRelation::kInside) word = "listed inside a region";
      if (group.relation == LayerRelation::kNodes) word = "of other nodes";
      if (group.relation == LayerRelation::kLeftOnly) word = "left only";
      if (group.relation == LayerRelation::kRightOnly) word = "right only";
      if (group.reformat && group.relation != LayerRelation::kSame) word = WhatText(group);
      ++counts[word];
      if (group.precision_changed() && group.relation != LayerRelation::kInside) {
        ++counts["of other precision"];
      }
    }
    std::vector<std::string> parts;
    for (const auto& [word, count] : counts) parts.push_back(absl::StrCat(count, " ", word));
    const char* const word = comparison_.one_engine && comparison_.same() ? "one engine"
                             : comparison_.same()                         ? "same"
                                                                          : "different";
    return LabelledLines(word, comparison_.same() ? Color::kGood : Color::kBad,
                         absl::StrJoin(parts, ", "), options_, style_);
  }

  const LayerComparison& comparison_;
  const TableOptions& options_;
  TableStyle style_;
  int time_width_ = 0;
  int name_width_ = 0;
};

LayersAsJson NamesJson(const std::vector<std::string>& names) {
  LayersAsJson json = LayersAsJson::array();
  for (const std::string& name : names) json.push_back(RepairUtf8(name));
  return json;
}

LayersAsJson ToJson(const EngineLayer& layer) {
  LayersAsJson json = {{"name", RepairUtf8(layer.name)},
                       {"type", RepairUtf8(layer.type)},
                       {"nodes", NamesJson(layer.nodes)}};
  for (const LayerRegion& region : layer.regions) {
    json["regions"].push_back(
        {{"first", NamesJson(region.first)}, {"last", NamesJson(region.last)}});
  }
  for (const auto& [member, tensors] :
       {std::pair("inputs", &layer.inputs), std::pair("outputs", &layer.outputs)}) {
    json[member] = LayersAsJson::array();
    for (const LayerTensor& tensor : *tensors) {
      LayersAsJson one = {{"name", RepairUtf8(tensor.name)}};
      if (!tensor.format.empty()) one["format"] = RepairUtf8(tensor.format);
      json[member].push_back(std::move(one));
    }
  }
  if (layer.milliseconds.has_value()) json["milliseconds"] = *layer.milliseconds;
  if (layer.reformat) json["reformat"] = true;
  return json;
}

LayersAsJson ToJson(const LayerListing& listing) {
  LayersAsJson json = {{"source", RepairUtf8(listing.source)},
                       {"form", ListingFormName(listing.form)},
                       {"names_only", listing.names_only},
                       {"layers", LayersAsJson::array()},
                       {"notes", NamesJson(listing.notes)}};
  for (const EngineLayer& layer : listing.layers) json["layers"].push_back(ToJson(layer));
  return json;
}

LayersAsJson ToJson(const LayerGroup& group) {
  LayersAsJson json = {{"relation", LayerRelationName(group.relation)},
                       {"left", group.left},
                       {"right", group.right}};
  if (group.reformat) json["reformat"] = true;
  const auto precision = [&json](const char* member, DType dtype) {
    if (dtype != DType::kUndefined) json[member] = DTypeName(dtype);
  };
  precision("left_precision", group.left_precision);
  precision("right_precision", group.right_precision);
  if (group.left_milliseconds.has_value()) json["left_milliseconds"] = *group.left_milliseconds;
  if (group.right_milliseconds.has_value()) json["right_milliseconds"] = *group.right_milliseconds;
  if (!group.left_nodes.empty()) json["left_nodes"] = NamesJson(group.left_nodes);
  if (!group.right_nodes.empty()) json["right_nodes"] = NamesJson(group.right_nodes);
  if (!group.begins_at.empty()) json["begins_at"] = NamesJson(group.begins_at);
  return json;
}

}  // namespace

std::string RenderLayers(const LayerComparison& comparison, const TableOptions& options) {
  return LayersTable(comparison, options).Render();
}

std::string LayersJson(const LayerComparison& comparison) {
  LayersAsJson json = {{"format", "onnxcmp layers"},      {"version", 1},
                       {"same", comparison.same()},       {"one_engine", comparison.one_engine},
                       {"left", ToJson(comparison.left)}, {"right", ToJson(comparison.right)},
                       {"groups", LayersAsJson::array()}, {"notes", NamesJson(comparison.notes)}};
  for (const LayerGroup& group : comparison.groups) json["groups"].push_back(ToJson(group));
  return absl::StrCat(json.dump(1), "\n");
}

}  // namespace onnxcmp
