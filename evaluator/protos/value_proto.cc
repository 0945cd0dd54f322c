// Sequences, maps, optionals and types: the parts of tensor_proto.h that are made of tensors.
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/protos/tensor_proto.h"
#include "google/protobuf/io/coded_stream.h"
#include "onnx/onnx-data.pb.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

DType KnownDType(int data_type) {
  return data_type > 0 && data_type < kNumDTypes ? static_cast<DType>(data_type)
                                                 : DType::kUndefined;
}

// The element type of the tensors in a value; kUndefined where there are none.
DType ElementDType(const Value& value) {
  if (value.is_tensor()) return value.tensor().dtype();
  if (value.is_sequence()) return value.sequence().element_dtype;
  return DType::kUndefined;
}

// Appends a message's elements, each turned into a value by `convert`.
template <typename Messages, typename Convert>
absl::Status AppendAll(const Messages& messages, Convert convert, std::vector<Value>* elements) {
  for (const auto& message : messages) {
    auto element = convert(message);
    if (!element.ok()) return element.status();
    elements->push_back(Value(*std::move(element)));
  }
  return absl::OkStatus();
}

template <typename T>
absl::StatusOr<Tensor> MapKeys(DType dtype, const onnx::MapProto& proto) {
  OC_ASSIGN_OR_RETURN(Tensor keys, Tensor::Allocate(dtype, {proto.keys_size()}));
  T* out = keys.mutable_data<T>();
  for (int i = 0; i < proto.keys_size(); ++i) {
    int64_t key = proto.keys(i);
    // Keys of type uint64 are written as the int64 of the same bits.
    if constexpr (sizeof(T) < sizeof(int64_t)) {
      if (key < std::numeric_limits<T>::min() || key > int64_t{std::numeric_limits<T>::max()}) {
        return absl::InvalidArgumentError(
            absl::StrCat("map key ", key, " does not fit into ", DTypeName(dtype)));
      }
    }
    out[i] = static_cast<T>(key);
  }
  return keys;
}

absl::StatusOr<Tensor> MapKeys(const onnx::MapProto& proto) {
  DType dtype = KnownDType(proto.key_type());
  switch (dtype) {
    case DType::kString: {
      OC_ASSIGN_OR_RETURN(Tensor keys, Tensor::Allocate(dtype, {proto.string_keys_size()}));
      std::copy(proto.string_keys().begin(), proto.string_keys().end(), keys.mutable_string_data());
      return keys;
    }
    case DType::kInt8:
      return MapKeys<int8_t>(dtype, proto);
    case DType::kInt16:
      return MapKeys<int16_t>(dtype, proto);
    case DType::kInt32:
      return MapKeys<int32_t>(dtype, proto);
    case DType::kInt64:
      return MapKeys<int64_t>(dtype, proto);
    case DType::kUint8:
      return MapKeys<uint8_t>(dtype, proto);
    case DType::kUint16:
      return MapKeys<uint16_t>(dtype, proto);
    case DType::kUint32:
      return MapKeys<uint32_t>(dtype, proto);
    case DType::kUint64:
      return MapKeys<uint64_t>(dtype, proto);
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("map ", Quoted(proto.name()), ": keys of type ", proto.key_type()));
  }
}

// Scalars of one type as one tensor of rank 1; nothing if they are not that. Tensors of shape [1]
// are scalars too: whoever makes a MapProto from arrays writes them.
absl::StatusOr<std::optional<Tensor>> JoinScalars(const std::vector<Value>& elements) {
  DType dtype = elements.empty() ? DType::kUndefined : ElementDType(elements[0]);
  for (const Value& element : elements) {
    if (!element.is_tensor() || element.tensor().rank() > 1 ||
        element.tensor().num_elements() != 1 || element.tensor().dtype() != dtype) {
      return std::optional<Tensor>();
    }
  }
  if (dtype == DType::kUndefined || IsSubByte(dtype)) return std::optional<Tensor>();
  OC_ASSIGN_OR_RETURN(Tensor joined,
                      Tensor::Allocate(dtype, {static_cast<int64_t>(elements.size())}));
  auto width = static_cast<size_t>(BitWidth(dtype) / 8);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (dtype == DType::kString) {
      joined.mutable_string_data()[i] = *elements[i].tensor().string_data();
    } else {
      std::memcpy(joined.mutable_raw_data() + i * width, elements[i].tensor().raw_data(), width);
    }
  }
  return std::optional<Tensor>(std::move(joined));
}

