#include "record/recordings/file_form.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "evaluator/base/mapped_file.h"
#include "record/recordings/value_message.h"

namespace onnxcmp {
namespace {

// Files that are mistaken for recordings.
struct Foreign {
  size_t offset;
  absl::string_view bytes;
  const char* words;
};
constexpr char kPickle[] = "a pickle, as torch.save once wrote them, which only Python can read";
constexpr Foreign kForeign[] = {
    {0, {"\x80\x02", 2}, kPickle},
    {0, {"\x80\x03", 2}, kPickle},
    {0, {"\x80\x04", 2}, kPickle},
    {0, {"\x80\x05", 2}, kPickle},
    {0, "\x89HDF\r\n\x1a\n", "an HDF5 file"},
    // After a small offset. In a model, the producer's name may be here, after its length.
    {2, {"\0\0TFL3", 6}, "a TensorFlow Lite model"},
    {2, {"\0\0ORTM", 6}, "a model in onnxruntime's own format, not ONNX's"},
    {0, "GGUF", "a GGUF file of weights"},
    {0, "ftrt", "a TensorRT engine"},
    {0, "MATLAB 5.0 MAT-file", "a MATLAB file"},
    {0, "SQLite format 3", "an SQLite database"},
    {0, "\x1f\x8b", "compressed with gzip: unpack it first"},
    {257, "ustar", "a tar archive: unpack it first"},
};

// The beginning of a file; empty for files that are not regular.
std::string HeadOf(const std::string& path) {
  std::array<char, 512> head = {};
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  return {head.data(), static_cast<size_t>(file.gcount())};
}

const Foreign* FindForeign(absl::string_view head) {
  const auto* foreign =
      std::find_if(std::begin(kForeign), std::end(kForeign), [head](const Foreign& candidate) {
        return head.size() >= candidate.offset &&
               absl::StartsWith(head.substr(candidate.offset), candidate.bytes);
      });
  return foreign == std::end(kForeign) ? nullptr : foreign;
}

// True for a length below 2^32 bytes, then a JSON object.
bool IsSafetensors(absl::string_view head) {
  return head.size() > 8 && head.substr(4, 4) == absl::string_view("\0\0\0\0", 4) && head[8] == '{';
}

bool IsJson(absl::string_view head) {
  absl::ConsumePrefix(&head, "\xef\xbb\xbf");
  head = absl::StripLeadingAsciiWhitespace(head);
  return absl::StartsWith(head, "{") || absl::StartsWith(head, "[");
}

bool IsMessage(const std::string& path) {
  const absl::StatusOr<std::shared_ptr<const MappedFile>> file = MappedFile::Open(path);
  return file.ok() && KindOfMessage((*file)->bytes()) == MessageKind::kValue;
}

}  // namespace

FileForm FormOf(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return FileForm::kFolder;
  const std::string head = HeadOf(path);
  if (absl::StartsWith(head, "PK\x03\x04") || absl::StartsWith(head, "PK\x05\x06")) {
    return FileForm::kArchive;
  }
  if (absl::StartsWith(head, "\x93NUMPY")) return FileForm::kArray;
  if (IsSafetensors(head)) return FileForm::kSafetensors;
  if (FindForeign(head) != nullptr) return FileForm::kForeign;
  if (IsMessage(path)) return FileForm::kMessage;
  if (IsJson(head)) return FileForm::kJson;
  if (absl::EndsWith(path, ".npz")) return FileForm::kArchive;
  if (absl::EndsWith(path, ".npy")) return FileForm::kArray;
  if (absl::EndsWith(path, ".safetensors")) return FileForm::kSafetensors;
  if (absl::EndsWith(path, ".tensorproto")) return FileForm::kMessage;
  if (absl::EndsWith(path, ".json")) return FileForm::kJson;
  return FileForm::kModel;
}

std::string WordsForForeign(const std::string& path) {
  const Foreign* foreign = FindForeign(HeadOf(path));
  return foreign == nullptr ? "" : foreign->words;
}

}  // namespace onnxcmp
