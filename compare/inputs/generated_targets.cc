#include "compare/inputs/generated_targets.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/inputs/index_limits.h"
#include "compare/inputs/type_text.h"
#include "evaluator/status_macros.h"

namespace onnxcmp {
namespace {

// Sizes of named dimensions, by side and name.
using KnownSizes = std::map<std::pair<int, std::string>, int64_t>;

class SharedSizes {
 public:
  SharedSizes(const std::vector<ValueTarget>& targets, const GeneratedInputs& options)
      : options_(options) {
    for (const ValueTarget& target : targets) {
      merged_.push_back({target.inputs[0].name, target.inputs[0].type});
      for (const ValueTarget::Input& input : target.inputs) Complete(input, &merged_.back());
    }
  }

  // A size that one input tells is that of all dimensions of the same name.
  absl::StatusOr<std::vector<ValueInfo>> Merge(const std::vector<ValueTarget>& targets) {
    for (bool found = true; found;) {
      const size_t before = known_.size();
      for (size_t i = 0; i < targets.size(); ++i) OC_RETURN_IF_ERROR(MergeOne(targets[i], i));
      found = known_.size() > before;
    }
    return std::move(merged_);
  }

 private:
  // What another side says of a type that this one leaves open.
  static void Complete(const ValueTarget::Input& input, ValueInfo* merged) {
    if (merged->type.kind == TypeInfo::Kind::kUnknown) merged->type = input.type;
    if (merged->type.dtype == DType::kUndefined) merged->type.dtype = input.type.dtype;
    if (!merged->type.shape.has_value()) merged->type.shape = input.type.shape;
  }

  absl::Status MergeOne(const ValueTarget& target, size_t i) {
    if (!merged_[i].type.shape.has_value()) return absl::OkStatus();
    std::vector<TypeInfo::Dim>& dims = *merged_[i].type.shape;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      std::optional<int64_t> size;
      for (const ValueTarget::Input& input : target.inputs) {
        const std::optional<int64_t> own = SizeOf(input, axis);
        if (size.has_value() && own.has_value() && *own != *size) return SizesDiffer(target, axis);
        if (!size.has_value()) size = own;
      }
      if (!size.has_value()) continue;
      dims[axis] = {size, ""};
      for (const ValueTarget::Input& input : target.inputs) {
        if (input.type.shape.has_value() && axis < input.type.shape->size() &&
            !(*input.type.shape)[axis].symbol.empty()) {
          known_.emplace(std::pair(input.side, (*input.type.shape)[axis].symbol), *size);
        }
      }
    }
    return absl::OkStatus();
  }

  std::optional<int64_t> SizeOf(const ValueTarget::Input& input, size_t axis) const {
    if (!input.type.shape.has_value() || axis >= input.type.shape->size()) return std::nullopt;
    const TypeInfo::Dim& dim = (*input.type.shape)[axis];
    if (dim.value.value_or(0) != 0) return dim.value;
    if (dim.symbol.empty()) return std::nullopt;
    if (const auto it = options_.dims.find(dim.symbol); it != options_.dims.end()) {
      return it->second;
    }
    const auto it = known_.find({input.side, dim.symbol});
    return it == known_.end() ? std::nullopt : std::optional<int64_t>(it->second);
  }

  absl::Status SizesDiffer(const ValueTarget& target, size_t axis) const {
    return absl::InvalidArgumentError(absl::StrCat(
        "batch or sequence sizes differ along axis ", axis, ": ",
        absl::StrJoin(target.inputs, ", ", [&](std::string* out, const ValueTarget::Input& input) {
          absl::StrAppend(out, kSideNames[input.side], " input `", input.name, "` ",
                          TypeText(input.type), " has ", SizeOf(input, axis).value_or(0));
        })));
  }

  const GeneratedInputs& options_;
  std::vector<ValueInfo> merged_;
  KnownSizes known_;
};

}  // namespace

absl::StatusOr<std::vector<Tensor>> GenerateTargets(const std::vector<ValueTarget>& targets,
                                                    const std::array<const Graph*, 2>& graphs,
                                                    const GeneratedInputs& options) {
  std::array<absl::flat_hash_map<std::string, int64_t>, 2> limits;
  for (size_t side = 0; side < 2; ++side) {
    if (graphs[side] != nullptr) limits[side] = IndexLimits(*graphs[side]);
  }
  OC_ASSIGN_OR_RETURN(const std::vector<ValueInfo> inputs,
                      SharedSizes(targets, options).Merge(targets));
  InputGenerator generator(options);
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < targets.size(); ++i) {
    std::optional<int64_t> limit;
    for (const ValueTarget::Input& input : targets[i].inputs) {
      const auto& own = limits[static_cast<size_t>(input.side)];
      if (const auto it = own.find(input.name); it != own.end()) {
        limit = std::min(limit.value_or(it->second), it->second);
      }
    }
    OC_ASSIGN_OR_RETURN(Tensor tensor, generator.Make(inputs[i], limit));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace onnxcmp
