#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "evaluator/mapped_file.h"
#include "evaluator/proto_text.h"
#include "evaluator/status_macros.h"
#include "evaluator/tensor_proto.h"

namespace onnxcmp {
namespace {

absl::Status CheckLocation(absl::string_view location) {
  auto refuse = [location](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("its external data's location ", Quoted(location), " ", why));
  };
  if (location.empty() || absl::StrContains(location, '\0')) {
    return refuse("is not a file name");
  }
  if (absl::StartsWith(location, "/")) {
    return refuse("is absolute; it must be relative to the model's folder");
  }
  // Also where the path as a whole stays inside: a link on the way could make it leave.
  for (absl::string_view part : absl::StrSplit(location, '/')) {
    if (part == "..") {
      return refuse("leads out of the model's folder");
    }
  }
  return absl::OkStatus();
}

}  // namespace

struct ExternalData::Impl {
  std::string base_dir;
  absl::flat_hash_map<std::string, std::shared_ptr<const MappedFile>> files;
};

ExternalData::ExternalData(std::string base_dir) : impl_(std::make_unique<Impl>()) {
  impl_->base_dir = std::move(base_dir);
}

ExternalData::~ExternalData() = default;

absl::StatusOr<std::shared_ptr<Buffer>> ExternalData::Map(const std::string& location,
                                                          int64_t offset, int64_t length) {
  if (impl_->base_dir.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its data are in ", Quoted(location), ", but the model is not in a folder"));
  }
  OC_RETURN_IF_ERROR(CheckLocation(location));
  std::shared_ptr<const MappedFile>& file = impl_->files[location];
  if (file == nullptr) {
    OC_ASSIGN_OR_RETURN(file, MappedFile::Open(absl::StrCat(impl_->base_dir, "/", location)));
  }
  if (offset < 0 || offset > file->size() || length > file->size() - offset) {
    return absl::InvalidArgumentError(
        absl::StrCat("its data are at bytes ", offset, " + ",
                     length < 0 ? std::string("rest") : absl::StrCat(length), " of ",
                     Quoted(location), ", which has ", file->size(), " bytes"));
  }
  if (length < 0) {
    length = file->size() - offset;
  }
  return Buffer::Borrow(file->data() + offset, length, file);
}

}  // namespace onnxcmp
