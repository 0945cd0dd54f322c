#include "tools/layers/tensorrt_log.h"

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "tools/layers/layer_names.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kLayerStart = "Layer(";
constexpr absl::string_view kNameField = "Name: ";
constexpr absl::string_view kTypeField = ", LayerType: ";

absl::Status BadLayer(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("a layer ", what));
}

// "input (Half[1,40])" in TensorRT 10, "input[Float(1,3,224,224)]" in 8.
LayerTensor NamedTensor(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  LayerTensor tensor;
  const bool round = absl::EndsWith(text, "])");
  const size_t open = round ? text.rfind(" (") : text.rfind('[');
  if (open == absl::string_view::npos || !(round || absl::EndsWith(text, ")]"))) {
    tensor.name = std::string(text);
    return tensor;
  }
  tensor.name = std::string(text.substr(0, open));
  absl::string_view type = text.substr(open + (round ? 2 : 1));
  type = type.substr(0, type.find(round ? '[' : '('));
  tensor.format = std::string(type);
  tensor.dtype = DTypeOfFormat(type);
  return tensor;
}

// "Myelin): NAME, Tactic: 0x0, a (Half[1]), b (Half[1]) -> c (Half[1])"
absl::StatusOr<EngineLayer> ParseNamed(absl::string_view text) {
  EngineLayer layer;
  const size_t close = text.find("): ");
  if (close == absl::string_view::npos) return BadLayer("has no name");
  layer.type = std::string(text.substr(0, close));
  text.remove_prefix(close + 3);
  const std::vector<absl::string_view> sides = SplitOutsideBrackets(text, " -> ");
  if (sides.size() != 2) return BadLayer("has no ' -> ' between inputs and outputs");
  // A name may contain commas only inside brackets.
  std::vector<absl::string_view> before = SplitOutsideBrackets(sides[0], ", ");
  layer.name = std::string(before[0]);
  for (size_t i = 1; i < before.size(); ++i) {
    // Layers of constants alone have no inputs.
    const absl::string_view input = absl::StripAsciiWhitespace(before[i]);
    if (input.empty() || absl::StartsWith(input, "Tactic: ")) continue;
    layer.inputs.push_back(NamedTensor(before[i]));
  }
  for (const absl::string_view output : SplitOutsideBrackets(sides[1], ", ")) {
    layer.outputs.push_back(NamedTensor(output));
  }
  ReadLayerName(layer.name, &layer);
  layer.reformat = layer.reformat || (layer.type == "Reformat" && layer.nodes.empty());
  return layer;
}

// "[ { Name: a, Location: Device, Dimensions: [1], Format/Datatype: Half }, { ... }]", removed from
// the text.
absl::StatusOr<std::vector<LayerTensor>> TakeTensors(absl::string_view* text) {
  std::vector<LayerTensor> tensors;
  int depth = 0;
  size_t end = absl::string_view::npos;
  for (size_t i = 0; i < text->size() && end == absl::string_view::npos; ++i) {
    if ((*text)[i] == '[' || (*text)[i] == '{') ++depth;
    if (((*text)[i] == ']' || (*text)[i] == '}') && --depth == 0) end = i;
  }
  if (!absl::StartsWith(*text, "[") || end == absl::string_view::npos) {
    return BadLayer("ends within its tensors");
  }
  absl::string_view list = text->substr(1, end - 1);
  text->remove_prefix(end + 1);
  for (absl::string_view one : SplitOutsideBrackets(list, ", ")) {
    one = absl::StripAsciiWhitespace(one);
    if (one.empty()) continue;
    if (!absl::ConsumePrefix(&one, "{") || !absl::ConsumeSuffix(&one, "}")) {
      return BadLayer("has a tensor without '{ ... }'");
    }
    LayerTensor& tensor = tensors.emplace_back();
    for (absl::string_view field : SplitOutsideBrackets(absl::StripAsciiWhitespace(one), ", ")) {
      if (absl::ConsumePrefix(&field, kNameField)) tensor.name = std::string(field);
      if (absl::ConsumePrefix(&field, "Format/Datatype: ")) {
        tensor.format = std::string(field);
        tensor.dtype = DTypeOfFormat(field);
      }
    }
  }
  return tensors;
}

