#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "record/recordings/file_form.h"
#include "record/recordings/npy.h"
#include "record/recordings/plain_values.h"
#include "record/recordings/recorded_values.h"
#include "record/recordings/value_folder.h"
#include "record/recordings/value_message.h"

namespace onnxcmp {
namespace {

constexpr char kArraySuffix[] = ".npy";

absl::StatusOr<RecordedValues::Read> ReadArray(const std::string& path, int64_t max_tensor) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  BytesSource source(file->bytes());
  absl::StatusOr<NpyArray> array = ReadNpy(source, max_tensor);
  if (!array.ok()) return Annotate(array.status(), OneLine(path));
  return RecordedValues::Read{std::move(array->tensor), array->opaque};
}

ResultKind KindOf(absl::string_view file) {
  const auto is = [file](absl::string_view prefix) {
    absl::string_view rest = file;
    return absl::ConsumePrefix(&rest, prefix) && !rest.empty() &&
           std::all_of(rest.begin(), rest.end(), absl::ascii_isdigit);
  };
  if (is("input_")) return ResultKind::kInput;
  return is("output_") ? ResultKind::kOutput : ResultKind::kResult;
}

class ValueFiles : public RecordedValues {
 public:
  explicit ValueFiles(int64_t max_tensor) : max_tensor_(max_tensor) {}

  absl::Status Add(const std::string& path) {
    const std::filesystem::path file(path);
    RecordedResult& result = results_.emplace_back();
    result.name = file.stem().string();
    result.kind = KindOf(result.name);
    const bool array = file.extension() == kArraySuffix || FormOf(path) == FileForm::kArray;
    const bool plain = !array && (file.extension() == ".raw" || file.extension() == ".txt");
    if (!array && !plain) {
      OC_ASSIGN_OR_RETURN(std::string name, NameInValueFile(path));
      if (!name.empty() && !names_.contains(name)) result.name = std::move(name);
    }
    names_.insert(result.name);
    files_.push_back({path, array, plain});
    return absl::OkStatus();
  }

  // Notes the parts of a folder that are not among the values.
  void NoteTheRest(const FolderContents& contents) {
    for (const auto* names : {&contents.plain, &contents.jsons, &contents.archives,
                              &contents.models, &contents.folders, &contents.others}) {
      if (names->empty() || (names == &contents.plain && contents.values.empty())) continue;
      notes_.push_back(absl::StrCat(names == &contents.folders  ? "subfolders are not looked into: "
                                    : names == &contents.models ? "models in the folder: "
                                    : names == &contents.others ? "files without values: "
                                                                : "left out beside .npy and .pb: ",
                                    ListNames(*names)));
    }
  }

  absl::StatusOr<Read> ReadValue(size_t index) override {
    const File& file = files_[index];
    if (file.array) return ReadArray(file.path, max_tensor_);
    if (file.plain) {
      OC_ASSIGN_OR_RETURN(Tensor tensor, ReadPlain(file.path, max_tensor_));
      return Read{std::move(tensor)};
    }
    OC_ASSIGN_OR_RETURN(Value value, ReadMessage(file.path));
    return Read{std::move(value)};
  }

 private:
  struct File {
    std::string path;
    bool array;
    bool plain;
  };
  int64_t max_tensor_;
  std::vector<File> files_;
  absl::flat_hash_set<std::string> names_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RecordedValues>> OpenValueFiles(const std::string& path,
                                                               int64_t max_tensor) {
  std::error_code error;
  auto values = std::make_unique<ValueFiles>(max_tensor);
  if (!std::filesystem::is_directory(path, error)) {
    OC_RETURN_IF_ERROR(values->Add(path));
    return values;
  }
  OC_ASSIGN_OR_RETURN(const FolderContents contents, LookInto(path));
  const std::vector<std::string>& names =
      contents.values.empty() ? contents.plain : contents.values;
  if (names.empty()) return NoValuesIn(path, contents);
  for (const std::string& name : names) {
    OC_RETURN_IF_ERROR(values->Add((std::filesystem::path(path) / name).string()));
  }
  values->NoteTheRest(contents);
  return values;
}

}  // namespace onnxcmp
