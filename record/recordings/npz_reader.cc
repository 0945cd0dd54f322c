#include "record/recordings/npz_reader.h"

#include <zip.h>

#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

// The greatest compression ratio of deflate; an entry that claims more is invalid.
constexpr uint64_t kMaxDeflateRatio = 1032;

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

class EntrySource : public ByteSource {
 public:
  EntrySource(zip_file_t* file, int64_t size) : file_(file), remaining_(size) {}

  absl::Status Read(void* out, int64_t size) override {
    if (size > remaining_) {
      return absl::InvalidArgumentError("the entry ends too early");
    }
    auto* bytes = static_cast<char*>(out);
    while (size > 0) {
      const zip_int64_t got = zip_fread(file_, bytes, static_cast<zip_uint64_t>(size));
      if (got <= 0) {
        return Damaged();
      }
      bytes += got;
      size -= got;
      remaining_ -= got;
    }
    return absl::OkStatus();
  }

  int64_t remaining() const override { return remaining_; }

  // The checksum is verified at the end.
  absl::Status ExpectEnd() {
    char byte;
    return zip_fread(file_, &byte, 1) == 0 ? absl::OkStatus() : Damaged();
  }

 private:
  absl::Status Damaged() {
    return absl::InvalidArgumentError(
        absl::StrCat("the entry is damaged: ", zip_file_strerror(file_)));
  }
  zip_file_t* file_;
  int64_t remaining_;
};

absl::Status AtEntry(absl::string_view name, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("entry '", name, "': ", status.message()));
}

}  // namespace

struct NpzReader::Impl {
  std::unique_ptr<zip_t, CloseArchive> archive;
  uint64_t file_size = 0;
  int64_t max_tensor = 0;
  std::vector<zip_uint64_t> entries;  // by array
  absl::flat_hash_map<std::string, size_t> index;
  absl::flat_hash_map<std::string, zip_uint64_t> others;  // entries that are no arrays

  struct Open {
    std::unique_ptr<zip_file_t, CloseEntry> file;
    int64_t size = 0;
  };
  absl::StatusOr<Open> OpenEntry(zip_uint64_t entry) const {
    zip_stat_t stat;
    constexpr zip_uint64_t kNeeded =
        ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(archive.get(), entry, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded) {
      return absl::InvalidArgumentError("the archive is damaged");
    }
    if (stat.encryption_method != ZIP_EM_NONE) {
      return absl::UnimplementedError("it is encrypted");
    }
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
      return absl::UnimplementedError("it is neither stored nor deflated");
    }
    const uint64_t ratio = stat.comp_method == ZIP_CM_STORE ? 1 : kMaxDeflateRatio;
    if (stat.comp_size > file_size || stat.size / ratio > stat.comp_size ||
        stat.size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return absl::InvalidArgumentError(absl::StrCat("it cannot hold ", stat.size, " bytes in ",
                                                     stat.comp_size, " bytes of the file"));
    }
    Open open;
    open.file.reset(zip_fopen_index(archive.get(), entry, 0));
    if (open.file == nullptr) {
      return absl::InvalidArgumentError(zip_strerror(archive.get()));
    }
    open.size = static_cast<int64_t>(stat.size);
    return open;
  }
};

NpzReader::NpzReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NpzReader::NpzReader(NpzReader&&) noexcept = default;
NpzReader& NpzReader::operator=(NpzReader&&) noexcept = default;
NpzReader::~NpzReader() = default;

absl::StatusOr<NpzReader> NpzReader::Open(const std::string& path, int64_t max_tensor) {
  int code = 0;
  auto impl = std::make_unique<Impl>();
  impl->max_tensor = max_tensor;
  impl->archive.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (impl->archive == nullptr) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string message = absl::StrCat(path, ": ", zip_error_strerror(&error));
    zip_error_fini(&error);
    return code == ZIP_ER_OPEN || code == ZIP_ER_NOENT || code == ZIP_ER_READ
               ? absl::NotFoundError(message)
               : absl::InvalidArgumentError(message);
  }
  std::error_code error;
  impl->file_size = std::filesystem::file_size(path, error);
  if (error) {
    return absl::NotFoundError(absl::StrCat(path, ": ", error.message()));
  }
  NpzReader reader(std::move(impl));
  const zip_int64_t entries = zip_get_num_entries(reader.impl_->archive.get(), 0);
  for (zip_int64_t i = 0; i < entries; ++i) {
    const zip_uint64_t entry = static_cast<zip_uint64_t>(i);
    const char* raw = zip_get_name(reader.impl_->archive.get(), entry, ZIP_FL_ENC_GUESS);
    if (raw == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": the archive is damaged"));
    }
    absl::string_view name = raw;
    if (!absl::ConsumeSuffix(&name, ".npy")) {
      if (reader.impl_->others.insert_or_assign(raw, entry).second) {
        reader.other_names_.emplace_back(raw);
      }
      continue;
    }
    const auto [it, added] =
        reader.impl_->index.try_emplace(std::string(name), reader.names_.size());
    if (added) {
      reader.names_.emplace_back(name);
      reader.impl_->entries.push_back(entry);
    } else {
      reader.impl_->entries[it->second] = entry;
    }
  }
  return reader;
}

std::optional<size_t> NpzReader::Find(absl::string_view name) const {
  const auto it = impl_->index.find(name);
  return it == impl_->index.end() ? std::nullopt : std::optional<size_t>(it->second);
}

absl::StatusOr<NpyArray> NpzReader::ReadArray(size_t index) const {
  auto open = impl_->OpenEntry(impl_->entries[index]);
  if (!open.ok()) {
    return AtEntry(names_[index], open.status());
  }
  EntrySource source(open->file.get(), open->size);
  absl::StatusOr<NpyArray> array = ReadNpy(source, impl_->max_tensor);
  if (!array.ok()) {
    return AtEntry(names_[index], array.status());
  }
  if (absl::Status end = source.ExpectEnd(); !end.ok()) {
    return AtEntry(names_[index], end);
  }
  return array;
}

absl::StatusOr<std::optional<std::string>> NpzReader::ReadText(const std::string& entry) const {
  // No text of ours is nearly that long.
  constexpr int64_t kMaxText = int64_t{1} << 30;
  const auto it = impl_->others.find(entry);
  if (it == impl_->others.end()) {
    return std::nullopt;
  }
  auto open = impl_->OpenEntry(it->second);
  if (!open.ok()) {
    return AtEntry(entry, open.status());
  }
  if (open->size > kMaxText) {
    return AtEntry(entry,
                   absl::ResourceExhaustedError(absl::StrCat("it has ", open->size, " bytes")));
  }
  EntrySource source(open->file.get(), open->size);
  std::string text(static_cast<size_t>(open->size), '\0');
  absl::Status status = source.Read(text.data(), open->size);
  if (status.ok()) {
    status = source.ExpectEnd();
  }
  if (!status.ok()) {
    return AtEntry(entry, status);
  }
  return text;
}

}  // namespace onnxcmp
