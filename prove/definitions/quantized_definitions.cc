// Definitions of operators on quantized tensors: an operator on numbers between
// DequantizeLinear and QuantizeLinear.
#include <algorithm>

#include "absl/status/statusor.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "prove/definition.h"

namespace onnxcmp {
namespace {

std::string Dequantized(Definition& d, int value, int scale, int zero) {
  return d.Add("DequantizeLinear", {d.In(value), d.In(scale), d.In(zero)});
}

absl::Status Quantized(Definition& d, const std::string& x, int scale, int zero) {
  const DType dtype = d.of().number(0).tensor().dtype();
  if (!d.Has(zero) && dtype != DType::kUint8) return NoMeaning("no zero point");
  d.Out(0, d.Add("QuantizeLinear", {x, d.In(scale), d.In(zero)}));
  return absl::OkStatus();
}

// QLinearAdd, QLinearMul.
absl::Status QuantizedBinary(Definition& d) {
  const std::string op_type = d.of().node().op_type.substr(7);
  const std::string a = Dequantized(d, 0, 1, 2);
  const std::string b = Dequantized(d, 3, 4, 5);
  return Quantized(d, d.Add(op_type, {a, b}), 6, 7);
}

// Functions of one tensor, with ONNX's attributes.
absl::Status QuantizedUnary(Definition& d) {
  const FieldNode& node = d.of();
  const std::string op_type = node.node().op_type.substr(7);
  Definition::Attributes attributes;
  for (const auto& [name, attribute] : node.node().attributes) {
    if (name == "channels_last") {
      if (node.Int(name, 0) != 0) return NoMeaning("channels last");
      continue;
    }
    if (name == "opset") {
      if (node.Int(name, 13) < 13) return NoMeaning("an old form");
      continue;
    }
    attributes[name] = attribute;
  }
  if (op_type == "LeakyRelu") attributes["alpha"] = node.Number("alpha", 0.01F);
  const std::string x = Dequantized(d, 0, 1, 2);
  if (op_type == "ReduceMean") {
    std::vector<std::string> inputs = {x};
    const std::vector<int64_t> axes = node.Ints("axes");
    if (!axes.empty()) inputs.push_back(d.Integers(axes));
    attributes.erase("axes");
    return Quantized(d, d.Add(op_type, inputs, attributes), 3, 4);
  }
  return Quantized(d, d.Add(op_type, {x}, attributes), 3, 4);
}

absl::Status QuantizedConcat(Definition& d) {
  std::vector<std::string> parts;
  for (int i = 2; i + 1 < d.of().num_inputs(); i += 3) {
    parts.push_back(Dequantized(d, i, i + 1, i + 2));
  }
  return Quantized(d, d.Add("Concat", parts, {{"axis", d.of().Int("axis", 0)}}), 0, 1);
}

absl::Status QuantizedWhere(Definition& d) {
  const std::string a = Dequantized(d, 1, 2, 3);
  const std::string b = Dequantized(d, 4, 5, 6);
  return Quantized(d, d.Add("Where", {d.In(0), a, b}), 7, 8);
}

// A bias of int32, whose scale is that of the products.
std::string Bias(Definition& d, int bias, int scale, int weight_scale) {
  const int64_t scales = d.ShapeOf(weight_scale).empty() ? 1 : d.ShapeOf(weight_scale)[0];
  const std::string one = d.Reshaped(d.In(scale), {});
  const std::string other = scales == 1 ? d.Reshaped(d.In(weight_scale), {}) : d.In(weight_scale);
  return d.Add("DequantizeLinear", {d.In(bias), d.Add("Mul", {one, other})},
               {{"axis", int64_t{0}}});
}

// x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, B.
absl::Status QuantizedConv(Definition& d) {
  const FieldNode& node = d.of();
  const bool last = node.Int("channels_last", 0) != 0;
  Definition::Attributes attributes = {node.node().attributes.begin(),
                                       node.node().attributes.end()};
  attributes.erase("channels_last");
  const bool per_filter = d.ShapeOf(4).size() == 1 && d.ShapeOf(4)[0] > 1;
  std::string x = Dequantized(d, 0, 1, 2);
  const std::string w = d.Add("DequantizeLinear", {d.In(3), d.In(4), d.In(5)},
                              {{"axis", int64_t{per_filter ? 0 : 1}}});
  const auto rank = static_cast<int64_t>(d.ShapeOf(0).size());
  std::vector<int64_t> first = {0, rank - 1};
  std::vector<int64_t> back = {0};
  for (int64_t i = 1; i + 1 < rank; ++i) first.push_back(i);
  for (int64_t i = 2; i < rank; ++i) back.push_back(i);
  back.push_back(1);
  if (last) x = d.Transposed(x, first);
  std::vector<std::string> inputs = {x, w};
  if (d.Has(8)) inputs.push_back(Bias(d, 8, 1, 4));
  std::string y = d.Add("Conv", inputs, attributes);
  if (last) y = d.Transposed(y, back);
  return Quantized(d, y, 6, 7);
}

// a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero.
absl::Status QuantizedMatMul(Definition& d) {
  if (d.ShapeOf(1).size() > 1 || (d.ShapeOf(1).size() == 1 && d.ShapeOf(1)[0] > 1)) {
    return NoMeaning("scales of rows");
  }
  const std::string a = Dequantized(d, 0, 1, 2);
  const std::string b = Dequantized(d, 3, 4, 5);
  return Quantized(d, d.Add("MatMul", {a, b}), 6, 7);
}

// a, a_scale, a_zero, b, b_scale, b_zero, C, y_scale, y_zero.
absl::Status QuantizedGemm(Definition& d) {
  const FieldNode& node = d.of();
  const auto transposed = [&](const std::string& x, const char* name) {
    return node.Int(name, 0) != 0 ? d.Transposed(x, {1, 0}) : x;
  };
  const std::string a = transposed(Dequantized(d, 0, 1, 2), "transA");
  std::string b = d.Add("DequantizeLinear", {d.In(3), d.In(4), d.In(5)},
                        {{"axis", node.Int("transB", 0) != 0 ? int64_t{0} : int64_t{1}}});
  b = transposed(b, "transB");
  std::string y = d.Add("MatMul", {a, b});
  if (d.Has(6)) y = d.Add("Add", {y, Bias(d, 6, 1, 4)});
  const float alpha = node.Number("alpha", 1);
  if (alpha != 1) y = d.Add("Mul", {y, d.Number(alpha, 1)});
  if (d.Has(7)) return Quantized(d, y, 7, 8);
  d.Out(0, y);
  return absl::OkStatus();
}

// a, b, a_scale, b_scale, a_zero, b_zero, bias.
absl::Status MatMulToFloat(Definition& d) {
  const std::string product = d.Add("MatMulInteger", {d.In(0), d.In(1), d.In(4), d.In(5)});
  const std::string number = d.Add("Cast", {product}, {{"to", int64_t{1}}});
  std::string y = d.Add("Mul", {number, d.Add("Mul", {d.In(2), d.In(3)})});
  if (d.Has(6)) y = d.Add("Add", {y, d.In(6)});
  d.Out(0, y);
  return absl::OkStatus();
}

// A, B, b_scale, b_zero, bias.
absl::Status DynamicMatMul(Definition& d) {
  const std::vector<std::string> a = d.AddSeveral("DynamicQuantizeLinear", {d.In(0)}, {}, 3);
  const std::string product = d.Add("MatMulInteger", {a[0], d.In(1), a[2], d.In(3)});
  const std::string number = d.Add("Cast", {product}, {{"to", int64_t{1}}});
  std::string y = d.Add("Mul", {number, d.Add("Mul", {a[1], d.In(2)})});
  if (d.Has(4)) y = d.Add("Add", {y, d.In(4)});
  d.Out(0, y);
  return absl::OkStatus();
}

absl::Status WideMatMul(Definition& d) {
  const std::string a = d.Add("Cast", {d.In(0)}, {{"to", int64_t{6}}});
  const std::string b = d.Add("Cast", {d.In(1)}, {{"to", int64_t{6}}});
  d.Out(0, d.Add("MatMul", {a, b}));
  return absl::OkStatus();
}

// The codes of `bits` bits in constant bytes, the first in the low bits: the first `count` of each
// of `rows` equal parts.
absl::StatusOr<std::vector<int64_t>> CodesIn(Definition& d, int input, int64_t bits, int64_t rows,
                                             int64_t count) {
  if (bits != 2 && bits != 4 && bits != 8) return NoMeaning("codes of another size");
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> bytes, d.of().Integers(input));
  const int64_t of_byte = 8 / bits;
  const int64_t row = rows == 0 ? 0 : static_cast<int64_t>(bytes.size()) / rows;
  if (row * of_byte < count) return NoMeaning("too few codes");
  std::vector<int64_t> codes;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < count; ++i) {
      const auto byte = static_cast<uint64_t>(bytes[static_cast<size_t>(r * row + i / of_byte)]);
      codes.push_back(static_cast<int64_t>((byte & 0xff) >> (i % of_byte * bits)) &
                      ((int64_t{1} << bits) - 1));
    }
  }
  return codes;
}

