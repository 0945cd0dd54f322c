#include "ops/contrib/block_quantized/packed_format.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/load_store.h"
#include "ops/contrib/block_quantized/packed_grids.h"

namespace onnxcmp {
namespace {

constexpr int64_t kSuperBlock = 256;
constexpr float kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                  1,    13,   25,  38,  53,  69,  89,  113};
constexpr float kIq2Magnitudes[4] = {8, 25, 43, 0};  // the last is in no grid
constexpr float kIq3Magnitudes[8] = {4, 12, 20, 28, 36, 44, 52, 62};

// Little-endian numbers at any address.
float HalfAt(const uint8_t* at) {
  float value;
  LoadElements(DType::kFloat16, reinterpret_cast<const std::byte*>(at), 0, 1, &value);
  return value;
}
uint32_t Uint16At(const uint8_t* at) { return at[0] | uint32_t{at[1]} << 8; }
uint32_t Uint32At(const uint8_t* at) { return Uint16At(at) | Uint16At(at + 2) << 16; }

// F32, F16, BF16: the numbers themselves.
template <DType dtype>
void Plain(const uint8_t* block, float* out) {
  LoadElements(dtype, reinterpret_cast<const std::byte*>(block), 0, 1, out);
}

// Q2_0: d, 64 codes of two bits; d * (code - 1).
void Q2Of64(const uint8_t* block, float* out) {
  const float d = HalfAt(block);
  for (int i = 0; i < 64; ++i) {
    out[i] = static_cast<float>((block[2 + i / 4] >> (2 * (i % 4)) & 3) - 1) * d;
  }
}

// Q4_0: d, 32 codes, the first half in the low bits; d * (code - 8).
void Q4Of32(const uint8_t* block, float* out) {
  const float d = HalfAt(block);
  for (int i = 0; i < 16; ++i) {
    out[i] = static_cast<float>((block[2 + i] & 15) - 8) * d;
    out[i + 16] = static_cast<float>((block[2 + i] >> 4) - 8) * d;
  }
}

// Q5_0: d, the fifth bits, the others as Q4_0; d * (code - 16).
void Q5Of32(const uint8_t* block, float* out) {
  const float d = HalfAt(block);
  const uint32_t high = Uint32At(block + 2);
  const uint8_t* low = block + 6;
  for (int i = 0; i < 32; ++i) {
    const int nibble = i < 16 ? low[i] & 15 : low[i - 16] >> 4;
    const int code = nibble | static_cast<int>(high >> i & 1) << 4;
    out[i] = static_cast<float>(code - 16) * d;
  }
}

// Q8_0: d, 32 signed codes; d * code.
void Q8Of32(const uint8_t* block, float* out) {
  const float d = HalfAt(block);
  for (int i = 0; i < 32; ++i) out[i] = static_cast<float>(static_cast<int8_t>(block[2 + i])) * d;
}

// Q5_K: d, m, 8 pairs of 6-bit scales and minima in 12 bytes, the fifth bits, 256 low halves:
// d * scale * code - m * minimum for each 32.
void Q5K(const uint8_t* block, float* out) {
  const float d = HalfAt(block);
  const float m = HalfAt(block + 2);
  const uint8_t* pairs = block + 4;
  const uint8_t* high = block + 16;
  const uint8_t* low = block + 48;
  for (int part = 0; part < 8; ++part) {
    int scale = pairs[part & 3] & 63;
    int minimum = pairs[(part & 3) + 4] & 63;
    if (part >= 4) {
      scale = (pairs[part + 4] & 15) | (pairs[part - 4] >> 6) << 4;
      minimum = pairs[part + 4] >> 4 | (pairs[part] >> 6) << 4;
    }
    for (int i = 0; i < 32; ++i) {
      const uint8_t byte = low[part / 2 * 32 + i];
      const int code = (part % 2 == 0 ? byte & 15 : byte >> 4) | (high[i] >> part & 1) << 4;
      out[part * 32 + i] = d * static_cast<float>(scale) * static_cast<float>(code) -
                           m * static_cast<float>(minimum);
    }
  }
}

// Q6_K: 256 low halves, 256 high pairs of bits, 16 signed scales, d: d * scale * (code - 32).
void Q6K(const uint8_t* block, float* out) {
  const uint8_t* high = block + 128;
  const uint8_t* scales = block + 192;
  const float d = HalfAt(block + 208);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128;
    const int quarter = i % 128 / 32;
    const int column = i % 32;
    const uint8_t byte = block[half * 64 + quarter % 2 * 32 + column];
    const int code = (quarter < 2 ? byte & 15 : byte >> 4) |
                     (high[half * 32 + column] >> (2 * quarter) & 3) << 4;
    const auto scale = static_cast<float>(static_cast<int8_t>(scales[i / 16]));
    out[i] = d * scale * static_cast<float>(code - 32);
  }
}

