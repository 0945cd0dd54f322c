#include "feed/input_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "record/recordings/data_sets.h"

namespace onnxcmp {
namespace {

absl::StatusOr<Tensor> Slice(const Tensor& tensor, int64_t i) {
  if (IsSubByte(tensor.dtype())) {
    return absl::UnimplementedError(
        absl::StrCat("slices of ", tensor.TypeString(), ", whose elements share bytes"));
  }
  const Shape shape(tensor.shape().begin() + 1, tensor.shape().end());
  const Shape strides(tensor.strides().begin() + 1, tensor.strides().end());
  return tensor.Strided(shape, strides, tensor.offset() + i * tensor.strides()[0]);
}

}  // namespace

absl::StatusOr<InputFiles> InputFiles::Open(const std::string& path, bool each,
                                            int64_t max_tensor) {
  InputFiles files;
  files.names_ = DataSets(path);
  for (const std::string& name : files.names_) {
    OC_ASSIGN_OR_RETURN(FeedFile file, FeedFile::Open(absl::StrCat(path, "/", name), max_tensor));
    files.files_.push_back(std::move(file));
  }
  if (files.files_.empty()) {
    OC_ASSIGN_OR_RETURN(files.files_, FeedFile::OpenSets(path, max_tensor));
    for (const FeedFile& file : files.files_) files.names_.push_back(file.set());
    files.each_ = each && files.files_.size() == 1 && !files.files_[0].is_folder();
  }
  if (files.each_) OC_RETURN_IF_ERROR(files.CountSlices());
  return files;
}

absl::StatusOr<InputFiles> InputFiles::Of(const std::string& source, std::vector<RecordedSet> sets,
                                          bool each, bool by_name) {
  InputFiles files;
  files.by_name_ = by_name;
  files.each_ = each && sets.size() == 1;
  for (RecordedSet& set : sets) {
    files.names_.push_back(set.name);
    files.files_.push_back(FeedFile::Of(source, std::move(set)));
  }
  if (files.each_) OC_RETURN_IF_ERROR(files.CountSlices());
  return files;
}

absl::Status InputFiles::CountSlices() {
  FeedFile& file = files_[0];
  for (size_t i = 0; i < file.size(); ++i) {
    OC_ASSIGN_OR_RETURN(const NamedValue value, file.Read(i));
    if (!value.value.is_tensor() || value.value.tensor().rank() == 0) {
      return absl::InvalidArgumentError(absl::StrCat(file.path(), ": ", value.name, " ",
                                                     value.value.TypeString(),
                                                     " has no leading axis to take slices along"));
    }
    const int64_t size = value.value.tensor().dim(0);
    if (i > 0 && size != slices_) {
      return absl::InvalidArgumentError(
          absl::StrCat(file.path(), ": the leading axes differ: ", file.name(0), " has ", slices_,
                       " slices, ", value.name, " ", size));
    }
    slices_ = size;
  }
  if (slices_ == 0) {
    return absl::InvalidArgumentError(absl::StrCat(file.path(), ": there are no slices"));
  }
  return absl::OkStatus();
}

std::string InputFiles::Name(int64_t set) const {
  return each_ ? absl::StrCat("[", set, "]") : names_[static_cast<size_t>(set)];
}

absl::StatusOr<NamedValue> InputFiles::Read(int64_t set, size_t i) {
  OC_ASSIGN_OR_RETURN(NamedValue value, file(set).Read(i));
  if (each_) {
    OC_ASSIGN_OR_RETURN(value.value, Slice(value.value.tensor(), set));
  }
  return value;
}

std::string InputsBeside(const std::string& left, const std::string& right) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::path(left).parent_path();
  const fs::path left_folder = fs::weakly_canonical(folder.empty() ? "." : folder, error);
  const fs::path other = fs::path(right).parent_path();
  const fs::path right_folder = fs::weakly_canonical(other.empty() ? "." : other, error);
  if (error || left_folder != right_folder) return "";
  const std::string data = folder.empty() ? "." : folder.string();
  const std::vector<std::string> sets = DataSets(data);
  if (sets.empty()) return "";
  return sets.size() == 1 ? absl::StrCat(data, "/", sets[0]) : data;
}

}  // namespace onnxcmp