TypeInfo TensorType(TypeInfo::Kind kind, int elem_type, bool has_shape,
                    const onnx::TensorShapeProto& shape) {
  TypeInfo type;
  type.kind = kind;
  type.dtype = KnownDType(elem_type);
  if (!has_shape) return type;
  type.shape.emplace();
  for (const auto& dim : shape.dim()) {
    TypeInfo::Dim& out = type.shape->emplace_back();
    // Older exporters write -1 for a dimension that they do not know.
    if (dim.has_dim_value() && dim.dim_value() >= 0) out.value = dim.dim_value();
    if (dim.has_dim_param()) out.symbol = dim.dim_param();
  }
  return type;
}

template <typename Message>
absl::Status ParseMessage(const MappedFile& file, Message* message) {
  if (file.size() <= std::numeric_limits<int>::max()) {
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(file.data()),
                                                  static_cast<int>(file.size()));
    if (message->ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage()) {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError("it is no message of the declared type, or cut short");
}

// The value with empty maps, of whose values a message does not say the type, as declared.
absl::StatusOr<Value> WithDeclaredTypes(Value value, const TypeInfo& type) {
  if (type.element == nullptr) return value;
  if (value.is_map() && value.map().keys.num_elements() == 0 &&
      type.element->kind == TypeInfo::Kind::kTensor && type.element->dtype != DType::kUndefined) {
    OC_ASSIGN_OR_RETURN(Tensor none, Tensor::Allocate(type.element->dtype, {0}));
    return Value(Map{value.map().keys, std::make_shared<const Value>(std::move(none))});
  }
  if (value.is_sequence() && type.kind == TypeInfo::Kind::kSequence) {
    Sequence sequence = value.sequence();
    for (Value& element : sequence.elements) {
      OC_ASSIGN_OR_RETURN(element, WithDeclaredTypes(std::move(element), *type.element));
    }
    return Value(std::move(sequence));
  }
  if (value.is_optional() && value.optional().element != nullptr &&
      type.kind == TypeInfo::Kind::kOptional) {
    OC_ASSIGN_OR_RETURN(Value element, WithDeclaredTypes(*value.optional().element, *type.element));
    return Value(Optional{std::make_shared<const Value>(std::move(element)),
                          value.optional().element_dtype});
  }
  return value;
}

absl::StatusOr<Value> ReadUntyped(const std::shared_ptr<const MappedFile>& file,
                                  const TypeInfo& type) {
  switch (type.kind) {
    case TypeInfo::Kind::kSequence: {
      onnx::SequenceProto sequence;
      OC_RETURN_IF_ERROR(ParseMessage(*file, &sequence));
      return SequenceFromProto(sequence);
    }
    case TypeInfo::Kind::kOptional: {
      onnx::OptionalProto optional;
      OC_RETURN_IF_ERROR(ParseMessage(*file, &optional));
      return OptionalFromProto(optional);
    }
    case TypeInfo::Kind::kMap: {
      onnx::MapProto map;
      OC_RETURN_IF_ERROR(ParseMessage(*file, &map));
      return MapFromProto(map);
    }
    case TypeInfo::Kind::kSparseTensor: {
      auto sparse = std::make_shared<onnx::SparseTensorProto>();
      OC_RETURN_IF_ERROR(ParseMessage(*file, sparse.get()));
      OC_ASSIGN_OR_RETURN(SparseTensor value, SparseTensorFromProto(*sparse, sparse));
      return Value(std::move(value));
    }
    case TypeInfo::Kind::kTensor:
    case TypeInfo::Kind::kUnknown:
      break;
  }
  auto tensor = std::make_shared<onnx::TensorProto>();
  OC_RETURN_IF_ERROR(ParseMessage(*file, tensor.get()));
  OC_ASSIGN_OR_RETURN(Tensor value, TensorFromProto(*tensor, tensor));
  return Value(std::move(value));
}

}  // namespace

