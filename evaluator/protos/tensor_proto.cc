#include "evaluator/protos/tensor_proto.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/packed_bits.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

// No element of a packed tensor lies in the last byte's upper bits: they are 0 when bytes are
// compared, and in files.
uint8_t MaskOfLastByte(DType dtype, int64_t elements) {
  const int64_t used_bits = elements * BitWidth(dtype) % 8;
  return static_cast<uint8_t>(used_bits == 0 ? 0xff : (1 << used_bits) - 1);
}

constexpr int64_t kWorthBorrowing = 4096;  // bytes

// The numbers of DType are those of the file format.
constexpr bool Same(DType dtype, onnx::TensorProto::DataType data_type) {
  return static_cast<int>(dtype) == static_cast<int>(data_type);
}
// An older ONNX does not know float6 (ONNX 1.23 brought it).
template <typename Proto>
constexpr bool SameFloat6() {
  if constexpr (requires { Proto::FLOAT6E3M2; }) {
    return Same(DType::kFloat6E2M3, Proto::FLOAT6E2M3) &&
           Same(DType::kFloat6E3M2, Proto::FLOAT6E3M2);
  }
  return true;
}
static_assert(Same(DType::kFloat, onnx::TensorProto::FLOAT) &&
              Same(DType::kUint8, onnx::TensorProto::UINT8) &&
              Same(DType::kInt8, onnx::TensorProto::INT8) &&
              Same(DType::kUint16, onnx::TensorProto::UINT16) &&
              Same(DType::kInt16, onnx::TensorProto::INT16) &&
              Same(DType::kInt32, onnx::TensorProto::INT32) &&
              Same(DType::kInt64, onnx::TensorProto::INT64) &&
              Same(DType::kString, onnx::TensorProto::STRING) &&
              Same(DType::kBool, onnx::TensorProto::BOOL) &&
              Same(DType::kFloat16, onnx::TensorProto::FLOAT16) &&
              Same(DType::kDouble, onnx::TensorProto::DOUBLE) &&
              Same(DType::kUint32, onnx::TensorProto::UINT32) &&
              Same(DType::kUint64, onnx::TensorProto::UINT64) &&
              Same(DType::kComplex64, onnx::TensorProto::COMPLEX64) &&
              Same(DType::kComplex128, onnx::TensorProto::COMPLEX128) &&
              Same(DType::kBfloat16, onnx::TensorProto::BFLOAT16) &&
              Same(DType::kFloat8E4M3FN, onnx::TensorProto::FLOAT8E4M3FN) &&
              Same(DType::kFloat8E4M3FNUZ, onnx::TensorProto::FLOAT8E4M3FNUZ) &&
              Same(DType::kFloat8E5M2, onnx::TensorProto::FLOAT8E5M2) &&
              Same(DType::kFloat8E5M2FNUZ, onnx::TensorProto::FLOAT8E5M2FNUZ) &&
              Same(DType::kUint4, onnx::TensorProto::UINT4) &&
              Same(DType::kInt4, onnx::TensorProto::INT4) &&
              Same(DType::kFloat4E2M1, onnx::TensorProto::FLOAT4E2M1) &&
              Same(DType::kFloat8E8M0, onnx::TensorProto::FLOAT8E8M0) &&
              Same(DType::kUint2, onnx::TensorProto::UINT2) &&
              Same(DType::kInt2, onnx::TensorProto::INT2) && SameFloat6<onnx::TensorProto>());

// "[2,3]".
std::string Dims(const Shape& shape) {
  return absl::StrCat("[", OneLine(absl::StrJoin(shape, ",")), "]");
}

// A tensor's message on its way to a tensor.
class Reader {
 public:
  Reader(const onnx::TensorProto& proto, std::shared_ptr<const void> owner, ExternalData* external)
      : proto_(proto), owner_(std::move(owner)), external_(external) {}

  absl::StatusOr<Tensor> Read() {
    OC_RETURN_IF_ERROR(ReadType());
    if (proto_.has_segment()) {
      return absl::UnimplementedError("tensors in segments are not supported");
    }
    const bool is_external = proto_.data_location() == onnx::TensorProto::EXTERNAL;
    int fields = (proto_.has_raw_data() && !proto_.raw_data().empty()) +
                 (proto_.float_data_size() > 0) + (proto_.int32_data_size() > 0) +
                 (proto_.int64_data_size() > 0) + (proto_.uint64_data_size() > 0) +
                 (proto_.double_data_size() > 0) + (proto_.string_data_size() > 0) + is_external;
    if (fields > 1) {
      return absl::InvalidArgumentError("its data are given more than once");
    }
    if (is_external) return ReadExternal();
    if (proto_.has_raw_data() && dtype_ != DType::kString) {
      if (external_ != nullptr) {
        if (const auto cut = external_->FindCut(proto_.raw_data())) return FromFile(*cut);
      }
      return FromBytes(proto_.raw_data().data(), static_cast<int64_t>(proto_.raw_data().size()),
                       owner_);
    }
    return ReadTyped();
  }

