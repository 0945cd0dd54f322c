#include "record/recordings/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/packed_bits.h"
#include "record/recordings/npy_header.h"
#include "record/text/utf8.h"

namespace onnxcmp {
namespace {

static_assert(std::endian::native == std::endian::little);

// Longer headers are invalid: the dimensions of any rank that NumPy supports take less.
constexpr uint32_t kMaxHeader = 1 << 20;
// Arrays of empty strings take no bytes in a file, but a std::string each here.
constexpr int64_t kMaxEmptyStrings = 1 << 20;

absl::StatusOr<NpyHeader> ReadHeader(ByteSource& source) {
  std::array<uint8_t, 8> start;
  if (source.remaining() < 10) {
    return absl::InvalidArgumentError("not a NumPy array: too short");
  }
  OC_RETURN_IF_ERROR(source.Read(start.data(), start.size()));
  if (std::memcmp(start.data(), "\x93NUMPY", 6) != 0) {
    return absl::InvalidArgumentError("not a NumPy array");
  }
  const int version = start[6];
  if (version < 1 || version > 3) {
    return absl::UnimplementedError(absl::StrCat("version ", version, " of the .npy format"));
  }
  std::array<uint8_t, 4> length = {};
  OC_RETURN_IF_ERROR(source.Read(length.data(), version == 1 ? 2 : 4));
  uint32_t size;
  std::memcpy(&size, length.data(), sizeof(size));
  if (size > kMaxHeader || size > source.remaining()) {
    return absl::InvalidArgumentError(absl::StrCat("an .npy header of ", size, " bytes"));
  }
  std::string text(size, '\0');
  OC_RETURN_IF_ERROR(source.Read(text.data(), size));
  return ParseNpyHeader(text);
}

// The type with the same elements in memory; nothing for strings and types without a counterpart.
std::optional<DType> StoredDType(char kind, int64_t bytes) {
  struct Known {
    char kind;
    int64_t bytes;
    DType dtype;
  };
  static constexpr Known kKnown[] = {
      {'b', 1, DType::kBool},      {'i', 1, DType::kInt8},        {'i', 2, DType::kInt16},
      {'i', 4, DType::kInt32},     {'i', 8, DType::kInt64},       {'u', 1, DType::kUint8},
      {'u', 2, DType::kUint16},    {'u', 4, DType::kUint32},      {'u', 8, DType::kUint64},
      {'f', 2, DType::kFloat16},   {'f', 4, DType::kFloat},       {'f', 8, DType::kDouble},
      {'c', 8, DType::kComplex64}, {'c', 16, DType::kComplex128}, {'V', 1, DType::kUint8},
      {'V', 2, DType::kUint16},    {'V', 4, DType::kUint32},      {'V', 8, DType::kUint64},
  };
  for (const Known& known : kKnown) {
    if (known.kind == kind && known.bytes == bytes) {
      return known.dtype;
    }
  }
  return std::nullopt;
}

// Row-major shape of the elements in the file: reversed if it is column-major.
Shape StoredShape(const NpyHeader& header) {
  Shape shape = header.shape;
  if (header.fortran_order) {
    std::reverse(shape.begin(), shape.end());
  }
  return shape;
}

// A tensor read in the file's order, viewed in the array's order.
Tensor InArrayOrder(Tensor stored, const NpyHeader& header) {
  if (!header.fortran_order || header.shape.size() < 2) {
    return stored;
  }
  Shape strides = stored.strides();
  std::reverse(strides.begin(), strides.end());
  return stored.Strided(header.shape, strides, 0);
}

void SwapBytes(std::byte* data, int64_t bytes, int64_t width) {
  for (int64_t i = 0; i + width <= bytes; i += width) {
    std::reverse(data + i, data + i + width);
  }
}

absl::StatusOr<Tensor> ReadNumbers(ByteSource& source, const NpyHeader& header, DType dtype) {
  OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, StoredShape(header)));
  const int64_t bytes = tensor.byte_size();
  std::byte* data = tensor.mutable_raw_data();
  OC_RETURN_IF_ERROR(source.Read(data, bytes));
  if (header.big_endian && header.count > 1) {
    SwapBytes(data, bytes, header.kind == 'c' ? header.count / 2 : header.count);
  }
  if (dtype == DType::kBool) {
    // Any other byte would be an invalid bool.
    std::transform(data, data + bytes, data,
                   [](std::byte b) { return std::byte{b != std::byte{0}}; });
  }
  return tensor;
}

