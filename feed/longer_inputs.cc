#include "feed/longer_inputs.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/value.h"
#include "feed/input_fit.h"
#include "record/streams/common_form.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

bool HasPart(const Tensor& whole, const Tensor& part, bool at_end) {
  CountedPart counted = {Shape(part.shape().size(), 0), part.shape(), std::nullopt};
  for (size_t i = 0; at_end && i < part.shape().size(); ++i) {
    counted.begin[i] = whole.shape()[i] - part.shape()[i];
  }
  CommonForm form;
  form.part = std::make_shared<const CountedPart>(std::move(counted));
  const absl::StatusOr<Value> cut = InForm(Value(whole), form);
  return cut.ok() && HoldTheSame(cut->tensor(), part);
}

}  // namespace

std::optional<LongerInput> FindLonger(const Tensor& left, const Tensor& right,
                                      const std::string& name) {
  if (left.shape().size() != right.shape().size()) return std::nullopt;
  LongerInput found;
  for (size_t i = 0; i < left.shape().size(); ++i) {
    if (left.shape()[i] == right.shape()[i]) continue;
    const SideId longer = left.shape()[i] > right.shape()[i] ? SideId::kLeft : SideId::kRight;
    if (!found.sizes.empty() && longer != found.side) return std::nullopt;
    found.side = longer;
    const Tensor& whole = longer == SideId::kLeft ? left : right;
    found.sizes.push_back(whole.shape()[i]);
  }
  const bool is_left = found.side == SideId::kLeft;
  const Tensor& whole = is_left ? left : right;
  const Tensor& part = is_left ? right : left;
  found.first = HasPart(whole, part, /*at_end=*/false);
  found.last = HasPart(whole, part, /*at_end=*/true);
  found.text =
      absl::StrCat("`", name, "` is given ", left.TypeString(), " and ", right.TypeString());
  if (found.sizes.empty() || (!found.first && !found.last)) return std::nullopt;
  return found;
}

std::optional<bool> AreLast(const std::vector<LongerInput>& inputs) {
  const auto is_first = [](const LongerInput& input) { return input.first; };
  const auto is_last = [](const LongerInput& input) { return input.last; };
  if (absl::c_all_of(inputs, is_first)) return false;
  if (absl::c_all_of(inputs, is_last)) return true;
  return std::nullopt;
}

}  // namespace onnxcmp