 private:
  absl::Status ReadType() {
    int data_type = proto_.data_type();
    if (data_type <= 0 || data_type >= kNumDTypes) {
      return absl::InvalidArgumentError(
          data_type == 0 ? "it has no element type"
                         : absl::StrCat("element type ", data_type, " is unknown"));
    }
    dtype_ = static_cast<DType>(data_type);
    shape_.assign(proto_.dims().begin(), proto_.dims().end());
    std::optional<int64_t> elements = NumElements(shape_);
    std::optional<int64_t> bytes =
        elements.has_value() ? ByteSize(dtype_, *elements) : std::nullopt;
    if (!bytes.has_value()) {
      bool negative = std::any_of(shape_.begin(), shape_.end(), [](int64_t d) { return d < 0; });
      return absl::InvalidArgumentError(absl::StrCat(
          "its shape ", Dims(shape_), negative ? " has a negative dimension" : " is too large"));
    }
    elements_ = *elements;
    bytes_ = *bytes;
    return absl::OkStatus();
  }

  std::string TypeString() const { return absl::StrCat(DTypeName(dtype_), Dims(shape_)); }

  absl::StatusOr<Tensor> ReadExternal() {
    if (dtype_ == DType::kString) {
      return absl::InvalidArgumentError("strings cannot be external data");
    }
    std::string location;
    int64_t offset = 0;
    int64_t length = bytes_;
    for (const onnx::StringStringEntryProto& entry : proto_.external_data()) {
      int64_t* number = entry.key() == "offset"   ? &offset
                        : entry.key() == "length" ? &length
                                                  : nullptr;
      if (entry.key() == "location") {
        location = entry.value();
      } else if (number != nullptr && (!absl::SimpleAtoi(entry.value(), number) || *number < 0)) {
        return absl::InvalidArgumentError(absl::StrCat("its external data's ", entry.key(), " ",
                                                       Quoted(entry.value()), " is no size"));
      }
    }
    if (external_ == nullptr) {
      return absl::InvalidArgumentError("its data are external, which is not possible here");
    }
    if (length != bytes_) return SizeError(length);
    OC_ASSIGN_OR_RETURN(const FileBytes bytes, external_->Map(location, offset, length));
    return FromFile(bytes);
  }

