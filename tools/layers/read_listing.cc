#include "tools/layers/read_listing.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "compare/fusions/matching/fusion_graph.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/node_text.h"
#include "tools/layers/layer_names.h"
#include "tools/layers/tensorrt_log.h"

namespace onnxcmp {
namespace {

using ListingJson = nlohmann::json;

absl::Status AtLine(const std::string& source, absl::string_view text, size_t offset,
                    absl::string_view what) {
  int64_t line = 1;
  for (size_t i = 0; i < offset && i < text.size(); ++i) line += text[i] == '\n' ? 1 : 0;
  return absl::InvalidArgumentError(absl::StrCat(OneLine(source), ":", line, ": ", what));
}

// Records the position of an error, and limits the nesting.
class ListingJsonReader : public nlohmann::json_sax<ListingJson> {
 public:
  explicit ListingJsonReader(ListingJson* root) : builder_(*root, false) {}

  bool null() override { return builder_.null(); }
  bool boolean(bool v) override { return builder_.boolean(v); }
  bool number_integer(number_integer_t v) override { return builder_.number_integer(v); }
  bool number_unsigned(number_unsigned_t v) override { return builder_.number_unsigned(v); }
  bool number_float(number_float_t v, const string_t& s) override {
    return builder_.number_float(v, s);
  }
  bool string(string_t& v) override { return builder_.string(v); }
  bool binary(binary_t& v) override { return builder_.binary(v); }
  bool start_object(size_t n) override { return Enter() && builder_.start_object(n); }
  bool key(string_t& v) override { return builder_.key(v); }
  bool end_object() override { return --depth_, builder_.end_object(); }
  bool start_array(size_t n) override { return Enter() && builder_.start_array(n); }
  bool end_array() override { return --depth_, builder_.end_array(); }
  bool parse_error(size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    position_ = position;
    return false;
  }
  size_t position() const { return position_; }

 private:
  bool Enter() {
    constexpr int kDeepest = 100;
    return ++depth_ <= kDeepest;
  }
  nlohmann::detail::json_sax_dom_parser<ListingJson> builder_;
  size_t position_ = 0;
  int depth_ = 0;
};

// Some versions of trtexec write "data = [...]".
size_t StartOfJson(absl::string_view text) {
  const size_t start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (start == absl::string_view::npos) return 0;
  absl::string_view rest = text.substr(start);
  if (absl::ConsumePrefix(&rest, "data")) {
    rest = absl::StripLeadingAsciiWhitespace(rest);
    if (absl::ConsumePrefix(&rest, "=")) {
      return text.size() - absl::StripLeadingAsciiWhitespace(rest).size();
    }
  }
  return start;
}

bool IsJson(absl::string_view text) {
  const size_t start = StartOfJson(text);
  return start < text.size() && (text[start] == '{' || text[start] == '[') &&
         text.substr(start + 1).find_first_of("\"{") != absl::string_view::npos &&
         // A log's line may begin with a bracket, too: "[04/18/2025-03:52:06] [V]".
         absl::StrContains("\"{}] \t\r\n", text.substr(start + 1, 1));
}

absl::StatusOr<ListingJson> ParseJson(absl::string_view text, const std::string& source) {
  const size_t start = StartOfJson(text);
  const absl::string_view body = text.substr(start);
  ListingJson json;
  ListingJsonReader reader(&json);
  if (!ListingJson::sax_parse(body.begin(), body.end(), &reader)) {
    const size_t at = reader.position() == 0 ? 0 : start + reader.position() - 1;
    return AtLine(source, text, at,
                  reader.position() == 0 ? "this JSON nests too deeply"
                                         : "this is no JSON, or it is cut short");
  }
  return json;
}

// The text of a member, "" if it has none.
std::string TextOf(const ListingJson& json, const char* member) {
  if (!json.is_object()) return "";
  const auto it = json.find(member);
  return it != json.end() && it->is_string() ? it->get<std::string>() : "";
}

std::optional<double> NumberOf(const ListingJson& json, const char* member) {
  if (!json.is_object()) return std::nullopt;
  const auto it = json.find(member);
  if (it == json.end() || !it->is_number()) return std::nullopt;
  return it->get<double>();
}

std::vector<LayerTensor> TensorsOf(const ListingJson& layer, const char* member) {
  std::vector<LayerTensor> tensors;
  const auto it = layer.find(member);
  if (it == layer.end() || !it->is_array()) return tensors;
  for (const ListingJson& one : *it) {
    LayerTensor& tensor = tensors.emplace_back();
    tensor.name = TextOf(one, "Name");
    tensor.format = TextOf(one, "Format/Datatype");
    if (tensor.format.empty()) tensor.format = TextOf(one, "Datatype");
    tensor.dtype = DTypeOfFormat(tensor.format);
  }
  return tensors;
}

absl::StatusOr<EngineLayer> LayerOfJson(const ListingJson& json, bool* names_only) {
  EngineLayer layer;
  if (json.is_string()) {
    *names_only = true;
    layer.name = json.get<std::string>();
    ReadLayerName(layer.name, &layer);
    return layer;
  }
  layer.name = TextOf(json, "Name");
  if (layer.name.empty()) return absl::InvalidArgumentError("has no Name");
  layer.type = TextOf(json, "LayerType");
  layer.inputs = TensorsOf(json, "Inputs");
  layer.outputs = TensorsOf(json, "Outputs");
  ReadLayerName(layer.name, &layer);
  layer.reformat = layer.reformat || (layer.type == "Reformat" && layer.nodes.empty());
  std::vector<std::string> nodes = NodesOfMetadata(TextOf(json, "Metadata"));
  if (!nodes.empty() && !layer.reformat) {
    layer.nodes = std::move(nodes);
    layer.regions.clear();
  }
  return layer;
}

absl::StatusOr<LayerListing> ListingOfLayers(const ListingJson& json, const std::string& source) {
  LayerListing listing;
  listing.source = source;
  listing.form = ListingForm::kJson;
  const auto layers = json.find("Layers");
  if (layers == json.end() || !layers->is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat(OneLine(source), ": this JSON has no array Layers"));
  }
  for (const ListingJson& one : *layers) {
    absl::StatusOr<EngineLayer> layer = LayerOfJson(one, &listing.names_only);
    if (!layer.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          OneLine(source), ": layer ", listing.layers.size(), " ", layer.status().message()));
    }
    listing.layers.push_back(*std::move(layer));
  }
  return listing;
}

