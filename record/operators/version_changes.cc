#include "record/operators/version_changes.h"

#include <variant>

#include "absl/strings/str_cat.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kOneAxis =
    "axis is -1 by default, and that axis alone counts; before, it is 1, and all axes from it on "
    "are one";

constexpr VersionChange kVersionChanges[] = {
    {"BatchNormalization", 7, "the given mean and variance are used; before, only with is_test = 1",
     "", ""},
    {"DFT", 20, "axis is an input and -2 by default; before, an attribute and 1", "", ""},
    {"Dropout", 7, "elements are dropped only in training; before, unless is_test = 1", "", ""},
    {"GroupNormalization", 21, "scale and bias have an element a channel; before, one a group", "",
     ""},
    {"Hardmax", 13, kOneAxis, "", "", "", "", /*but_for_last_axis=*/true},
    {"LogSoftmax", 13, kOneAxis, "", "", "", "", /*but_for_last_axis=*/true},
    {"Resize", 11,
     "coordinate_transformation_mode is half_pixel by default; before, coordinates are asymmetric",
     "coordinate_transformation_mode", "asymmetric"},
    {"Resize", 11, "nearest_mode is round_prefer_floor by default; before, it is floor",
     "nearest_mode", "floor", "mode", "nearest"},
    {"RoiAlign", 16,
     "coordinate_transformation_mode is half_pixel by default, which moves boxes by half a pixel; "
     "before, it is output_half_pixel",
     "coordinate_transformation_mode", "output_half_pixel"},
    {"Scan", 9, "sequences are scanned along axis 0; before, axis 0 is the batch", "", ""},
    {"Softmax", 13, kOneAxis, "", "", "", "", /*but_for_last_axis=*/true},
};

// Null if the node does not set it, or not as a string.
const std::string* StringOf(const Node& node, absl::string_view attribute) {
  const auto it = node.attributes.find(attribute);
  return it == node.attributes.end() ? nullptr : std::get_if<std::string>(&it->second);
}

bool GivesLastAxis(const Node& node) {
  const auto it = node.attributes.find("axis");
  const int64_t* axis = it == node.attributes.end() ? nullptr : std::get_if<int64_t>(&it->second);
  return axis != nullptr && *axis == -1;
}

bool Matters(const VersionChange& change, const Node& older, const Node& newer) {
  if (change.but_for_last_axis && GivesLastAxis(older) && GivesLastAxis(newer)) return false;
  const std::string* const given =
      change.attribute.empty() ? nullptr : StringOf(newer, change.attribute);
  if (given != nullptr && *given == change.as_before) return false;
  const std::string* const with =
      change.only_with.empty() ? nullptr : StringOf(newer, change.only_with);
  return with == nullptr || *with == change.value;
}

}  // namespace

absl::Span<const VersionChange> VersionChangeTable() { return kVersionChanges; }

std::vector<std::string> VersionChangeTexts(const VersionedNode& left, const VersionedNode& right) {
  constexpr absl::string_view kResize = "Resize";
  constexpr int64_t kFirstResize = 10;
  std::vector<std::string> texts;
  if (left.node.domain != kOnnxDomain || right.node.domain != kOnnxDomain) return texts;
  const auto name_of = [&](const Node& node) {
    return node.op_type == "Upsample" ? kResize : absl::string_view(node.op_type);
  };
  const auto since_of = [&](const VersionedNode& of) {
    return of.node.op_type == "Upsample" ? kFirstResize : of.since;
  };
  if (name_of(left.node) != name_of(right.node) || since_of(left) == since_of(right)) return texts;
  const bool left_is_newer = since_of(left) > since_of(right);
  const VersionedNode& newer = left_is_newer ? left : right;
  const VersionedNode& older = left_is_newer ? right : left;
  for (const VersionChange& change : kVersionChanges) {
    if (change.op_type != name_of(newer.node) || change.since <= since_of(older) ||
        change.since > since_of(newer) || !Matters(change, older.node, newer.node)) {
      continue;
    }
    texts.push_back(absl::StrCat("from ", change.since, " on ", change.rule));
  }
  return texts;
}

}  // namespace onnxcmp
