// Writing .npz archives: ZIP files of .npy arrays.
#ifndef ONNXCMP_COMPARE_FILES_NPZ_WRITER_H_
#define ONNXCMP_COMPARE_FILES_NPZ_WRITER_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Arrays go to disk as they come, so that no tensor is kept. They are collected in a folder beside
// the target, which the archive replaces at the end; without Finish() nothing remains.
class NpzWriter {
 public:
  static absl::StatusOr<std::unique_ptr<NpzWriter>> Create(const std::string& path);
  ~NpzWriter();
  NpzWriter(const NpzWriter&) = delete;
  NpzWriter& operator=(const NpzWriter&) = delete;

  // Bytes of an array or a text that stand in the folder and have no name yet.
  struct Piece {
    int64_t offset = 0;
    int64_t size = 0;
  };
  absl::StatusOr<Piece> AddArray(const Tensor& tensor);
  absl::StatusOr<Piece> AddText(absl::string_view text);

  struct Entry {
    std::string name;  // whole: "x.npy"; UTF-8 without NUL, each at most once
    Piece piece;
  };
  // Makes the archive, the entries stored in this order, and puts it in the target's place. There
  // must be an entry, and none without a byte (libzip takes that for the whole file).
  absl::Status Finish(const std::vector<Entry>& entries);

  // Where the unfinished files are, for those who must remove them.
  const std::string& folder() const { return folder_; }

 private:
  NpzWriter(std::string path, std::string folder, std::FILE* pieces);
  absl::Status Write(absl::string_view bytes);

  std::string path_;
  std::string folder_;
  std::FILE* pieces_;
  int64_t size_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FILES_NPZ_WRITER_H_