// These as a tensor of a type.
std::string LaidOut(Definition& d, const std::vector<int64_t>& codes, int64_t rows, DType dtype) {
  const auto count = static_cast<int64_t>(codes.size());
  const std::string flat =
      d.Add("Cast", {d.Integers(codes)}, {{"to", static_cast<int64_t>(dtype)}});
  return d.Reshaped(flat, {rows, rows == 0 ? 0 : count / rows});
}

// (rows, columns) of codes of blocks, (code - zero) * scale.
absl::StatusOr<std::string> Weights(Definition& d, int codes, int scales, int zeros, int64_t bits,
                                    int64_t rows, int64_t columns, int64_t block) {
  const int64_t blocks = (columns + block - 1) / block;
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> all, CodesIn(d, codes, bits, rows, blocks * block));
  const bool given_zeros = zeros >= 0 && d.Has(zeros);
  const bool whole_zeros = !given_zeros || d.of().InType(zeros) == DType::kUint8;
  std::vector<int64_t> points(static_cast<size_t>(rows * blocks), int64_t{1} << (bits - 1));
  if (given_zeros && whole_zeros) {
    OC_ASSIGN_OR_RETURN(points, CodesIn(d, zeros, bits, rows, blocks));
  }
  if (whole_zeros && bits != 2) {
    // With zero points in codes it is DequantizeLinear. Nobody reads what fills up the last block.
    for (int64_t i = 0; i < rows * blocks * block; ++i) {
      if (i % (blocks * block) < columns) continue;
      all[static_cast<size_t>(i)] = points[static_cast<size_t>(i / block)];
    }
    const DType dtype = bits == 4 ? DType::kUint4 : DType::kUint8;
    const std::string values =
        d.Add("DequantizeLinear",
              {LaidOut(d, all, rows, dtype), d.Reshaped(d.In(scales), {rows, blocks}),
               LaidOut(d, points, rows, dtype)},
              {{"axis", int64_t{1}}, {"block_size", block}});
    if (blocks * block == columns) return values;
    return d.Add("Slice", {values, d.Integers({0}), d.Integers({columns}), d.Integers({1})});
  }
  std::string code = LaidOut(d, all, rows, DType::kUint8);
  const std::string scale = d.Reshaped(d.In(scales), {rows, blocks, 1});
  std::string zero =
      whole_zeros ? d.Add("CastLike", {LaidOut(d, points, rows, DType::kUint8), d.In(scales)})
                  : d.In(zeros);
  zero = d.Reshaped(zero, {rows, blocks, 1});
  code = d.Reshaped(d.Add("CastLike", {code, d.In(scales)}), {rows, blocks, block});
  const std::string values = d.Add("Mul", {d.Add("Sub", {code, zero}), scale});
  std::string flat = d.Reshaped(values, {rows, blocks * block});
  if (blocks * block == columns) return flat;
  return d.Add("Slice", {flat, d.Integers({0}), d.Integers({columns}), d.Integers({1})});
}

