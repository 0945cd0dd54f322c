// A file mapped into memory, read-only.
#ifndef ONNXCMP_EVALUATOR_BASE_MAPPED_FILE_H_
#define ONNXCMP_EVALUATOR_BASE_MAPPED_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {

// Two files are the same, and unchanged between their openings, if these are equal.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t size = 0;            // bytes
  int64_t modified = 0;        // seconds
  int64_t modified_nanos = 0;  // and nanoseconds
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// Its pages are read when they are first looked at, and belong to the system's cache, which takes
// them back when memory is short: a mapping costs no memory that a run would lack. A file must not
// change while it is mapped: what is written into it may or may not be seen, and looking at what
// was cut off ends the program (SIGBUS). Replacing it by another (a rename) does no harm.
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
  const FileIdentity& identity() const { return identity_; }
  const std::string& path() const { return path_; }
  // True if the file was not written to since it was mapped.
  bool IsUnchanged() const;

  // Copies bytes that lie in the file without bringing their pages into the mapping.
  void CopyTo(int64_t offset, int64_t bytes, std::byte* to) const;

 private:
  friend class MappedPages;
  MappedFile(const std::string& path, const std::byte* data, int descriptor,
             const FileIdentity& identity)
      : path_(path),
        data_(data),
        descriptor_(descriptor),
        size_(identity.size),
        identity_(identity) {}
  std::string path_;
  const std::byte* data_;  // page-aligned; null for an empty file
  int descriptor_;
  int64_t size_;
  FileIdentity identity_;
};

// Bytes that lie in a file.
struct FileBytes {
  std::shared_ptr<const MappedFile> file;
  int64_t offset = 0;
  int64_t size = 0;

  const std::byte* data() const { return file->data() + offset; }
  void CopyTo(int64_t from, int64_t bytes, std::byte* to) const {
    file->CopyTo(offset + from, bytes, to);
  }
};

// Bytes of a mapped file that are in use. Their pages are brought into the mapping at once,
// which takes a fraction of what faults take one by one, and leave it, not the system's cache,
// afterwards: unused pages do not count as used memory. Bytes that were not brought
// in, or were let go elsewhere, can be read all the same.
class MappedPages {
 public:
  MappedPages(std::shared_ptr<const MappedFile> file, int64_t offset, int64_t bytes);
  ~MappedPages();
  MappedPages(const MappedPages&) = delete;
  MappedPages& operator=(const MappedPages&) = delete;

 private:
  const std::shared_ptr<const MappedFile> file_;
  // Whole pages; what ends within one leaves that to what follows.
  int64_t first_ = 0;
  int64_t last_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_MAPPED_FILE_H_