absl::StatusOr<Value> SequenceFromProto(const onnx::SequenceProto& proto) {
  Sequence sequence;
  std::vector<Value>* elements = &sequence.elements;
  switch (proto.elem_type()) {
    case onnx::SequenceProto::TENSOR:
      OC_RETURN_IF_ERROR(AppendAll(
          proto.tensor_values(),
          [](const onnx::TensorProto& tensor) { return TensorFromProto(tensor); }, elements));
      break;
    case onnx::SequenceProto::SPARSE_TENSOR:
      OC_RETURN_IF_ERROR(AppendAll(
          proto.sparse_tensor_values(),
          [](const onnx::SparseTensorProto& sparse) { return SparseTensorFromProto(sparse); },
          elements));
      break;
    case onnx::SequenceProto::SEQUENCE:
      OC_RETURN_IF_ERROR(AppendAll(proto.sequence_values(), SequenceFromProto, elements));
      break;
    case onnx::SequenceProto::MAP:
      OC_RETURN_IF_ERROR(AppendAll(proto.map_values(), MapFromProto, elements));
      break;
    case onnx::SequenceProto::OPTIONAL:
      OC_RETURN_IF_ERROR(AppendAll(proto.optional_values(), OptionalFromProto, elements));
      break;
    default:
      // An empty sequence need not say what it is empty of.
      break;
  }
  if (!elements->empty() && (*elements)[0].is_tensor()) {
    sequence.element_dtype = ElementDType((*elements)[0]);
  }
  return Value(std::move(sequence));
}

absl::StatusOr<Value> MapFromProto(const onnx::MapProto& proto) {
  Map map;
  OC_ASSIGN_OR_RETURN(map.keys, MapKeys(proto));
  OC_ASSIGN_OR_RETURN(Value values, SequenceFromProto(proto.values()));
  const std::vector<Value>& elements = values.sequence().elements;
  if (static_cast<int64_t>(elements.size()) != map.keys.num_elements()) {
    return absl::InvalidArgumentError(absl::StrCat("map ", Quoted(proto.name()), " has ",
                                                   map.keys.num_elements(), " keys and ",
                                                   elements.size(), " values"));
  }
  OC_ASSIGN_OR_RETURN(std::optional<Tensor> joined, JoinScalars(elements));
  if (joined.has_value()) values = *std::move(joined);
  map.values = std::make_shared<const Value>(std::move(values));
  return Value(std::move(map));
}

absl::StatusOr<Value> OptionalFromProto(const onnx::OptionalProto& proto) {
  Optional optional;
  auto hold = [&optional](auto element) -> absl::StatusOr<Value> {
    if (!element.ok()) return element.status();
    optional.element = std::make_shared<const Value>(*std::move(element));
    optional.element_dtype = ElementDType(*optional.element);
    return Value(std::move(optional));
  };
  if (proto.has_tensor_value()) return hold(TensorFromProto(proto.tensor_value()));
  if (proto.has_sparse_tensor_value()) {
    return hold(SparseTensorFromProto(proto.sparse_tensor_value()));
  }
  if (proto.has_sequence_value()) return hold(SequenceFromProto(proto.sequence_value()));
  if (proto.has_map_value()) return hold(MapFromProto(proto.map_value()));
  if (proto.has_optional_value()) return hold(OptionalFromProto(proto.optional_value()));
  return Value(std::move(optional));
}