// A, B, scales, zero_points, g_idx, bias.
absl::Status MatMulNBits(Definition& d) {
  const FieldNode& node = d.of();
  if (d.Has(4)) return NoMeaning("blocks by an index");
  OC_ASSIGN_OR_RETURN(const std::string w,
                      Weights(d, 1, 2, 3, node.Int("bits", 4), node.Int("N", 0), node.Int("K", 0),
                              node.Int("block_size", 0)));
  std::string y = d.Add("MatMul", {d.In(0), d.Transposed(w, {1, 0})});
  if (d.Has(5)) y = d.Add("Add", {y, d.In(5)});
  d.Out(0, y);
  return absl::OkStatus();
}

// data, indices, scales, zero_points, of rows that are gathered and blocks along the last axis.
absl::Status GatherBlocks(Definition& d) {
  const FieldNode& node = d.of();
  const Shape& data = d.ShapeOf(0);
  const int64_t bits = node.Int("bits", 4);
  if (data.size() != 2 || node.Int("gather_axis", 0) != 0 || node.Int("quantize_axis", 1) != 1 ||
      node.InType(0) != DType::kUint8) {
    return NoMeaning("this form of GatherBlockQuantized");
  }
  const int64_t columns = data[1] * 8 / bits;
  OC_ASSIGN_OR_RETURN(const std::string table,
                      Weights(d, 0, 2, 3, bits, data[0], columns, node.Int("block_size", 128)));
  d.Out(0, d.Add("Gather", {table, d.In(1)}));
  return absl::OkStatus();
}

