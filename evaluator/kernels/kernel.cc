#include "evaluator/kernels/kernel.h"

#include <algorithm>
#include <complex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dense.h"
#include "evaluator/tensor/strided_copy.h"

namespace onnxcmp {

const Attribute* KernelInit::Find(absl::string_view name) const {
  read_.insert(std::string(name));
  if (auto it = node_->attributes.find(std::string(name)); it != node_->attributes.end()) {
    return &it->second;
  }
  if (auto it = defaults_->find(std::string(name)); it != defaults_->end()) return &it->second;
  return nullptr;
}

template <typename T>
const T* KernelInit::Get(absl::string_view name) const {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) return nullptr;
  const T* value = std::get_if<T>(attribute);
  if (value == nullptr && error_.ok()) {
    error_ = absl::InvalidArgumentError(absl::StrCat("attribute ", name, " has the wrong type"));
  }
  return value;
}

template <typename T>
T KernelInit::Required(absl::string_view name) const {
  if (const T* value = Get<T>(name)) return *value;
  if (error_.ok()) {
    error_ = absl::InvalidArgumentError(absl::StrCat("attribute ", name, " is missing"));
  }
  return T();
}

int64_t KernelInit::Int(absl::string_view name) const { return Required<int64_t>(name); }
int64_t KernelInit::Int(absl::string_view name, int64_t fallback) const {
  const int64_t* value = Get<int64_t>(name);
  return value == nullptr ? fallback : *value;
}
float KernelInit::Float(absl::string_view name) const { return Required<float>(name); }
float KernelInit::Float(absl::string_view name, float fallback) const {
  const float* value = Get<float>(name);
  return value == nullptr ? fallback : *value;
}
std::string KernelInit::String(absl::string_view name) const { return Required<std::string>(name); }
std::string KernelInit::String(absl::string_view name, absl::string_view fallback) const {
  const std::string* value = Get<std::string>(name);
  return value == nullptr ? std::string(fallback) : *value;
}

std::vector<int64_t> KernelInit::Ints(absl::string_view name) const {
  const auto* value = Get<std::vector<int64_t>>(name);
  return value == nullptr ? std::vector<int64_t>() : *value;
}
std::vector<float> KernelInit::Floats(absl::string_view name) const {
  const auto* value = Get<std::vector<float>>(name);
  return value == nullptr ? std::vector<float>() : *value;
}
std::vector<std::string> KernelInit::Strings(absl::string_view name) const {
  const auto* value = Get<std::vector<std::string>>(name);
  return value == nullptr ? std::vector<std::string>() : *value;
}
std::optional<Tensor> KernelInit::TensorAttribute(absl::string_view name) const {
  const Tensor* value = Get<Tensor>(name);
  return value == nullptr ? std::nullopt : std::optional<Tensor>(*value);
}
std::optional<SparseTensor> KernelInit::SparseAttribute(absl::string_view name) const {
  const SparseTensor* value = Get<SparseTensor>(name);
  return value == nullptr ? std::nullopt : std::optional<SparseTensor>(*value);
}
std::optional<TypeInfo> KernelInit::TypeAttribute(absl::string_view name) const {
  const TypeInfo* value = Get<TypeInfo>(name);
  return value == nullptr ? std::nullopt : std::optional<TypeInfo>(*value);
}

SubgraphId KernelInit::Subgraph(absl::string_view name) const {
  Required<std::shared_ptr<const Graph>>(name);
  auto it = std::find(subgraph_names_->begin(), subgraph_names_->end(), name);
  return static_cast<SubgraphId>(it - subgraph_names_->begin());
}

void KernelInit::Ignore(absl::string_view name) const { read_.insert(std::string(name)); }

bool KernelInit::Has(absl::string_view name) const {
  read_.insert(std::string(name));
  return node_->attributes.contains(std::string(name));
}

bool KernelInit::HasInput(int index) const {
  return index < num_inputs() && !node_->inputs[static_cast<size_t>(index)].empty();
}
bool KernelInit::HasOutput(int index) const {
  return index < num_outputs() && !node_->outputs[static_cast<size_t>(index)].empty();
}

namespace {

absl::Status WrongKind(const KernelContext& context, int index, absl::string_view kind) {
  return absl::InvalidArgumentError(
      absl::StrCat("input ", index, " must be ", kind, ", not ",
                   context.HasInput(index) ? context.InputValue(index).TypeString() : "absent"));
}

// Strings may hold more than the tensor's elements take, and grow from node to node.
absl::Status CheckCharacters(const Tensor& strings, int64_t max_tensor) {
  int64_t rest = max_tensor;
  for (const std::string& text : absl::MakeConstSpan(
           strings.string_data(), strings.is_contiguous() ? strings.num_elements() : 0)) {
    rest -= static_cast<int64_t>(text.size());
    if (rest < 0) {
      return absl::ResourceExhaustedError(absl::StrCat(strings.TypeString(), " holds more than ",
                                                       max_tensor, " bytes, which is the limit"));
    }
  }
  return strings.buffer()->ChargeText(max_tensor - rest);
}

// Before a view that shows strings several times becomes a tensor in which each has its own bytes.
absl::Status CheckCopies(const Tensor& view, int64_t max_tensor) {
  if (view.dtype() != DType::kString || view.num_elements() == 0) return absl::OkStatus();
  Shape distinct = view.shape();
  double copies = 1;
  for (size_t i = 0; i < distinct.size(); ++i) {
    if (view.strides()[i] != 0) continue;
    copies *= static_cast<double>(distinct[i]);
    distinct[i] = 1;
  }
  if (copies == 1) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(const Tensor strings,
                      view.Strided(distinct, view.strides(), view.offset()).Contiguous());
  double bytes = 0;
  for (int64_t i = 0; i < strings.num_elements(); ++i) {
    bytes += static_cast<double>(strings.string_data()[i].size()) * copies;
  }
  if (bytes <= static_cast<double>(max_tensor)) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(view.TypeString(), " would hold ", bytes, " bytes; the limit is ", max_tensor));
}

}  // namespace