// IQ4_NL: d, codes as Q4_0; d * a value of the table.
void Iq4Nl(const uint8_t* block, float* out) {
  const float d = HalfAt(block);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * kIq4Values[block[2 + i] & 15];
    out[i + 16] = d * kIq4Values[block[2 + i] >> 4];
  }
}

// IQ4_XS: d, the high bits of 8 scales, their low ones, codes as Q4_0; d * (scale - 32) * a value.
void Iq4Xs(const uint8_t* block, float* out) {
  const float d = HalfAt(block);
  const uint32_t high = Uint16At(block + 2);
  for (int part = 0; part < 8; ++part) {
    const int low = block[4 + part / 2] >> (4 * (part % 2)) & 15;
    const float scale =
        d * static_cast<float>((low | static_cast<int>(high >> (2 * part) & 3) << 4) - 32);
    const uint8_t* codes = block + 8 + part * 16;
    for (int i = 0; i < 16; ++i) {
      out[part * 32 + i] = scale * kIq4Values[codes[i] & 15];
      out[part * 32 + i + 16] = scale * kIq4Values[codes[i] >> 4];
    }
  }
}

// Seven signs, and an eighth that makes their number even.
uint32_t EvenSigns(uint32_t seven) {
  return seven | static_cast<uint32_t>(std::popcount(seven) & 1) << 7;
}

// A point of a lattice with its signs, bit i set for a negative one.
void EmitIq2(float scale, uint16_t point, uint32_t signs, float* out) {
  for (int i = 0; i < 8; ++i) {
    const float value = scale * kIq2Magnitudes[point >> (2 * i) & 3];
    out[i] = (signs >> i & 1) != 0 ? -value : value;
  }
}
void EmitIq3(float scale, uint16_t point, uint32_t signs, float* out) {
  for (int i = 0; i < 4; ++i) {
    const float value = scale * kIq3Magnitudes[point >> (3 * i) & 7];
    out[i] = (signs >> i & 1) != 0 ? -value : value;
  }
}

// IQ2_XXS: d, for each 32 four points and a word of four times 7 signs and a scale:
// d * (scale + 0.5) / 4 * point.
void Iq2Xxs(const uint8_t* block, float* out) {
  const float d = HalfAt(block);
  for (int part = 0; part < 8; ++part) {
    const uint8_t* points = block + 2 + part * 8;
    const uint32_t word = Uint32At(points + 4);
    const float scale = d * (0.5F + static_cast<float>(word >> 28)) * 0.25F;
    for (int i = 0; i < 4; ++i) {
      EmitIq2(scale, kGridIq2Xxs[points[i]], EvenSigns(word >> (7 * i) & 127),
              out + part * 32 + i * 8);
    }
  }
}

// The scale of 16 elements out of one of 8 bytes with two scales each.
float Iq2Scale(float d, const uint8_t* scales, int sixteenth) {
  const int nibble = scales[sixteenth / 2] >> (4 * (sixteenth % 2)) & 15;
  return d * (0.5F + static_cast<float>(nibble)) * 0.25F;
}

// IQ2_XS: d, 32 words of 9 bits for a point and 7 signs, scales of 4 bits for each 16.
void Iq2Xs(const uint8_t* block, float* out) {
  const float d = HalfAt(block);
  for (int i = 0; i < 32; ++i) {
    const uint32_t word = Uint16At(block + 2 + 2 * i);
    EmitIq2(Iq2Scale(d, block + 66, i / 2), kGridIq2Xs[word & 511], EvenSigns(word >> 9),
            out + i * 8);
  }
}

// IQ2_S: d, the low bytes of 32 points, their signs, the high bits of four points a byte, scales as
// IQ2_XS.
void Iq2S(const uint8_t* block, float* out) {
  const float d = HalfAt(block);
  for (int i = 0; i < 32; ++i) {
    const uint32_t point = block[2 + i] | (uint32_t{block[66 + i / 4]} >> (2 * (i % 4)) & 3) << 8;
    EmitIq2(Iq2Scale(d, block + 74, i / 2), kGridIq2S[point], block[34 + i], out + i * 8);
  }
}