absl::StatusOr<Tensor> ReadStrings(ByteSource& source, const NpyHeader& header) {
  OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kString, StoredShape(header)));
  std::string* texts = tensor.mutable_string_data();
  const bool unicode = header.kind == 'U';
  const size_t characters = static_cast<size_t>(header.count);
  std::string bytes(characters * (unicode ? 4 : 1), '\0');
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    OC_RETURN_IF_ERROR(source.Read(bytes.data(), static_cast<int64_t>(bytes.size())));
    std::string& text = texts[i];
    if (!unicode) {
      text = bytes;
    } else {
      if (header.big_endian) {
        SwapBytes(reinterpret_cast<std::byte*>(bytes.data()), static_cast<int64_t>(bytes.size()),
                  4);
      }
      for (size_t k = 0; k < characters; ++k) {
        uint32_t code;
        std::memcpy(&code, bytes.data() + 4 * k, sizeof(code));
        if (!AppendUtf8(code, &text)) {
          return absl::InvalidArgumentError(
              absl::StrFormat("element %d holds 0x%x, which is no character", i, code));
        }
      }
    }
    // Shorter strings are padded with zeros.
    while (!text.empty() && text.back() == '\0') {
      text.pop_back();
    }
  }
  return tensor;
}

absl::Status CheckSizes(const NpyHeader& header, int64_t element_bytes, int64_t remaining,
                        int64_t max_tensor) {
  const std::optional<int64_t> elements = NumElements(header.shape);
  int64_t bytes = 0;
  if (!elements.has_value() || __builtin_mul_overflow(*elements, element_bytes, &bytes) ||
      bytes != remaining) {
    return absl::InvalidArgumentError(
        absl::StrCat("an array of shape (", absl::StrJoin(header.shape, ", "), ") with ",
                     element_bytes, " bytes an element does not take ", remaining, " bytes"));
  }
  const bool strings = header.kind == 'U' || header.kind == 'S';
  if (strings && element_bytes == 0 && *elements > kMaxEmptyStrings) {
    return absl::ResourceExhaustedError(absl::StrCat(*elements, " strings without a character"));
  }
  int64_t needed = bytes;
  if (strings && __builtin_add_overflow(bytes, *elements * int64_t{sizeof(std::string)}, &needed)) {
    needed = std::numeric_limits<int64_t>::max();
  }
  if (needed > max_tensor) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the array takes ", needed, " bytes, more than the limit of ", max_tensor));
  }
  return absl::OkStatus();
}

// ---- writing ----

absl::string_view NumpyDescr(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "|b1";
    case DType::kInt8:
      return "|i1";
    case DType::kInt16:
      return "<i2";
    case DType::kInt32:
      return "<i4";
    case DType::kInt64:
      return "<i8";
    case DType::kUint8:
      return "|u1";
    case DType::kUint16:
      return "<u2";
    case DType::kUint32:
      return "<u4";
    case DType::kUint64:
      return "<u8";
    case DType::kFloat16:
      return "<f2";
    case DType::kFloat:
      return "<f4";
    case DType::kDouble:
      return "<f8";
    case DType::kComplex64:
      return "<c8";
    case DType::kComplex128:
      return "<c16";
    default:
      return BitWidth(dtype) <= 8 ? "|u1" : "<u2";
  }
}

using Write = absl::FunctionRef<absl::Status(absl::string_view)>;

absl::Status WriteStrings(const Tensor& tensor, Write write) {
  const absl::Span<const std::string> texts = tensor.AsSpan<std::string>();
  size_t longest = 1;
  for (const std::string& text : texts) {
    longest = std::max(longest, DecodeUtf8(text).size());
  }
  OC_RETURN_IF_ERROR(write(NpyHeaderBytes(absl::StrCat("<U", longest), tensor.shape())));
  for (const std::string& text : texts) {
    std::vector<uint32_t> codes = DecodeUtf8(text);
    codes.resize(longest, 0);
    OC_RETURN_IF_ERROR(
        write(absl::string_view(reinterpret_cast<const char*>(codes.data()), codes.size() * 4)));
  }
  return absl::OkStatus();
}

