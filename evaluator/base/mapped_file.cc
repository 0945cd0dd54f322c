#include "evaluator/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/proto_text.h"

namespace onnxcmp {
namespace {

FileIdentity IdentityOf(const struct stat& info) {
  return {info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  auto refuse = [&path](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("cannot read ", Quoted(path), ": ", why));
  };
  // O_NONBLOCK: opening a pipe without a writer would wait forever.
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return refuse(std::strerror(errno));
  }
  absl::Cleanup closer = [descriptor] { close(descriptor); };
  struct stat info {};
  if (fstat(descriptor, &info) != 0) {
    return refuse(std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return refuse(S_ISDIR(info.st_mode) ? "it is a folder" : "it is not a regular file");
  }
  const FileIdentity identity = IdentityOf(info);
  void* data = nullptr;
  if (info.st_size > 0) {  // else mmap refuses
    data = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, descriptor,
                /*offset=*/0);
    if (data == MAP_FAILED) {
      return refuse(std::strerror(errno));
    }
  }
  std::move(closer).Cancel();
  return std::shared_ptr<const MappedFile>(
      new MappedFile(path, static_cast<const std::byte*>(data), descriptor, identity));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    munmap(const_cast<std::byte*>(data_), static_cast<size_t>(size_));
  }
  close(descriptor_);
}

bool MappedFile::IsUnchanged() const {
  struct stat info {};
  return fstat(descriptor_, &info) == 0 && IdentityOf(info) == identity_;
}

void MappedFile::CopyTo(int64_t offset, int64_t bytes, std::byte* to) const {
  while (bytes > 0) {
    const ssize_t got = pread(descriptor_, to, static_cast<size_t>(bytes), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // damaged or cut short: the mapping says so in its own way
    offset += got;
    to += got;
    bytes -= got;
  }
  if (bytes > 0) std::memcpy(to, data_ + offset, static_cast<size_t>(bytes));
}

MappedPages::MappedPages(std::shared_ptr<const MappedFile> file, int64_t offset, int64_t bytes)
    : file_(std::move(file)) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  if (page <= 0 || bytes <= 0) return;
  first_ = offset / page * page;
  const int64_t end = offset + bytes;
  last_ = end == file_->size() ? end : end / page * page;
#ifdef MADV_POPULATE_READ
  // Only a hint, as the one below: may fail.
  if (last_ > first_) {
    madvise(const_cast<std::byte*>(file_->data_) + first_, static_cast<size_t>(end - first_),
            MADV_POPULATE_READ);
  }
#endif
}

MappedPages::~MappedPages() {
  if (last_ <= first_) return;
  madvise(const_cast<std::byte*>(file_->data_) + first_, static_cast<size_t>(last_ - first_),
          MADV_DONTNEED);
}

}  // namespace onnxcmp