  absl::StatusOr<Tensor> FromFile(const FileBytes& bytes) {
    if (bytes.size != bytes_) return SizeError(bytes.size);
    if (bytes.size == 0 || !IsClean(bytes.data())) {
      return FromBytes(bytes.data(), bytes.size, /*owner=*/nullptr);
    }
    OC_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, external_->Take(bytes, Alignment()));
    return Tensor::FromBuffer(dtype_, shape_, std::move(buffer));
  }

  uint8_t LastMask() const { return MaskOfLastByte(dtype_, elements_); }

  // True if bytes_ > 0 bytes can be used as they are. Other bytes than 0 and 1 are no bool to the
  // compiler. Most are not looked at: they may be in a file.
  bool IsClean(const void* data) const {
    const auto* bytes = static_cast<const uint8_t*>(data);
    if (dtype_ == DType::kBool) {
      return std::all_of(bytes, bytes + bytes_, [](uint8_t b) { return b <= 1; });
    }
    const uint8_t mask = LastMask();
    return mask == 0xff || (bytes[bytes_ - 1] & ~mask) == 0;
  }

  uintptr_t Alignment() const {
    return static_cast<uintptr_t>(std::clamp(BitWidth(dtype_) / 8, 1, 8));
  }

  absl::Status SizeError(int64_t bytes) const {
    return absl::InvalidArgumentError(
        absl::StrCat("it holds ", bytes, " bytes where ", TypeString(), " needs ", bytes_));
  }

  // Borrows the bytes if `owner` keeps them and they can be used as they are, else copies them.
  // What is small is copied: who borrows keeps the whole message in memory, of a model all nodes.
  absl::StatusOr<Tensor> FromBytes(const void* data, int64_t size,
                                   const std::shared_ptr<const void>& owner) {
    if (size != bytes_) return SizeError(size);
    const auto* bytes = static_cast<const uint8_t*>(data);
    if (owner != nullptr && size >= kWorthBorrowing && IsClean(data) &&
        reinterpret_cast<uintptr_t>(data) % Alignment() == 0) {
      return Tensor::FromBuffer(dtype_, shape_, Buffer::Borrow(data, size, owner));
    }
    OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype_, shape_));
    if (size == 0) return tensor;
    auto* out = tensor.mutable_data<uint8_t>();
    if (dtype_ == DType::kBool) {
      std::transform(bytes, bytes + size, out, [](uint8_t b) -> uint8_t { return b != 0; });
    } else {
      std::memcpy(out, bytes, static_cast<size_t>(size));
      out[size - 1] &= LastMask();
    }
    return tensor;
  }

  absl::Status CheckCount(int64_t count, int64_t wanted) const {
    if (count == wanted) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("it holds ", count, " values where ", TypeString(), " needs ", wanted));
  }

  // A field whose elements are stored as the tensor stores them.
  template <typename Field>
  absl::StatusOr<Tensor> FromField(const Field& field, int64_t per_element = 1) {
    // The shape was checked against sizes in bytes, so this product fits.
    OC_RETURN_IF_ERROR(CheckCount(field.size(), elements_ * per_element));
    return FromBytes(field.data(), field.size() * static_cast<int64_t>(sizeof(field[0])), owner_);
  }

  // A field of wider integers than the tensor's.
  template <typename Store, typename Field>
  absl::StatusOr<Tensor> FromWiderField(const Field& field) {
    OC_RETURN_IF_ERROR(CheckCount(field.size(), bytes_ / static_cast<int64_t>(sizeof(Store))));
    OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype_, shape_));
    auto* out = reinterpret_cast<Store*>(tensor.mutable_raw_data());
    for (int i = 0; i < field.size(); ++i) {
      auto value = static_cast<int64_t>(field[i]);
      // Bit patterns are written with and without their sign.
      if (value > int64_t{std::numeric_limits<Store>::max()} ||
          value < -(int64_t{std::numeric_limits<Store>::max()} / 2) - 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("its value ", value, " does not fit into ", DTypeName(dtype_)));
      }
      out[i] = static_cast<Store>(value);
    }
    return tensor;
  }

  absl::StatusOr<Tensor> FromBools() {
    OC_RETURN_IF_ERROR(CheckCount(proto_.int32_data_size(), elements_));
    OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype_, shape_));
    std::transform(proto_.int32_data().begin(), proto_.int32_data().end(),
                   tensor.mutable_data<bool>(), [](int32_t value) { return value != 0; });
    return tensor;
  }

  // A value of int32_data holds one byte of a packed tensor; ONNX's checker lets it hold four.
  // One of 6 bits has a value of its own.
  absl::StatusOr<Tensor> FromPacked() {
    const auto& field = proto_.int32_data();
    if (BitWidth(dtype_) == 6) return FromSixBits();
    if (field.size() != bytes_ && field.size() == (bytes_ + 3) / 4) {
      return FromBytes(field.data(), bytes_, /*owner=*/nullptr);
    }
    OC_ASSIGN_OR_RETURN(Tensor tensor, FromWiderField<uint8_t>(field));
    return FromBytes(tensor.raw_data(), bytes_, tensor.buffer());
  }

  absl::StatusOr<Tensor> FromSixBits() {
    OC_RETURN_IF_ERROR(CheckCount(proto_.int32_data_size(), elements_));
    OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype_, shape_));
    auto* out = tensor.mutable_data<uint8_t>();
    std::fill_n(out, bytes_, uint8_t{0});
    for (int i = 0; i < proto_.int32_data_size(); ++i) {
      const int32_t value = proto_.int32_data(i);
      if (value < 0 || value >= 1 << 6) {
        return absl::InvalidArgumentError(
            absl::StrCat("its value ", value, " does not fit into ", DTypeName(dtype_)));
      }
      SetPackedElement(out, i, 6, static_cast<uint8_t>(value));
    }
    return tensor;
  }

  absl::StatusOr<Tensor> FromStrings() {
    OC_RETURN_IF_ERROR(CheckCount(proto_.string_data_size(), elements_));
    OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype_, shape_));
    std::copy(proto_.string_data().begin(), proto_.string_data().end(),
              tensor.mutable_string_data());
    return tensor;
  }

  absl::StatusOr<Tensor> ReadTyped() {
    switch (dtype_) {
      case DType::kFloat:
        return FromField(proto_.float_data());
      case DType::kComplex64:
        return FromField(proto_.float_data(), 2);
      case DType::kDouble:
        return FromField(proto_.double_data());
      case DType::kComplex128:
        return FromField(proto_.double_data(), 2);
      case DType::kInt64:
        return FromField(proto_.int64_data());
      case DType::kUint64:
        return FromField(proto_.uint64_data());
      case DType::kInt32:
        return FromField(proto_.int32_data());
      case DType::kUint32:
        return FromWiderField<uint32_t>(proto_.uint64_data());
      case DType::kString:
        return FromStrings();
      case DType::kBool:
        return FromBools();
      default:
        switch (BitWidth(dtype_)) {
          case 16:
            return FromWiderField<uint16_t>(proto_.int32_data());
          case 8:
            return FromWiderField<uint8_t>(proto_.int32_data());
          default:
            return FromPacked();
        }
    }
  }

  const onnx::TensorProto& proto_;
  std::shared_ptr<const void> owner_;
  ExternalData* external_;
  DType dtype_ = DType::kUndefined;
  Shape shape_;
  int64_t elements_ = 0;
  int64_t bytes_ = 0;  // 0 for strings
};