// IQ3_XXS: d, 64 points, for each 32 a word as IQ2_XXS has it: d * (scale + 0.5) / 2 * point.
void Iq3Xxs(const uint8_t* block, float* out) {
  const float d = HalfAt(block);
  for (int part = 0; part < 8; ++part) {
    const uint8_t* points = block + 2 + part * 8;
    const uint32_t word = Uint32At(block + 66 + part * 4);
    const float scale = d * (0.5F + static_cast<float>(word >> 28)) * 0.5F;
    for (int i = 0; i < 8; ++i) {
      const uint32_t signs = EvenSigns(word >> (7 * (i / 2)) & 127) >> (4 * (i % 2));
      EmitIq3(scale, kGridIq3Xxs[points[i]], signs, out + part * 32 + i * 4);
    }
  }
}

constexpr PackedFormat kFormats[] = {
    {0, "F32", 1, 4, Plain<DType::kFloat>},
    {1, "F16", 1, 2, Plain<DType::kFloat16>},
    {2, "Q4_0", 32, 18, Q4Of32},
    {6, "Q5_0", 32, 22, Q5Of32},
    {8, "Q8_0", 32, 34, Q8Of32},
    {13, "Q5_K", kSuperBlock, 176, Q5K},
    {14, "Q6_K", kSuperBlock, 210, Q6K},
    {16, "IQ2_XXS", kSuperBlock, 66, Iq2Xxs},
    {17, "IQ2_XS", kSuperBlock, 74, Iq2Xs},
    {18, "IQ3_XXS", kSuperBlock, 98, Iq3Xxs},
    {20, "IQ4_NL", 32, 18, Iq4Nl},
    {22, "IQ2_S", kSuperBlock, 82, Iq2S},
    {23, "IQ4_XS", kSuperBlock, 136, Iq4Xs},
    {30, "BF16", 1, 2, Plain<DType::kBfloat16>},
    {42, "Q2_0", 64, 18, Q2Of64},
};

}  // namespace

absl::StatusOr<const PackedFormat*> PackedFormatOf(absl::string_view attribute, int64_t id) {
  std::string known;
  for (const PackedFormat& format : kFormats) {
    if (format.id == id) return &format;
    absl::StrAppend(&known, known.empty() ? "" : ", ", format.id, " (", format.name, ")");
  }
  return absl::UnimplementedError(
      absl::StrCat(attribute, " is ", id, ", and the layouts that are known are those of ", known));
}

absl::Status CheckPackedRows(absl::string_view name, const Tensor& data, const PackedFormat& format,
                             absl::Span<const int64_t> outer, int64_t columns) {
  if (columns % format.block_size != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has rows of ", columns, " elements, which are not whole blocks of ",
                     format.block_size, ", as ", format.name, " has"));
  }
  Shape want(outer.begin(), outer.end());
  want.push_back(columns / format.block_size);
  const std::optional<int64_t> bytes = NumElements(Shape{want.back(), format.block_bytes});
  want.back() = bytes.value_or(-1);
  if (data.shape() == want) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", data.TypeString(), ", but must be [",
                                                 ShapeToString(want), "] in ", format.name));
}

template <typename C>
void DecodePackedRow(const PackedFormat& format, const uint8_t* row, int64_t columns, C* out) {
  float block[kSuperBlock];
  for (int64_t i = 0; i < columns; i += format.block_size, row += format.block_bytes) {
    format.decode(row, block);
    std::copy_n(block, format.block_size, out + i);
  }
}

template <typename C>
absl::StatusOr<Tensor> DecodePackedRows(const KernelContext& ctx, const PackedFormat& format,
                                        const uint8_t* data, int64_t rows, int64_t columns,
                                        DType round_to) {
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(kDTypeOf<C>, {rows, columns}));
  C* out = result.template mutable_data<C>();
  const int64_t row_bytes = columns / format.block_size * format.block_bytes;
  ctx.pool().ParallelFor(rows, [&](int64_t row) {
    DecodePackedRow(format, data + row * row_bytes, columns, out + row * columns);
  });
  OC_ASSIGN_OR_RETURN(result, StoreTensor<C>(ctx, result, round_to));
  return LoadTensor<C>(ctx, result);
}

template void DecodePackedRow(const PackedFormat&, const uint8_t*, int64_t, float*);
template void DecodePackedRow(const PackedFormat&, const uint8_t*, int64_t, double*);
template absl::StatusOr<Tensor> DecodePackedRows<float>(const KernelContext&, const PackedFormat&,
                                                        const uint8_t*, int64_t, int64_t, DType);
template absl::StatusOr<Tensor> DecodePackedRows<double>(const KernelContext&, const PackedFormat&,
                                                         const uint8_t*, int64_t, int64_t, DType);

}  // namespace onnxcmp
