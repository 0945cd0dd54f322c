#include "reports/words/keep_in_float_text.h"

#include <cstddef>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/streams/result_stream.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

std::string InDoubleQuotes(absl::string_view name) {
  return absl::StrCat("\"", absl::StrReplaceAll(name, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

// If more nodes than this are already in float, these are not listed again.
// A longer list says that the type is too coarse for the model, and not for a few nodes.

std::string Apart(const std::optional<double>& apart) {
  return apart.has_value() ? TwoDigits(*apart) : "NaN or infinity";
}

}  // namespace

absl::string_view KeepInFloatOption(const KeepInFloat& keep) {
  return keep.quantized ? "nodes_to_exclude" : "node_block_list";
}

absl::string_view BetweenName(BetweenKept between) {
  switch (between) {
    case BetweenKept::kRounded:
      return "rounded";
    case BetweenKept::kOneReader:
      return "one_reader";
    case BetweenKept::kExact:
      return "exact";
  }
  return "";
}

std::string KeepInFloatList(const KeepInFloat& keep) {
  if (keep.nodes.size() > size_t{work_bounds::kLines}) {
    return absl::StrCat("all of it: with fewer than ", keep.nodes.size(),
                        " nodes in float the outputs are not close");
  }
  std::vector<std::string> names;
  for (const std::vector<KeptNode>* nodes : {&keep.nodes, &keep.already}) {
    if (nodes == &keep.already && nodes->size() > size_t{work_bounds::kLongList}) continue;
    for (const KeptNode& node : *nodes) {
      if (!node.name.empty()) names.push_back(InDoubleQuotes(node.name));
    }
  }
  return absl::StrCat(KeepInFloatOption(keep), "=[", absl::StrJoin(names, ", "), "]");
}

std::vector<std::string> KeepInFloatText(const Comparison& comparison) {
  if (!comparison.keep_in_float.has_value()) return {};
  const KeepInFloat& keep = *comparison.keep_in_float;
  const ResultStream& side = OfSide(comparison, Other(keep.converted));
  std::vector<std::string> sentences = {
      absl::StrCat(Apart(keep.before), " becomes ", Apart(keep.after))};
  std::vector<std::string> unnamed;
  for (const KeptNode& node : keep.nodes) {
    if (node.name.empty() && node.result != kNone) {
      unnamed.push_back(InDoubleQuotes(side.results[Index(node.result)].name));
    }
  }
  if (!unnamed.empty()) {
    sentences.push_back(absl::StrCat("what makes ", absl::StrJoin(unnamed, ", "),
                                     " belongs to it and has no name: give it one"));
  }
  if (keep.already.size() > size_t{work_bounds::kLongList}) {
    sentences.push_back(
        absl::StrCat("beside the ", keep.already.size(), " nodes that are in float already"));
  } else if (!keep.already.empty()) {
    sentences.push_back(keep.nodes.empty()         ? "all of them are in float already"
                        : keep.already.size() == 1 ? "the last one is in float already"
                                                   : absl::StrCat("the last ", keep.already.size(),
                                                                  " are in float already"));
  }
  if (keep.between != BetweenKept::kRounded) {
    sentences.push_back(absl::StrCat(
        "if no Cast stays between them, as with ",
        keep.between == BetweenKept::kOneReader && keep.shared.empty() ? "onnxconverter_common and "
                                                                       : "",
        "OnnxModel.convert_float_to_float16, but not with float16.py of "
        "onnxruntime.transformers alone"));
  }
  if (!keep.shared.empty()) {
    sentences.push_back(absl::StrCat("other nodes read '", keep.shared,
                                     "', too, which onnxconverter_common then leaves in float for "
                                     "all of them: that does not run"));
  }
  if (keep.cut_short) sentences.push_back("a limit was reached: fewer may do");
  return sentences;
}

}  // namespace onnxcmp
