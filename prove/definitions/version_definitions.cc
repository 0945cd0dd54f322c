// Operators of older versions as those of the version in which definitions are written, where both
// are the same function: what is a function of which nothing is known is then the same one, too.
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "prove/definition.h"

namespace onnxcmp {
namespace {

struct OperatorVersions {
  absl::string_view op_type;
  int64_t least;  // the first that is written the same, but for attributes with defaults
  int64_t here;   // the one in kDefinitionOpset
};

constexpr OperatorVersions kVersions[] = {
    {"ArgMax", 1, 13},
    {"ArgMin", 1, 13},
    {"Compress", 9, 11},
    {"CumSum", 11, 14},
    {"Det", 11, 22},
    {"GatherElements", 11, 13},
    {"GatherND", 11, 13},
    {"GridSample", 16, 22},
    {"IsInf", 10, 20},
    {"LRN", 1, 13},
    {"LpNormalization", 1, 22},
    {"LpPool", 11, 22},
    {"MaxPool", 8, 22},
    {"NonMaxSuppression", 10, 11},
    {"NonZero", 9, 13},
    {"RoiAlign", 16, 22},
    {"ScatterElements", 11, 18},
    {"ScatterND", 11, 18},
    {"ThresholdedRelu", 10, 22},
    {"TopK", 10, 11},
};

// The same operator of kDefinitionOpset.
absl::Status OfThisVersion(Definition& d) {
  const FieldNode& node = d.of();
  const std::string& name = node.node().op_type;
  for (const OperatorVersions& versions : kVersions) {
    if (versions.op_type != name) continue;
    if (node.since() == versions.here || node.since() < versions.least) break;
    Definition::Attributes attributes = node.node().attributes;
    if (name == "GridSample" && node.since() < 20) {
      // Its modes have been given other names.
      const std::string mode = node.String("mode", "bilinear");
      attributes["mode"] = std::string(mode == "bilinear"  ? "linear"
                                       : mode == "bicubic" ? "cubic"
                                                           : mode);
    }
    std::vector<std::string> inputs;
    for (int i = 0; i < node.num_inputs(); ++i) inputs.push_back(d.In(i));
    const std::vector<std::string> outputs =
        d.AddSeveral(name, inputs, std::move(attributes), node.num_outputs());
    for (int i = 0; i < node.num_outputs(); ++i) d.Out(i, outputs[static_cast<size_t>(i)]);
    return absl::OkStatus();
  }
  return NoMeaning("it has no meaning of its own");
}

constexpr DefinitionRow kVersionDefinitions[] = {
    {kOnnxDomain, "ArgMax", OfThisVersion},
    {kOnnxDomain, "ArgMin", OfThisVersion},
    {kOnnxDomain, "Compress", OfThisVersion},
    {kOnnxDomain, "CumSum", OfThisVersion},
    {kOnnxDomain, "Det", OfThisVersion},
    {kOnnxDomain, "GatherElements", OfThisVersion},
    {kOnnxDomain, "GatherND", OfThisVersion},
    {kOnnxDomain, "GridSample", OfThisVersion},
    {kOnnxDomain, "IsInf", OfThisVersion},
    {kOnnxDomain, "LRN", OfThisVersion},
    {kOnnxDomain, "LpNormalization", OfThisVersion},
    {kOnnxDomain, "LpPool", OfThisVersion},
    {kOnnxDomain, "MaxPool", OfThisVersion},
    {kOnnxDomain, "NonMaxSuppression", OfThisVersion},
    {kOnnxDomain, "NonZero", OfThisVersion},
    {kOnnxDomain, "RoiAlign", OfThisVersion},
    {kOnnxDomain, "ScatterElements", OfThisVersion},
    {kOnnxDomain, "ScatterND", OfThisVersion},
    {kOnnxDomain, "ThresholdedRelu", OfThisVersion},
    {kOnnxDomain, "TopK", OfThisVersion},
};

}  // namespace

absl::Span<const DefinitionRow> VersionDefinitions() { return kVersionDefinitions; }

}  // namespace onnxcmp
