#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/fusions/catalog/fusion_forms.h"

namespace onnxcmp {

void AddConvolutionForms(FusionForms* forms, NamedPatterns* named) {
  named->insert({
      {"conv", "(Conv(_, #, ...) | ConvTranspose(_, #, ...) | ms:NhwcConv(_, #, ...))"},
      {"conv_bn", "BatchNormalization[training_mode=0|absent](@conv(), ...)"},
      {"conv_or_bn", "(@conv_bn() | @conv())"},
  });
  const auto add = [forms](const std::string& name, const std::string& pattern) {
    forms->push_back({FusionFamily::kConvolution, name, pattern});
  };
  add("Conv", "@conv()");
  add("Conv + BatchNormalization", "@conv_bn()");
  for (const auto& [name, pattern] : Activations()) {
    const auto of = [&pattern = pattern](const char* convolution) {
      return absl::StrReplaceAll(pattern, {{"$1", convolution}});
    };
    add(absl::StrCat("Conv + ", name), of("@conv()"));
    add(absl::StrCat("Conv + BatchNormalization + ", name), of("@conv_bn()"));
  }
  add("Conv + sum + Relu", "Relu({@conv_or_bn() + z})");
  for (const char* op : {"ms:FusedConv", "ms:NhwcFusedConv", "nchwc:Conv"}) {
    add(absl::StrReplaceAll(op, {{"ms:", ""}, {"nchwc:", "nchwc."}}),
        absl::StrCat(op, "(_, #, ...)"));
  }
}

}  // namespace onnxcmp
