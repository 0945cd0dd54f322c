#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "record/recordings/data_sets.h"
#include "record/recordings/file_form.h"
#include "record/recordings/recorded_values.h"
#include "record/recordings/value_folder.h"

namespace onnxcmp {
namespace {

absl::StatusOr<std::vector<RecordedSet>> OneSet(
    absl::StatusOr<std::unique_ptr<RecordedValues>> values) {
  OC_RETURN_IF_ERROR(values.status());
  std::vector<RecordedSet> sets;
  sets.push_back({"", *std::move(values)});
  return sets;
}

// Every form of Polygraphy's names it.
bool IsPolygraphys(const std::string& path) {
  const absl::StatusOr<std::shared_ptr<const MappedFile>> file = MappedFile::Open(path);
  return file.ok() && absl::StrContains((*file)->bytes(), "polygraphy");
}

absl::StatusOr<std::vector<RecordedSet>> OpenJson(const std::string& path, int64_t max_tensor) {
  absl::StatusOr<std::vector<RecordedSet>> sets = OpenPolygraphy(path, max_tensor);
  if (absl::IsInvalidArgument(sets.status()) && !IsPolygraphys(path)) {
    absl::StatusOr<std::vector<RecordedSet>> arrays = OpenArrayJson(path);
    if (!arrays.ok() || !arrays->empty()) return arrays;
  }
  return sets;
}

// A file for each iteration, as Polygraphy writes them to a folder, or an archive for each step.
absl::StatusOr<std::vector<RecordedSet>> OpenEach(
    const std::string& folder, const std::vector<std::string>& names, int64_t max_tensor,
    absl::StatusOr<std::vector<RecordedSet>> (*open)(const std::string& path, int64_t max_tensor)) {
  std::vector<RecordedSet> sets;
  for (const std::string& name : names) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    OC_ASSIGN_OR_RETURN(std::vector<RecordedSet> inside, open(file.string(), max_tensor));
    for (RecordedSet& set : inside) {
      set.name = absl::StrCat(file.stem().string(), set.name.empty() ? "" : " ", set.name);
      sets.push_back(std::move(set));
    }
  }
  if (sets.size() == 1) sets[0].name.clear();
  return sets;
}

absl::StatusOr<std::vector<RecordedSet>> OpenFolder(const std::string& folder, int64_t max_tensor) {
  OC_ASSIGN_OR_RETURN(const FolderContents contents, LookInto(folder));
  if (!contents.values.empty()) return OneSet(OpenValueFiles(folder, max_tensor));
  if (!contents.models.empty()) return NoValuesIn(folder, contents);
  if (const std::vector<std::string> names = DataSets(folder); !names.empty()) {
    std::vector<RecordedSet> sets;
    for (const std::string& name : names) {
      OC_ASSIGN_OR_RETURN(std::unique_ptr<RecordedValues> values,
                          OpenValueFiles(absl::StrCat(folder, "/", name), max_tensor));
      sets.push_back({name, std::move(values)});
    }
    return sets;
  }
  if (!contents.jsons.empty()) return OpenEach(folder, contents.jsons, max_tensor, OpenJson);
  if (!contents.archives.empty()) {
    return OpenEach(folder, contents.archives, max_tensor, OpenRecording);
  }
  if (!contents.plain.empty()) return OneSet(OpenValueFiles(folder, max_tensor));
  return NoValuesIn(folder, contents);
}

}  // namespace

absl::StatusOr<std::vector<RecordedSet>> OpenRecording(const std::string& path,
                                                       int64_t max_tensor) {
  switch (FormOf(path)) {
    case FileForm::kFolder:
      return OpenFolder(path, max_tensor);
    case FileForm::kArchive:
      return OneSet(OpenArchive(path, max_tensor));
    case FileForm::kArray:
    case FileForm::kMessage:
      return OneSet(OpenValueFiles(path, max_tensor));
    case FileForm::kSafetensors:
      return OneSet(OpenSafetensors(path));
    case FileForm::kJson:
      return OpenJson(path, max_tensor);
    case FileForm::kForeign:
      return absl::InvalidArgumentError(
          absl::StrCat(OneLine(path), ": this is ", WordsForForeign(path), "; ", kHowToRecord));
    case FileForm::kModel:
      break;
  }
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat(OneLine(path), ": no such file"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(OneLine(path), ": this holds no values in a form that is read"));
}

bool LooksLikeRecording(const std::string& path) { return FormOf(path) != FileForm::kModel; }

}  // namespace onnxcmp