// Indices inside the tensor's dimensions.
absl::Status CheckIndices(const SparseTensor& sparse, int64_t elements) {
  const Tensor& indices = sparse.indices;
  int64_t count = sparse.values.num_elements();
  auto rank = static_cast<int64_t>(sparse.dims.size());
  const bool linear = indices.rank() == 1;
  if (sparse.values.rank() != 1 || indices.dtype() != DType::kInt64 ||
      (linear ? indices.dim(0) != count
              : indices.rank() != 2 || indices.dim(0) != count || indices.dim(1) != rank)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its values ", OneLine(sparse.values.TypeString()), " and indices ",
                     OneLine(indices.TypeString()), " do not fit together"));
  }
  absl::Span<const int64_t> data = indices.AsSpan<int64_t>();
  for (size_t i = 0; i < data.size(); ++i) {
    int64_t limit = linear ? elements : sparse.dims[i % sparse.dims.size()];
    if (data[i] < 0 || data[i] >= limit) {
      return absl::InvalidArgumentError(
          absl::StrCat("its index ", data[i], " is out of range for ", limit));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Tensor> TensorFromProto(const onnx::TensorProto& proto,
                                       std::shared_ptr<const void> owner, ExternalData* external) {
  absl::StatusOr<Tensor> tensor = Reader(proto, std::move(owner), external).Read();
  if (tensor.ok()) return tensor;
  return Annotate(tensor.status(), absl::StrCat("tensor ", Quoted(proto.name())));
}

absl::StatusOr<SparseTensor> SparseTensorFromProto(const onnx::SparseTensorProto& proto,
                                                   const std::shared_ptr<const void>& owner,
                                                   ExternalData* external) {
  SparseTensor sparse;
  OC_ASSIGN_OR_RETURN(sparse.values, TensorFromProto(proto.values(), owner, external));
  sparse.dims.assign(proto.dims().begin(), proto.dims().end());
  if (proto.has_indices()) {
    OC_ASSIGN_OR_RETURN(sparse.indices, TensorFromProto(proto.indices(), owner, external));
  } else {
    OC_ASSIGN_OR_RETURN(sparse.indices, Tensor::Allocate(DType::kInt64, {0}));
  }
  std::string where = absl::StrCat("sparse tensor ", Quoted(proto.values().name()));
  std::optional<int64_t> elements = NumElements(sparse.dims);
  if (!elements.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": its shape ", Dims(sparse.dims), " is negative or too large"));
  }
  if (absl::Status status = CheckIndices(sparse, *elements); !status.ok()) {
    return Annotate(status, where);
  }
  return sparse;
}

absl::Status TensorToProto(const Tensor& tensor, absl::string_view name, onnx::TensorProto* proto) {
  proto->Clear();
  proto->set_name(std::string(name));
  proto->set_data_type(static_cast<int>(tensor.dtype()));
  for (int64_t dim : tensor.shape()) {
    proto->add_dims(dim);
  }
  OC_ASSIGN_OR_RETURN(Tensor contiguous, tensor.Contiguous());
  if (tensor.dtype() == DType::kString) {
    for (const std::string& string : contiguous.AsSpan<std::string>()) {
      proto->add_string_data(string);
    }
    return absl::OkStatus();
  }
  if (contiguous.byte_size() > std::numeric_limits<int32_t>::max()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("tensor ", Quoted(name), " has ", contiguous.byte_size(),
                     " bytes; a protobuf message holds 2 GB at most"));
  }
  proto->set_raw_data(contiguous.raw_data(), static_cast<size_t>(contiguous.byte_size()));
  if (std::string* bytes = proto->mutable_raw_data(); !bytes->empty()) {
    bytes->back() &= static_cast<char>(MaskOfLastByte(tensor.dtype(), tensor.num_elements()));
  }
  return absl::OkStatus();
}

absl::Status SparseTensorToProto(const SparseTensor& sparse, absl::string_view name,
                                 onnx::SparseTensorProto* proto) {
  proto->Clear();
  for (const int64_t dim : sparse.dims) proto->add_dims(dim);
  OC_RETURN_IF_ERROR(TensorToProto(sparse.values, name, proto->mutable_values()));
  return TensorToProto(sparse.indices, "", proto->mutable_indices());
}

}  // namespace onnxcmp
