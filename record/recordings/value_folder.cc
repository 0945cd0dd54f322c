#include "record/recordings/value_folder.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/proto_text.h"
#include "record/recordings/file_form.h"
#include "record/recordings/plain_values.h"
#include "record/recordings/value_message.h"
#include "record/text/natural_order.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

bool IsModelMessage(const std::string& path) {
  const absl::StatusOr<std::shared_ptr<const MappedFile>> file = MappedFile::Open(path);
  return file.ok() && KindOfMessage((*file)->bytes()) == MessageKind::kModel;
}

bool IsCalledModel(const std::string& path) {
  return absl::EndsWith(path, ".onnx") || absl::EndsWith(path, ".onnxtxt") ||
         absl::EndsWith(path, ".onnxtext") || absl::EndsWith(path, ".ort");
}

std::vector<std::string>* ListFor(const std::string& path, FolderContents* contents) {
  if (absl::EndsWith(path, ".npy")) return &contents->values;
  const FileForm form = FormOf(path);
  switch (form) {
    case FileForm::kFolder:
      return &contents->folders;
    case FileForm::kArray:
    case FileForm::kMessage:
      return &contents->values;
    case FileForm::kArchive:
    case FileForm::kSafetensors:
      return &contents->archives;
    case FileForm::kJson:
      return &contents->jsons;
    case FileForm::kModel:
    case FileForm::kForeign:
      break;
  }
  if (IsCalledModel(path) || (form == FileForm::kModel && IsModelMessage(path))) {
    return &contents->models;
  }
  if (absl::EndsWith(path, ".raw") || NumbersInText(path).ok()) return &contents->plain;
  return absl::EndsWith(path, ".pb") ? &contents->values : &contents->others;
}

}  // namespace

absl::StatusOr<FolderContents> LookInto(const std::string& folder) {
  FolderContents contents;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (absl::StartsWith(name, ".")) continue;
    ListFor(entry->path().string(), &contents)->push_back(std::move(name));
  }
  if (error) return absl::NotFoundError(absl::StrCat(OneLine(folder), ": ", error.message()));
  for (std::vector<std::string>* names :
       {&contents.values, &contents.plain, &contents.jsons, &contents.archives, &contents.models,
        &contents.folders, &contents.others}) {
    std::sort(names->begin(), names->end(), NaturallyLess);
  }
  return contents;
}

std::string ListNames(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(OneLine(name));
  CutList(&shown, 6);
  return absl::StrJoin(shown, ", ");
}

absl::Status NoValuesIn(const std::string& folder, const FolderContents& contents) {
  std::string text = absl::StrCat(OneLine(folder), ": ");
  if (!contents.models.empty()) {
    absl::StrAppend(&text, "this folder holds models and no values: name one of ",
                    ListNames(contents.models));
    if (!contents.folders.empty()) {
      absl::StrAppend(&text, ", or a folder in it: ", ListNames(contents.folders));
    }
    return absl::InvalidArgumentError(text);
  }
  absl::StrAppend(&text, "there are no .npy or .pb files in this folder");
  if (!contents.folders.empty()) {
    absl::StrAppend(&text, "; name a folder in it: ", ListNames(contents.folders));
  } else if (!contents.others.empty()) {
    absl::StrAppend(&text, "; it holds no supported format: ", ListNames(contents.others));
    const std::string words = WordsForForeign(absl::StrCat(folder, "/", contents.others[0]));
    if (!words.empty()) absl::StrAppend(&text, " (", words, ")");
  }
  return absl::InvalidArgumentError(text);
}

}  // namespace onnxcmp
