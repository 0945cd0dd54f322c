#include "reports/json_conversion.h"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "record/base/per_side.h"
#include "reports/json_values.h"
#include "reports/words/keep_in_float_text.h"

namespace onnxcmp {
namespace {

ReportJson ToJson(const QuantizedLayer& layer) {
  ReportJson json = {{"result", layer.result}, {"made_by", layer.made_by}};
  const auto result = [&](const char* name, int index) {
    if (index != kNone) json[name] = index;
  };
  result("partner", layer.partner);
  result("dequantized", layer.dequantized);
  if (layer.dtype != DType::kUndefined) {
    json["dtype"] = JsonText(NumpyName(layer.dtype));
    json["scales"] = JsonInteger(layer.scales);
    json["scale"] = JsonReal(layer.scale);
    json["zero_point"] = JsonReal(layer.zero_point);
  }
  const auto number = [&](const char* name, const std::optional<double>& value) {
    if (value.has_value()) json[name] = JsonReal(*value);
  };
  number("grid_least", layer.least_real);
  number("grid_most", layer.most_real);
  number("least", layer.least);
  number("most", layer.most);
  number("sqnr", layer.sqnr);
  number("cosine", layer.cosine);
  number("own_sqnr", layer.own_sqnr);
  number("saturated", layer.saturated);
  number("used", layer.used);
  number("weights_sqnr", layer.weights_sqnr);
  result("weights", layer.weights);
  number("cost", layer.cost);
  if (!layer.mistake.empty()) json["mistake"] = layer.mistake;
  return json;
}

ReportJson ToJson(const std::vector<KeptNode>& nodes, const ResultStream& stream, bool names) {
  ReportJson json = ReportJson::array();
  for (const KeptNode& node : nodes) {
    if (names && !node.name.empty()) json.push_back(node.name);
    if (!names && node.name.empty()) json.push_back(stream.results[Index(node.result)].name);
  }
  return json;
}

}  // namespace

std::string KeepInFloatMember(const Comparison& comparison) {
  if (!comparison.keep_in_float.has_value()) return "";
  const KeepInFloat& keep = *comparison.keep_in_float;
  const ResultStream& plain = OfSide(comparison, Other(keep.converted));
  constexpr double kNotFinite = std::numeric_limits<double>::infinity();
  return absl::StrCat(",\n\"keep_in_float\":",
                      DumpJson({{"side", std::string(SideName(Other(keep.converted)))},
                                {"option", JsonText(KeepInFloatOption(keep))},
                                {"nodes", ToJson(keep.nodes, plain, true)},
                                {"already", ToJson(keep.already, plain, true)},
                                {"without_name", ToJson(keep.nodes, plain, false)},
                                {"before", JsonReal(keep.before.value_or(kNotFinite))},
                                {"after", JsonReal(keep.after.value_or(kNotFinite))},
                                {"between", JsonText(BetweenName(keep.between))},
                                {"cut_short", keep.cut_short}}));
}

std::string QuantizationMember(const Comparison& comparison) {
  if (!comparison.quantization.has_value()) return "";
  const QuantizationReport& report = *comparison.quantization;
  ReportJson json = {{"side", std::string(SideName(report.side))},
                     {"both", report.both},
                     {"layers", ReportJson::array()},
                     {"mistakes", ReportJson::array()},
                     {"notes", report.notes}};
  for (const QuantizedLayer& layer : report.layers) json["layers"].push_back(ToJson(layer));
  for (const QuantizationMistake& mistake : report.mistakes) {
    ReportJson one = {{"result", mistake.result}, {"text", mistake.text}};
    if (mistake.partner != kNone) one["partner"] = mistake.partner;
    json["mistakes"].push_back(std::move(one));
  }
  if (report.output_error.has_value()) json["output_error"] = JsonReal(*report.output_error);
  return absl::StrCat(",\n\"quantization\":", DumpJson(json));
}

}  // namespace onnxcmp
