#include <re2/re2.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// RegexFullMatch (ai.onnx 20): whether the whole string matches `pattern`, which is in RE2's
// syntax.
absl::StatusOr<Kernel> RegexFullMatch(const KernelInit& node) {
  RE2::Options options;
  options.set_log_errors(false);
  const auto pattern = std::make_shared<const RE2>(node.String("pattern"), options);
  if (!pattern->ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("pattern \"", pattern->pattern(), "\": ", pattern->error()));
  }
  return [pattern](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kBool, x.shape()));
    bool* out = result.mutable_data<bool>();
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      out[i] = RE2::FullMatch(x.string_data()[i], *pattern);
    }
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterRegexFullMatch(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "RegexFullMatch", {20}, RegexFullMatch);
}

}  // namespace onnxcmp
