// In which form a file holds values, told by what is in it.
#ifndef ONNXCMP_COMPARE_RECORDINGS_FILE_FORM_H_
#define ONNXCMP_COMPARE_RECORDINGS_FILE_FORM_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace onnxcmp {

enum class FileForm : uint8_t {
  kModel,  // or what nothing tells
  kFolder,
  kArchive,  // .npz, and any other ZIP archive
  kArray,    // .npy
  kMessage,  // a TensorProto or its like
  kSafetensors,
  kJson,
  kForeign,  // neither a model nor values that could be read: WordsForForeign()
};

// The first bytes decide, whatever the file is called; the ending does for those that are damaged.
FileForm FormOf(const std::string& path);

// What a file of kForeign is, by its first bytes: "a pickle, as torch.save of old wrote it".
std::string WordsForForeign(const std::string& path);

// Where errors send those who have values in a form that is not read.
inline constexpr absl::string_view kHowToRecord =
    "save the values with numpy.savez or safetensors instead (docs/recording.md shows how to "
    "record)";

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDINGS_FILE_FORM_H_
