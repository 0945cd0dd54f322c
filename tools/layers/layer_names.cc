#include "tools/layers/layer_names.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace onnxcmp {
namespace {

void AddNode(absl::string_view name, EngineLayer* layer) {
  name = absl::StripAsciiWhitespace(name);
  if (name.empty()) return;
  if (std::find(layer->nodes.begin(), layer->nodes.end(), name) == layer->nodes.end()) {
    layer->nodes.emplace_back(name);
  }
}

std::vector<std::string> Ends(absl::string_view text) {
  std::vector<std::string> names;
  for (const absl::string_view part : SplitOutsideBrackets(text, " + ")) {
    names.emplace_back(absl::StripAsciiWhitespace(part));
  }
  return names;
}

// "q/MatMul+k/MatMul_myl0_1" without Myelin's suffix; unchanged if there is none.
absl::string_view WithoutMyelinEnd(absl::string_view name) {
  const size_t at = name.rfind("_myl");
  if (at == absl::string_view::npos) return name;
  absl::string_view end = name.substr(at + 4);
  const bool digits = std::all_of(end.begin(), end.end(),
                                  [](char c) { return absl::ascii_isdigit(c) || c == '_'; });
  return digits && !end.empty() ? name.substr(0, at) : name;
}

void ReadPart(absl::string_view part, EngineLayer* layer) {
  part = absl::StripAsciiWhitespace(part);
  absl::string_view inner = part;
  // A pointwise operation composed of several.
  if (absl::ConsumePrefix(&inner, "PWN(") && absl::ConsumeSuffix(&inner, ")")) {
    for (const absl::string_view of : SplitOutsideBrackets(inner, ", ")) ReadPart(of, layer);
    return;
  }
  inner = part;
  if (absl::ConsumePrefix(&inner, "{ForeignNode[") && absl::ConsumeSuffix(&inner, "]}")) {
    const size_t dots = inner.find("...");
    LayerRegion& region = layer->regions.emplace_back();
    region.first = Ends(inner.substr(0, dots));
    region.last = dots == absl::string_view::npos ? region.first : Ends(inner.substr(dots + 3));
    return;
  }
  const absl::string_view joined = WithoutMyelinEnd(part);
  if (joined.size() == part.size()) {
    AddNode(part, layer);
    return;
  }
  // Myelin's kernels have names of their own, "__myl_AddMul".
  for (const absl::string_view name : SplitOutsideBrackets(joined, "+")) {
    if (!absl::StartsWith(name, "__myl") && !absl::StartsWith(name, "_gemm_")) AddNode(name, layer);
  }
}

}  // namespace

std::vector<absl::string_view> SplitOutsideBrackets(absl::string_view text,
                                                    absl::string_view separator) {
  std::vector<absl::string_view> parts;
  int depth = 0;
  size_t from = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (depth <= 0 && absl::StartsWith(text.substr(i), separator)) {
      parts.push_back(text.substr(from, i - from));
      i += separator.size() - 1;
      from = i + 1;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  parts.push_back(text.substr(from));
  return parts;
}

void ReadLayerName(absl::string_view name, EngineLayer* layer) {
  if (absl::StartsWith(name, "Reformatting CopyNode") || absl::EndsWith(name, " copy")) {
    layer->reformat = true;
    return;
  }
  for (const absl::string_view row : SplitOutsideBrackets(name, " || ")) {
    for (const absl::string_view part : SplitOutsideBrackets(row, " + ")) ReadPart(part, layer);
  }
}

std::vector<std::string> NodesOfMetadata(absl::string_view metadata) {
  constexpr absl::string_view kOnnx = "[ONNX Layer: ";
  std::vector<std::string> names;
  for (size_t at = metadata.find(kOnnx); at != absl::string_view::npos;) {
    const size_t from = at + kOnnx.size();
    at = metadata.find(kOnnx, from);
    // Names may contain brackets.
    absl::string_view name = metadata.substr(from, at == absl::string_view::npos ? at : at - from);
    name = name.substr(0, name.rfind(']'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  }
  return names;
}

DType DTypeOfFormat(absl::string_view format) {
  struct Word {
    absl::string_view word;
    DType dtype;
  };
  static constexpr std::array<Word, 17> kWords = {{
      {"BFloat16", DType::kBfloat16},
      {"BF16", DType::kBfloat16},
      {"bfloat16", DType::kBfloat16},
      {"Half", DType::kFloat16},
      {"FP16", DType::kFloat16},
      {"float16", DType::kFloat16},
      {"FP8", DType::kFloat8E4M3FN},
      {"Int8", DType::kInt8},
      {"uint8", DType::kUint8},
      {"int8", DType::kInt8},
      {"Int4", DType::kInt4},
      {"INT4", DType::kInt4},
      {"Int32", DType::kInt32},
      {"Int64", DType::kInt64},
      {"Bool", DType::kBool},
      {"Float", DType::kFloat},
      {"FP32", DType::kFloat},
  }};
  for (const Word& word : kWords) {
    if (absl::StrContains(format, word.word)) return word.dtype;
  }
  const std::optional<DType> dtype = DTypeFromName(format);
  return dtype.value_or(DType::kUndefined);
}

DType PrecisionOf(const EngineLayer& layer) {
  DType coarsest = DType::kUndefined;
  for (const std::vector<LayerTensor>* tensors : {&layer.inputs, &layer.outputs}) {
    for (const LayerTensor& tensor : *tensors) {
      const DType dtype = tensor.dtype;
      const bool number = IsFloatingPoint(dtype) || (IsInteger(dtype) && BitWidth(dtype) <= 8);
      if (!number) continue;
      if (coarsest == DType::kUndefined || BitWidth(dtype) < BitWidth(coarsest)) coarsest = dtype;
    }
  }
  return coarsest;
}

absl::string_view ListingFormName(ListingForm form) {
  constexpr std::array<absl::string_view, 5> kNames = {
      "TensorRT log, names only", "TensorRT log, detailed", "TensorRT layer information (JSON)",
      "onnxruntime profile", "model"};
  return kNames[static_cast<size_t>(form)];
}

}  // namespace onnxcmp
