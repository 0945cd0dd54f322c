#include "ops/traditionalml/class_labels.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ops/traditionalml/key_index.h"

namespace onnxcmp {

absl::StatusOr<Tensor> ReadLabels(const KernelInit& node, absl::string_view ints_name,
                                  absl::string_view strings_name) {
  const std::vector<int64_t> ints = node.Ints(ints_name);
  const std::vector<std::string> strings = node.Strings(strings_name);
  if (!ints.empty() && !strings.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("both ", ints_name, " and ", strings_name, " are there"));
  }
  Tensor labels;
  if (!ints.empty()) labels = Tensor::Of<int64_t>({std::ssize(ints)}, ints);
  if (!strings.empty()) labels = Tensor::Of<std::string>({std::ssize(strings)}, strings);
  return labels;
}

absl::StatusOr<Tensor> ReadRequiredLabels(const KernelInit& node, absl::string_view ints_name,
                                          absl::string_view strings_name) {
  absl::StatusOr<Tensor> labels = ReadLabels(node, ints_name, strings_name);
  if (labels.ok() && !labels->defined()) {
    return absl::InvalidArgumentError(
        absl::StrCat("neither ", ints_name, " nor ", strings_name, " is there"));
  }
  return labels;
}

absl::StatusOr<Tensor> PickLabels(const KernelContext& ctx, const Tensor& labels,
                                  absl::Span<const int64_t> chosen) {
  return PickElements(ctx, labels, chosen, {std::ssize(chosen)});
}

}  // namespace onnxcmp
