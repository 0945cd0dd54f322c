// Recognizes the format of a file by its content.
#ifndef ONNXCMP_RECORD_RECORDINGS_FILE_FORM_H_
#define ONNXCMP_RECORD_RECORDINGS_FILE_FORM_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace onnxcmp {

enum class FileForm : uint8_t {
  kModel,  // or an unrecognized file
  kFolder,
  kArchive,  // .npz, and any other ZIP archive
  kArray,    // .npy
  kMessage,  // a TensorProto or a similar message
  kSafetensors,
  kJson,
  kForeign,  // neither a model nor readable values: WordsForForeign()
};

// The first bytes decide, whatever the file's name; the suffix does for damaged files.
FileForm FormOf(const std::string& path);

// Describes a kForeign file by its first bytes: "a pickle, as torch.save of old wrote it".
std::string WordsForForeign(const std::string& path);

// Advice in errors for values in a format that is not read.
inline constexpr absl::string_view kHowToRecord =
    "save the values with numpy.savez or safetensors instead (docs/recording.md shows how to "
    "record)";

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RECORDINGS_FILE_FORM_H_
