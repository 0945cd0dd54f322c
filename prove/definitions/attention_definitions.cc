// Definitions of com.microsoft's attention operators.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "absl/status/statusor.h"
#include "evaluator/base/status_macros.h"
#include "prove/definition.h"

namespace onnxcmp {
namespace {

using Names = std::vector<std::string>;

// Parts of the last axis, of these sizes.
Names PartsOf(Definition& d, const std::string& x, int64_t axis,
              const std::vector<int64_t>& sizes) {
  return d.AddSeveral("Split", {x, d.Integers(sizes)}, {{"axis", axis}},
                      static_cast<int64_t>(sizes.size()));
}

// (batch, sequence, heads * size) as (batch, heads, sequence, size), and back.
std::string WithHeads(Definition& d, const std::string& x, const Shape& shape, int64_t heads) {
  const std::string rows = d.Reshaped(x, {shape[0], shape[1], heads, shape[2] / heads});
  return d.Transposed(rows, {0, 2, 1, 3});
}

struct HeadSizes {
  int64_t batch = 0, heads = 0, queries = 0, keys = 0, size = 0, value_size = 0;
};

// A bool tensor of a shape.
template <typename Function>
std::string Choice(Definition& d, const Shape& shape, Function function) {
  const int64_t count =
      std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < count; ++i) chosen.push_back(function(i) ? 1 : 0);
  const std::string flat = d.Add("Cast", {d.Integers(chosen)}, {{"to", int64_t{9}}});
  return d.Reshaped(flat, shape);
}

std::string MinusInfinity(Definition& d) {
  return d.Number(-std::numeric_limits<float>::infinity());
}

// The summand of scores that stands for a mask: 0, or the filter for keys that it leaves out. ""
// adds nothing. (batch), (2 batch), (batch, keys), (batch, queries, keys) and (batch, 1, max, max),
// as com.microsoft's operators have them.
absl::StatusOr<std::string> MaskAddend(Definition& d, int input, const HeadSizes& sizes) {
  if (!d.Has(input)) return "";
  const Shape shape = d.ShapeOf(input);
  const std::string mask = d.Add("Cast", {d.In(input)}, {{"to", int64_t{7}}});
  std::string keeps;
  if (shape == Shape{sizes.batch, sizes.keys}) {
    keeps = d.Add("Greater", {d.Reshaped(mask, {sizes.batch, 1, 1, sizes.keys}), d.Integers({0})});
  } else if (shape == Shape{sizes.batch, 1} || shape == Shape{1, 1}) {
    return "";
  } else if (shape == Shape{sizes.batch, sizes.queries, sizes.keys}) {
    const std::string rows = d.Reshaped(mask, {sizes.batch, 1, sizes.queries, sizes.keys});
    keeps = d.Add("Greater", {rows, d.Integers({0})});
  } else if (shape.size() == 1 && (shape[0] == sizes.batch || shape[0] == 2 * sizes.batch)) {
    std::vector<int64_t> places(static_cast<size_t>(sizes.keys));
    std::iota(places.begin(), places.end(), 0);
    const std::string place = d.Reshaped(d.Integers(places), {1, 1, 1, sizes.keys});
    const int64_t parts = shape[0] / sizes.batch;
    const Names limits =
        PartsOf(d, mask, 0, std::vector<int64_t>(static_cast<size_t>(parts), sizes.batch));
    keeps = d.Add("Less", {place, d.Reshaped(limits[0], {sizes.batch, 1, 1, 1})});
    if (parts == 2) {
      const std::string begun =
          d.Add("GreaterOrEqual", {place, d.Reshaped(limits[1], {sizes.batch, 1, 1, 1})});
      keeps = d.Add("And", {keeps, begun});
    }
  } else {
    return NoMeaning("a mask of this shape");
  }
  const float filter = d.of().Number("mask_filter_value", -10000);
  return d.Add("Where", {keeps, d.Number(0), d.Number(filter)});
}

struct ScoreTerms {
  float scale = 0;  // 0: 1 / sqrt(size)
  float softcap = 0;
  Names addends;
  std::string visible;  // bool: keys that a query sees; "": all
  std::string sink;     // (1, heads, 1, 1); ""
};

// softmax(scale q k^T + ...) v, of (batch, heads, ..., size), as (batch, queries, heads * size).
std::string Attended(Definition& d, const std::string& q, const std::string& k,
                     const std::string& v, const HeadSizes& sizes, const ScoreTerms& scores) {
  std::string s = d.Add("MatMul", {q, d.Transposed(k, {0, 1, 3, 2})});
  const float scale = scores.scale != 0
                          ? scores.scale
                          : static_cast<float>(1 / std::sqrt(static_cast<double>(sizes.size)));
  s = d.Add("Mul", {s, d.Number(scale)});
  if (scores.softcap != 0) {
    const std::string cap = d.Number(scores.softcap);
    s = d.Add("Mul", {d.Add("Tanh", {d.Add("Div", {s, cap})}), cap});
  }
  for (const std::string& addend : scores.addends) {
    if (!addend.empty()) s = d.Add("Add", {s, addend});
  }
  if (!scores.visible.empty()) s = d.Add("Where", {scores.visible, s, MinusInfinity(d)});
  std::string weights;
  if (scores.sink.empty()) {
    weights = d.Add("Softmax", {s}, {{"axis", int64_t{-1}}});
  } else {
    const std::string sinks =
        d.Add("Expand", {scores.sink, d.Integers({sizes.batch, sizes.heads, sizes.queries, 1})});
    const std::string all = d.Add("Concat", {s, sinks}, {{"axis", int64_t{3}}});
    weights = PartsOf(d, d.Add("Softmax", {all}, {{"axis", int64_t{-1}}}), 3, {sizes.keys, 1})[0];
  }
  const std::string heads = d.Transposed(d.Add("MatMul", {weights, v}), {0, 2, 1, 3});
  return d.Reshaped(heads, {sizes.batch, sizes.queries, sizes.heads * sizes.value_size});
}

// Each query sees the keys up to its own.
std::string Causal(Definition& d, const HeadSizes& sizes) {
  const int64_t past = sizes.keys - sizes.queries;
  return Choice(d, {1, 1, sizes.queries, sizes.keys},
                [&](int64_t i) { return i % sizes.keys <= past + i / sizes.keys % sizes.queries; });
}

// Attention: input, weights, bias, mask_index, past, attention_bias.
absl::Status SelfAttention(Definition& d) {
  const FieldNode& node = d.of();
  const int64_t heads = node.Int("num_heads", 0);
  if (heads < 1 || node.Int("do_rotary", 0) != 0 || node.Int("past_present_share_buffer", 0) != 0 ||
      d.ShapeOf(0).size() != 3) {
    return NoMeaning("this form of Attention");
  }
  const Shape& x = d.ShapeOf(0);
  const int64_t columns = d.ShapeOf(1).back();
  std::vector<int64_t> parts = node.Ints("qkv_hidden_sizes");
  if (parts.empty()) parts = {columns / 3, columns / 3, columns / 3};
  std::string qkv = d.Add("MatMul", {d.In(0), d.In(1)});
  if (d.Has(2)) qkv = d.Add("Add", {qkv, d.In(2)});
  const Names split = PartsOf(d, qkv, 2, parts);
  Names heads_of;
  for (size_t i = 0; i < 3; ++i) {
    heads_of.push_back(WithHeads(d, split[i], {x[0], x[1], parts[i]}, heads));
  }
  HeadSizes sizes = {x[0], heads, x[1], x[1], parts[0] / heads, parts[2] / heads};
  if (d.Has(4)) {
    const Names past = PartsOf(d, d.In(4), 0, {1, 1});
    for (const size_t i : {1, 2}) {
      const std::string before = d.Add("Squeeze", {past[i - 1], d.Integers({0})});
      heads_of[i] = d.Add("Concat", {before, heads_of[i]}, {{"axis", int64_t{2}}});
    }
    sizes.keys += d.ShapeOf(4)[3];
  }
  if (node.HasOutput(1)) {
    const Names both = {d.Add("Unsqueeze", {heads_of[1], d.Integers({0})}),
                        d.Add("Unsqueeze", {heads_of[2], d.Integers({0})})};
    d.Out(1, d.Add("Concat", both, {{"axis", int64_t{0}}}));
  }
  ScoreTerms scores;
  scores.scale = node.Number("scale", 0);
  OC_ASSIGN_OR_RETURN(const std::string mask, MaskAddend(d, 3, sizes));
  scores.addends = {mask, d.In(5)};
  if (node.Int("unidirectional", 0) != 0) scores.visible = Causal(d, sizes);
  d.Out(0, Attended(d, heads_of[0], heads_of[1], heads_of[2], sizes, scores));
  return absl::OkStatus();
}

// query, key and value of MultiHeadAttention as (batch, sequence, hidden), or key and value with
// their heads first.
absl::StatusOr<Names> Unpacked(Definition& d, std::vector<Shape>* shapes) {
  *shapes = {d.ShapeOf(0), d.Has(1) ? d.ShapeOf(1) : Shape(), d.Has(2) ? d.ShapeOf(2) : Shape()};
  if (d.Has(2)) return Names{d.In(0), d.In(1), d.In(2)};
  const int from = d.Has(1) ? 1 : 0;
  const Shape packed = d.ShapeOf(from);
  if (packed.size() != 5) return NoMeaning("packed heads of this shape");
  Names names;
  if (from == 1) names.push_back(d.In(0));
  const int64_t count = packed[3];
  const Names parts =
      PartsOf(d, d.In(from), 3, std::vector<int64_t>(static_cast<size_t>(count), 1));
  const Shape plain = {packed[0], packed[1], packed[2] * packed[4]};
  for (const std::string& part : parts) {
    (*shapes)[names.size()] = plain;
    names.push_back(d.Reshaped(part, plain));
  }
  return names;
}

// MultiHeadAttention: query, key, value, bias, key_padding_mask, attention_bias, past_key,
// past_value.
absl::Status MultiHeadAttention(Definition& d) {
  const FieldNode& node = d.of();
  const int64_t heads = node.Int("num_heads", 0);
  if (heads < 1 || d.Has(8) || d.Has(9)) return NoMeaning("a cache that is one buffer");
  std::vector<Shape> shapes;
  OC_ASSIGN_OR_RETURN(Names names, Unpacked(d, &shapes));
  if (names.size() != 3 || shapes[0].size() != 3) return NoMeaning("a query of this shape");
  const bool cached = shapes[1].size() == 4;
  if (d.Has(3)) {
    const int64_t hidden = shapes[0][2];
    const int64_t rest = d.ShapeOf(3)[0] - 2 * hidden;
    const Names bias = PartsOf(d, d.In(3), 0, {hidden, hidden, rest});
    for (size_t i = 0; i < (cached ? 1U : 3U); ++i) {
      names[i] = d.Add("Add", {names[i], bias[i]});
    }
  }
  for (size_t i = 0; i < 3; ++i) {
    if (shapes[i].size() == 3) names[i] = WithHeads(d, names[i], shapes[i], heads);
  }
  const auto keys_of = [&](size_t i) { return cached ? shapes[i][2] : shapes[i][1]; };
  const auto size_of = [&](size_t i) {
    return shapes[i].size() == 4 ? shapes[i][3] : shapes[i][2] / heads;
  };
  HeadSizes sizes = {shapes[0][0], heads, shapes[0][1], keys_of(1), size_of(0), size_of(2)};
  if (d.Has(6) != d.Has(7)) return NoMeaning("half a past");
  if (d.Has(6)) {
    for (const int i : {1, 2}) {
      auto& name = names[static_cast<size_t>(i)];
      name = d.Add("Concat", {d.In(5 + i), name}, {{"axis", int64_t{2}}});
    }
    sizes.keys += d.ShapeOf(6)[2];
  }
  d.Out(1, names[1]);
  d.Out(2, names[2]);
  ScoreTerms scores;
  scores.scale = node.Number("scale", 0);
  OC_ASSIGN_OR_RETURN(const std::string mask, MaskAddend(d, 4, sizes));
  scores.addends = {mask, d.In(5)};
  if (node.Int("unidirectional", 0) != 0) scores.visible = Causal(d, sizes);
  d.Out(0, Attended(d, names[0], names[1], names[2], sizes, scores));
  return absl::OkStatus();
}

// x (batch, heads, sequence, size) turned by the rows `cos` and `sin`, (batch or 1, sequence,
// half).
std::string Rotated(Definition& d, const std::string& x, const Shape& shape,
                    const std::string& cos_rows, const std::string& sin_rows, int64_t half,
                    bool interleaved) {
  const std::string cos = d.Add("Unsqueeze", {cos_rows, d.Integers({1})});
  const std::string sin = d.Add("Unsqueeze", {sin_rows, d.Integers({1})});
  const int64_t rest = shape[3] - 2 * half;
  Names parts;
  if (interleaved) {
    parts = PartsOf(d, x, 3, {2 * half, rest});
    const std::string pairs = d.Reshaped(parts[0], {shape[0], shape[1], shape[2], half, 2});
    const Names both = PartsOf(d, pairs, 4, {1, 1});
    const std::string last = d.Integers({4});
    parts = {d.Add("Squeeze", {both[0], last}), d.Add("Squeeze", {both[1], last}), parts[1]};
  } else {
    parts = PartsOf(d, x, 3, {half, half, rest});
  }
  const auto product = [&](size_t i, const std::string& factor) {
    return d.Add("Mul", {parts[i], factor});
  };
  std::string first = d.Add("Sub", {product(0, cos), product(1, sin)});
  std::string second = d.Add("Add", {product(1, cos), product(0, sin)});
  if (!interleaved) {
    return d.Add("Concat", {first, second, parts[2]}, {{"axis", int64_t{3}}});
  }
  const std::string axis = d.Integers({4});
  first = d.Add("Unsqueeze", {first, axis});
  second = d.Add("Unsqueeze", {second, axis});
  const std::string pairs = d.Add("Concat", {first, second}, {{"axis", int64_t{4}}});
  const std::string flat = d.Reshaped(pairs, {shape[0], shape[1], shape[2], 2 * half});
  return d.Add("Concat", {flat, parts[2]}, {{"axis", int64_t{3}}});
}

// Positions as (batch or 1, sequence): an input of these, or of one to count from.
std::string PositionsOf(Definition& d, int input, int64_t sequence) {
  if (d.ShapeOf(input).size() == 2) return d.In(input);
  std::vector<int64_t> steps(static_cast<size_t>(sequence));
  std::iota(steps.begin(), steps.end(), 0);
  const std::string from = d.Add("Cast", {d.In(input)}, {{"to", int64_t{7}}});
  return d.Reshaped(d.Add("Add", {from, d.Integers(steps)}), {1, sequence});
}

// RotaryEmbedding: input, position_ids, cos_cache, sin_cache.
absl::Status RotaryEmbedding(Definition& d) {
  const FieldNode& node = d.of();
  Shape shape = d.ShapeOf(0);
  const int64_t half = d.ShapeOf(2)[1];
  const bool flat = shape.size() == 3;
  std::string x = d.In(0);
  if (flat) {
    const int64_t rotary = node.Int("rotary_embedding_dim", 0);
    const int64_t count = node.Int("num_heads", 0);
    if (rotary != 0 && count == 0) return NoMeaning("heads of an unknown number");
    const int64_t heads = rotary == 0 ? shape[2] / (2 * half) : count;
    x = WithHeads(d, x, shape, heads);
    shape = {shape[0], heads, shape[1], shape[2] / heads};
  }
  const std::string positions = PositionsOf(d, 1, shape[2]);
  const std::string cos = d.Add("Gather", {d.In(2), positions});
  const std::string sin = d.Add("Gather", {d.In(3), positions});
  x = Rotated(d, x, shape, cos, sin, half, node.Int("interleaved", 0) != 0);
  if (flat) x = d.Reshaped(d.Transposed(x, {0, 2, 1, 3}), d.ShapeOf(0));
  d.Out(0, x);
  return absl::OkStatus();
}

// RMSNormalization of heads.
std::string NormalizedHeads(Definition& d, const std::string& x, int weight, float epsilon) {
  return d.Add("RMSNormalization", {x, d.In(weight)},
               {{"axis", int64_t{-1}}, {"epsilon", epsilon}});
}

// The tokens before the new ones, as many in each entry of the batch, all of them in the past.
absl::StatusOr<int64_t> TokensBefore(const Definition& d, int64_t queries, int64_t keys) {
  const FieldNode& node = d.of();
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, node.Integers(5));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> total, node.Integers(6));
  if (total.size() != 1 || lengths.empty() || keys != queries) return NoMeaning("keys of the past");
  const int64_t past = total[0] == queries ? 0 : lengths[0] + 1 - queries;
  for (const int64_t length : lengths) {
    if (length + 1 != past + queries || total[0] != past + queries) {
      return NoMeaning("entries of a batch with numbers of tokens of their own");
    }
  }
  const int64_t capacity = d.Has(3) ? d.ShapeOf(3)[2] : 0;
  if (past < 0 || past > capacity || (past > 0 && capacity > past)) {
    return NoMeaning("a past with room for more");
  }
  return past;
}