absl::StatusOr<EngineLayer> ParseDetailed(absl::string_view text) {
  EngineLayer layer;
  const size_t type = text.find(kTypeField);
  layer.name = std::string(text.substr(0, type));
  text.remove_prefix(type + kTypeField.size());
  const size_t comma = text.find(", ");
  layer.type = std::string(text.substr(0, comma));
  for (const auto& [field, tensors] :
       {std::pair(absl::string_view(", Inputs: "), &layer.inputs),
        std::pair(absl::string_view(", Outputs: "), &layer.outputs)}) {
    const size_t at = text.find(field);
    if (at == absl::string_view::npos) {
      return BadLayer(absl::StrCat("has no", field.substr(1, field.size() - 3)));
    }
    text.remove_prefix(at + field.size());
    OC_ASSIGN_OR_RETURN(*tensors, TakeTensors(&text));
  }
  const size_t metadata = text.find(", Metadata: ");
  if (metadata != absl::string_view::npos) layer.nodes = NodesOfMetadata(text.substr(metadata));
  EngineLayer named;
  ReadLayerName(layer.name, &named);
  layer.reformat = named.reformat;
  if (layer.nodes.empty() && !layer.reformat) {
    layer.nodes = std::move(named.nodes);
    layer.regions = std::move(named.regions);
  }
  return layer;
}

}  // namespace

size_t FindNamedLayer(absl::string_view line) {
  const size_t at = line.find(kLayerStart);
  // The log mentions layers elsewhere, too: only a prefix in brackets may precede one.
  if (at == absl::string_view::npos || line.find("): ", at) == absl::string_view::npos) {
    return absl::string_view::npos;
  }
  const absl::string_view before = absl::StripAsciiWhitespace(line.substr(0, at));
  return before.empty() || absl::EndsWith(before, "]") ? at + kLayerStart.size()
                                                       : absl::string_view::npos;
}

size_t FindDetailedLayer(absl::string_view line) {
  const size_t at = line.find(kNameField);
  if (at == absl::string_view::npos || line.find(kTypeField, at) == absl::string_view::npos) {
    return absl::string_view::npos;
  }
  const absl::string_view before = absl::StripAsciiWhitespace(line.substr(0, at));
  return before.empty() || absl::EndsWith(before, "]") ? at + kNameField.size()
                                                       : absl::string_view::npos;
}

absl::StatusOr<LayerListing> ParseTensorRtLog(absl::string_view text, const std::string& source) {
  LayerListing named, detailed;
  int64_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripTrailingAsciiWhitespace(line);
    const size_t in_detail = FindDetailedLayer(line);
    const size_t by_name = FindNamedLayer(line);
    if (in_detail == absl::string_view::npos && by_name == absl::string_view::npos) continue;
    const bool is_detailed = in_detail != absl::string_view::npos;
    absl::StatusOr<EngineLayer> layer =
        is_detailed ? ParseDetailed(line.substr(in_detail)) : ParseNamed(line.substr(by_name));
    if (!layer.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(OneLine(source), ":", number, ": ", layer.status().message()));
    }
    (is_detailed ? detailed : named).layers.push_back(*std::move(layer));
  }
  LayerListing& listing = detailed.layers.empty() ? named : detailed;
  listing.source = source;
  listing.form = detailed.layers.empty() ? ListingForm::kNames : ListingForm::kDetailed;
  listing.names_only = detailed.layers.empty();
  if (!detailed.layers.empty() && !named.layers.empty()) {
    listing.notes.push_back("the log lists layers twice: the detailed list was taken");
  }
  return std::move(listing);
}

}  // namespace onnxcmp
