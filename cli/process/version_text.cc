#include "cli/process/version_text.h"

#include <string>
#include <vector>

#include <google/protobuf/stubs/common.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/instructions.h"
#include "evaluator/version.h"
#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp::cli {
namespace {

// The architecture that all code is compiled for, and instructions that it does not always have.
std::vector<std::string> CompiledFor() {
  std::vector<std::string> names;
#ifdef __x86_64__
  names.emplace_back("x86-64");
#elif defined(__aarch64__)
  names.emplace_back("arm64");
#endif
#ifdef __AVX2__
  names.emplace_back("AVX2");
#endif
#ifdef __FMA__
  names.emplace_back("FMA");
#endif
#ifdef __AVX512F__
  names.emplace_back("AVX-512");
#endif
  return names;
}

// Instructions that the hot loops take on this processor instead.
std::string LoopsRunWith() {
  switch (BestInstructions()) {
    case Instructions::kBase:
      return "";
    case Instructions::kAvx512:
      return "; hot loops run with AVX-512 here";
    case Instructions::kAvx512Vnni:
      return "; hot loops run with AVX-512 VNNI here";
  }
  return "";
}

}  // namespace

std::string VersionText() {
  const auto& domains = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  const auto opset = [&](const char* domain) {
    const auto found = domains.find(domain);
    return found == domains.end() ? 0 : found->second.second;
  };
  return absl::StrCat("onnxcmp ", kVersion, "\n", "ONNX: opset ", opset(""), ", ai.onnx.ml opset ",
                      opset("ai.onnx.ml"), ", IR version ",
                      static_cast<int>(onnx::Version::IR_VERSION), "; protobuf ",
                      google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION), "\n",
                      "compiled for ", absl::StrJoin(CompiledFor(), ", "), LoopsRunWith(), "\n");
}

}  // namespace onnxcmp::cli