// "input_type_shape": [{"float": [1, 8]}, {"int64": [2]}]
std::vector<LayerTensor> ShapesOf(const ListingJson& args, const char* member) {
  std::vector<LayerTensor> tensors;
  const auto it = args.find(member);
  if (it == args.end() || !it->is_array()) return tensors;
  for (const ListingJson& one : *it) {
    if (!one.is_object() || one.empty()) continue;
    LayerTensor& tensor = tensors.emplace_back();
    tensor.format = one.begin().key();
    tensor.dtype = DTypeOfFormat(tensor.format);
  }
  return tensors;
}

// Events of nodes; several of one node come from several runs.
absl::StatusOr<LayerListing> ListingOfProfile(const ListingJson& json, const std::string& source) {
  LayerListing listing;
  listing.source = source;
  listing.form = ListingForm::kProfile;
  std::map<std::pair<std::string, std::string>, size_t> known;  // by name and index
  std::vector<int64_t> runs;
  for (const ListingJson& event : json) {
    std::string name = TextOf(event, "name");
    if (TextOf(event, "cat") != "Node" || !absl::EndsWith(name, "_kernel_time")) continue;
    name.resize(name.size() - std::string("_kernel_time").size());
    const auto args = event.find("args");
    const std::optional<double> duration = NumberOf(event, "dur");
    if (args == event.end() || !args->is_object() || !duration.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat(OneLine(source), ": the event of node '", name, "' has no args or no dur"));
    }
    const auto [it, added] =
        known.emplace(std::pair(name, TextOf(*args, "node_index")), listing.layers.size());
    if (added) {
      EngineLayer& layer = listing.layers.emplace_back();
      layer.name = name;
      layer.type = TextOf(*args, "op_name");
      layer.nodes = {name};
      layer.inputs = ShapesOf(*args, "input_type_shape");
      layer.outputs = ShapesOf(*args, "output_type_shape");
      layer.reformat = layer.type == "ReorderInput" || layer.type == "ReorderOutput";
      layer.milliseconds = 0;
      runs.push_back(0);
    }
    EngineLayer& layer = listing.layers[it->second];
    layer.milliseconds = *layer.milliseconds + *duration / 1000;
    ++runs[it->second];
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    listing.layers[i].milliseconds = *listing.layers[i].milliseconds / static_cast<double>(runs[i]);
  }
  return listing;
}

