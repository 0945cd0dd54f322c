#include "evaluator/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "evaluator/proto_text.h"

namespace onnxcmp {

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  auto refuse = [&path](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("cannot read ", Quoted(path), ": ", why));
  };
  // O_NONBLOCK: opening a pipe that nobody writes to would wait forever.
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
  if (info.st_size == 0) {  // which mmap refuses
    return std::shared_ptr<const MappedFile>(new MappedFile(nullptr, 0));
  }
  void* data = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, descriptor,
                    /*offset=*/0);
  if (data == MAP_FAILED) {
    return refuse(std::strerror(errno));
  }
  return std::shared_ptr<const MappedFile>(
      new MappedFile(static_cast<const std::byte*>(data), info.st_size));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    munmap(const_cast<std::byte*>(data_), static_cast<size_t>(size_));
  }
}

}  // namespace onnxcmp
