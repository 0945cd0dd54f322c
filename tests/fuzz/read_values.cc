#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "compare/compare.h"
#include "compare/sides/recording_side.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/protos/tensor_proto.h"
#include "feed/feeds.h"
#include "record/recordings/recorded_values.h"
#include "reports/render_table.h"
#include "tests/fuzz/limits.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/targets.h"

namespace onnxcmp::fuzz {
namespace {

constexpr const char* kEndings[] = {".npy", ".npz", ".safetensors", ".pb"};

absl::Status ReadAll(RecordedValues& values) {
  for (size_t i = 0; i < values.results().size(); ++i) {
    OC_RETURN_IF_ERROR(Mistake(values.ReadValue(i).status()));
  }
  return absl::OkStatus();
}

// As --inputs does it.
absl::Status ReadFeeds(const std::string& path) {
  OC_ASSIGN_OR_RETURN(FeedFile file, FeedFile::Open(path, kTensorBytes));
  for (size_t i = 0; i < file.size(); ++i) {
    OC_RETURN_IF_ERROR(Mistake(file.Read(i).status()));
  }
  return absl::OkStatus();
}

// As a side of a comparison with itself.
absl::Status CompareWithItself(const std::string& path) {
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<Side> left, OpenSide(path, Registry()));
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<Side> right, OpenSide(path, Registry()));
  CompareOptions options;
  options.threads = 1;
  OC_ASSIGN_OR_RETURN(const Comparison comparison, Compare(*left, *right, options));
  RenderTable(comparison);
  return absl::OkStatus();
}

// As the expected values of a test.
absl::Status ReadMessage(const std::string& path) {
  for (const TypeInfo::Kind kind :
       {TypeInfo::Kind::kTensor, TypeInfo::Kind::kSequence, TypeInfo::Kind::kOptional,
        TypeInfo::Kind::kMap, TypeInfo::Kind::kSparseTensor}) {
    TypeInfo type;
    type.kind = kind;
    OC_RETURN_IF_ERROR(Mistake(ReadValueFile(path, type).status()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadValues(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  const size_t kind = static_cast<unsigned char>(bytes[0]) % std::size(kEndings);
  const Scratch scratch;
  const std::string path = scratch.Write(absl::StrCat("values", kEndings[kind]), bytes.substr(1));
  absl::StatusOr<std::unique_ptr<RecordedValues>> values;
  switch (kind) {
    case 1:
      OC_RETURN_IF_ERROR(Mistake(ReadFeeds(path)));
      values = OpenArchive(path, kTensorBytes);
      break;
    case 2:
      values = OpenSafetensors(path);
      break;
    case 3:
      OC_RETURN_IF_ERROR(ReadMessage(path));
      [[fallthrough]];
    default:
      values = OpenValueFiles(path, kTensorBytes);
  }
  if (!values.ok()) return Mistake(values.status());
  OC_RETURN_IF_ERROR(ReadAll(**values));
  return Mistake(CompareWithItself(path));
}

}  // namespace onnxcmp::fuzz