bool IsProfile(const ListingJson& json) {
  if (!json.is_array()) return false;
  for (const ListingJson& event : json) {
    if (!TextOf(event, "ph").empty() || !TextOf(event, "cat").empty()) return true;
  }
  return false;
}

bool IsTimes(const ListingJson& json) {
  if (!json.is_array()) return false;
  for (const ListingJson& one : json) {
    if (NumberOf(one, "averageMs").has_value()) return true;
  }
  return false;
}

}  // namespace

bool LooksLikeListing(absl::string_view bytes) {
  if (IsJson(bytes)) return true;
  for (const absl::string_view line : absl::StrSplit(bytes, '\n')) {
    if (FindNamedLayer(line) != absl::string_view::npos ||
        FindDetailedLayer(line) != absl::string_view::npos) {
      return true;
    }
  }
  return false;
}

absl::StatusOr<LayerListing> ParseListing(absl::string_view text, const std::string& source) {
  absl::StatusOr<LayerListing> listing;
  if (IsJson(text)) {
    OC_ASSIGN_OR_RETURN(const ListingJson json, ParseJson(text, source));
    if (IsTimes(json)) {
      return absl::InvalidArgumentError(
          absl::StrCat(OneLine(source),
                       ": these are times by trtexec --exportProfile: --times-left and "
                       "--times-right take them, beside a listing of the same engine"));
    }
    if (json.is_object()) {
      listing = ListingOfLayers(json, source);
    } else if (IsProfile(json)) {
      listing = ListingOfProfile(json, source);
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat(OneLine(source),
                       ": this JSON is neither TensorRT's layer information nor "
                       "onnxruntime's profile"));
    }
  } else {
    listing = ParseTensorRtLog(text, source);
  }
  if (listing.ok() && listing->layers.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(OneLine(source), ": it lists no layers"));
  }
  return listing;
}

LayerListing ListingOfModel(const Graph& graph, const std::string& source) {
  LayerListing listing;
  listing.source = source;
  listing.form = ListingForm::kModel;
  const FusionGraph values(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    // Runtimes compute nodes that depend on constants alone only once.
    if (values.IsConstantNode(static_cast<int>(n))) continue;
    EngineLayer& layer = listing.layers.emplace_back();
    layer.name = std::string(NodeLabel(node));
    layer.type = node.op_type;
    layer.nodes = {layer.name};
    for (const std::string& input : node.inputs) {
      if (!input.empty()) layer.inputs.push_back({input, DType::kUndefined, ""});
    }
    for (const std::string& output : node.outputs) {
      if (!output.empty()) layer.outputs.push_back({output, DType::kUndefined, ""});
    }
    layer.reformat = node.op_type == "ReorderInput" || node.op_type == "ReorderOutput";
  }
  return listing;
}

absl::Status AddTimes(absl::string_view text, const std::string& source, LayerListing* listing) {
  OC_ASSIGN_OR_RETURN(const ListingJson json, ParseJson(text, source));
  if (!IsTimes(json)) {
    return absl::InvalidArgumentError(
        absl::StrCat(OneLine(source), ": these are no times by trtexec --exportProfile"));
  }
  std::map<std::string, std::vector<double>> times;
  for (const ListingJson& one : json) {
    const std::optional<double> average = NumberOf(one, "averageMs");
    if (average.has_value()) times[TextOf(one, "name")].push_back(*average);
  }
  std::map<std::string, size_t> used;
  for (EngineLayer& layer : listing->layers) {
    const auto found = times.find(layer.name);
    if (found == times.end()) continue;
    size_t& next = used[layer.name];
    if (next < found->second.size()) layer.milliseconds = found->second[next++];
  }
  size_t unknown = 0;
  for (const auto& [name, values] : times) unknown += values.size() - used[name];
  if (unknown > 0) {
    listing->notes.push_back(absl::StrCat(unknown, " times of ", source, " are of no layer"));
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
