// Writing .npz archives: ZIP files of .npy arrays.
#ifndef ONNXCMP_RECORD_RECORDINGS_NPZ_WRITER_H_
#define ONNXCMP_RECORD_RECORDINGS_NPZ_WRITER_H_

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

// Writes arrays to disk as they come, so that no tensor is kept. They are collected in a folder
// beside the target, which the archive replaces at the end; without Finish() nothing remains.
class NpzWriter {
 public:
  static absl::StatusOr<std::unique_ptr<NpzWriter>> Create(const std::string& path);
  ~NpzWriter();
  NpzWriter(const NpzWriter&) = delete;
  NpzWriter& operator=(const NpzWriter&) = delete;

  // Bytes of an array or a text in the folder that have no name yet.
  struct Piece {
    int64_t offset = 0;
    int64_t size = 0;
  };
  absl::StatusOr<Piece> AddArray(const Tensor& tensor);
  absl::StatusOr<Piece> AddText(absl::string_view text);

  struct Entry {
    std::string name;  // in full: "x.npy"; UTF-8 without NUL, each at most once
    Piece piece;
  };
  // Makes the archive, with the entries in this order, and replaces the target. At least one entry
  // is required, and none may be empty (libzip would take that for the whole file).
  absl::Status Finish(const std::vector<Entry>& entries);

  // The folder of unfinished files, for callers that must remove them.
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

#endif  // ONNXCMP_RECORD_RECORDINGS_NPZ_WRITER_H_