// One element a byte.
absl::Status WriteUnpacked(const Tensor& tensor, Write write) {
  const int width = BitWidth(tensor.dtype());
  const auto* packed = reinterpret_cast<const uint8_t*>(tensor.raw_data());
  std::string bytes;
  for (int64_t first = 0; first < tensor.num_elements(); first += 4096) {
    const int64_t end = std::min(first + 4096, tensor.num_elements());
    bytes.clear();
    for (int64_t i = first; i < end; ++i) {
      bytes.push_back(static_cast<char>(PackedElement(packed, i, width)));
    }
    OC_RETURN_IF_ERROR(write(bytes));
  }
  return absl::OkStatus();
}

}  // namespace

bool NumpyLacks(DType dtype) {
  return IsSubByte(dtype) || (IsNarrowFloat(dtype) && dtype != DType::kFloat16);
}

absl::Status BytesSource::Read(void* out, int64_t size) {
  if (size > remaining()) return absl::InvalidArgumentError("the file ends too early");
  if (size > 0) std::memcpy(out, rest_.data(), static_cast<size_t>(size));
  rest_.remove_prefix(static_cast<size_t>(size));
  return absl::OkStatus();
}

absl::StatusOr<NpyArray> ReadNpy(ByteSource& source, int64_t max_tensor) {
  OC_ASSIGN_OR_RETURN(NpyHeader header, ReadHeader(source));
  const bool strings = header.kind == 'U' || header.kind == 'S';
  const std::optional<DType> dtype = StoredDType(header.kind, header.count);
  if (!strings && !dtype.has_value()) {
    return absl::UnimplementedError(
        header.kind == 'O'
            ? std::string("the array holds Python objects (it was saved with pickle)")
            : absl::StrCat("NumPy's element type '", std::string(1, header.kind), header.count,
                           "' is not supported"));
  }
  OC_RETURN_IF_ERROR(CheckSizes(header, header.kind == 'U' ? 4 * header.count : header.count,
                                source.remaining(), max_tensor));
  NpyArray array;
  if (strings) {
    OC_ASSIGN_OR_RETURN(array.tensor, ReadStrings(source, header));
  } else {
    OC_ASSIGN_OR_RETURN(array.tensor, ReadNumbers(source, header, *dtype));
    array.opaque = header.kind == 'V';
  }
  array.tensor = InArrayOrder(std::move(array.tensor), header);
  return array;
}

absl::Status WriteNpy(const Tensor& tensor, Write write) {
  OC_ASSIGN_OR_RETURN(Tensor contiguous, tensor.Contiguous());
  if (tensor.dtype() == DType::kString) {
    return WriteStrings(contiguous, write);
  }
  OC_RETURN_IF_ERROR(write(NpyHeaderBytes(NumpyDescr(tensor.dtype()), tensor.shape())));
  if (IsSubByte(tensor.dtype())) {
    return WriteUnpacked(contiguous, write);
  }
  if (contiguous.num_elements() == 0) {
    return absl::OkStatus();
  }
  return write(absl::string_view(reinterpret_cast<const char*>(contiguous.raw_data()),
                                 static_cast<size_t>(contiguous.byte_size())));
}

absl::StatusOr<Tensor> RestoreDType(const Tensor& bits, DType dtype) {
  const int width = BitWidth(dtype);
  if (!IsUnsignedInteger(bits.dtype()) || IsSubByte(bits.dtype()) || dtype == DType::kBool ||
      BitWidth(bits.dtype()) != std::max(width, 8)) {
    return absl::InvalidArgumentError(absl::StrCat("an array of ", NumpyName(bits.dtype()),
                                                   " cannot hold the bits of ", NumpyName(dtype)));
  }
  OC_ASSIGN_OR_RETURN(Tensor contiguous, bits.Contiguous());
  if (!IsSubByte(dtype)) {
    if (contiguous.num_elements() == 0) {
      return Tensor::Allocate(dtype, bits.shape());
    }
    return Tensor::FromBuffer(dtype, bits.shape(), contiguous.buffer(),
                              contiguous.offset() * width / 8);
  }
  OC_ASSIGN_OR_RETURN(Tensor packed, Tensor::Allocate(dtype, bits.shape()));
  auto* bytes = reinterpret_cast<uint8_t*>(packed.mutable_raw_data());
  std::fill_n(bytes, packed.byte_size(), uint8_t{0});
  const absl::Span<const uint8_t> elements = contiguous.AsSpan<uint8_t>();
  for (size_t i = 0; i < elements.size(); ++i) {
    SetPackedElement(bytes, static_cast<int64_t>(i), width, elements[i]);
  }
  return packed;
}

}  // namespace onnxcmp