constexpr DefinitionRow kQuantizedDefinitions[] = {
    {kMicrosoftDomain, "QLinearAdd", QuantizedBinary},
    {kMicrosoftDomain, "QLinearMul", QuantizedBinary},
    {kMicrosoftDomain, "QLinearSigmoid", QuantizedUnary},
    {kMicrosoftDomain, "QLinearLeakyRelu", QuantizedUnary},
    {kMicrosoftDomain, "QLinearSoftmax", QuantizedUnary},
    {kMicrosoftDomain, "QLinearAveragePool", QuantizedUnary},
    {kMicrosoftDomain, "QLinearGlobalAveragePool", QuantizedUnary},
    {kMicrosoftDomain, "QLinearReduceMean", QuantizedUnary},
    {kMicrosoftDomain, "QLinearConcat", QuantizedConcat},
    {kMicrosoftDomain, "QLinearWhere", QuantizedWhere},
    {kMicrosoftDomain, "QLinearConv", QuantizedConv},
    {kOnnxDomain, "QLinearConv", QuantizedConv},
    {kOnnxDomain, "QLinearMatMul", QuantizedMatMul},
    {kMicrosoftDomain, "QGemm", QuantizedGemm},
    {kMicrosoftDomain, "MatMulIntegerToFloat", MatMulToFloat},
    {kMicrosoftDomain, "DynamicQuantizeMatMul", DynamicMatMul},
    {kMicrosoftDomain, "MatMulInteger16", WideMatMul},
    {kMicrosoftDomain, "MatMulNBits", MatMulNBits},
    {kMicrosoftDomain, "GatherBlockQuantized", GatherBlocks},
};

}  // namespace

absl::Span<const DefinitionRow> QuantizedDefinitions() { return kQuantizedDefinitions; }

}  // namespace onnxcmp
