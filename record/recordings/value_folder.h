// The contents of a folder that was given as a recording.
#ifndef ONNXCMP_RECORD_RECORDINGS_VALUE_FOLDER_H_
#define ONNXCMP_RECORD_RECORDINGS_VALUE_FOLDER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "record/recordings/recorded_values.h"

namespace onnxcmp {

// Names in natural order, each in one list. Hidden files are left out; subfolders are listed, but
// not entered.
struct FolderContents {
  std::vector<std::string> values;  // arrays and messages, also damaged files with such a name
  std::vector<std::string> plain;   // bytes called .raw, numbers in a .txt
  std::vector<std::string> jsons;
  std::vector<std::string> archives;  // .npz, .safetensors
  std::vector<std::string> models;
  std::vector<std::string> folders;
  std::vector<std::string> others;
};
absl::StatusOr<FolderContents> LookInto(const std::string& folder);

// JSON of arrays that other programs write: lists of numbers in lists, or a flat list beside its
// shape and type. No set if there are none.
absl::StatusOr<std::vector<RecordedSet>> OpenArrayJson(const std::string& path);

// "a.txt, b.txt and 3 more".
std::string ListNames(const std::vector<std::string>& names);

// Why a folder without values is no recording: it has models, archives, folders, nothing.
absl::Status NoValuesIn(const std::string& folder, const FolderContents& contents);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RECORDINGS_VALUE_FOLDER_H_
