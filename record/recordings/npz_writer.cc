#include "record/recordings/npz_writer.h"

#include <zip.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/base/os/files.h"
#include "evaluator/base/status_macros.h"
#include "record/recordings/npy.h"

namespace onnxcmp {
namespace {

absl::Status FileError(absl::string_view path, int error) {
  return absl::UnavailableError(
      absl::StrCat("cannot write ", path, ": ", std::generic_category().message(error)));
}

absl::Status ZipError(absl::string_view path, zip_t* archive) {
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", zip_strerror(archive)));
}

}  // namespace

NpzWriter::NpzWriter(std::string path, std::string folder, std::FILE* pieces)
    : path_(std::move(path)), folder_(std::move(folder)), pieces_(pieces) {}

NpzWriter::~NpzWriter() {
  if (pieces_ != nullptr) {
    std::fclose(pieces_);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

absl::StatusOr<std::unique_ptr<NpzWriter>> NpzWriter::Create(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return FileError(path, EISDIR);
  }
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  std::string folder = (parent / ".onnxcmp-XXXXXX").string();
  if (const int failed = MakeUniqueFolder(&folder); failed != 0) {
    return FileError(path, failed);
  }
  const std::string pieces = absl::StrCat(folder, "/pieces");
  std::FILE* file = std::fopen(pieces.c_str(), "wb");
  if (file == nullptr) {
    const int reason = errno;
    std::filesystem::remove_all(folder, error);
    return FileError(pieces, reason);
  }
  return std::unique_ptr<NpzWriter>(new NpzWriter(path, std::move(folder), file));
}

absl::Status NpzWriter::Write(absl::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), pieces_) != bytes.size()) {
    return FileError(path_, errno);
  }
  size_ += static_cast<int64_t>(bytes.size());
  return absl::OkStatus();
}

absl::StatusOr<NpzWriter::Piece> NpzWriter::AddArray(const Tensor& tensor) {
  const int64_t offset = size_;
  OC_RETURN_IF_ERROR(WriteNpy(tensor, [this](absl::string_view bytes) { return Write(bytes); }));
  return Piece{offset, size_ - offset};
}

absl::StatusOr<NpzWriter::Piece> NpzWriter::AddText(absl::string_view text) {
  const int64_t offset = size_;
  OC_RETURN_IF_ERROR(Write(text));
  return Piece{offset, size_ - offset};
}

absl::Status NpzWriter::Finish(const std::vector<Entry>& entries) {
  if (std::fclose(std::exchange(pieces_, nullptr)) != 0) {
    return FileError(path_, errno);
  }
  const std::string pieces = absl::StrCat(folder_, "/pieces");
  const std::string made = absl::StrCat(folder_, "/archive");
  int code = 0;
  zip_t* archive = zip_open(made.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (archive == nullptr) {
    return FileError(path_, errno);
  }
  for (const Entry& entry : entries) {
    zip_source_t* source = zip_source_file(
        archive, pieces.c_str(), static_cast<zip_uint64_t>(entry.piece.offset), entry.piece.size);
    const zip_int64_t index =
        source == nullptr ? -1
                          : zip_file_add(archive, entry.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    // The same time for all files, 1980-01-01, so that the same run gives the same bytes.
    if (index < 0 ||
        zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), 0, 0x21, 0) != 0) {
      absl::Status status = ZipError(path_, archive);
      if (index < 0 && source != nullptr) {
        zip_source_free(source);
      }
      zip_discard(archive);
      return status;
    }
  }
  if (zip_close(archive) != 0) {
    absl::Status status = ZipError(path_, archive);
    zip_discard(archive);
    return status;
  }
  if (const int error = SyncPath(made); error != 0) {
    return FileError(path_, error);
  }
  if (const int error = RenameOver(made, path_); error != 0) {
    return FileError(path_, error);
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
