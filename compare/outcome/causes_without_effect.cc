#include "compare/outcome/causes_without_effect.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace onnxcmp {

std::string NoteOfCausesWithoutEffect(const ResultStream& left, const ResultStream& right,
                                      const OutputComparison& outputs,
                                      absl::Span<const Cause> causes) {
  const auto has_same_bits = [](const OutputPair& pair) { return pair.same_bits; };
  if (causes.empty() || outputs.pairs.empty() || !outputs.agree() ||
      !absl::c_all_of(outputs.pairs, has_same_bits)) {
    return "";
  }
  const Cause& first = causes.front();
  const auto name = [](const ResultStream& stream, int r) {
    return r == kNone ? "none" : stream.results[Index(r)].name;
  };
  const size_t more = causes.size() - 1;
  return absl::StrCat("without an effect on the outputs, '", name(left, first.left), "' | '",
                      name(right, first.right), "' differ by themselves: ", first.text,
                      more > 0 ? absl::StrCat("; so do ", more, " more") : "");
}

}  // namespace onnxcmp
