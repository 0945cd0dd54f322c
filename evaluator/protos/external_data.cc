#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/protos/cut_weights.h"
#include "evaluator/protos/tensor_proto.h"
#include "evaluator/tensor/aligned_copies.h"
#include "evaluator/tensor/shared_weights.h"

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

// A link in an untrusted folder would make any file a constant, which reports print.
absl::Status CheckLinks(const std::string& base_dir, const std::string& model,
                        const std::string& location) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::canonical(base_dir, error);
  if (error) return absl::OkStatus();  // opening it says so
  const std::filesystem::path file = std::filesystem::canonical(folder / location, error);
  if (error) return absl::OkStatus();
  const auto holds = [&file](const std::filesystem::path& around) {
    return std::mismatch(around.begin(), around.end(), file.begin(), file.end()).first ==
           around.end();
  };
  if (holds(folder)) return absl::OkStatus();
  const std::filesystem::path real = std::filesystem::canonical(model, error);
  if (!error && holds(real.parent_path())) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(
      "its external data's location ", Quoted(location),
      " is a link out of the model's folder, which is followed only if that is asked for "
      "(--follow-links, follow_links)"));
}

}  // namespace

struct ExternalData::Impl {
  // Smaller ones are not worth looking for.
  static constexpr int64_t kLeastShared = 4096;

  absl::StatusOr<std::shared_ptr<const MappedFile>> Open(const std::string& path) const {
    return shared != nullptr ? shared->Open(path) : MappedFile::Open(path);
  }

  std::string base_dir;
  std::string model_path;  // "": the folder is that of no model
  bool follow_links = false;
  std::shared_ptr<SharedWeights> shared;  // null: this model is alone
  absl::flat_hash_map<std::string, std::shared_ptr<const MappedFile>> files;
  std::shared_ptr<const MappedFile> model;
  std::vector<absl::string_view> weights;
  std::shared_ptr<AlignedCopies> copies = std::make_shared<AlignedCopies>();
};

ExternalData::ExternalData(std::string folder, bool follow_links)
    : impl_(std::make_unique<Impl>()) {
  impl_->base_dir = std::move(folder);
  impl_->follow_links = follow_links;
}

ExternalData ExternalData::OfModel(const std::string& path, bool follow_links,
                                   std::shared_ptr<SharedWeights> weights) {
  const size_t slash = path.rfind('/');
  ExternalData data(slash == std::string::npos ? "."
                    : slash == 0               ? "/"
                                               : path.substr(0, slash),
                    follow_links);
  data.impl_->model_path = path;
  data.impl_->shared = std::move(weights);
  return data;
}

ExternalData::ExternalData(ExternalData&& other) noexcept = default;
ExternalData::~ExternalData() = default;

absl::StatusOr<FileBytes> ExternalData::Map(const std::string& location, int64_t offset,
                                            int64_t length) {
  if (impl_->base_dir.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("its data are in ", Quoted(location), ", but the model is not in a folder"));
  }
  OC_RETURN_IF_ERROR(CheckLocation(location));
  std::shared_ptr<const MappedFile>& file = impl_->files[location];
  if (file == nullptr) {
    if (!impl_->follow_links)
      OC_RETURN_IF_ERROR(CheckLinks(impl_->base_dir, impl_->model_path, location));
    OC_ASSIGN_OR_RETURN(file, impl_->Open(absl::StrCat(impl_->base_dir, "/", location)));
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
  return FileBytes{file, offset, length};
}

void ExternalData::SetCut(std::shared_ptr<const MappedFile> file,
                          std::vector<absl::string_view> weights) {
  impl_->model = std::move(file);
  impl_->weights = std::move(weights);
}

std::optional<FileBytes> ExternalData::FindCut(absl::string_view raw_data) const {
  if (impl_->weights.empty()) return std::nullopt;
  const std::optional<size_t> number = CutNumber(raw_data);
  if (!number.has_value()) return std::nullopt;
  const absl::string_view weights = impl_->weights.at(*number);
  return FileBytes{impl_->model, weights.data() - impl_->model->bytes().data(),
                   static_cast<int64_t>(weights.size())};
}

absl::StatusOr<std::shared_ptr<Buffer>> ExternalData::Take(const FileBytes& bytes,
                                                           uintptr_t alignment) {
  if (impl_->shared != nullptr && bytes.size >= Impl::kLeastShared) {
    return impl_->shared->Take(bytes, alignment);
  }
  return BorrowAligned(bytes, alignment, impl_->copies);
}

}  // namespace onnxcmp
