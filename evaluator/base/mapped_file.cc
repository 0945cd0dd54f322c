#include "evaluator/base/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/os/files.h"
#include "evaluator/base/os/pages.h"
#include "evaluator/base/proto_text.h"

namespace onnxcmp {
namespace {

FileIdentity IdentityOf(const FileStatus& status) {
  return {status.device, status.inode, status.size, status.modified, status.modified_nanos};
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  auto refuse = [&path](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("cannot read ", Quoted(path), ": ", why));
  };
  const int descriptor = OpenToRead(path);
  if (descriptor < 0) {
    return refuse(std::strerror(errno));
  }
  absl::Cleanup closer = [descriptor] { CloseFile(descriptor); };
  FileStatus status;
  if (!StatusOfFile(descriptor, &status)) {
    return refuse(std::strerror(errno));
  }
  if (status.kind != FileKind::kRegular) {
    return refuse(status.kind == FileKind::kFolder ? "it is a folder" : "it is not a regular file");
  }
  const std::byte* data = nullptr;
  if (status.size > 0) {  // else the system refuses
    data = MapFile(descriptor, status.size);
    if (data == nullptr) return refuse(std::strerror(errno));
  }
  std::move(closer).Cancel();
  return std::shared_ptr<const MappedFile>(
      new MappedFile(path, data, descriptor, IdentityOf(status)));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) UnmapFile(data_, size_);
  CloseFile(descriptor_);
}

bool MappedFile::IsUnchanged() const {
  FileStatus status;
  return StatusOfFile(descriptor_, &status) && IdentityOf(status) == identity_;
}

void MappedFile::CopyTo(int64_t offset, int64_t bytes, std::byte* to) const {
  while (bytes > 0) {
    const int64_t got = ReadAt(descriptor_, offset, to, bytes);
    if (got <= 0) break;  // damaged or cut short: the mapping says so in its own way
    offset += got;
    to += got;
    bytes -= got;
  }
  if (bytes > 0) std::memcpy(to, data_ + offset, static_cast<size_t>(bytes));
}

MappedPages::MappedPages(std::shared_ptr<const MappedFile> file, int64_t offset, int64_t bytes)
    : file_(std::move(file)) {
  const auto page = static_cast<int64_t>(PageSize());
  if (page <= 0 || bytes <= 0) return;
  first_ = offset / page * page;
  const int64_t end = offset + bytes;
  last_ = end == file_->size() ? end : end / page * page;
  if (last_ > first_) BringFilePages(file_->data_ + first_, end - first_);
}

MappedPages::~MappedPages() {
  if (last_ > first_) DropFilePages(file_->data_ + first_, last_ - first_);
}

}  // namespace onnxcmp