absl::Status CheckGrouped(const FieldNode& node) {
  if (node.Has(11) || node.Has(12) || node.Has(13) || node.Has(16) || node.HasOutput(3) ||
      node.Int("sliding_window_cache", 0) != 0 || node.Int("smooth_softmax", 0) > 0 ||
      node.String("k_quant_type", "NONE") != "NONE" ||
      node.String("v_quant_type", "NONE") != "NONE" || node.Int("causal", 1) != 1) {
    return NoMeaning("this form of GroupQueryAttention");
  }
  return absl::OkStatus();
}

// GroupQueryAttention: query, key, value, past_key, past_value, seqlens_k, total_sequence_length,
// cos_cache, sin_cache, position_ids, attention_bias, head_sink, k_scale, v_scale, norm weights.
absl::Status GroupQueryAttention(Definition& d) {
  const FieldNode& node = d.of();
  OC_RETURN_IF_ERROR(CheckGrouped(node));
  const int64_t heads = node.Int("num_heads", 0);
  const int64_t kv_heads = node.Int("kv_num_heads", 0);
  if (heads < 1 || kv_heads < 1 || d.Has(1) != d.Has(2)) return NoMeaning("heads");
  const Shape x = d.ShapeOf(0);
  const int64_t size = d.Has(1) ? x[2] / heads : x[2] / (heads + 2 * kv_heads);
  const int64_t keys = d.Has(1) ? d.ShapeOf(1)[1] : x[1];
  Names names = {d.In(0), d.In(1), d.In(2)};
  if (!d.Has(1)) names = PartsOf(d, d.In(0), 2, {heads * size, kv_heads * size, kv_heads * size});
  for (size_t i = 0; i < 3; ++i) {
    const int64_t count = i == 0 ? heads : kv_heads;
    names[i] = WithHeads(d, names[i], {x[0], i == 0 ? x[1] : keys, count * size}, count);
  }
  OC_ASSIGN_OR_RETURN(const int64_t past, TokensBefore(d, x[1], keys));
  const float epsilon = node.Number("qk_norm_epsilon", 1e-6F);
  if (d.Has(14) && d.Has(15)) {
    names[0] = NormalizedHeads(d, names[0], 14, node.Number("q_norm_epsilon", epsilon));
    names[1] = NormalizedHeads(d, names[1], 15, node.Number("k_norm_epsilon", epsilon));
  }
  if (node.Int("do_rotary", 0) != 0) {
    std::vector<int64_t> steps(static_cast<size_t>(x[1]));
    std::iota(steps.begin(), steps.end(), past);
    std::string positions = d.Reshaped(d.Integers(steps), {1, x[1]});
    if (d.Has(9) && past == 0) return NoMeaning("a prompt that says where it begins");
    if (d.Has(9)) positions = d.In(9);
    const int64_t half = d.ShapeOf(7)[1];
    const std::string cos = d.Add("Gather", {d.In(7), positions});
    const std::string sin = d.Add("Gather", {d.In(8), positions});
    const bool interleaved = node.Int("rotary_interleaved", 0) != 0;
    names[0] = Rotated(d, names[0], {x[0], heads, x[1], size}, cos, sin, half, interleaved);
    names[1] = Rotated(d, names[1], {x[0], kv_heads, keys, size}, cos, sin, half, interleaved);
  }
  if (past > 0) {
    for (const int i : {1, 2}) {
      auto& name = names[static_cast<size_t>(i)];
      name = d.Add("Concat", {d.In(2 + i), name}, {{"axis", int64_t{2}}});
    }
  } else if (d.Has(3) && d.ShapeOf(3)[2] > keys) {
    return NoMeaning("a past with room for more");
  }
  d.Out(1, names[1]);
  d.Out(2, names[2]);
  const HeadSizes sizes = {x[0], heads, x[1], past + keys, size, size};
  // Neighbouring heads of the queries share one.
  for (const size_t i : {1, 2}) {
    const std::string apart = d.Add("Unsqueeze", {names[i], d.Integers({2})});
    const std::string repeated =
        d.Add("Expand", {apart, d.Integers({x[0], kv_heads, heads / kv_heads, sizes.keys, size})});
    names[i] = d.Reshaped(repeated, {x[0], heads, sizes.keys, size});
  }
  ScoreTerms scores;
  scores.scale = node.Number("scale", 0);
  scores.softcap = node.Number("softcap", 0);
  scores.addends = {d.In(10)};
  const int64_t window = node.Int("local_window_size", -1);
  scores.visible = Choice(d, {1, 1, sizes.queries, sizes.keys}, [&](int64_t i) {
    const int64_t key = i % sizes.keys;
    const int64_t position = past + i / sizes.keys;
    return key <= position && (window < 1 || key > position - window);
  });
  d.Out(0, Attended(d, names[0], names[1], names[2], sizes, scores));
  return absl::OkStatus();
}

constexpr DefinitionRow kAttentionDefinitions[] = {
    {kMicrosoftDomain, "Attention", SelfAttention},
    {kMicrosoftDomain, "MultiHeadAttention", MultiHeadAttention},
    {kMicrosoftDomain, "GroupQueryAttention", GroupQueryAttention},
    {kMicrosoftDomain, "RotaryEmbedding", RotaryEmbedding},
};

}  // namespace

absl::Span<const DefinitionRow> AttentionDefinitions() { return kAttentionDefinitions; }

}  // namespace onnxcmp