absl::StatusOr<Tensor> KernelContext::TensorInput(int index) const {
  if (HasInput(index) && InputValue(index).is_tensor()) return Input(index);
  return WrongKind(*this, index, "a tensor");
}
absl::StatusOr<const Sequence*> KernelContext::SequenceInput(int index) const {
  if (HasInput(index) && InputValue(index).is_sequence()) return &InputValue(index).sequence();
  return WrongKind(*this, index, "a sequence");
}
absl::StatusOr<const Optional*> KernelContext::OptionalInput(int index) const {
  if (HasInput(index) && InputValue(index).is_optional()) return &InputValue(index).optional();
  return WrongKind(*this, index, "an optional");
}
absl::StatusOr<const Map*> KernelContext::MapInput(int index) const {
  if (!HasInput(index) || !InputValue(index).is_map()) return WrongKind(*this, index, "a map");
  const Map& map = InputValue(index).map();
  if (!map.values->is_tensor()) return WrongKind(*this, index, "a map of scalars");
  return &map;
}
absl::StatusOr<const SparseTensor*> KernelContext::SparseInput(int index) const {
  if (HasInput(index) && InputValue(index).is_sparse()) return &InputValue(index).sparse();
  return WrongKind(*this, index, "a sparse tensor");
}

absl::StatusOr<std::vector<int64_t>> KernelContext::IntsInput(int index) const {
  OC_ASSIGN_OR_RETURN(Tensor tensor, ContiguousInput(index));
  if (!IsInteger(tensor.dtype())) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", index, " must hold integers, not ", tensor.TypeString()));
  }
  std::vector<int64_t> values(static_cast<size_t>(tensor.num_elements()));
  LoadElements(tensor.dtype(), tensor.raw_data(), 0, tensor.num_elements(), values.data());
  return values;
}

template <typename C>
absl::StatusOr<C> KernelContext::ScalarInput(int index) const {
  OC_ASSIGN_OR_RETURN(const Tensor tensor, TensorInput(index));
  if (tensor.num_elements() != 1 || tensor.dtype() == DType::kString) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", index, " must hold one number, not ", tensor.TypeString()));
  }
  C value;
  LoadElements(tensor.dtype(), tensor.raw_data(), 0, 1, &value);
  return value;
}
template absl::StatusOr<float> KernelContext::ScalarInput<float>(int) const;
template absl::StatusOr<double> KernelContext::ScalarInput<double>(int) const;
template absl::StatusOr<int64_t> KernelContext::ScalarInput<int64_t>(int) const;
template absl::StatusOr<uint64_t> KernelContext::ScalarInput<uint64_t>(int) const;
template absl::StatusOr<bool> KernelContext::ScalarInput<bool>(int) const;
template absl::StatusOr<std::complex<double>> KernelContext::ScalarInput<std::complex<double>>(
    int) const;

absl::StatusOr<Tensor> KernelContext::ContiguousInput(int index) const {
  OC_ASSIGN_OR_RETURN(const Tensor input, TensorInput(index));
  return Contiguous(input);
}

absl::StatusOr<Tensor> KernelContext::Contiguous(const Tensor& tensor) const {
  if (tensor.is_contiguous()) return tensor;
  OC_RETURN_IF_ERROR(CheckCopies(tensor, max_tensor_));
  OC_ASSIGN_OR_RETURN(Tensor copy, Allocate(tensor.dtype(), tensor.shape()));
  CopyToContiguous(tensor, &copy, pool_);
  return copy;
}

absl::Status KernelContext::CheckSize(DType dtype, absl::Span<const int64_t> shape) const {
  return CheckTensorSize(dtype, shape, max_tensor_);
}

absl::StatusOr<Tensor> KernelContext::Allocate(DType dtype, absl::Span<const int64_t> shape) const {
  OC_RETURN_IF_ERROR(CheckSize(dtype, shape));
  return Tensor::Allocate(dtype, shape, account_);
}

int KernelContext::UnreadInput() const {
  const int known = std::min(num_inputs(), 64);
  for (int i = 0; i < known; ++i) {
    if (!inputs_[static_cast<size_t>(i)].empty() && (asked_.load() >> i & 1) == 0) return i;
  }
  return -1;
}

absl::Status KernelContext::SetOutput(int index, Value value) {
  if (value.is_tensor() && value.tensor().dtype() == DType::kString) {
    OC_RETURN_IF_ERROR(CheckCharacters(value.tensor(), max_tensor_));
  }
  if (HasOutput(index)) outputs_[static_cast<size_t>(index)] = std::move(value);
  return absl::OkStatus();
}

}  // namespace onnxcmp