std::optional<Attribute> PlainAttributeFromProto(const onnx::AttributeProto& proto) {
  switch (proto.type()) {
    case onnx::AttributeProto::INT:
      return Attribute(proto.i());
    case onnx::AttributeProto::FLOAT:
      return Attribute(proto.f());
    case onnx::AttributeProto::STRING:
      return Attribute(proto.s());
    case onnx::AttributeProto::INTS:
      return Attribute(std::vector<int64_t>(proto.ints().begin(), proto.ints().end()));
    case onnx::AttributeProto::FLOATS:
      return Attribute(std::vector<float>(proto.floats().begin(), proto.floats().end()));
    case onnx::AttributeProto::STRINGS:
      return Attribute(std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
    default:
      return std::nullopt;
  }
}

TypeInfo TypeFromProto(const onnx::TypeProto& proto) {
  TypeInfo type;
  auto with_element = [&type](TypeInfo::Kind kind, const onnx::TypeProto& element) {
    type.kind = kind;
    type.element = std::make_shared<const TypeInfo>(TypeFromProto(element));
    return type;
  };
  if (proto.has_tensor_type()) {
    const onnx::TypeProto::Tensor& tensor = proto.tensor_type();
    return TensorType(TypeInfo::Kind::kTensor, tensor.elem_type(), tensor.has_shape(),
                      tensor.shape());
  }
  if (proto.has_sparse_tensor_type()) {
    const onnx::TypeProto::SparseTensor& sparse = proto.sparse_tensor_type();
    return TensorType(TypeInfo::Kind::kSparseTensor, sparse.elem_type(), sparse.has_shape(),
                      sparse.shape());
  }
  if (proto.has_sequence_type()) {
    return with_element(TypeInfo::Kind::kSequence, proto.sequence_type().elem_type());
  }
  if (proto.has_optional_type()) {
    return with_element(TypeInfo::Kind::kOptional, proto.optional_type().elem_type());
  }
  if (proto.has_map_type()) {
    type.dtype = KnownDType(proto.map_type().key_type());
    return with_element(TypeInfo::Kind::kMap, proto.map_type().value_type());
  }
  return type;
}

absl::Status SequenceToProto(const Value& value, absl::string_view name,
                             onnx::SequenceProto* proto) {
  proto->Clear();
  proto->set_name(std::string(name));
  proto->set_elem_type(onnx::SequenceProto::TENSOR);
  const std::vector<Value>& elements = value.sequence().elements;
  for (const Value& element : elements) {
    onnx::SequenceProto::DataType type = onnx::SequenceProto::UNDEFINED;
    absl::Status status;
    if (element.is_tensor()) {
      type = onnx::SequenceProto::TENSOR;
      status = TensorToProto(element.tensor(), "", proto->add_tensor_values());
    } else if (element.is_sequence()) {
      type = onnx::SequenceProto::SEQUENCE;
      status = SequenceToProto(element, "", proto->add_sequence_values());
    } else if (element.is_map()) {
      type = onnx::SequenceProto::MAP;
      status = MapToProto(element, "", proto->add_map_values());
    } else if (element.is_optional()) {
      type = onnx::SequenceProto::OPTIONAL;
      status = OptionalToProto(element, "", proto->add_optional_values());
    } else {
      status = absl::UnimplementedError("a sequence of sparse tensors cannot be written");
    }
    OC_RETURN_IF_ERROR(status);
    if (&element == &elements[0]) proto->set_elem_type(type);
    if (proto->elem_type() != type) {
      return absl::InvalidArgumentError("a sequence of unlike values cannot be written");
    }
  }
  return absl::OkStatus();
}

absl::Status OptionalToProto(const Value& value, absl::string_view name,
                             onnx::OptionalProto* proto) {
  proto->Clear();
  proto->set_name(std::string(name));
  proto->set_elem_type(onnx::OptionalProto::UNDEFINED);
  if (value.optional().element == nullptr) return absl::OkStatus();
  const Value& element = *value.optional().element;
  if (element.is_tensor()) {
    proto->set_elem_type(onnx::OptionalProto::TENSOR);
    return TensorToProto(element.tensor(), "", proto->mutable_tensor_value());
  }
  if (element.is_sequence()) {
    proto->set_elem_type(onnx::OptionalProto::SEQUENCE);
    return SequenceToProto(element, "", proto->mutable_sequence_value());
  }
  if (element.is_map()) {
    proto->set_elem_type(onnx::OptionalProto::MAP);
    return MapToProto(element, "", proto->mutable_map_value());
  }
  return absl::UnimplementedError(
      absl::StrCat("an optional of ", element.TypeString(), " cannot be written"));
}

absl::Status MapToProto(const Value& value, absl::string_view name, onnx::MapProto* proto) {
  proto->Clear();
  proto->set_name(std::string(name));
  const Map& map = value.map();
  proto->set_key_type(static_cast<int>(map.keys.dtype()));
  OC_ASSIGN_OR_RETURN(Tensor keys, map.keys.Contiguous());
  auto add_keys = [proto](auto values) {
    for (auto key : values) proto->add_keys(static_cast<int64_t>(key));
  };
  switch (keys.dtype()) {
    case DType::kString:
      for (const std::string& key : keys.AsSpan<std::string>()) proto->add_string_keys(key);
      break;
    case DType::kInt8:
      add_keys(keys.AsSpan<int8_t>());
      break;
    case DType::kInt16:
      add_keys(keys.AsSpan<int16_t>());
      break;
    case DType::kInt32:
      add_keys(keys.AsSpan<int32_t>());
      break;
    case DType::kInt64:
      add_keys(keys.AsSpan<int64_t>());
      break;
    case DType::kUint8:
      add_keys(keys.AsSpan<uint8_t>());
      break;
    case DType::kUint16:
      add_keys(keys.AsSpan<uint16_t>());
      break;
    case DType::kUint32:
      add_keys(keys.AsSpan<uint32_t>());
      break;
    case DType::kUint64:
      add_keys(keys.AsSpan<uint64_t>());
      break;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("a map cannot have keys of type ", DTypeName(keys.dtype())));
  }
  if (!map.values->is_tensor()) return SequenceToProto(*map.values, "", proto->mutable_values());
  const Tensor& values = map.values->tensor();
  if (IsSubByte(values.dtype())) {
    return absl::UnimplementedError("a map with values of less than 8 bits cannot be written");
  }
  Sequence scalars;
  scalars.element_dtype = values.dtype();
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    scalars.elements.emplace_back(
        values.Strided({}, {}, values.offset() + i * values.strides()[0]));
  }
  return SequenceToProto(Value(std::move(scalars)), "", proto->mutable_values());
}

