// A file mapped into memory, read-only.
#ifndef ONNXCMP_EVALUATOR_MAPPED_FILE_H_
#define ONNXCMP_EVALUATOR_MAPPED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {

class MappedFile {
 public:
  // InvalidArgument, naming the path, for what cannot be opened or is not a regular file (a pipe
  // has no end that could be checked against).
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::byte* data() const { return data_; }
  int64_t size() const { return size_; }
  absl::string_view bytes() const {
    return {reinterpret_cast<const char*>(data_), static_cast<size_t>(size_)};
  }

 private:
  MappedFile(const std::byte* data, int64_t size) : data_(data), size_(size) {}
  const std::byte* data_;  // page-aligned; null for an empty file
  int64_t size_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_MAPPED_FILE_H_
