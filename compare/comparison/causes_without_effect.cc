#include "compare/comparison/causes_without_effect.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "compare/comparison/comparison.h"

namespace onnxcmp {

void NoteCausesWithoutEffect(Comparison* comparison) {
  const std::vector<OutputPair>& outputs = comparison->outputs.pairs;
  const auto has_same_bits = [](const OutputPair& pair) { return pair.same_bits; };
  if (comparison->causes.empty() || outputs.empty() || !comparison->outputs.agree ||
      !absl::c_all_of(outputs, has_same_bits)) {
    return;
  }
  const Cause& first = comparison->causes.front();
  const auto name = [](const ResultStream& stream, int r) {
    return r == kNone ? "none" : stream.results[Index(r)].name;
  };
  const size_t more = comparison->causes.size() - 1;
  comparison->notes.push_back(absl::StrCat(
      "without an effect on the outputs, '", name(comparison->left, first.left), "' | '",
      name(comparison->right, first.right), "' differ by themselves: ", first.text,
      more > 0 ? absl::StrCat("; so do ", more, " more") : ""));
  comparison->causes.clear();
}

}  // namespace onnxcmp