absl::StatusOr<Value> ReadValueFile(const std::string& path, const TypeInfo& type) {
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  absl::StatusOr<Value> value = ReadUntyped(file, type);
  if (value.ok()) value = WithDeclaredTypes(*std::move(value), type);
  if (value.ok()) return value;
  return Annotate(value.status(), OneLine(path));
}

absl::Status WriteValueFile(const std::string& path, const Value& value, absl::string_view name) {
  std::string bytes;
  const auto serialize = [&](auto proto, auto to_proto) -> absl::Status {
    OC_RETURN_IF_ERROR(to_proto(&proto));
    return proto.SerializeToString(&bytes)
               ? absl::OkStatus()
               : absl::ResourceExhaustedError(absl::StrCat(path, ": the value is over 2 GB"));
  };
  if (value.is_tensor()) {
    OC_RETURN_IF_ERROR(serialize(onnx::TensorProto(), [&](onnx::TensorProto* proto) {
      return TensorToProto(value.tensor(), name, proto);
    }));
  } else if (value.is_sequence()) {
    OC_RETURN_IF_ERROR(serialize(onnx::SequenceProto(), [&](onnx::SequenceProto* proto) {
      return SequenceToProto(value, name, proto);
    }));
  } else if (value.is_optional()) {
    OC_RETURN_IF_ERROR(serialize(onnx::OptionalProto(), [&](onnx::OptionalProto* proto) {
      return OptionalToProto(value, name, proto);
    }));
  } else if (value.is_map()) {
    OC_RETURN_IF_ERROR(serialize(
        onnx::MapProto(), [&](onnx::MapProto* proto) { return MapToProto(value, name, proto); }));
  } else {
    return absl::UnimplementedError(
        absl::StrCat(path, ": ", value.TypeString(), " has no file format"));
  }
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  return file ? absl::OkStatus() : absl::PermissionDeniedError(absl::StrCat("cannot write ", path));
}

}  // namespace onnxcmp
